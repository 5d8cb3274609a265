"""`contracts history`: what each contract came to, poll by poll, and dropping what is old."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from contracts.errors import ConfigError
from contracts.model import Outcome
from contracts.state.stretches import stretches
from contracts.state.timeline import Change
from contracts.text.scrub import scrub
from contracts_cli import stored, terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.state.timeline import Line, Timeline

SCHEMA = "contracts.history/1"
IN_ORDER = (Outcome.HOLDS, Outcome.NOT_APPLICABLE)


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for; `polls` None is as many as fit. `prune` is an age, such as 90d."""

    providers: tuple[str, ...] = ()
    polls: int | None = None
    contracts: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    changed: bool = False
    prune: str | None = None
    format: Literal["text", "json"] = "text"
    state: str | None = None


class HistoryLine(Struct, frozen=True, kw_only=True):
    """One contract of a provider, or of one of its models.

    `outcome` is the last, `since` when it began. The first of `changes` is the state at the first poll and may lie
    before it. `violated_polls` counts the polls that ever saw it violated, between `first_violated` and
    `last_violated`.
    """

    contract: str
    model: str | None
    outcome: str | None
    since: datetime | None
    first_violated: datetime | None
    last_violated: datetime | None
    violated_polls: int
    changes: tuple[Change, ...]


class HistoryProvider(Struct, frozen=True, kw_only=True):
    """One provider. A poll came to what the last change at or before it says."""

    provider: str
    polls: tuple[datetime, ...]
    lines: tuple[HistoryLine, ...]


class Pruned(Struct, frozen=True, kw_only=True):
    """What `--prune` did: rows that were learnt before an instant are gone."""

    before: datetime
    rows: int


class History(Struct, frozen=True, kw_only=True):
    """What `contracts history -f json` prints; `pruned` is null unless `--prune` was asked for."""

    schema: str = SCHEMA
    providers: tuple[HistoryProvider, ...]
    pruned: Pruned | None = None


def run(settings: Settings) -> int:
    """Show the history, or drop what is old."""
    if settings.prune is not None:
        _prune(settings, settings.prune)
        return 0
    is_screen = settings.format == "text" and sys.stdout.isatty()
    polls = settings.polls
    if polls is None:
        polls = terminal.width_of(sys.stdout) if is_screen else stored.POLLS
    with stored.opened(settings.state) as state:
        found = chosen(stored.timelines(state, settings.providers, polls), settings)
    if settings.format == "json":
        terminal.write_json(History(providers=tuple(map(_provider, found))))
    elif not found:
        terminal.write("nothing was polled yet\n")
    else:
        terminal.write(_view(found))
    return 0


def chosen(found: Sequence[Timeline], settings: Settings) -> list[Timeline]:
    """Leave out what was not asked for.

    Raises:
        ConfigError: for a contract or a model that no timeline has.
    """
    problems: list[str] = []
    for word, asked, known in (
        ("contract", settings.contracts, {line.contract for one in found for line in one.lines}),
        ("model", settings.models, {line.model or "" for one in found for line in one.lines}),
    ):
        for name in asked:
            if name not in known:
                from contracts.config.words import did_you_mean

                hint = did_you_mean(name, sorted(known - {""}))
                problems.append(f"--{word}: expected a {word} that was judged, found '{scrub(name)}'{hint}")
    if problems:
        raise ConfigError(*problems)
    return [
        structs.replace(one, lines=tuple(line for line in one.lines if _is_asked(line, one, settings))) for one in found
    ]


def _is_asked(line: Line, timeline: Timeline, settings: Settings) -> bool:
    if (settings.contracts and line.contract not in settings.contracts) or (
        settings.models and line.model not in settings.models
    ):
        return False
    if not settings.changed:
        return True
    return any(one.outcome not in IN_ORDER for one in stretches(line, timeline.polls))


def _view(found: Sequence[Timeline]) -> str:
    from contracts_cli.timeline_view import LETTERS, TimelineView

    dot = LETTERS["holds"]
    try:
        dot.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        dot = "."
    view = TimelineView(width=terminal.width_of(sys.stdout), colour=terminal.has_colour(sys.stdout), dot=dot)
    return view.render(found)


def _provider(timeline: Timeline) -> HistoryProvider:
    return HistoryProvider(provider=timeline.provider, polls=timeline.polls, lines=tuple(map(_line, timeline.lines)))


def _line(line: Line) -> HistoryLine:
    last = line.changes[-1] if line.changes else None
    return HistoryLine(
        contract=line.contract,
        model=line.model,
        outcome=None if last is None else last.outcome,
        since=None if last is None else last.at,
        first_violated=line.first_seen,
        last_violated=line.last_seen,
        violated_polls=line.count,
        changes=line.changes,
    )


def _prune(settings: Settings, age: str) -> None:
    before = before_of(age, datetime.now(UTC))
    if settings.providers or settings.contracts or settings.models:
        raise ConfigError(
            "--prune: expected it without a provider, a contract or a model, as it drops what is old of all"
        )
    with stored.opened(settings.state, writes=True) as state:
        rows = state.prune(before)
    if settings.format == "json":
        terminal.write_json(History(providers=(), pruned=Pruned(before=before, rows=rows)))
        return
    terminal.write(f"dropped {rows} row{'' if rows == 1 else 's'} older than {before:%Y-%m-%d %H:%MZ}\n")


def before_of(age: str, now: datetime) -> datetime:
    """Give the instant that lies an age such as 90d, 12h or 8w before now.

    Raises:
        ConfigError: for what is no age.
    """
    number, unit = age[:-1], age[-1:]
    seconds = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}.get(unit)
    if seconds is None or not (number.isascii() and number.isdigit() and len(number) <= 6):  # noqa: PLR2004 - digits
        raise ConfigError(f"--prune: expected an age such as 90d, 12h or 8w, found '{scrub(age)}'")
    try:
        return now - timedelta(seconds=int(number) * seconds)
    except OverflowError:  # older than any calendar: nothing is
        return datetime.min.replace(tzinfo=UTC)
