"""What was decided stands however long nobody polled, and is written once however many poll at once."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import json, structs

from contracts.breaker.decide import decide
from contracts.breaker.memory import Decision, State
from contracts.breaker.observed import Row, observed, span
from contracts.breaker.tally import Key
from contracts.verifications.decided import LEFT
from contracts.verifications.store import Known, Verifications
from tests.breaker.traffic import EMPTY, HOUR, MANGLED, NOON, PLAIN, SECOND, THROTTLED, WHOLE, WINDOW_S
from tests.verifications.conftest import FAR, POSTGRES, SQLITE, Router, postgres_router, sqlite_router

DAY = timedelta(days=1)
WIRE, MODEL = Key("größe", None), Key("größe", "智谱/模型")
STANDING = (State.OPEN, State.HALF_OPEN)
OTHER = Row(at=NOON, provider="openrouter", model="b", verdict="ok", detail="größer")
GAPS = st.sampled_from([
    timedelta(minutes=2), timedelta(minutes=7), HOUR, 5 * HOUR, 23 * HOUR, DAY, 25 * HOUR, 2 * DAY, 3 * DAY, 4 * DAY,
    5 * DAY, 9 * DAY, 31 * DAY, 34 * DAY, 100 * DAY, 800 * DAY,
])  # fmt: skip
ANSWERS: dict[str, list[Any]] = {
    "nothing": [], "others": [OTHER] * 3, "throttled": [THROTTLED], "ascii": [PLAIN] * 2, "whole": [WHOLE],
    "mangled": [MANGLED] * 3, "a name": [structs.replace(OTHER, model="*", provider="größe", detail="status 429",
                                                          verdict="unverifiable")], "empty": [EMPTY] * 25,
}  # fmt: skip
POLLS = ("apply", "apply", "look", "by hand", "none")
STEPS = st.lists(st.tuples(GAPS, st.sampled_from(sorted(ANSWERS)), st.sampled_from(POLLS)), min_size=2, max_size=14)


def small(folder: Path) -> Router:
    """A router's SQLite file."""
    return sqlite_router(folder / "größe.db", SQLITE.format(at="TEXT NOT NULL"), "PRAGMA journal_mode = WAL")


def large(address: str) -> Router:
    """A router's PostgreSQL."""
    return postgres_router(address, FAR, POSTGRES.format(at="TIMESTAMPTZ NOT NULL", flag="BOOLEAN"))


@pytest.fixture(params=["sqlite", "postgresql"])
def router_of_each(request: pytest.FixtureRequest, tmp_path: Path) -> Router:
    """A router with either database."""
    return small(tmp_path) if request.param == "sqlite" else large(request.getfixturevalue("postgres_url"))


def ask(table: Verifications, now: datetime, *, apply: bool = True) -> tuple[Known, list[Decision]]:
    """Poll once, as the command does."""
    known = table.read(span(now, WINDOW_S), now, WINDOW_S, to_write=apply)
    decisions = decide(known.tallies, known.memories, now, lambda _: 0.0)
    return known, table.apply(decisions, known, now) if apply else decisions


def states(router: Router) -> dict[Key, State]:
    """The last row of each key, of the whole table."""
    rows = router.run(
        "SELECT provider, model, verdict FROM verifications WHERE kind = 'breaker' ORDER BY applied_at, id"
    )
    return {Key(provider, None if model == "*" else model): State(verdict) for provider, model, verdict in rows}


def obey_the_law(router: Router, steps: Sequence[tuple[timedelta, str, str]]) -> None:
    """Answer and poll; no trip may end but by a clean answer that came after it."""
    table, now = router.open(), NOON
    clean: dict[Key, datetime] = {}
    tripped: dict[Key, datetime] = {}
    try:
        for gap, name, poll in steps:
            now += gap
            rows = [
                structs.replace(one, at=now - SECOND) if isinstance(one, Row)
                else observed(now - SECOND, "größe", "智谱/模型", one) for one in ANSWERS[name]
            ]  # fmt: skip
            table.record(rows)
            clean |= {MODEL: now} if name in ("ascii", "whole") else {}
            clean |= {WIRE: now} if name == "whole" else {}
            if poll == "by hand":
                operate(router, now)
            if poll not in ("apply", "look"):
                tripped |= {
                    key: now for key, state in states(router).items() if state in STANDING and key not in tripped
                }
                continue
            before = states(router)
            known, decisions = ask(table, now, apply=poll == "apply")
            found = {one.key: one for one in decisions}
            for key in (key for key, state in before.items() if state in STANDING):
                assert states(router)[key] in STANDING or clean[key] > tripped[key]
                if known.tallies and poll == "apply":
                    assert found[key].state in STANDING or (found[key].by == "clean" and clean[key] > tripped[key])
            after = states(router)
            tripped = {key: tripped.get(key, now) for key, state in after.items() if state in STANDING}
    finally:
        table.close()


def operate(router: Router, now: datetime) -> None:
    """Trip a model by hand, for a month: whoever does so knows of no other trip."""
    detail = json.encode({"until": now + 30 * DAY}).decode()
    no = "false" if router.url.startswith("postgres") else 0
    router.run(
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "  # noqa: S608
        f"VALUES ('breaker', 'open', ?, {no}, ?, 'größe', 'von Hand')",
        detail,
        now if router.url.startswith("postgres") else now.isoformat(),
    )


# The row that proves that all were known is a day old, and that of a trip a day older.
DAILY = [(23 * HOUR, "mangled", "apply"), (23 * HOUR, "others", "apply"), (23 * HOUR, "throttled", "apply"),
         (23 * HOUR, "others", "apply")]  # fmt: skip
# A poll that counted nothing looked for nothing, and writes again only what it met.
EMPTY_POLL = [(HOUR, "mangled", "apply"), (34 * DAY, "nothing", "by hand"), (2 * DAY, "nothing", "apply"),
              (HOUR, "others", "apply")]  # fmt: skip


@given(STEPS)
@example(DAILY)
@example([(HOUR, "mangled", "apply"), (HOUR, "a name", "apply"), (HOUR, "others", "apply")])
@example(EMPTY_POLL)
@settings(max_examples=80, deadline=None)
def test_no_trip_ends_without_a_clean_answer_however_long_nobody_polled(
    steps: list[tuple[timedelta, str, str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        obey_the_law(small(Path(folder)), steps)


@given(STEPS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_postgresql_forgets_no_trip_either(postgres_url: str, steps: list[tuple[timedelta, str, str]]) -> None:
    router = postgres_router(postgres_url, "DROP TABLE IF EXISTS verifications")
    obey_the_law(large(postgres_url), steps)
    assert router.run("SELECT 1") == [(1,)]


def written(router: Router) -> list[Any]:
    return router.run(
        "SELECT verdict, provider, model FROM verifications WHERE kind = 'breaker' ORDER BY applied_at, id"
    )


def test_a_fleet_that_is_well_gets_one_row_a_day(router_of_each: Router) -> None:
    router, table = router_of_each, router_of_each.open()
    for hours in range(0, 72, 6):
        table.record([structs.replace(OTHER, at=NOON + hours * HOUR)])
        known, decisions = ask(table, NOON + hours * HOUR)
        assert known.remembered.knows_all
        (one,) = (one for one in decisions if one.model is None)
        assert (one.state, one.attempt, one.skip_reason is None) == (State.CLOSED, 0, hours % 24 == 0)
    assert written(router) == [("closed", "openrouter", "*")] * 3
    assert "no damage in 1 answers" in router.run("SELECT detail FROM verifications WHERE kind = 'breaker'")[0][0]
    table.close()


def test_a_row_that_says_that_all_is_well_makes_no_trip_longer(router_of_each: Router) -> None:
    table = router_of_each.open()
    bad = {"verdict": "mangled", "detail": "double-utf8-latin1 [provider]: 3 ×", "model_attributable": True}
    told = []
    for hours, said in ((0, bad), (1, {}), (26, {}), (27, bad)):
        now = NOON + hours * HOUR
        table.record([structs.replace(OTHER, at=now, **said)] * 2)
        (one,) = (one for one in ask(table, now)[1] if one.model is None)
        assert one.skip_reason is None
        told.append((one.state, one.attempt))
    assert told == [(State.OPEN, 1), (State.CLOSED, 1), (State.CLOSED, 0), (State.OPEN, 1)]
    table.close()


def test_an_operator_closes_what_nobody_can_answer_for_any_more(router_of_each: Router) -> None:
    router, table = router_of_each, router_of_each.open()
    table.record([structs.replace(OTHER, at=NOON)] * 40)
    table.record([observed(NOON, "größe", "fort", EMPTY)] * 30)
    ask(table, NOON)
    late = NOON + 9 * DAY
    table.record([structs.replace(OTHER, at=late)])
    assert {one.state for one in ask(table, late)[1]} == {State.CLOSED, State.HALF_OPEN}
    router.run(
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "
        "SELECT 'breaker', 'closed', '', model_attributable, ?, provider, model FROM verifications "
        "WHERE kind = 'breaker' AND verdict = 'open'",
        late + HOUR if router.url.startswith("postgres") else (late + HOUR).isoformat(),
    )
    assert {one.state for one in ask(table, late + 2 * HOUR)[1]} == {State.CLOSED}
    table.close()


NO_INSTANT = "9999-12-31T23:59:59-12:00"  # UTC cannot name it


@pytest.mark.parametrize("detail", [{"since": "2099-01-01T00:00:00Z"}, {"since": NO_INSTANT}, {"until": NO_INSTANT}])
def test_a_row_by_hand_keeps_no_provider_from_being_tripped(tmp_path: Path, detail: dict[str, str]) -> None:
    router = small(tmp_path)
    for state in State:
        name = f"größe {state}"
        router.run(
            "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)"
            " VALUES ('breaker', ?, ?, 0, '2026-11-30T10:00:00.000000+00:00', ?, '*')",
            state.value,
            json.encode(detail).decode(),
            name,
        )
        table = router.open()
        table.record([observed(NOON - number * SECOND, name, "日本-1", MANGLED) for number in range(30)])
        table.close()
    table = router.open()
    assert {one.state for one in ask(table, NOON)[1] if one.model is None} == {State.OPEN}
    table.close()


@pytest.mark.parametrize("until", ["9999-12-31T23:59:59Z", "2026-12-31T00:00:00Z"])
def test_what_is_half_open_by_hand_is_closed_by_a_clean_answer(tmp_path: Path, until: str) -> None:
    router = small(tmp_path)
    router.run(
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)"
        " VALUES ('breaker', 'half-open', ?, 0, '2026-11-30T10:00:00.000000+00:00', 'größe', '*')",
        f'{{"until":"{until}"}}',
    )
    table = router.open()
    table.record([observed(NOON, "größe", "日本-1", WHOLE)])
    assert [one.state for one in ask(table, NOON)[1] if one.key == WIRE] == [State.CLOSED]
    table.close()


def test_what_is_tripped_is_never_said_to_be_closed_for_want_of_another(router_of_each: Router) -> None:
    router, table = router_of_each, router_of_each.open()
    operate(router, NOON - 5 * DAY)
    detail = "double-utf8-latin1 [provider]: 3 ×"
    table.record([structs.replace(OTHER, at=NOON, verdict="mangled", detail=detail, model_attributable=True)] * 2)
    ask(table, NOON)
    assert written(router)[1:] == [("open", "größe", "von Hand"), ("open", "openrouter", "*")]
    table.close()


def test_a_poll_that_found_no_answer_writes_no_name(router_of_each: Router) -> None:
    table = router_of_each.open()
    assert ask(table, NOON)[1] == []
    assert written(router_of_each) == []
    table.close()


def test_a_poll_that_writes_nothing_looks_back_some_days(router_of_each: Router) -> None:
    table = router_of_each.open()
    operate(router_of_each, NOON - 3 * DAY)
    table.record([structs.replace(OTHER, at=NOON)])
    assert Key("größe", "von Hand") in ask(table, NOON, apply=False)[0].memories
    late = NOON + 40 * HOUR
    known, _ = ask(table, late, apply=False)
    assert (known.memories, known.remembered.knows_all) == ({}, False)
    assert Key("größe", "von Hand") in ask(table, late)[0].memories
    table.close()


def test_a_decision_of_the_far_future_decides_nothing(router_of_each: Router) -> None:
    table = router_of_each.open()
    operate(router_of_each, NOON + 400 * DAY)
    table.record([structs.replace(OTHER, at=NOON), structs.replace(OTHER, at=NOON + 400 * DAY, provider="größe")])
    known, decisions = ask(table, NOON)
    assert (known.memories, {one.provider for one in decisions}) == ({}, {"openrouter"})
    assert Key("größe", "von Hand") in ask(table, NOON + 400 * DAY)[0].memories
    table.close()


def test_polls_at_once_write_each_decision_once(router_of_each: Router) -> None:
    table = router_of_each.open()
    table.record([structs.replace(OTHER, at=NOON)] * 40)
    for number in range(3):
        table.record([observed(NOON - SECOND, "größe", f"模型-{number}", EMPTY)] * 30)
    table.record([observed(NOON - SECOND, "größe", "b", MANGLED)] * 2)
    table.close()
    met, found = threading.Barrier(4), []

    def poll(number: int) -> None:
        own = router_of_each.open()
        now = NOON + number * SECOND
        known = own.read(span(now, WINDOW_S), now, WINDOW_S, to_write=True)
        decisions = decide(known.tallies, known.memories, now, lambda _: 0.0)
        met.wait(30)
        found.extend(own.apply(decisions, known, now))
        own.close()

    threads = [threading.Thread(target=poll, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tripped = [("größe", "*"), *(("größe", f"模型-{number}") for number in range(3))]
    assert sorted((provider, model) for _, provider, model in written(router_of_each)) == tripped
    assert sum(one.skip_reason == LEFT for one in found) == 3 * len(tripped)


def test_a_key_is_left_to_whoever_decided_meanwhile_and_the_others_are_not(router_of_each: Router) -> None:
    table = router_of_each.open()
    table.record([structs.replace(OTHER, at=NOON)] * 40)
    table.record([observed(NOON - SECOND, "größe", model, EMPTY) for model in ("b", "von Hand")] * 30)
    known = table.read(span(NOON, WINDOW_S), NOON, WINDOW_S, to_write=True)
    decisions = decide(known.tallies, known.memories, NOON, lambda _: 0.0)
    operate(router_of_each, NOON - SECOND)
    table.record([structs.replace(OTHER, at=NOON)])  # a router is not kept from writing meanwhile
    found = {one.key: one.skip_reason for one in table.apply(decisions, known, NOON)}
    assert (found[Key("größe", "von Hand")], found[Key("größe", "b")]) == (LEFT, None)
    assert sorted(written(router_of_each)) == [("open", "größe", "b"), ("open", "größe", "von Hand")]
    table.close()


def test_who_decides_keeps_no_router_of_postgresql_from_writing(postgres_url: str) -> None:
    from contracts.verifications.place import parse
    from contracts.verifications.postgres import PostgresDatabase

    router = large(postgres_url)
    database = PostgresDatabase(parse(router.url))
    with database.writing(alone="größe"):
        table = router.open()
        table.record([structs.replace(OTHER, at=NOON)])
        table.close()
    database.close()
