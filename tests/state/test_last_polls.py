"""When each provider was polled last, as the state has it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

from contracts.evidence.memory import Forgetful
from contracts.evidence.remembering import Careful
from contracts.state.store import State
from tests.state.findings import NOON
from tests.state.raw import execute, opened

HOUR = timedelta(hours=1)


def polled(state: State, hours: int, *providers: str) -> None:
    at = NOON + hours * HOUR
    roster = dict.fromkeys(providers, ("sse.charset",)) or None
    state.record_run(at, at + HOUR / 60, 0, (1, 0, 0, 0), Decimal(0), roster)


def test_each_provider_was_polled_last_by_the_last_run_that_named_it(path: str) -> None:
    state = opened(path)
    polled(state, 0, "größe", "智谱")
    polled(state, 1, "größe", "智谱")
    polled(state, 2, "größe")
    polled(state, 3)
    assert opened(path).last_polls(["größe", "智谱", "nie"]) == {"größe": NOON + 2 * HOUR, "智谱": NOON + HOUR}
    assert state.last_polls(["智谱"]) == {"智谱": NOON + HOUR}
    assert state.last_polls(()) == {}


def test_of_polls_that_a_clock_dated_against_their_order_the_last_booked_counts(path: str) -> None:
    state = opened(path)
    polled(state, 9, "größe")
    polled(state, 1, "größe", "智谱")
    polled(state, 0, "größe")
    assert state.last_polls(["größe", "智谱"]) == {"größe": NOON, "智谱": NOON + HOUR}


def test_a_run_or_a_roster_that_cannot_be_read_polled_nobody(path: str) -> None:
    state = opened(path)
    polled(state, 0, "größe")
    polled(state, 1, "智谱")
    polled(state, 2, "é")
    execute(path, "UPDATE runs SET started_at = 'später' WHERE id = 2")
    execute(path, "UPDATE rosters SET roster = '{\"ein\": 7}' WHERE id = 3")
    assert state.last_polls(["größe", "智谱", "é"]) == {"größe": NOON}


def test_who_remembers_nothing_knows_of_no_poll(path: str) -> None:
    state = opened(path)
    polled(state, 0, "größe")
    assert Careful(lambda: state, lambda _: None).last_polls(["größe"]) == {"größe": NOON}
    assert Careful(Forgetful, lambda _: None).last_polls(["größe"]) == {}
