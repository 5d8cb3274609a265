"""How far a run has come, on a real pseudo-terminal: it is told there, nowhere else, and nothing of it stays."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from contracts_cli.terminal import columns_of
from tests.cli.conftest import environment

__all__ = ["hostile_provider"]

Provider = Callable[..., HostileProvider]
DEADLINE_S = 30
COLUMNS = 60
WHERE = re.compile(r"\x1b\[(\d*)([A-Za-z])|\x1b\[\?\d+[hl]|[\r\n]|[^\x1b\r\n]+")


class Terminal:
    """One end of a pseudo-terminal: the program writes to `other`, a test reads what a person would see."""

    def __init__(self) -> None:
        self.ours, self.other = pty.openpty()
        fcntl.ioctl(self.other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        self.written = b""

    def read(self, wait_s: float) -> bool:
        """Read what has come; False where nothing did, or nothing ever will."""
        if not select.select([self.ours], [], [], wait_s)[0]:
            return False
        try:
            data = os.read(self.ours, 65536)
        except OSError:  # the program, and with it the other end, is gone
            return False
        self.written += data
        return bool(data)

    def until(self, said: str) -> None:
        """Read until something was said."""
        ends = time.monotonic() + DEADLINE_S
        while said not in self.text and time.monotonic() < ends:
            self.read(0.1)
        assert said in self.text

    @property
    def text(self) -> str:
        return self.written.decode("utf-8", "replace")

    def screen(self) -> list[str]:
        """Give the lines as they stand now."""
        lines, at, column = [""], 0, 0
        for piece in WHERE.finditer(self.text):
            what = piece.group()
            match piece.group(2) or what:
                case "\r":
                    column = 0
                case "\n":
                    at += 1
                    lines += [""] * (at + 1 - len(lines))
                case "A":
                    at -= int(piece.group(1) or 1)
                case "K":
                    lines[at] = ""
                case _ if not what.startswith("\x1b"):
                    lines[at] = lines[at][:column].ljust(column) + what + lines[at][column + len(what) :]
                    column += len(what)
        return [line.rstrip() for line in lines]


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    opened = Terminal()
    yield opened
    for end in (opened.ours, opened.other):
        os.close(end)


def start(
    folder: Path, rows: dict[str, HostileProvider], stderr: int, *arguments: str, **variables: str
) -> subprocess.Popen[bytes]:
    """Start `contracts check` on rows of these providers."""
    written: dict[str, Any] = {
        name: {
            "dialect": "openai-chat",
            "base_url": provider.base_url,
            "models": ["loopback/libre"],
            "listing": {"path": "/models", "prices": "pricing"},
        }
        for name, provider in rows.items()
    }
    (folder / "providers.yaml").write_text(json.dumps({"version": 1, "providers": written}), encoding="utf-8")
    given = {name: value for name, value in environment().items() if name not in ("CI", "TERM")}
    return subprocess.Popen(
        [sys.executable, "-m", "contracts_cli", "check", "--state", "none", "--timeout", "25s", *arguments],
        cwd=folder,
        env={**given, "TERM": "xterm", **variables},
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def test_a_long_run_tells_on_a_terminal_whom_it_still_asks_and_takes_it_back(
    hostile_provider: Provider, terminal: Terminal, tmp_path: Path
) -> None:
    rows = {"cafe": hostile_provider("declared"), "stalled": hostile_provider("stall-before-headers")}
    process = start(tmp_path, rows, terminal.other, "-f", "json")
    terminal.until("1/2")
    terminal.until("stalled")
    (line,) = [line for line in terminal.screen() if line]
    assert columns_of(line) <= COLUMNS
    assert "cafe" not in line
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=DEADLINE_S)
    while terminal.read(0.1):
        pass
    assert (process.returncode, [line for line in terminal.screen() if line]) == (130, [])
    assert {f["provider"] for f in json.loads(out)["findings"]} == set(rows)
    assert "\x1b[?25l" not in terminal.text, "who is killed could not bring the cursor back"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_takes_the_line_away_too(
    number: signal.Signals, hostile_provider: Provider, terminal: Terminal, tmp_path: Path
) -> None:
    process = start(tmp_path, {"cafe": hostile_provider("stall-before-headers")}, terminal.other)
    terminal.until("0/1")
    process.send_signal(number)
    process.communicate(timeout=DEADLINE_S)
    while terminal.read(0.1):
        pass
    assert process.returncode == 130
    assert [line for line in terminal.screen() if line] == []


def test_a_name_is_scrubbed_shortened_and_no_markup(terminal: Terminal) -> None:
    code = (
        "import time; from contracts_cli.progress import shown\n"
        "with shown(quiet=False) as tell:\n"
        "    tell('東京[red]\\x1b[2J' + '大' * 80, 'asking', 2); time.sleep(1.5); print(flush=True); input()"
    )
    given = {name: value for name, value in environment().items() if name not in ("CI", "TERM")}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env={**given, "TERM": "xterm"}, stderr=terminal.other,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    terminal.until("0/2")
    assert process.stdout is not None
    process.stdout.readline()
    while "東京[red]" not in terminal.text:
        assert terminal.read(DEADLINE_S)
    (line,) = [line for line in terminal.screen() if line]
    assert "\x1b[2J" not in terminal.text
    assert columns_of(line) <= COLUMNS
    assert process.communicate(b"\n", timeout=DEADLINE_S)[0] == b""


QUIET = [(("-q",), {}), ((), {"CI": "true"}), ((), {"TERM": "dumb"})]


@pytest.mark.parametrize(("arguments", "variables"), QUIET, ids=["-q", "CI", "dumb"])
def test_who_wants_no_line_gets_none(
    arguments: tuple[str, ...],
    variables: dict[str, str],
    hostile_provider: Provider,
    terminal: Terminal,
    tmp_path: Path,
) -> None:
    process = start(
        tmp_path, {"cafe": hostile_provider("stall-before-headers")}, terminal.other, *arguments,
        "--timeout", "2s", **variables,
    )  # fmt: skip
    process.communicate(timeout=DEADLINE_S)
    while terminal.read(0.1):
        pass
    assert terminal.text == ""


def test_a_pipe_gets_no_line(hostile_provider: Provider, tmp_path: Path) -> None:
    process = start(tmp_path, {"cafe": hostile_provider("stall-before-headers")}, subprocess.PIPE, "--timeout", "2s")
    _, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, err) == (3, b"")


@pytest.mark.parametrize(("variables", "has_colour"), [({"NO_COLOR": "1"}, False), ({}, True)])
def test_a_line_without_colour_is_a_line_all_the_same(
    variables: dict[str, str], has_colour: bool, hostile_provider: Provider, terminal: Terminal, tmp_path: Path
) -> None:
    process = start(
        tmp_path, {"cafe": hostile_provider("stall-before-headers")}, terminal.other, "--timeout", "2s", **variables
    )
    terminal.until("0/1")
    process.communicate(timeout=DEADLINE_S)
    while terminal.read(0.1):
        pass
    assert bool(re.search(r"\x1b\[[0-9;]*3[0-9]", terminal.text)) is has_colour


def test_what_is_told_meanwhile_stands_above_the_line(
    hostile_provider: Provider, terminal: Terminal, tmp_path: Path
) -> None:
    stalled = hostile_provider("stall-before-headers")
    state = tmp_path / "größe.db"
    first = start(tmp_path, {"cafe": stalled}, subprocess.DEVNULL, "--state", str(state))
    ends = time.monotonic() + DEADLINE_S
    while stalled.request_count == 0 and time.monotonic() < ends:
        time.sleep(0.02)
    second = start(tmp_path, {"cafe": stalled}, terminal.other, "--state", str(state), "--wait", "--timeout", "2s")
    terminal.until("waiting for another run")
    terminal.until("asked")
    first.kill()
    first.communicate(timeout=DEADLINE_S)
    second.communicate(timeout=DEADLINE_S)
    while terminal.read(0.1):
        pass
    told = [line for line in terminal.screen() if line]
    assert len(" ".join(told).split("waiting for another run")) == 2
    assert not any("0/1" in line for line in told)
