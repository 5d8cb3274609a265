"""What a provider's contracts came to, poll by poll, as the state hands it to `history` and `report`.

A state keeps changes, not polls; the cell of a poll is what the last change at or before it said.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime

from msgspec import Struct


class Change(Struct, frozen=True, kw_only=True):
    """An outcome that was not what it had been.

    Attributes:
        at: the instant of the poll that brought it, aware.
        outcome: `holds`, `violated`, `unknown`, `waived` or `not-applicable`.
    """

    at: datetime
    outcome: str


class Line(Struct, frozen=True, kw_only=True):
    """One contract of a provider, or of one of its models.

    Attributes:
        contract: its id.
        model: None for the provider as a whole.
        changes: ascending; the first is the state at or before the first poll shown, and may lie long before it.
            Where the contract was judged for the first time later, the first is of that poll.
        first_seen: when it was violated for the first time, None where it never was.
        last_seen: when it was violated last.
        count: how many polls saw it violated, all told.
    """

    contract: str
    model: str | None
    changes: tuple[Change, ...]
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    count: int = 0


class Timeline(Struct, frozen=True, kw_only=True):
    """One provider.

    Attributes:
        provider: its name.
        polls: the instants of the polls that are shown, ascending; those that did not ask this provider are not there.
        lines: by contract, then model; the line of the provider as a whole comes first.
    """

    provider: str
    polls: tuple[datetime, ...]
    lines: tuple[Line, ...]


def cells(timeline: Timeline) -> tuple[tuple[str | None, ...], ...]:
    """Give for each line, in its order, the outcome at each poll; None where it was not judged yet."""
    return tuple(_cells(line, timeline.polls) for line in timeline.lines)


def _cells(line: Line, polls: tuple[datetime, ...]) -> tuple[str | None, ...]:
    ats = [change.at for change in line.changes]
    last = (bisect_right(ats, poll) - 1 for poll in polls)
    return tuple(None if place < 0 else line.changes[place].outcome for place in last)
