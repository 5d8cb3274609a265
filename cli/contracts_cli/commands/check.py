"""`contracts check`: judge providers by their contracts."""

from __future__ import annotations

import os

from msgspec import structs

from contracts.errors import LockedError
from contracts.settings import Settings
from contracts.sinks.wording import stale
from contracts_cli import terminal
from contracts_cli.output import check_targets, tell

__all__ = ["Settings", "run"]

UNKNOWN = 3  # nothing is violated, but nothing was judged either


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    check_targets(settings)
    from contracts.run import check

    if settings.replay is None:
        from contracts.state.place import place

        settings = structs.replace(settings, state=place(settings.state, os.environ))
    try:
        report, status = check(settings, terminal.complain)
    except LockedError as error:
        terminal.complain(f"{error}; --wait waits for it to end")
        return UNKNOWN
    for waiver in report.stale_waivers:
        terminal.complain(stale(waiver))
    screen = None
    if settings.write_waivers:
        from contracts_cli import waiver_rows

        screen = waiver_rows.render(report.findings, report.started_at.date())
    tell(report, settings, status, screen)
    return status
