"""`contracts init`: write a row, from the library or from what a host says of itself."""

from __future__ import annotations

import sys

from contracts.errors import EvidenceError
from contracts.init_row import InitSettings as Settings
from contracts.text.scrub import scrub
from contracts_cli import terminal

__all__ = ["Settings", "run"]

UNKNOWN = 3  # the host did not say what it is


def run(settings: Settings) -> int:
    """Write the row, show it on standard output and all else on standard error, and return the exit status."""
    from contracts.init_row import initialize

    try:
        done = initialize(settings)
    except EvidenceError as error:
        terminal.complain(str(error))
        return UNKNOWN
    terminal.write(done.text)
    for line in done.found:
        _tell(f"found: {line}")
    for line in done.untold:
        _tell(f"could not tell: {line}")
    _tell(f"written to {done.path}")
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(f"{scrub(line, 2000)}\n")
