"""The judge over verdicts that a check of the test's own gives: what is kept, about whom, and what a waiver does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from msgspec import convert

from contracts.checks import holds, not_applicable, unknown, violated
from contracts.facts import AnswerKind, Asked, Body, Facts
from contracts.judge import judge, shows
from contracts.model import Contract, Evidence, Finding, Scope, Source, Verdict, Waiver

MODEL = "qwen3-größe"
OTHER = "glm-智谱"
TODAY = date(2026, 11, 30)


class Bound(NamedTuple):
    contract: Contract
    check_module: ModuleType
    params: Any = None


def contract(**changes: Any) -> Contract:
    fields = {
        "id": "text.heil",
        "promise": "Der Text bleibt heil — 完好",
        "why": "weil er sonst zerfällt",
        "basis": "spec",
        "source": {"url": "https://example.org/", "read": "2026-11-30"},
        "needs": "chat",
        "scope": "provider",
        "severity": "error",
        "check": {"kind": "any"},
    }
    return convert({**fields, **changes}, Contract)


def bound(check: Callable[[Facts], Verdict], **changes: Any) -> Bound:
    module = ModuleType("check")
    vars(module)["judge"] = lambda facts, _want: check(facts)
    return Bound(contract(**changes), module)


def bound_models(check: Callable[[Facts, str], Verdict], **changes: Any) -> Bound:
    module = ModuleType("check")
    vars(module)["judge_model"] = lambda facts, _want, model: check(facts, model)
    return Bound(contract(**{"needs": "listing", "scope": "model", **changes}), module)


def seen(ref: str, model: str | None = MODEL, kind: AnswerKind = "chat", status: int = 200) -> Evidence:
    asked = Asked(model=model) if model else None
    facts = Facts(
        dialect="openai-chat",
        kind=kind,
        status=status,
        headers=(),
        body=Body(kind="json", bytes=2),
        asked=asked,
        about=ref,
    )
    return Evidence(facts=facts, source=Source.SYNTHETIC, ref=ref, at=datetime(2026, 11, 30, tzinfo=UTC))


def run(item: Bound, evidence: Sequence[Evidence], **more: Any) -> list[Finding]:
    return judge([item], evidence, **{"provider": "wölkchen", "models": (), "today": TODAY, **more})


def by_ref(**verdicts: Verdict) -> Callable[[Facts], Verdict]:
    """Give the verdict that is told for the reference of the evidence."""
    return lambda facts: verdicts[str(facts.about)]


HOLDS, BROKEN, UNKNOWN, APART = (
    holds("heil"),
    violated("zerfallen — 坏了"),
    unknown("ungelesen"),
    not_applicable("fremd"),
)


@pytest.mark.parametrize(
    ("verdicts", "outcome", "ref"),
    [
        ({"a": HOLDS, "b": BROKEN, "c": UNKNOWN}, "violated", "b"),
        ({"a": HOLDS, "b": UNKNOWN, "c": APART}, "unknown", "b"),
        ({"a": APART, "b": HOLDS}, "holds", "b"),
        ({"a": APART, "b": APART}, "not-applicable", "a"),
        ({"a": BROKEN, "b": BROKEN}, "violated", "a"),
    ],
)
def test_the_worst_verdict_is_told_with_its_evidence(verdicts: dict[str, Verdict], outcome: str, ref: str) -> None:
    found = run(bound(by_ref(**verdicts)), [seen(r) for r in verdicts])
    assert [(f.outcome, f.evidence.ref if f.evidence else None) for f in found] == [(outcome, ref)]


def test_a_finding_says_all_that_contract_verdict_and_evidence_say() -> None:
    verdict = violated("zerfallen — 坏了", expected="heil", observed="kaputt")
    (found,) = run(bound(by_ref(a=verdict), severity="warning"), [seen("a")])
    assert (found.provider, found.model, found.severity, found.scope) == ("wölkchen", None, "warning", "provider")
    assert (found.expected, found.observed, found.detail) == ("heil", "kaputt", "zerfallen — 坏了")
    assert found.evidence is not None
    assert (found.evidence.source, found.evidence.at) == (Source.SYNTHETIC, datetime(2026, 11, 30, tzinfo=UTC))


def test_a_verdict_without_words_is_told_by_the_promise() -> None:
    (found,) = run(bound(by_ref(a=holds())), [seen("a")])
    assert found.detail == "Der Text bleibt heil — 完好"


def test_a_verdict_of_another_scope_than_the_contracts_keeps_it() -> None:
    (found,) = run(bound(by_ref(a=violated("kaputt", scope=Scope.PIPELINE))), [seen("a")])
    assert found.scope is Scope.PIPELINE


def test_what_is_about_a_model_is_told_for_each_model() -> None:
    check = by_ref(a=HOLDS, b=BROKEN, c=UNKNOWN)
    found = run(bound(check, scope="model"), [seen("a"), seen("b"), seen("c", OTHER)])
    assert [(f.model, f.outcome) for f in found] == [(MODEL, "violated"), (OTHER, "unknown")]


def test_a_verdict_with_scope_model_is_about_the_model_whatever_the_contract_says() -> None:
    (found,) = run(bound(by_ref(a=violated("kaputt", scope=Scope.MODEL))), [seen("a")])
    assert found.model == MODEL


def test_what_does_not_apply_to_one_answer_is_not_told_beside_what_does() -> None:
    found = run(bound(by_ref(a=APART, b=HOLDS), scope="model"), [seen("a", kind="listing", model=None), seen("b")])
    assert [(f.model, f.outcome) for f in found] == [(MODEL, "holds")]


def test_every_allowed_model_is_judged_for_itself() -> None:
    item = bound_models(lambda _, model: HOLDS if model == MODEL else BROKEN)
    found = run(item, [seen("l", None, "listing")], models=(MODEL, OTHER))
    assert [(f.model, f.outcome) for f in found] == [(MODEL, "holds"), (OTHER, "violated")]


@pytest.mark.parametrize(("chat", "listing"), [(HOLDS, BROKEN), (BROKEN, HOLDS)])
def test_what_a_chat_answer_says_of_a_model_outweighs_the_listing(chat: Verdict, listing: Verdict) -> None:
    item = bound_models(lambda facts, _: chat if facts.kind == "chat" else listing)
    (found,) = run(item, [seen("l", None, "listing"), seen("c")], models=(MODEL,))
    assert found.outcome is chat.outcome
    assert found.evidence is not None
    assert found.evidence.ref == "c"


@pytest.mark.parametrize(("endpoint", "listing"), [(HOLDS, BROKEN), (BROKEN, HOLDS)])
def test_what_a_models_own_endpoint_says_outweighs_the_listing(endpoint: Verdict, listing: Verdict) -> None:
    item = bound_models(lambda facts, _: endpoint if facts.kind == "model" else listing)
    own, others = seen(MODEL, None, "model"), seen(OTHER, None, "model")
    (found,) = run(item, [seen("l", None, "listing"), others, own], models=(MODEL,))
    assert found.outcome is endpoint.outcome
    assert found.evidence is not None
    assert found.evidence.ref == MODEL
    (found,) = run(item, [seen("l", None, "listing"), others], models=(MODEL,))
    assert found.outcome is listing.outcome


@pytest.mark.parametrize("chat", [UNKNOWN, APART])
def test_a_chat_answer_that_decides_nothing_leaves_it_to_the_listing(chat: Verdict) -> None:
    item = bound_models(lambda facts, _: chat if facts.kind == "chat" else BROKEN)
    (found,) = run(item, [seen("c"), seen("l", None, "listing")], models=(MODEL,))
    assert found.outcome == "violated"


def test_without_a_model_nothing_has_to_resolve() -> None:
    (found,) = run(bound_models(lambda *_: BROKEN), [seen("l", None, "listing")])
    assert (found.outcome, found.reason) == ("not-applicable", "no model is named")


def test_what_one_capture_says_nothing_of_is_still_told_of_that_capture() -> None:
    one = seen("größe.http", None, "listing")
    (found,) = run(bound_models(lambda *_: BROKEN), [one])
    assert found.evidence is not None
    assert found.evidence.ref == one.ref


def test_a_chat_answer_decides_also_where_all_evidence_holds_no_listing() -> None:
    item = bound_models(lambda _, model: BROKEN if model == MODEL else APART)
    found = run(item, [seen("c", status=404)], models=(MODEL, OTHER), complete=True)
    assert [(f.model, f.outcome) for f in found] == [(MODEL, "violated"), (OTHER, "unknown")]
    assert found[1].reason == "no capture holds a model listing"


@pytest.mark.parametrize(
    ("needs", "kind", "status", "outcome"),
    [
        ("chat", "chat", 200, "holds"),
        ("chat", "chat", 500, "unknown"),
        ("chat", "listing", 200, "unknown"),
        ("chat-stream", "chat", 200, "unknown"),
        ("listing", "listing", 401, "holds"),
        ("listing", "chat", 200, "unknown"),
        ("error", "chat", 400, "holds"),
        ("error", "chat", 308, "unknown"),
        ("answer", "other", 200, "holds"),
    ],
)
def test_a_contract_is_unknown_where_all_evidence_lacks_what_it_needs(
    needs: str, kind: AnswerKind, status: int, outcome: str
) -> None:
    evidence = [seen("a", None, kind, status)]
    (found,) = run(bound(by_ref(a=HOLDS), needs=needs), evidence, complete=True)
    assert found.outcome == outcome
    (alone,) = run(bound(by_ref(a=HOLDS), needs=needs), evidence)
    assert alone.outcome == "holds"


def test_without_any_evidence_a_contract_is_unknown_for_the_row_and_every_model() -> None:
    assert [f.outcome for f in run(bound(by_ref()), [], complete=True)] == ["unknown"]
    found = run(bound_models(lambda *_: HOLDS), [], models=(MODEL, OTHER), complete=True)
    assert [(f.model, f.outcome, f.evidence) for f in found] == [(MODEL, "unknown", None), (OTHER, "unknown", None)]


def test_a_stream_that_was_asked_for_counts_as_one_though_json_came() -> None:
    facts = convert(
        {"dialect": "d", "kind": "chat", "status": 200, "headers": [], "body": {"kind": "json", "bytes": 1}}, Facts
    )
    assert not shows("chat-stream", facts)
    facts = convert(
        {
            "dialect": "d",
            "kind": "chat",
            "status": 200,
            "headers": [],
            "body": {"kind": "json", "bytes": 1},
            "asked": {"stream": True, "model": MODEL},
        },
        Facts,
    )
    assert shows("chat-stream", facts)


def waiver(until: date, **changes: Any) -> Waiver:
    fields = {"contract": contract().id, "because": "bekannt — 已知", "owner": "Müller", "until": until}
    return Waiver(**{**fields, **changes})


@pytest.mark.parametrize(
    ("until", "outcome"),
    [(date(2026, 11, 29), "violated"), (TODAY, "waived"), (date(2026, 12, 1), "waived")],
)
def test_a_waiver_counts_up_to_and_including_its_date(until: date, outcome: str) -> None:
    (found,) = run(bound(by_ref(a=BROKEN)), [seen("a")], waivers=(waiver(until),))
    assert found.outcome == outcome
    assert (found.waiver is not None) == (outcome == "waived")
    assert ("its waiver ended on 2026-11-29" in found.detail) == (outcome == "violated")


def test_a_waived_finding_says_why_and_by_whom() -> None:
    (found,) = run(bound(by_ref(a=BROKEN)), [seen("a")], waivers=(waiver(TODAY),))
    assert found.waiver is not None
    assert (found.waiver.because, found.waiver.owner, found.waiver.until) == ("bekannt — 已知", "Müller", TODAY)
    assert found.detail == "zerfallen — 坏了"


@pytest.mark.parametrize("order", [1, -1])
def test_a_renewed_waiver_counts_beside_the_one_that_ended(order: int) -> None:
    both = (waiver(date(2026, 1, 1)), waiver(date(2027, 1, 1)))[::order]
    (found,) = run(bound(by_ref(a=BROKEN)), [seen("a")], waivers=both)
    assert found.outcome == "waived"


@pytest.mark.parametrize("verdict", [HOLDS, UNKNOWN, APART])
def test_nothing_but_a_violation_is_waived(verdict: Verdict) -> None:
    (found,) = run(bound(by_ref(a=verdict)), [seen("a")], waivers=(waiver(TODAY),))
    assert found.outcome is verdict.outcome
    assert found.waiver is None


def test_another_contracts_waiver_says_nothing() -> None:
    (found,) = run(bound(by_ref(a=BROKEN)), [seen("a")], waivers=(waiver(TODAY, contract="sse.done"),))
    assert found.outcome == "violated"
    assert found.detail == "zerfallen — 坏了"


def test_a_waiver_for_one_model_waives_no_other() -> None:
    evidence = [seen("a"), seen("b", OTHER)]
    found = run(bound(by_ref(a=BROKEN, b=BROKEN), scope="model"), evidence, waivers=(waiver(TODAY, model=MODEL),))
    assert [(f.model, f.outcome) for f in found] == [(MODEL, "waived"), (OTHER, "violated")]
