"""What is new, ongoing, fixed or flapping."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.evidence.remembering import Careful
from contracts.model import Finding
from contracts.state import tables
from contracts.state.sightings import Sighting, see
from contracts.state.store import State
from tests.state.findings import NOON, finding
from tests.state.raw import execute, opened

HOUR = timedelta(hours=1)
LAW = settings(deadline=None)


def states(polls: str, every: timedelta = HOUR) -> str:
    """What each poll is told: n, o, f, ~ for flapping, and . for nothing."""
    was: Sighting | None = None
    told = ""
    for number, letter in enumerate(polls):
        was, novelty = see(was, finding(letter), NOON + number * every)
        told += "." if novelty is None else "~" if novelty.state == "flapping" else novelty.state[0]
    return told


TIMELINES = [
    ("hhh", HOUR, "..."),
    ("hvvv", HOUR, ".noo"),
    ("vvhh", HOUR, "nof."),
    ("vwwv", HOUR, "nooo"),
    ("v?-v", HOUR, "no.o"),
    ("v?h?", HOUR, "nof."),
    ("vhv", HOUR, "nf~"),
    ("vhvh", HOUR, "nf~~"),
    ("vhvvvvvvvvv", 10 * HOUR, "nf~~~~~~~~o"),
    ("vhhhhhhhhv", 10 * HOUR, "nf.......~"),
    ("vhhhhhhhhhv", 10 * HOUR, "nf........n"),
    ("vhhhhhhhhhhhhhhhhhhv", HOUR, "nf.................~"),
    ("vhhhhhhhhhhhhhhhhhhhhhhhhv", HOUR, "nf.......................n"),
    ("v" + "h" * 11 + "v", 2 * HOUR, "nf" + "." * 10 + "~"),
    ("vh" + "h" * 40 + "vh", 10 * HOUR, "nf" + "." * 40 + "nf"),
]


@pytest.mark.parametrize(("polls", "every", "told"), TIMELINES, ids=[f"{p} each {e}" for p, e, _ in TIMELINES])
def test_a_timeline_tells(polls: str, every: timedelta, told: str) -> None:
    assert states(polls, every) == told


def test_since_and_polls_are_those_of_the_violation() -> None:
    first, new = see(None, finding(), NOON)
    second, ongoing = see(first, finding("w"), NOON + HOUR)
    same, unknown = see(second, finding("?"), NOON + 2 * HOUR)
    _, fixed = see(same, finding("h"), NOON + 3 * HOUR)
    told = [(n.state, n.since, n.polls) for n in (new, ongoing, unknown, fixed) if n]
    assert told == [("new", NOON, 1), ("ongoing", NOON, 2), ("ongoing", NOON, 2), ("fixed", NOON, 2)]
    assert same is second


def test_what_flaps_tells_the_first_of_its_last_three_changes() -> None:
    was: Sighting | None = None
    for number, letter in enumerate("vhvhv"):
        was, novelty = see(was, finding(letter), NOON + number * HOUR)
    assert novelty is not None
    assert (novelty.state, novelty.since, novelty.polls) == ("flapping", NOON + 2 * HOUR, 3)


def test_first_and_last_sighting_and_all_polls_are_counted_over_every_violation() -> None:
    was: Sighting | None = None
    for number, letter in enumerate("vvhhv"):
        was, _ = see(was, finding(letter, ref=f"größe#{number}"), NOON + number * HOUR)
    assert was is not None
    assert (was.first_seen, was.last_seen, was.count, was.polls) == (NOON, NOON + 4 * HOUR, 3, 1)
    assert (was.began_at, was.source, was.ref) == (NOON + 4 * HOUR, "live", "größe#4")


def test_a_clock_that_was_set_back_makes_nothing_older() -> None:
    was, _ = see(None, finding(), NOON)
    was, novelty = see(was, finding(), NOON - 100 * HOUR)
    assert was is not None
    assert novelty is not None
    assert (was.last_seen, was.judged_at, novelty.state, novelty.polls) == (NOON, NOON, "ongoing", 2)


@LAW
@given(st.text("vhw?-", max_size=40), st.sampled_from([HOUR, 10 * HOUR, 100 * HOUR]))
def test_what_was_not_judged_changes_no_later_verdict(polls: str, every: timedelta) -> None:
    """With the polls that judged nothing left out, but at the same instants, all others are told the same."""
    was: Sighting | None = None
    alone: Sighting | None = None
    for number, letter in enumerate(polls):
        was, told = see(was, finding(letter), NOON + number * every)
        if letter in "vhw":
            alone, same = see(alone, finding(letter), NOON + number * every)
            assert told == same
        assert told is None or (told.state == "new") <= (letter in "vw")
        assert (told is not None) >= (letter in "vw")
        assert told is None or told.polls >= 1


@LAW
@given(st.lists(st.integers(1, 14), max_size=9), st.integers(0, 30))
def test_flapping_is_what_a_reader_of_the_whole_history_would_call_so(lengths: Sequence[int], hours: int) -> None:
    """However little of it is kept: three changes within 24 hours or 10 polls, counted over everything."""
    was: Sighting | None = None
    changes: list[tuple[datetime, int]] = []
    number = 0
    for run, length in enumerate(lengths):
        for poll in range(length):
            number += 1
            at = NOON + number * hours * HOUR
            if poll == 0:
                changes.append((at, number))
            was, told = see(was, finding("vh"[run % 2]), at)
            close = len(changes) >= 3 and (at - changes[-3][0] <= 24 * HOUR or number - changes[-3][1] < 10)
            assert (told is not None and told.state == "flapping") == close


def told(state: State, at: datetime, *findings: Finding, provider: str = "größe") -> list[str]:
    return [f"{f.new} {f.novelty.state if f.novelty else None}" for f in state.see(provider, findings, at)]


def test_what_one_run_saw_another_knows(path: str) -> None:
    assert told(opened(path), NOON, finding(), finding("h", contract="sse.done")) == ["True new", "None None"]
    assert told(opened(path), NOON + HOUR, finding("?"), finding()) == ["None ongoing", "False ongoing"]
    assert told(opened(path), NOON + 2 * HOUR, finding("h")) == ["False fixed"]
    assert told(opened(path), NOON + 3 * HOUR, finding("h")) == ["False None"]


def test_what_holds_is_not_new_once_there_was_a_run(path: str) -> None:
    state = opened(path)
    assert told(state, NOON, finding("h"), finding("?")) == ["None None", "None None"]
    state.record_run(NOON, NOON, 0, (0, 0, 0, 0), Decimal(0))
    assert told(state, NOON, finding("h")) == ["False None"]
    assert told(state, NOON + 501 * HOUR, finding("?")) == ["None None"]


def test_a_state_that_fails_tells_nothing_new_and_says_so(path: str) -> None:
    state, said = opened(path), list[str]()
    memory = Careful(lambda: state, said.append)
    state.close()
    assert memory.see_all({"größe": [finding()]}, NOON) == {"größe": [finding()]}
    assert len(said) == 1


def test_providers_models_and_contracts_are_told_apart(path: str) -> None:
    state = opened(path)
    told(state, NOON, finding(model="智谱/a", contract="models.resolve"))
    others = finding(model="b", contract="models.resolve"), finding(model="智谱/a", contract="reply.model")
    assert told(state, NOON, *others) == ["True new", "True new"]
    assert told(state, NOON, finding(model="智谱/a", contract="models.resolve"), provider="другой") == ["True new"]


def test_a_model_with_half_a_character_is_the_same_at_the_next_poll(path: str) -> None:
    state = opened(path)
    assert told(state, NOON, finding(model="größe\ud83d")) == ["True new"]
    assert told(state, NOON, finding(model="größe\ud83d")) == ["False ongoing"]


def test_a_violation_by_a_model_is_fixed_by_the_whole_provider(path: str) -> None:
    state = opened(path)
    told(state, NOON, finding(model="智谱/a"))
    assert told(state, NOON + HOUR, finding("?")) == ["None ongoing"]
    assert told(state, NOON + 2 * HOUR, finding("h")) == ["False fixed"]
    assert told(state, NOON + 3 * HOUR, finding("?")) == ["None None"]


def test_a_model_that_is_judged_itself_is_not_fixed_by_another(path: str) -> None:
    state = opened(path)
    told(state, NOON, finding(model="智谱/a"))
    assert told(state, NOON + HOUR, finding("h"), finding(model="智谱/a")) == ["False None", "False ongoing"]


def rows(path: str, table: str) -> list[tuple[Any, ...]]:
    return execute(path, f"SELECT * FROM {table} ORDER BY 1")  # noqa: S608 - a name of the test's own


def test_transitions_are_kept_and_not_observations(path: str) -> None:
    state = opened(path)
    for number in range(50):
        told(state, NOON + number * HOUR, finding("h" if number == 30 else "v"), finding("h", contract="sse.done"))
    assert [row[4:6] for row in rows(path, "transitions")] == [
        ("2026-11-30T12:00:00.000000+00:00", "violated"),
        ("2026-12-01T18:00:00.000000+00:00", "holds"),
        ("2026-12-01T19:00:00.000000+00:00", "violated"),
    ]
    assert len(rows(path, "sightings")) == 1


def test_what_stays_in_order_is_no_longer_written_and_is_pruned(path: str) -> None:
    state = opened(path)
    for number, letter in enumerate("vh" + "h" * 40):
        told(state, NOON + number * HOUR, finding(letter), finding(contract="sse.done"))
    before = rows(path, "sightings")
    state.prune(NOON + 40 * HOUR)
    assert len(before) == 2
    assert [row[2] for row in rows(path, "sightings")] == ["sse.done"]
    assert rows(path, "transitions") == []
    assert told(state, NOON + 42 * HOUR, finding()) == ["True new"]


def test_sightings_do_not_grow_without_end(path: str) -> None:
    state = opened(path)
    told(state, NOON, finding(model="größe/erste"), finding(model="größe/zweite"))
    assert set(told(state, NOON + HOUR, *(finding(model=f"größe/{n}") for n in range(tables.SIGHTINGS)))) == {
        "True new"
    }
    assert len(rows(path, "sightings")) == tables.SIGHTINGS
    assert len(rows(path, "transitions")) == tables.TRANSITIONS
    assert told(state, NOON + 2 * HOUR, finding(model="größe/erste")) == ["True new"]


def test_a_row_that_this_version_cannot_read_is_a_violation_never_seen(path: str) -> None:
    state = opened(path)
    told(state, NOON, finding())
    execute(path, "UPDATE sightings SET recent = 'kaputt — 壊れた'")
    assert told(state, NOON, finding()) == ["True new"]


def test_a_state_of_the_first_version_keeps_what_it_holds_and_learns_what_is_new(file: str) -> None:
    with closing(sqlite3.connect(file)) as raw:
        for statement in tables.MIGRATIONS[0]:
            raw.execute(statement)
        raw.execute("INSERT INTO free_chats VALUES ('größe', '2026-11-30', 7)")
        raw.execute("PRAGMA user_version = 1")
        raw.commit()
    state = opened(file)
    assert state.free_chats_today("größe", "2026-11-30") == 7
    assert told(state, NOON, finding()) == ["True new"]


def test_what_is_settled_is_not_read_until_it_is_violated_again_and_counts_on(path: str) -> None:
    state = opened(path)
    polls = "v" + "h" * 12
    for number, letter in enumerate(polls):
        at = NOON + number * 30 * HOUR
        state.see("größe", [finding(letter), finding("v", model="智谱/a", contract="models.resolve")], at)
    assert sorted(execute(path, "SELECT model, settled, poll FROM sightings")) == [("", 1, 12), ("智谱/a", 0, 13)]
    execute(path, "UPDATE sightings SET source = 'settled' WHERE settled = 1")
    assert told(state, NOON + 500 * HOUR, finding("h")) == ["False None"]
    assert told(state, NOON + 501 * HOUR, finding("?")) == ["None None"]
    assert execute(path, "SELECT source FROM sightings WHERE settled = 1") == [("settled",)]
    assert told(state, NOON + 600 * HOUR, finding()) == ["True new"]
    again = "SELECT first_seen, count, poll, settled, source FROM sightings WHERE contract = 'sse.charset'"
    assert execute(path, again) == [("2026-11-30T12:00:00.000000+00:00", 2, 13, 0, "live")]
    assert told(state, NOON + 601 * HOUR, finding("h")) == ["False fixed"]


def test_a_violation_of_one_contract_wakes_no_other(path: str) -> None:
    state = opened(path)
    both = [finding(), finding(contract="sse.done")]
    state.see("größe", both, NOON)
    for number in range(1, 13):
        state.see("größe", [finding("h"), finding("h", contract="sse.done")], NOON + number * 30 * HOUR)
    state.see("größe", [finding(), finding("h", contract="sse.done")], NOON + 500 * HOUR)
    assert sorted(execute(path, "SELECT contract, settled FROM sightings")) == [("sse.charset", 0), ("sse.done", 1)]
