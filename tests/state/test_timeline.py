"""Cells of a timeline: what the last change at or before a poll said."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.state.timeline import Change, Line, Timeline, cells

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOURS = st.lists(st.integers(-20, 20), unique=True, max_size=12).map(sorted)
OUTCOMES = st.sampled_from(["holds", "violated", "unknown", "waived", "not-applicable"])


def hour(number: int) -> datetime:
    return NOON + timedelta(hours=number)


def line(*changes: tuple[int, str], model: str | None = None) -> Line:
    told = tuple(Change(at=hour(number), outcome=outcome) for number, outcome in changes)
    return Line(contract="sse.charset", model=model, changes=told)


def polled(*hours: int, lines: tuple[Line, ...]) -> Timeline:
    return Timeline(provider="größe-智谱", polls=tuple(map(hour, hours)), lines=lines)


def test_a_cell_is_what_the_last_change_said() -> None:
    shown = line((-100, "holds"), (1, "violated"), (3, "unknown"), (4, "holds"))
    assert cells(polled(0, 1, 2, 3, 4, 5, lines=(shown,))) == (
        ("holds", "violated", "violated", "unknown", "holds", "holds"),
    )


def test_before_its_first_judgement_a_line_has_no_outcome() -> None:
    assert cells(polled(0, 1, 2, lines=(line((1, "holds")), line(model="智谱/模型:free")))) == (
        (None, "holds", "holds"),
        (None, None, None),
    )


def test_without_polls_a_line_has_no_cell() -> None:
    assert cells(polled(lines=(line((1, "holds")),))) == ((),)
    assert cells(polled(1, 2, lines=())) == ()


@settings(max_examples=200, deadline=None)
@given(HOURS, HOURS, st.data())
def test_cells_are_what_going_through_poll_by_poll_gives(polls: list[int], at: list[int], data: st.DataObject) -> None:
    changes = [(number, data.draw(OUTCOMES)) for number in at]
    expected = []
    for poll in polls:
        said = None
        for number, outcome in changes:
            if number <= poll:
                said = outcome
        expected.append(said)
    assert cells(polled(*polls, lines=(line(*changes),))) == (tuple(expected),)
