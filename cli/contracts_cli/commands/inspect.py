"""`contracts inspect`: judge captures that someone made."""

from __future__ import annotations

from contracts.settings import InspectSettings as Settings
from contracts_cli.output import check_targets, tell

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    check_targets(settings)
    from contracts.run import inspect

    report, status = inspect(settings)
    return tell(report, settings, status)
