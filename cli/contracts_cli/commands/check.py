"""`contracts check`: judge providers by their contracts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from contracts.errors import LockedError
from contracts.settings import Settings
from contracts.sinks import notes as note_sinks
from contracts.sinks.wording import stale
from contracts_cli import progress, terminal
from contracts_cli.output import check_targets, tell

if TYPE_CHECKING:
    from contracts.config.catalogue import Catalogue

__all__ = ["Settings", "run"]

UNKNOWN = 3  # nothing is violated, but nothing was judged either


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    check_targets(settings)
    from contracts.run import check

    if settings.replay is None:
        from contracts_cli.stored import placed

        settings = structs.replace(settings, state=placed(settings.state))
    sinks = list(settings.notes)
    try:
        with progress.shown(quiet=settings.quiet or settings.replay is not None) as step:
            report, status = check(
                settings, terminal.complain, lambda catalogue: sinks.extend(_written(catalogue, settings)), step
            )
    except LockedError as error:
        terminal.complain(f"{error}; --wait waits for it to end")
        return UNKNOWN
    for waiver in report.stale_waivers:
        terminal.complain(stale(waiver))
    screen = None
    if settings.write_waivers:
        from contracts_cli import waiver_rows

        screen = waiver_rows.render(report.findings, report.started_at.date())
    return tell(report, structs.replace(settings, notes=tuple(dict.fromkeys(sinks))), status, screen)


def _written(catalogue: Catalogue, settings: Settings) -> list[str]:
    """Give the sinks of the providers file.

    Who judges a part looks into something: what the rest came to before still stands in the rows.

    Raises:
        ConfigError: for a sink that cannot be one.
    """
    sinks = [note_sinks.beside(sink, catalogue.config) for sink in catalogue.notes]
    for sink in sinks:
        note_sinks.check(sink)
    is_part = bool(settings.contracts or settings.exclude or settings.models)
    held = [sink for sink in sinks if is_part and note_sinks.is_public(sink)]
    if held:
        terminal.complain(
            f"{catalogue.config}: notes go to no row or webhook, as only a part is judged (--note SINK sends them)"
        )
    return [sink for sink in sinks if sink not in held]
