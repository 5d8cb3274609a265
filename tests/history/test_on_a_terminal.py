"""`contracts history` on a real terminal, and where its reader has gone."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios

import pytest

from contracts_cli.terminal import columns_of
from tests.cli.conftest import environment
from tests.history.conftest import POLLS, remember

CLOSED_PIPE = 141


def on_a_terminal(words: list[str], width: int) -> tuple[int, str]:
    """Run `contracts` on a terminal of a width; give its exit status and what it wrote there."""
    ours, theirs = os.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        command = [sys.executable, "-m", "contracts_cli", *words]
        running = subprocess.Popen(command, stdout=theirs, stdin=theirs, env=environment(TERM="xterm"))
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how Linux ends a terminal whose other side is closed
                break
            if not piece:
                break
            written += piece
        return running.wait(timeout=60), written.decode().replace("\r\n", "\n")
    finally:
        os.close(ours)


@pytest.mark.parametrize("width", [60, 100, 140])
def test_a_terminal_gets_colour_and_as_many_polls_as_fit(tmp_path_factory: pytest.TempPathFactory, width: int) -> None:
    state = str(tmp_path_factory.mktemp("zustand") / "état.db")
    remember(state, [*POLLS, *[POLLS[4]] * 95])
    status, text = on_a_terminal(["history", "größe", "--state", state], width)
    assert status == 0
    assert "\x1b[32m" in text
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert max(columns_of(line) for line in plain.splitlines()) <= width
    (line,) = [line for line in plain.splitlines() if line.startswith("  reply.id ")]
    assert 8 <= line.count("·") < 100
    assert columns_of(line) > width - 12


def test_a_reader_that_goes_away_ends_it_as_it_ends_any_other(file: str) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "contracts_cli", "history", "--state", file],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert running.stdout is not None
    running.stdout.close()
    assert running.stderr is not None
    assert running.stderr.read() == b""
    running.stderr.close()
    assert running.wait(timeout=60) == CLOSED_PIPE
