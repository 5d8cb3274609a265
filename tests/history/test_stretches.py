"""Stretches say what cells say, and the worst of several lines is the worst at each poll."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from contracts.state.stretches import ORDER, Stretch, rank, stretches, worst
from contracts.state.timeline import Change, Line, Timeline, cells

START = datetime(2026, 11, 30, 20, 25, tzinfo=UTC)
OUTCOMES = st.sampled_from([*ORDER, "größer-als-heute"])


def expanded(strip: tuple[Stretch, ...], polls: int) -> tuple[str | None, ...]:
    """The outcome at each poll."""
    told: list[str | None] = [None] * polls
    for one in strip:
        assert one.begin < one.end
        told[one.begin : one.end] = [one.outcome] * (one.end - one.begin)
    return tuple(told)


@st.composite
def timelines(draw: st.DrawFn) -> Timeline:
    """Lines whose changes lie before, at, between and after the polls."""
    hours = st.integers(-3, 9)
    polls = tuple(START + timedelta(hours=h) for h in sorted(draw(st.sets(st.integers(0, 8), max_size=7))))
    lines = []
    for number in range(draw(st.integers(0, 4))):
        ats = sorted(draw(st.lists(hours, max_size=6)))
        changes = tuple(Change(at=START + timedelta(hours=h), outcome=draw(OUTCOMES)) for h in ats)
        lines.append(Line(contract=f"größe.nr-{number}", model=None, changes=changes))
    return Timeline(provider="größe", polls=polls, lines=tuple(lines))


@given(timelines())
def test_stretches_say_what_cells_say_and_neighbours_differ(timeline: Timeline) -> None:
    for line, told in zip(timeline.lines, cells(timeline), strict=True):
        strip = stretches(line, timeline.polls)
        assert expanded(strip, len(timeline.polls)) == told
        assert all(a.end <= b.begin for a, b in itertools.pairwise(strip))
        assert all(a.outcome != b.outcome or a.end < b.begin for a, b in itertools.pairwise(strip))


@given(timelines())
def test_the_worst_of_several_lines_is_the_worst_at_each_poll(timeline: Timeline) -> None:
    columns = list(zip(*cells(timeline), strict=True)) if timeline.lines else [()] * len(timeline.polls)
    expected = [min((o for o in column if o is not None), key=rank, default=None) for column in columns]
    found = worst([stretches(line, timeline.polls) for line in timeline.lines], len(timeline.polls))
    assert list(expanded(found, len(timeline.polls))) == expected


def test_a_violation_is_worse_than_what_is_unknown_and_that_worse_than_what_is_waived() -> None:
    assert [rank(o) for o in ("violated", "unknown", "waived", "holds", "not-applicable", "größe")] == [
        0,
        1,
        2,
        3,
        4,
        5,
    ]
