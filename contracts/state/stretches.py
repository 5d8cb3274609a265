"""A timeline by stretches of polls that came to the same: they cost what its changes cost, not what its polls do.

`timeline.cells` says the same poll by poll: 300 providers at 120 polls have 800,000 cells and 7,000 stretches.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from contracts.state.timeline import Line

ORDER = tuple(
    outcome.value
    for outcome in (Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.WAIVED, Outcome.HOLDS, Outcome.NOT_APPLICABLE)
)  # worst first

_RANK = {outcome: place for place, outcome in enumerate(ORDER)}


class Stretch(Struct, frozen=True):
    """Polls that came to one outcome, from the place `begin` up to and without `end`."""

    outcome: str
    begin: int
    end: int


def rank(outcome: str) -> int:
    """Place of an outcome, worst first; one that this version does not know comes last."""
    return _RANK.get(outcome, len(ORDER))


def stretches(line: Line, polls: tuple[datetime, ...]) -> tuple[Stretch, ...]:
    """Give a line's stretches, ascending; polls at which it was not judged yet are in none, neighbours differ."""
    changes, count = line.changes, len(polls)
    found: list[Stretch] = []
    begin = bisect_left(polls, changes[0].at) if changes else count
    for place, change in enumerate(changes):
        end = bisect_left(polls, changes[place + 1].at) if place + 1 < len(changes) else count
        if end <= begin:
            continue
        if found and found[-1].outcome == change.outcome and found[-1].end == begin:
            begin = found.pop().begin
        found.append(Stretch(change.outcome, begin, end))
        begin = end
    return tuple(found)


def worst(lines: Iterable[tuple[Stretch, ...]], polls: int) -> tuple[Stretch, ...]:
    """Give the worst outcome of several lines at each poll, as stretches."""
    painted: list[str | None] = [None] * polls
    # Painted best first, so that what is worse covers what is better.
    for one in sorted((s for line in lines for s in line), key=lambda s: -rank(s.outcome)):
        painted[one.begin : one.end] = [one.outcome] * (one.end - one.begin)
    found: list[Stretch] = []
    begin = 0
    for place in range(1, polls + 1):
        if place == polls or painted[place] != painted[begin]:
            outcome = painted[begin]
            if outcome is not None:
                found.append(Stretch(outcome, begin, place))
            begin = place
    return tuple(found)
