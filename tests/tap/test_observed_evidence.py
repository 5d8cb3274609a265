"""What taps saw is evidence: what is new since the last poll, else the newest that is young enough."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from contracts.config import catalogue
from contracts.errors import ConfigError
from contracts.evidence.observed import gather
from contracts.facts import Asked, Body, Close, Coding, ErrorSeen, Facts, Fault, Framing, Reply
from contracts.judge import judge
from contracts.model import Evidence, Finding, Outcome, Provider, Source
from contracts.observations import Observation
from contracts.observations.writer import Writer
from contracts.text.verdict import Verification

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROW = Provider(name="größe", dialect="openai-chat", evidence_max_age_s=3600)
FACTS = Facts(
    dialect="openai-chat",
    kind="chat",
    status=200,
    headers=(("content-type", "text/event-stream"),),
    body=Body(kind="sse", bytes=7),
    asked=Asked(model="日本-1", stream=True),
    framing=Framing(),
    ended="complete",
)
LEFT = structs.replace(FACTS, ended="unknown")
CATALOGUE = catalogue.load(None)


def coded(kind: str) -> Coding:
    return Coding(declared="größe", raw_bytes=9, decoded_bytes=0, fault=Fault(kind=kind, detail="größer als gedacht"))


def seen(minutes_ago: float, model: str = "日本-1", provider: str = "größe", facts: Facts = FACTS) -> Observation:
    return Observation(
        at=NOON - timedelta(minutes=minutes_ago), provider=provider, model=model, facts=facts,
        verification=Verification(verdict="ok"),
    )  # fmt: skip


def gathered(tmp_path: Path, *ones: Observation, polled_minutes_ago: float | None = None) -> list[Evidence]:
    path = tmp_path / "gesehen.jsonl"
    for one in ones:
        writer = Writer(str(path))
        writer.write(one)
        writer.close()
    polled = {} if polled_minutes_ago is None else {"größe": NOON - timedelta(minutes=polled_minutes_ago)}
    told: list[str] = []
    found = gather([str(path)], [ROW], lambda _: polled, NOON, told.append)
    assert not told
    return found.get("größe", [])


def models(found: list[Evidence]) -> list[str | None]:
    return [one.facts.asked.model if one.facts.asked else None for one in found]


def named(model: str) -> Facts:
    return structs.replace(FACTS, asked=Asked(model=model, stream=True))


def test_it_names_where_it_was_seen_and_of_how_many_answers_it_is_one(tmp_path: Path) -> None:
    (one,) = gathered(tmp_path, seen(5), seen(3), seen(4))
    assert (one.source, one.ref) == (Source.OBSERVED, f"{tmp_path}/gesehen.jsonl (3 answers)")
    assert one.facts == FACTS


def test_what_ended_since_the_last_poll_speaks_alone(tmp_path: Path) -> None:
    ones = [seen(30, "alt", facts=named("alt")), seen(3, "neu", facts=named("neu"))]
    assert models(gathered(tmp_path, *ones, polled_minutes_ago=10)) == ["neu"]
    assert models(gathered(tmp_path, *ones)) == ["alt", "neu"]


def test_what_ended_as_the_last_poll_began_was_that_one_s(tmp_path: Path) -> None:
    ones = [seen(10, "alt", facts=named("alt")), seen(3, "neu", facts=named("neu"))]
    assert models(gathered(tmp_path, *ones, polled_minutes_ago=10)) == ["neu"]


def test_where_there_was_nothing_since_the_newest_of_each_model_speaks(tmp_path: Path) -> None:
    unread = structs.replace(FACTS, ended="cut")
    found = gathered(tmp_path, seen(30, facts=unread), seen(20), seen(25, "ü", facts=named("ü")), polled_minutes_ago=10)
    assert sorted(map(str, models(found))) == ["ü", "日本-1"]
    assert {one.facts.ended for one in found} == {"complete"}


@pytest.mark.parametrize(
    "one",
    [
        seen(61),
        seen(-6),
        seen(5, provider="wer-anders"),
        seen(5, facts=structs.replace(FACTS, dialect="gemini")),
        seen(5, facts=structs.replace(FACTS, kind="listing")),
    ],
)
def test_what_is_old_or_of_the_future_or_of_another_does_not_speak(tmp_path: Path, one: Observation) -> None:
    assert gathered(tmp_path, one) == []


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"weg.jsonl: expected a file of observations"):
        gather([str(tmp_path / "weg.jsonl")], [ROW], lambda _: {}, NOON, print)


def judged(*evidence: Evidence) -> dict[str, Finding]:
    found = judge(
        CATALOGUE.bound_to_dialect("openai-chat"), evidence, provider="größe", models=("日本-1",), complete=True,
        lacking={"answer": "nobody was asked"},
    )  # fmt: skip
    return {finding.contract: finding for finding in found}


def failed(status: int) -> Evidence:
    error = ErrorSeen(form="body", message="zu viel", shaped=True)
    facts = structs.replace(FACTS, status=status, framing=None, body=Body(kind="json", bytes=7), errors=(error,))
    facts = structs.replace(facts, headers=(("content-type", "application/json"),))
    return Evidence(facts=facts, source=Source.OBSERVED, ref="gesehen.jsonl (1 answers)", at=NOON)


@pytest.mark.parametrize("status", [429, 401, 502])
def test_some_of_real_traffic_fails_and_that_is_no_broken_promise(status: int) -> None:
    alone, beside = (
        judged(failed(status)),
        judged(failed(status), Evidence(facts=FACTS, source=Source.OBSERVED, ref="ü")),
    )
    assert (alone["http.status"].outcome, alone["http.status"].reason) == (Outcome.UNKNOWN, "nobody was asked")
    assert beside["http.status"].outcome is Outcome.HOLDS
    assert alone["error.shape"].outcome is Outcome.HOLDS
    assert alone["limits.retry-after"].outcome is (Outcome.VIOLATED if status == 429 else Outcome.NOT_APPLICABLE)


def test_one_that_was_asked_for_by_a_poll_is() -> None:
    live = structs.replace(failed(502), source=Source.LIVE)
    assert judged(live)["http.status"].outcome is Outcome.VIOLATED


def reply(*, streamed: bool = True, closes: int = 0, unread: int = 0) -> Reply:
    return Reply(streamed=streamed, close=Close(count=closes), unread=unread)


@pytest.mark.parametrize(
    ("facts", "is_heard"),
    [
        (structs.replace(LEFT, reply=reply()), False),
        (structs.replace(LEFT, reply=reply(closes=1)), True),
        (structs.replace(LEFT, reply=reply(streamed=False, unread=1)), False),
        (structs.replace(LEFT, reply=reply(streamed=False)), True),
        (structs.replace(LEFT, status=429), False),
        (structs.replace(LEFT, status=429, errors=(ErrorSeen(form="body", message="zu schnell — 429"),)), True),
        (structs.replace(FACTS, ended="cut", reply=reply()), True),
        (structs.replace(FACTS, coding=coded("not-asked")), False),
        (structs.replace(FACTS, coding=coded("not-coded")), True),
    ],
)
def test_a_client_that_left_or_a_coding_that_no_tap_reads_accuses_nobody(
    tmp_path: Path, facts: Facts, is_heard: bool
) -> None:
    assert bool(gathered(tmp_path, seen(1, facts=facts))) is is_heard


@pytest.mark.parametrize(("kind", "limits"), [("corrupt", ["coding"]), ("truncated", ["coding"]), ("not-coded", [])])
def test_of_a_body_that_broke_within_its_coding_the_end_is_not_known(
    tmp_path: Path, kind: str, limits: list[str]
) -> None:
    (found,) = gathered(tmp_path, seen(1, facts=structs.replace(FACTS, coding=coded(kind))))
    assert [limit.kind for limit in found.facts.limits] == limits
