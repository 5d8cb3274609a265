"""Timelines out of a state: what every poll said comes back, whatever the clock did and however much was dropped."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.state import runs, tables
from contracts.state.opening import open_state
from contracts.state.store import State
from contracts.state.timeline import Timeline, cells
from tests.state.findings import LETTERS, NOON, finding
from tests.state.raw import execute, opened

HOUR = timedelta(hours=1)
NAMES = {outcome.value: letter for letter, outcome in LETTERS.items()}
VERSION_2 = Path(__file__).with_name("version2.sql")
A = "智谱/a"

Key = tuple[str | None, str]


def poll(  # noqa: PLR0913 - what a run is
    state: State,
    at: datetime,
    told: dict[Key, str],
    *,
    provider: str = "größe",
    complete: bool = False,
    books: bool = True,
) -> None:
    """One run over one provider."""
    findings = [finding(letter, model, contract) for (model, contract), letter in told.items()]
    state.see_all({provider: findings}, at, complete=complete)
    if books:
        record(state, at, provider)


def record(state: State, at: datetime, *providers: str) -> None:
    roster = dict.fromkeys(providers, ("sse.charset", "sse.done"))
    state.record_run(at, at, 0, (0, 0, 0, 0), Decimal(0), roster or None)


def shown(timeline: Timeline) -> dict[Key, str]:
    """The cells of each line as letters, a space for None."""
    rows = zip(timeline.lines, cells(timeline), strict=True)
    return {(line.model, line.contract): "".join(NAMES[c] if c else " " for c in row) for line, row in rows}


def letters(state: State, polls: int = 100, provider: str = "größe") -> dict[Key, str]:
    (timeline,) = state.timelines([provider], polls)
    return shown(timeline)


CHARSET, DONE = (None, "sse.charset"), (None, "sse.done")


@pytest.mark.parametrize("polls", ["hhvvh", "vhvh?", "?-hw", "hhhh", "v", "wv?h-"])
def test_what_each_poll_said_comes_back(path: str, polls: str) -> None:
    state = opened(path)
    for number, letter in enumerate(polls):
        poll(state, NOON + number * HOUR, {CHARSET: letter, DONE: "h"})
    for last in range(1, len(polls) + 2):
        assert letters(opened(path), last) == {CHARSET: polls[-last:], DONE: "h" * min(last, len(polls))}


POLLS = st.lists(
    st.tuples(st.integers(0, 40), st.lists(st.sampled_from(list(LETTERS)), min_size=3, max_size=3)),
    min_size=1,
    max_size=14,
    unique_by=lambda one: one[0],
)


@settings(deadline=None, max_examples=100)
@given(POLLS, st.integers(1, 16))
@example([(at, [letter] * 3) for at, letter in zip((0, 5, 1, 2, 3, 4), "v?hhvv", strict=True)], 3)
def test_polls_come_back_in_the_order_in_which_they_were_whatever_the_clock_did(
    polls: list[tuple[int, list[str]]], last: int
) -> None:
    keys: list[Key] = [CHARSET, DONE, (A, "sse.done")]
    with tempfile.TemporaryDirectory() as folder, closing(open_state(os.path.join(folder, "état.db"))) as state:
        for minutes, told in polls:
            poll(state, NOON + timedelta(minutes=minutes), dict(zip(keys, told, strict=True)))
        (timeline,) = state.timelines(None, last)
    assert shown(timeline) == {key: "".join(told[n] for _, told in polls[-last:]) for n, key in enumerate(keys)}
    instants = timeline.polls
    assert all(before < after for before, after in pairwise(instants))
    assert instants[-1] == NOON + timedelta(minutes=polls[-1][0])
    for line in timeline.lines:
        changes = [change.at for change in line.changes]
        assert changes == sorted(set(changes))
        # The first is the state at the first poll shown, and all others are changes after it.
        assert all(at > instants[0] for at in changes[1:])


def test_a_run_that_was_killed_before_it_was_booked_is_no_poll_and_spoils_none(path: str) -> None:
    state = opened(path)
    poll(state, NOON, {CHARSET: "h"})
    poll(state, NOON + HOUR, {CHARSET: "v"}, books=False)
    poll(state, NOON + 2 * HOUR, {CHARSET: "v"})
    assert letters(state) == {CHARSET: "hv"}


def test_a_poll_is_shown_to_those_whom_it_asked(path: str) -> None:
    state = opened(path)
    poll(state, NOON, {CHARSET: "h"})
    poll(state, NOON + HOUR, {CHARSET: "v"}, provider="другой")
    state.record_run(NOON + HOUR, NOON + HOUR, 3, (0, 0, 0, 0), Decimal(0))
    record(state, NOON + 2 * HOUR, "größe", "другой")
    assert [(t.provider, len(t.polls)) for t in state.timelines(None, 10)] == [("größe", 2), ("другой", 2)]
    assert [t.provider for t in state.timelines(["другой", "nirgends", "другой"], 10)] == ["другой", "nirgends"]
    assert state.timelines(["nirgends"], 10) == [Timeline(provider="nirgends", polls=(), lines=())]


def test_lines_come_by_contract_and_then_by_model(path: str) -> None:
    state = opened(path)
    poll(state, NOON, {(A, "sse.done"): "h", DONE: "v", CHARSET: "?"})
    (timeline,) = state.timelines(None, 10)
    assert [(line.contract, line.model) for line in timeline.lines] == [
        ("sse.charset", None),
        ("sse.done", None),
        ("sse.done", A),
    ]


def test_a_contract_has_no_cell_before_it_was_judged_and_says_when_it_is_gone(
    path: str,
) -> None:
    state = opened(path)
    poll(state, NOON, {CHARSET: "v"}, complete=True)
    poll(state, NOON + HOUR, {CHARSET: "v", DONE: "h"}, complete=True)
    poll(state, NOON + 2 * HOUR, {DONE: "h"}, complete=True)
    assert letters(state) == {CHARSET: "vv-", DONE: " hh"}


def test_a_line_says_when_and_how_often_it_was_violated(path: str) -> None:
    state = opened(path)
    for number, letter in enumerate("hvvhvh"):
        poll(state, NOON + number * HOUR, {CHARSET: letter, DONE: "h"})
    (timeline,) = state.timelines(["größe"], 2)
    told = [(line.first_seen, line.last_seen, line.count) for line in timeline.lines]
    assert told == [(NOON + HOUR, NOON + 4 * HOUR, 3), (None, None, 0)]


def test_what_is_pruned_leaves_what_holds_now_and_no_wrong_cell(path: str) -> None:
    state = opened(path)
    for number, letter in enumerate("hvhhvh"):
        poll(state, NOON + number * HOUR, {CHARSET: letter, DONE: "v"})
    poll(state, NOON, {CHARSET: "v"}, provider="längst entfernt")
    assert state.prune(NOON + 3 * HOUR) > 0
    assert letters(state) == {CHARSET: "hvh", DONE: "vvv"}
    assert [t.provider for t in state.timelines(None, 9)] == ["größe"]
    assert state.prune(NOON + 3 * HOUR) == 0
    assert len(execute(path, "SELECT id FROM rosters")) == 1


def test_changes_are_bounded_and_the_newest_stay(path: str) -> None:
    state = opened(path)
    rows = [("sse.done" if n % 2 else "sse.charset", f"{n:06}") for n in range(tables.TRANSITIONS)]
    execute(
        path,
        """INSERT INTO transitions (provider, model, contract, at, outcome, ref, was, was_at)
           VALUES ('größe', '', ?, ?, 'holds', '', 'violated', '')""",
        rows,
    )
    for number, letter in enumerate("hvh"):
        poll(state, NOON + number * HOUR, {CHARSET: letter, DONE: "h"})
    assert len(execute(path, "SELECT id FROM transitions")) == tables.TRANSITIONS
    assert execute(path, "SELECT min(at) FROM transitions") == [("000002",)]
    assert letters(state) == {CHARSET: "hvh", DONE: "hhh"}


def test_current_outcomes_are_bounded(path: str) -> None:
    state = opened(path)
    poll(state, NOON, {(f"größe/{n}", "sse.done"): "h" for n in range(2)})
    poll(state, NOON + HOUR, {(f"模型-{n}", "sse.done"): "h" for n in range(tables.STATES)})
    rows = execute(path, "SELECT count(*), min(model) FROM states")
    assert rows == [(tables.STATES, "模型-0")]


def test_a_roster_that_is_the_same_is_kept_once_and_one_that_nobody_used_is_dropped(path: str) -> None:
    state = opened(path)
    for number in range(5):
        record(state, NOON + number * HOUR, *(("größe",) if number == 2 else ("größe", "другой")))
    assert len(execute(path, "SELECT id FROM rosters")) == 2
    execute(path, "DELETE FROM runs WHERE roster = 2")
    record(state, NOON + 9 * HOUR, "größe", "другой")
    ((text,),) = execute(path, "SELECT roster FROM rosters")
    assert runs.read_roster(text) == dict.fromkeys(("größe", "другой"), ("sse.charset", "sse.done"))


@pytest.mark.parametrize("text", ["", "[]", '{"contracts":[],"providers":{"größe":0}}', '{"contracts":7}'])
def test_a_roster_that_this_version_cannot_read_names_nobody(path: str, text: str) -> None:
    state = opened(path)
    poll(state, NOON, {CHARSET: "v"})
    execute(path, "UPDATE rosters SET roster = ?", [(text,)])
    (timeline,) = state.timelines(None, 5)
    assert (timeline.polls, len(timeline.lines)) == ((), 1)


def test_a_state_of_the_second_version_keeps_its_violations_and_their_history(file: str) -> None:
    with closing(sqlite3.connect(file)) as raw:
        raw.executescript(VERSION_2.read_text(encoding="utf-8"))
        raw.execute(f"PRAGMA application_id = {tables.APPLICATION_ID}")
        raw.execute("PRAGMA user_version = 2")
    with closing(open_state(file, lambda: NOON)) as state:
        model = ("智谱/模型", "models.resolve")
        resolve = finding("v", *model)
        told = state.see("größe", [finding(), resolve, finding("h", contract="sse.done")], NOON + 4 * HOUR)
        assert [(f.new, f.novelty and f.novelty.state, f.novelty and f.novelty.polls) for f in told] == [
            (False, "flapping", 5),
            (True, "flapping", 4),
            (False, None, None),
        ]
        record(state, NOON + 4 * HOUR, "größe")
        (timeline,) = state.timelines(None, 5)
        assert shown(timeline) == {CHARSET: "v", model: "v", DONE: "h"}
        changes = {line.contract: [c.at for c in line.changes] for line in timeline.lines}
        # The runs of that version do not say whom they asked, but since when it is violated is known.
        assert changes["sse.charset"] == [NOON + 2 * HOUR]
        assert changes["models.resolve"] == [NOON + 4 * HOUR]
        seen = {line.contract: (line.first_seen, line.count) for line in timeline.lines}
        assert seen == {"sse.charset": (NOON, 4), "models.resolve": (NOON, 3), "sse.done": (None, 0)}
        assert len(state.kept("größe")) == 1
        assert state.free_chats_today("größe", "2026-11-30") == 1
    was = execute(file, "SELECT contract, was FROM transitions ORDER BY id")
    assert was == [
        ("sse.charset", None),
        ("models.resolve", None),
        ("sse.charset", "violated"),
        ("sse.charset", "holds"),
        ("models.resolve", "violated"),
        ("models.resolve", "holds"),
    ]


def test_what_a_provider_cost_adds_up_to_the_last_digit(path: str) -> None:
    state = opened(path)
    assert state.spend() == {}
    tenth = Decimal("0.10000000000000000000000000000000000001")
    for number in range(3):
        state.record_spend("größe", NOON + number * HOUR, tenth)
    opened(path).record_spend("智谱", NOON, Decimal("1E-30"))
    assert state.spend() == {"größe": Decimal("0.30000000000000000000000000000000000003"), "智谱": Decimal("1E-30")}
    assert execute(path, "SELECT since, last_at FROM spend WHERE provider = 'größe'") == [
        (f"{NOON.isoformat(timespec='microseconds')}", f"{(NOON + 2 * HOUR).isoformat(timespec='microseconds')}")
    ]
