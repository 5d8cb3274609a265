"""`contracts check`: judge providers by their contracts."""

from __future__ import annotations

from contracts.settings import Settings
from contracts_cli.output import check_targets, tell

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    check_targets(settings)
    from contracts.run import check

    report, status = check(settings)
    tell(report, settings)
    return status
