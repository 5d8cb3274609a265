"""`contracts check`: judge providers by their contracts."""

from __future__ import annotations

import os

from msgspec import structs

from contracts.settings import Settings
from contracts_cli import terminal
from contracts_cli.output import check_targets, tell

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    check_targets(settings)
    from contracts.run import check

    if settings.replay is None:
        from contracts.state.place import place

        settings = structs.replace(settings, state=place(settings.state, os.environ))
    report, status = check(settings, terminal.complain)
    tell(report, settings)
    return status
