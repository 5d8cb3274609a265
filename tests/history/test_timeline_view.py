"""Timelines as text: they fit, they can be read without colour, and nothing in them commands the terminal."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from contracts.state.timeline import Change, Line, Timeline, cells
from contracts_cli.terminal import columns_of
from contracts_cli.timeline_view import LETTERS, TimelineView
from tests.report_page.made import FIRST, HOUR, hostile, timelines

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def row(text: str, begin: str) -> str:
    """The line of a contract."""
    (found,) = [line for line in text.splitlines() if line.startswith(f"  {begin} ")]
    return found


def small(polls: int = 6) -> Timeline:
    """One line that changed, one that began late, one of a model."""
    instants = tuple(FIRST + HOUR * n for n in range(polls))
    changed = (
        Change(at=FIRST - 9 * HOUR, outcome="holds"),
        Change(at=instants[2], outcome="violated"),
        Change(at=instants[3], outcome="unknown"),
        Change(at=instants[4], outcome="waived"),
        Change(at=instants[5], outcome="not-applicable"),
    )
    late = (Change(at=instants[4], outcome="holds"),)
    return Timeline(
        provider="größe-中文",
        polls=instants,
        lines=(
            Line(contract="sse.charset", model=None, changes=changed),
            Line(contract="reply.id", model=None, changes=late),
            Line(contract="models.resolve", model="größe/中文-1", changes=late),
            Line(contract="text.intact", model=None, changes=()),
        ),
    )


def test_each_poll_has_a_cell_and_the_newest_is_right() -> None:
    text = TimelineView().render([small()])
    assert "··V?w-" in row(text, "sse.charset")
    assert "    ··  holds           since 2026-11-20 09:07Z" in row(text, "reply.id")
    assert "    ··" in row(text, "models.resolve größe/中文-1")
    assert row(text, "text.intact").strip() == "text.intact"
    assert text.startswith("größe-中文  2 hold · 1 not applicable · 6 polls, 2026-11-20 05:07Z to 2026-11-20 10:07Z\n")


def test_outcomes_differ_in_their_letters() -> None:
    assert len(set(LETTERS.values())) == len(LETTERS) == 5
    legend = TimelineView().render([small()]).splitlines()[-1]
    assert legend == "· holds   V violated   ? unknown   w waived   - not-applicable   blank: not judged yet"


@pytest.mark.parametrize("width", [40, 59, 60, 80, 109, 110, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = TimelineView(width=width).render(timelines(3, polls=300))
    assert max(columns_of(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize("width", [40, 60, 80, 110, 200])
def test_cells_stand_under_each_other_also_beside_wide_characters(width: int) -> None:
    text = TimelineView(width=width).render([small()])
    shown = [re.match(r"  \S+.*?[·-](?=  |$)", line) for line in text.splitlines()]
    ends = [columns_of(found[0]) for found in shown if found]
    assert len(ends) == 3
    assert len(set(ends)) == 1


def test_the_newest_polls_are_those_that_fit() -> None:
    timeline = timelines(1, polls=300)[0]
    text = TimelineView(width=80).render([timeline])
    for line, told in zip(timeline.lines, cells(timeline), strict=True):
        shown = re.sub(r"^  \S+ +", "", row(text, line.contract)).partition("  20")[0]
        assert 30 < len(shown) < 80
        assert shown == "".join(LETTERS[o or ""] for o in told[-len(shown) :])


def test_colour_adds_nothing_but_colour() -> None:
    made = timelines(3)
    plain = TimelineView(width=100).render(made)
    painted = TimelineView(width=100, colour=True).render(made)
    assert "\x1b[1;31m" in painted
    assert "\x1b" not in plain
    assert ESCAPE.sub("", painted) == plain


def test_a_poll_of_a_pipe_is_never_cut_off() -> None:
    text = TimelineView().render(timelines(2, polls=900))
    assert sum(line.count("·") + line.count("V") > 700 for line in text.splitlines()) > 20


def test_nothing_hostile_reaches_the_terminal() -> None:
    text = TimelineView(width=100).render(hostile())
    assert all(line.isprintable() for line in text.split("\n"))
    assert "gepr\\u202eüft" in text
    assert "z\\x00e\\x1b[31mile\\x0d\\x0aZeile" in text
    assert text.count("#######") == len(hostile())


def test_what_was_never_polled_says_so() -> None:
    assert "größe  not polled yet\n" in TimelineView().render([Timeline(provider="größe", polls=(), lines=())])
    one = Timeline(provider="größe", polls=(FIRST + timedelta(seconds=59),), lines=())
    assert "größe  1 poll, 2026-11-20 05:07Z\n" in TimelineView().render([one])


def test_where_a_dot_cannot_be_written_another_is() -> None:
    text = TimelineView(dot=".").render([small()])
    assert "..V?w-" in text
    assert ". holds" in text
