"""`contracts gate`: judge the provider rows that a change adds or alters; what cannot be judged fails."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from contracts.gate.settings import GateSettings as Settings
from contracts.text.scrub import scrub
from contracts_cli import progress, terminal
from contracts_cli.output import check_targets, tell

if TYPE_CHECKING:
    from contracts.gate import Gated

__all__ = ["Settings", "run"]

SHORT = 12  # digits of a commit's id
MOST_PARTS = 6  # of what differs in a row


def run(settings: Settings) -> int:
    """Judge, say on standard error which rows that is about and why, tell, and return the exit status."""
    check_targets(settings)
    from contracts.gate import gate

    with progress.shown(quiet=settings.quiet or settings.replay is not None) as step:
        gated = gate(settings, terminal.complain, step)
    for line in lines(gated):
        sys.stderr.write(f"{scrub(line, 2000)}\n")
    return tell(gated.report, settings, gated.status)


def lines(gated: Gated) -> list[str]:
    """Say which rows are judged and why."""
    compared = f"added or altered since {gated.commit[:SHORT]}, where this left {gated.base}"
    told = [f"{len(gated.rows)} of {gated.rows_in_all} rows {compared}"]
    for row in gated.rows:
        shown = ", ".join(row.parts[:MOST_PARTS])
        left = len(row.parts) - MOST_PARTS
        told.append(f"{row.name}: " + ("new" if row.is_new else shown + (f" and {left} more" if left > 0 else "")))
    return told
