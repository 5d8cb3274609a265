"""Answers that runs leave for each other in a state: who may take one, how long, and who is to ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from contracts.model import EvidenceRef, Finding, Outcome, Scope, Severity, Source, Where
from contracts.state import tables
from contracts.state.answer import Answer, Key, Share
from contracts.state.errors import StateError
from contracts.state.opening import open_state
from contracts.state.postgres import PostgresConnection
from contracts.state.store import State

HOUR = timedelta(hours=1)
KEY = Key("größe", "a" * 64)
FINDING = Finding(
    provider="größe",
    model="模型/é",
    contract="sse.charset",
    outcome=Outcome.VIOLATED,
    severity=Severity.ERROR,
    scope=Scope.PROVIDER,
    expected="charset=utf-8",
    observed="text/event-stream",
    detail="était 报告",
    reason=None,
    where=Where(header="content-type"),
    evidence=EvidenceRef(source=Source.LIVE, ref="https://größe.example#0", at=datetime(2026, 11, 30, tzinfo=UTC)),
)

Open = Callable[..., State]


@pytest.fixture
def hosts() -> Iterator[Open]:
    """Opens a state as another host does; closed with the test."""
    with ExitStack() as opened:

        def host(where: str, **more: Any) -> State:
            state = open_state(where, **more)
            opened.callback(state.close)
            return state

        yield host


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "état.db") if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


def publish(state: State, key: Key = KEY, at: datetime | None = None) -> list[Finding]:
    at = at or state.now()
    told = state.see_all({key.provider: [FINDING]}, at, shared={key.provider: Share(key, at, ("limits.retry-after",))})
    return told[key.provider]


def test_another_run_takes_the_answer_as_it_was_told_until_the_interval_is_over(where: str, hosts: Open) -> None:
    state = hosts(where)
    at = state.now()
    told = publish(state, at=at)
    assert told[0].novelty is not None
    answer = Answer(polled_at=at, findings=tuple(told), beyond=("limits.retry-after",))
    other = hosts(where)
    assert other.answers([KEY, Key("größe", "b"), Key("另", "a" * 64)], HOUR) == {KEY: answer}
    assert other.claim(KEY, HOUR) == answer
    publish(state, at=state.now() - HOUR)
    assert other.answers([KEY], HOUR) == {}
    assert other.claim(KEY, HOUR) is True


def test_an_answer_for_other_rows_or_from_the_future_is_none(where: str, hosts: Open) -> None:
    state = hosts(where)
    publish(state, Key("größe", "b"))
    publish(state, Key("另", "a" * 64))
    assert state.answers([KEY], HOUR) == {}
    publish(state, at=state.now() + HOUR)
    assert state.answers([KEY], 2 * HOUR) == {}


def test_an_answer_that_cannot_be_read_is_none(where: str, hosts: Open) -> None:
    state = hosts(where)
    publish(state)
    state._connection.write("UPDATE answers SET answer = ?", b'{"polled_at": 1}')  # noqa: SLF001 - as a newer one would
    assert state.answers([KEY], HOUR) == {}
    assert state.claim(KEY, HOUR) is True


def test_one_host_asks_until_it_lets_go_or_ends_and_then_another(postgres_url: str, hosts: Open) -> None:
    first, second, third = (hosts(postgres_url) for _ in range(3))
    other = Key("größe", "b")
    assert (first.claim(KEY, HOUR), second.claim(KEY, HOUR), second.claim(other, HOUR)) == (True, False, True)
    assert third.freed([KEY, other]) == set()
    first.release([KEY])
    assert third.freed([KEY, other]) == {KEY}
    assert third.claim(KEY, HOUR) is True
    second.close()
    third.close()
    while first.freed([KEY, other]) != {KEY, other}:
        with psycopg.connect(postgres_url) as raw:
            raw.execute("SELECT pg_sleep(0.02)")  # the server has heard of it, and does it
    assert first.claim(KEY, HOUR) is True


class Interrupted(PostgresConnection):
    """A session in which something happens between its first look at the answers and its try for the lock."""

    meanwhile: Callable[[], object] = staticmethod(lambda: None)

    def read(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        if "pg_try_advisory_lock" in statement:
            self.meanwhile()
        return super().read(statement, *values)


def test_who_gets_the_lock_of_one_that_has_just_answered_takes_the_answer(postgres_url: str, hosts: Open) -> None:
    first = hosts(postgres_url)
    assert first.claim(KEY, HOUR) is True
    session = Interrupted(postgres_url)
    second = State(session)

    def answer() -> None:
        publish(first)
        first.release([KEY])

    session.meanwhile = answer
    assert isinstance(second.claim(KEY, HOUR), Answer)
    assert first.freed([KEY]) == {KEY}
    second.close()


def test_the_clock_is_the_servers_and_not_that_of_a_host(postgres_url: str, tmp_path: Path, hosts: Open) -> None:
    wrong = datetime(1999, 12, 31, tzinfo=UTC)
    slow = hosts(postgres_url, now=lambda: wrong)
    fast = hosts(postgres_url, now=lambda: wrong + timedelta(days=36_500))
    assert abs(fast.now() - slow.now()) < timedelta(minutes=1)
    publish(slow)
    assert KEY in fast.answers([KEY], HOUR)
    assert hosts(str(tmp_path / "état.db"), now=lambda: wrong).now() == wrong


def test_an_answer_is_there_with_what_the_state_learnt_of_it_or_not_at_all(postgres_url: str, hosts: Open) -> None:
    state = hosts(postgres_url)
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        raw.execute("ALTER TABLE contracts.answers ADD CONSTRAINT nein CHECK (digest = 'nein')")
        with pytest.raises(StateError, match="nein"):
            publish(state)
        assert raw.execute("SELECT count(*) FROM contracts.sightings").fetchone() == (0,)
        raw.execute("ALTER TABLE contracts.answers DROP CONSTRAINT nein")
        publish(state)
        assert raw.execute("SELECT count(*) FROM contracts.sightings").fetchone() == (1,)


def test_only_the_newest_answers_of_a_provider_are_kept_and_pruning_drops_old_ones(where: str, hosts: Open) -> None:
    state = hosts(where)
    at = state.now()
    keys = [Key("größe", f"{number:064}") for number in range(tables.ANSWERS + 3)]
    for number, key in enumerate(keys):
        publish(state, key, at - timedelta(minutes=30) + timedelta(seconds=number))
    publish(state, Key("另", "x"), at - timedelta(minutes=40))
    assert set(state.answers([*keys, Key("另", "x")], HOUR)) == {*keys[3:], Key("另", "x")}
    state.prune(at - timedelta(minutes=35))
    assert set(state.answers([*keys, Key("另", "x")], HOUR)) == set(keys[3:])
