"""Real shells on a pseudo-terminal, which have completion as `contracts --install-completion` leaves it to them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.cli.conftest import environment

REQUIRED = "SHELLS_MUST_BE_TRIED"  # set where nothing may be skipped
DEADLINE_S = 30
COLUMNS = 250  # so that no line that is typed is folded
# How each is started, and what keeps it from painting; it reads what the user's own file says.
SHELLS = {
    "bash": (("--noprofile", "-i"), "PS1=; bind 'set enable-bracketed-paste off'"),
    "zsh": (("-d", "-i"), "PS1=; unset zle_bracketed_paste; unsetopt prompt_cr prompt_sp"),
    "fish": (("-i",), "function fish_prompt; end; function fish_greeting; end"),
}
STATUS = {"fish": "$status"}
# A shell that completes wants the terminal to be its own.
OWNER = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execvp(sys.argv[1], sys.argv[1:])"
# Completes with the program itself and shows, instead of running a line, the words that it consists of.
WRAPPER = """#!/bin/sh
if [ -n "$_CONTRACTS_COMPLETE" ]; then exec "{python}" -m contracts_cli "$@"; fi
printf 'words:'; printf '<%s>' "$@"; printf '\\n'
"""
ENTER, CLEAR = "\r", "\x15"


def found(name: str) -> str:
    """Where a shell is; without it the test is skipped, or fails where it must not be."""
    path = shutil.which(name)
    if path is None and os.environ.get(REQUIRED):
        pytest.fail(f"{name} is not here, and completion has to be tried in it")
    if path is None:
        pytest.skip(f"{name} is not here (Debian: apt install {name}), so completion was not tried in it")
    return path


def environ(home: Path) -> dict[str, str]:
    """What a shell is given: this process's environment with another home, without what other shells left there."""
    kept = {name: value for name, value in environment().items() if not name.startswith(("BASH", "ZSH", "XDG_"))}
    return {**kept, "PATH": f"{home}:{kept['PATH']}", "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def ask(name: str, home: Path, option: str) -> subprocess.CompletedProcess[bytes]:
    """Let a shell start `contracts` with `--install-completion` or `--show-completion`, which ask what started them."""
    command = f"'{sys.executable}' -m contracts_cli {option}; exit {STATUS.get(name, '$?')}"
    return subprocess.run([found(name), "-c", command], env=environ(home), check=False, capture_output=True, timeout=60)


class Shell:
    """An interactive shell in a folder that is its home too, where `contracts` is WRAPPER."""

    def __init__(self, name: str, folder: Path) -> None:
        wrapper = folder / "contracts"
        wrapper.write_text(WRAPPER.format(python=sys.executable), encoding="utf-8")
        wrapper.chmod(0o755)
        arguments, quiet = SHELLS[name]
        self._ours, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-c", OWNER, found(name), *arguments],
            cwd=folder, stdin=other, stdout=other, stderr=other, start_new_session=True, env=environ(folder),
        )  # fmt: skip
        os.close(other)
        self.say(f"{quiet}; echo be''reit{ENTER}", r"bereit\r\n")

    def say(self, typed: str, until: str) -> str:
        """Type, and give what came since, up to and with a text."""
        os.write(self._ours, typed.encode())
        written, ends = "", time.monotonic() + DEADLINE_S
        while not re.search(until, written) and time.monotonic() < ends:
            if select.select([self._ours], [], [], 0.1)[0]:
                written += os.read(self._ours, 65536).decode("utf-8", "replace")
        assert re.search(until, written), written
        return written

    def line(self, typed: str) -> list[str]:
        """Give the words of a line as the shell completed them."""
        said = self.say(typed + ENTER, r"words:[^\n]*\r\n")
        return re.findall(r"<([^>]*)>", said[said.rindex("words:") :])

    def close(self) -> None:
        """End it, whatever it still does."""
        self._process.kill()
        self._process.wait()
        os.close(self._ours)
