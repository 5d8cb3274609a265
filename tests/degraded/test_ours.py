"""What a router spoils of answers that came whole is told as the router's, and held against nobody."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts.breaker.memory import State
from contracts.degraded import Question, exposition, of_file
from contracts.degraded.ours import ACTION
from contracts.degraded.told import Degraded as Found
from contracts.facts import Asked, Body, Choice, Close, Damage, Facts, Finish, Reply, Text
from contracts.model import Scope
from contracts.observations import Observation, read
from contracts.observations.writer import Writer
from contracts.taps.once import Once
from contracts.testing.plugin import Factory
from contracts.text.verdict import EMPTY, verify_facts
from tests.breaker.traffic import NOON
from tests.degraded.test_degraded import Degraded, degraded, series
from tests.tap.conftest import Written, hostile_provider, written
from tests.tap.routers import misread, router, serving, tapped

__all__ = ["degraded", "hostile_provider", "written"]

PATH = "/chat/completions"
BODY = {"model": "loopback/libre", "stream": True, "messages": [{"role": "user", "content": "In French, please."}]}

INTACT = Text(chars=40, non_ascii=6, intact_non_ascii=6)
DAMAGED = Text(chars=46, non_ascii=12, damage=(Damage(kind="double-utf8-latin1", count=6, sample="U+00C3 U+00BC"),))
LEAKED = Text(chars=46, damage=(Damage(kind="byte-token", count=6, sample="<0xC3>"),))


def facts(text: Text = INTACT, *, unread: int = 0, calls: int = 0) -> Facts:
    """What is learnt of an answer, whole unless it says otherwise."""
    finish = Finish(reason="tool_calls" if calls else "stop", event=9)
    choice = Choice(
        index=0, text_chars=text.chars, visible=text.chars > 0, calls=calls, finishes=(finish,), finish_count=1
    )
    reply = Reply(streamed=True, events=9, unread=unread, choices=(choice,), close=Close(count=1), text=text)
    return Facts(
        dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=900),
        asked=Asked(model="日本-1", stream=True, ascii=True), ended="complete", reply=reply,
    )  # fmt: skip


def seen(of: Facts, model: str = "日本-1", count: int = 1, at: datetime = NOON) -> Observation:
    return Observation(at=at, provider="größe", model=model, facts=of, verification=verify_facts(of), count=count)


def sent_as(came: Observation, of: Facts) -> Observation:
    """What is written of an answer that came and was sent otherwise."""
    found: list[Observation] = []
    once = Once(found.append, {})
    once.began()(came)
    once.sent(seen(of))
    (one,) = found
    assert one.verification.scope is Scope.PIPELINE
    return structs.replace(one, at=came.at, count=came.count)


SPOILT = {
    "mangled": facts(DAMAGED),
    "leaked": facts(LEAKED),
    EMPTY: facts(Text()),
    "unreadable events": facts(unread=3),
}


def judged(tmp_path: Path, ones: list[Observation]) -> Found:
    path = tmp_path / "größe.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in ones))
    return of_file(str(path), Question(), NOON, print)


def test_a_router_that_misreads_hears_of_it(written: Written, hostile_provider: Factory, degraded: Degraded) -> None:
    provider = hostile_provider("honest")
    app = tapped(router(written.taps, ("groesse", provider.base_url), change=misread()), written.taps)
    with serving(app) as url, httpx.Client(timeout=20) as client:
        for _ in range(3):
            client.post(url + PATH, json=BODY)
    assert {one.verification.verdict for one in written.all()} == {"mangled"}
    at = ("--observed", str(written.path))
    done = degraded(*at, "-f", "json", "--fail-on", "warning")
    found = json.loads(done.stdout)
    assert done.returncode == 1
    (one,) = found["warnings"]
    assert (one["provider"], one["model"], one["scope"]) == ("groesse", "loopback/libre", "pipeline")
    assert (one["verdict"], one["signature"], one["state"]) == ("mangled", "double-utf8-latin1", None)
    assert (one["count"], one["answers"], one["baseline"], one["novel"]) == (3, 3, 0, True)
    assert datetime.fromisoformat(one["first_at"]) <= datetime.fromisoformat(one["last_at"]) <= datetime.now(UTC)
    assert found["answers"] == 3
    assert {decision["state"] for decision in found["decisions"]} == {"closed"}
    (note,) = found["notes"]
    assert (note["provider"], note["status"], note["severity"]) == ("groesse", "violated", "warning")
    assert note["line"] == f"The router spoilt 3 answers of 1 model in 24 h (double-utf8-latin1): {ACTION}"
    assert [(one["contract"], one["scope"]) for one in note["contracts"]] == [("degraded.mangled", "pipeline")]
    shown = degraded(*at, "-v").stdout
    assert (
        "! groesse [loopback/libre]: mangled, double-utf8-latin1: 3 of 3 answers; 0 the day before; scope pip" in shown
    )
    assert f"    → {ACTION}\n" in shown.replace("\n      ", " ")
    assert "groesse: closed: no damage in 3 answers that could have shown it\n" in shown, "they came whole"
    assert degraded(*at).returncode == 0


@pytest.mark.parametrize("how", SPOILT)
def test_a_thousand_answers_that_the_router_spoilt_trip_nobody(tmp_path: Path, how: str) -> None:
    spoilt = [
        sent_as(seen(facts(), model, at=NOON - timedelta(seconds=number)), SPOILT[how])
        for number in range(500)
        for model in ("日本-1", "größe/2")
    ]
    found = judged(tmp_path, spoilt)
    assert all(one.skip_reason is not None and one.state is State.CLOSED for one in found.decisions)
    name = {"mangled": "double-utf8-latin1", "leaked": "byte-token"}.get(how, how)
    assert {(one.model, one.signature, one.count, one.scope) for one in found.warnings} == {
        (model, name, 500, Scope.PIPELINE) for model in ("日本-1", "größe/2")
    }
    assert found.answers == 1000
    shown = series(exposition.render(found).decode())
    for name in ("contracts_mangled_output_warnings", "contracts_degraded_output_warnings"):
        assert sum(value for key, value in shown.items() if key[0] == name) == 0
    word = "mangled" if how in {"mangled", "leaked"} else "malformed"
    assert shown["contracts_router_output_warnings", "größe", word] == 2
    assert shown["contracts_router_output_warnings", "größe", "looping"] == 0


@pytest.mark.parametrize("how", SPOILT)
def test_what_the_router_spoilt_does_not_make_a_model_look_worse_than_it_is(tmp_path: Path, how: str) -> None:
    now_and_then = seen(facts(Text()), count=20)
    alone = judged(tmp_path, [now_and_then])
    assert [one.scope for one in alone.warnings] == [Scope.MODEL], "all that it said was nothing"
    found = judged(tmp_path, [now_and_then, *[sent_as(seen(facts(), count=50), SPOILT[how])] * 20])
    assert {one.scope for one in found.warnings} == {Scope.PIPELINE}
    assert found.answers == 1020


def test_damage_that_the_request_brought_in_is_not_what_the_router_did(tmp_path: Path) -> None:
    brought = structs.replace(
        facts(DAMAGED), asked=Asked(model="日本-1", stream=True, ascii=False, damage=("double-utf8-latin1",))
    )
    one = seen(brought, count=1000)
    assert one.verification.scope is Scope.PIPELINE
    assert judged(tmp_path, [one]).warnings == ()


def test_facts_that_are_of_what_was_sent_blame_nobody_either(tmp_path: Path) -> None:
    empty = seen(facts(Text()), count=1000)
    word = structs.replace(empty.verification, scope=Scope.PIPELINE, model_attributable=False)
    found = judged(tmp_path, [structs.replace(empty, verification=word)])
    assert {one.scope for one in found.warnings} == {Scope.PIPELINE}
    assert {one.state for one in found.decisions} == {State.CLOSED}


def test_whose_fault_a_loop_is_is_not_lost_where_answers_are_counted_together(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    loop: dict[str, Any] = {"verdict": "looping", "detail": "4 characters 40 times over"}
    writer = Writer(str(path), every_s=3600)
    for scope in (Scope.UNDETERMINED, Scope.PIPELINE) * 3:
        one = seen(facts())
        writer.write(
            structs.replace(one, verification=structs.replace(one.verification, **loop, scope=scope, signatures=()))
        )
    writer.close()
    counted: dict[Scope | None, int] = {}
    for one in read(str(path)):
        counted[one.verification.scope] = counted.get(one.verification.scope, 0) + one.count
    assert counted == {Scope.UNDETERMINED: 3, Scope.PIPELINE: 3}


CAME = st.builds(
    seen,
    st.sampled_from([facts(), facts(Text(chars=9)), facts(calls=1), facts(Text()), facts(DAMAGED)]),
    st.sampled_from(["日本-1", "größe/2"]),
    st.integers(1, 400),
)
WHOLE = CAME.filter(lambda one: one.verification.scope is None)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(CAME, max_size=6), st.lists(st.tuples(WHOLE, st.sampled_from(list(SPOILT.values()))), max_size=6))
def test_a_decision_is_the_same_whatever_the_router_did_to_what_came(
    tmp_path: Path, others: list[Observation], spoilt: list[tuple[Observation, Facts]]
) -> None:
    as_it_came = judged(tmp_path, [*others, *(came for came, _ in spoilt)])
    as_it_was_sent = judged(tmp_path, [*others, *(sent_as(came, sent) for came, sent in spoilt)])
    assert [(one.key, one.state, one.by) for one in as_it_was_sent.decisions] == [
        (one.key, one.state, one.by) for one in as_it_came.decisions
    ]
    assert as_it_was_sent.answers == as_it_came.answers
    # Of damage that is no misreading it is not certain that what came was beyond ASCII, so that words may say less.
    warned = [structs.replace(one, why="") for one in as_it_was_sent.warnings if one.scope is not Scope.PIPELINE]
    assert warned == [structs.replace(one, why="") for one in as_it_came.warnings]
