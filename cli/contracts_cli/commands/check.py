"""`contracts check`: judge providers by their contracts."""

from __future__ import annotations

from contracts.errors import ConfigError
from contracts.settings import Settings
from contracts_cli.output import check_targets, tell

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status.

    Raises:
        ConfigError: without `--replay`.
    """
    check_targets(settings)
    if settings.replay is None:
        # Evidence from the provider itself is not there yet; judging nothing would look like a verdict.
        raise ConfigError("check: expected --replay (the shipped captures) or --replay=DIR, found neither")
    from contracts.run import check

    report, status = check(settings)
    tell(report, settings)
    return status
