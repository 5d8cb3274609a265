"""Timelines out of rows: of each provider its polls, and of each contract what changed meanwhile.

Polls are in the order in which they were booked. A clock that was set back dates a later poll earlier; what came
before it is then shown just before it, so that instants ascend and each poll keeps its outcome.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from contracts.state.runs import rosters
from contracts.state.sighting_rows import STATES, of_providers
from contracts.state.timeline import Change, Line, Timeline
from contracts.state.written import read_instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from contracts.state.connection import Connection, Rows
    from contracts.state.runs import Roster

STEP = timedelta(microseconds=1)
TRANSITIONS = "SELECT provider, model, contract, at, outcome, was, was_at FROM transitions"
SEEN = "SELECT provider, model, contract, first_seen, last_seen, count FROM sightings"


class Polls(NamedTuple):
    """The polls of a provider that are shown, by the instant as it is written, and what else was booked."""

    shown: dict[str, datetime]
    booked: frozenset[str]

    def at(self, written: str) -> datetime:
        """Tell when a change is shown: that of an earlier poll before all that are shown, whatever its clock said."""
        found = self.shown.get(written)
        if found is None:
            found = read_instant(written)
            first = next(iter(self.shown.values()), found)
            if found >= first and written in self.booked:
                found = first - STEP
        return found


NONE = Polls({}, frozenset())


def timelines(connection: Connection, providers: Sequence[str] | None, polls: int) -> list[Timeline]:
    """Give the timelines of providers over their last polls, at most that many of each.

    Args:
        connection: to read from, in a transaction of the caller's.
        providers: names, in the order wanted; None is all that are known, by name.
        polls: one or more.
    """
    shown, earliest = _polls(connection, providers, max(polls, 1))
    names = list(shown) if providers is None else list(dict.fromkeys(providers))
    if providers is None:
        rows = connection.read(STATES)
        names = sorted({*names, *(str(row[0]) for row in rows)})
    else:
        rows = of_providers(connection, STATES, names)
    states, seen = _grouped(rows), _grouped(_read(connection, SEEN, providers))
    changes = _grouped(_transitions(connection, providers, earliest))
    return [_timeline(n, shown.get(n, NONE), states.get(n, {}), changes.get(n, {}), seen.get(n, {})) for n in names]


def _read(connection: Connection, statement: str, providers: Sequence[str] | None) -> Rows:
    return connection.read(statement) if providers is None else of_providers(connection, statement, providers)


def _transitions(connection: Connection, providers: Sequence[str] | None, earliest: str) -> Rows:
    """Read what changed since an instant, in the order in which it was learnt."""
    if providers is None:
        return connection.read(f"{TRANSITIONS} WHERE at >= ? ORDER BY id", earliest)
    return [
        row
        for name in dict.fromkeys(providers)
        for row in connection.read(f"{TRANSITIONS} WHERE provider = ? AND at >= ? ORDER BY id", name, earliest)
    ]


def _polls(connection: Connection, providers: Sequence[str] | None, polls: int) -> tuple[dict[str, Polls], str]:
    """Give the last polls of each provider, ascending, and the earliest instant of all."""
    held = rosters(connection)
    runs = connection.read("SELECT started_at, roster FROM runs WHERE roster IS NOT NULL ORDER BY id DESC")
    named = None if providers is None else set(providers)
    # Providers that were polled by the same runs have the same polls: these are looked for once.
    booked = frozenset(str(at) for at, _ in runs)
    shared: dict[frozenset[int], Polls] = {}
    shown: dict[str, Polls] = {}
    for name, numbers in sorted(_numbers(held).items()):
        if named is None or name in named:
            if numbers not in shared:
                last = [str(at) for at, roster in runs if roster in numbers][:polls][::-1]
                shared[numbers] = Polls(dict(zip(last, _ascending(map(read_instant, last)), strict=True)), booked)
            shown[name] = shared[numbers]
    return shown, min((min(one.shown) for one in shared.values() if one.shown), default="")


def _numbers(held: Mapping[int, Roster]) -> dict[str, frozenset[int]]:
    """Give by provider the numbers of the rosters that name it."""
    numbers: dict[str, set[int]] = {}
    for number, roster in held.items():
        for name in roster:
            numbers.setdefault(name, set()).add(number)
    return {name: frozenset(found) for name, found in numbers.items()}


def _ascending(instants: Iterable[datetime]) -> list[datetime]:
    """Date what lies after its successor just before it."""
    ascending: list[datetime] = []
    for at in reversed(list(instants)):
        ascending.append(min(at, ascending[-1] - STEP) if ascending else at)
    return ascending[::-1]


def _grouped(rows: Rows) -> dict[str, dict[tuple[str, str], Rows]]:
    """Put rows in order by provider, then by model and contract."""
    grouped: dict[str, dict[tuple[str, str], Rows]] = {}
    for provider, model, contract, *row in rows:
        grouped.setdefault(provider, {}).setdefault((contract, model), []).append(tuple(row))
    return grouped


def _timeline(
    name: str,
    polls: Polls,
    states: Mapping[tuple[str, str], Rows],
    changes: Mapping[tuple[str, str], Rows],
    seen: Mapping[tuple[str, str], Rows],
) -> Timeline:
    """Put one provider together."""
    instants = tuple(polls.shown.values())
    lines = []
    for key in sorted(states):
        ((outcome, since),) = states[key]
        told = _changes(changes.get(key, ()), outcome, since, polls)
        before = sum(change.at <= instants[0] for change in told) if instants else len(told)
        ((first, last, count),) = seen.get(key, ((None, None, 0),))
        line = Line(
            contract=key[0],
            model=key[1] or None,
            changes=tuple(told[max(before - 1, 0) :]),
            first_seen=first and read_instant(first),
            last_seen=last and read_instant(last),
            count=count,
        )
        lines.append(line)
    return Timeline(provider=name, polls=instants, lines=tuple(lines))


def _changes(rows: Sequence[tuple[Any, ...]], outcome: str, since: str, polls: Polls) -> list[Change]:
    """Give the changes of one contract, ascending: the rows, what was before them, and what it is now."""
    told: list[tuple[str, str]] = []
    for at, became, was, was_at in rows:
        # A change that is not at hand lies before all that are shown: what it came to is told by its successor.
        if was is not None and was_at is not None and (not told or told[-1][1] != was):
            told.append((was_at, was))
        told.append((at, became))
    if not told or told[-1][1] != outcome:
        told.append((since, outcome))
    instants = _ascending(polls.at(at) for at, _ in told)
    return [Change(at=at, outcome=became) for at, (_, became) in zip(instants, told, strict=True)]
