"""Dialect gemini: every part, reason, block, error and count becomes its facts."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.dialects import gemini
from contracts.facts import Asked
from contracts.fold import fold
from contracts.judge import judge
from contracts.model import Evidence, Outcome, Request, Source
from tests.dialects.folding import (
    CATALOGUE,
    SORRY,
    TEXT,
    THOUGHT,
    Folded,
    answered,
    asked,
    capture,
    finish,
    streamed,
    whole,
)

NAME = "gemini"
MODEL = "gemini-größe"
COUNTS = {"promptTokenCount": 5, "candidatesTokenCount": 9, "totalTokenCount": 14}
BOUND = {bound.contract.id: bound.params for bound in CATALOGUE.bound_to_dialect(NAME)}


def response(*parts: Any, reason: str | None = None, index: Any = 0, **over: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": index}
    if reason is not None:
        candidate["finishReason"] = reason
    return {"candidates": [candidate], "modelVersion": MODEL, "responseId": "ä1", **over}


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def call(**over: Any) -> dict[str, Any]:
    return {"functionCall": {"name": "größe", "args": {"wort": "大小"}, **over}}


def test_text_thoughts_id_model_and_usage_are_read() -> None:
    found = folded(
        response({"text": THOUGHT, "thought": True}),
        response({"text": TEXT}, {"text": ""}, {"thoughtSignature": "Cg=="}),
        response({"text": TEXT}, reason="STOP", usageMetadata=COUNTS),
    )
    assert found.chars == (2 * len(TEXT), len(THOUGHT), 0)
    assert [(i.value, i.count) for i in found.reply.ids] == [("ä1", 3)]
    assert [(m.value, m.count) for m in found.reply.models] == [(MODEL, 3)]
    assert found.reply.choices[0].finishes == (finish("STOP", 2),)
    assert found.tokens == (5, 9, 0, 14)
    assert found.reply.close.count == 0
    assert (found.errors, found.departures) == ([], [])


@pytest.mark.parametrize("value", [response({"text": TEXT}, reason="STOP"), [response({"text": TEXT}, reason="STOP")]])
def test_a_whole_answer_may_be_one_response_or_a_list_of_them(value: Any) -> None:
    found = whole(NAME, value)
    assert (found.chars, found.finishes) == ((len(TEXT), 0, 0), ["STOP"])


def test_candidates_are_told_apart_by_index_and_without_one_by_place() -> None:
    value = response({"text": TEXT})
    value["candidates"] += [{"index": 3, "content": {"parts": [{"text": TEXT}]}}, {"content": {"parts": []}}]
    assert [c.index for c in folded(value).reply.choices] == [0, 3, 2]


def test_every_reason_of_the_vocabulary_is_read() -> None:
    reasons = [r for r in BOUND["reply.finish"].reasons if not r.startswith("blocked:")]
    assert len(reasons) > 15
    assert [folded(response(reason=r)).finishes for r in reasons] == [[r] for r in reasons]


def test_a_blocked_prompt_ends_with_the_reason_for_that() -> None:
    blocked = [r.removeprefix("blocked:") for r in BOUND["reply.finish"].reasons if r.startswith("blocked:")]
    assert set(BOUND["reply.not-empty"].filtered) >= {f"blocked:{r}" for r in blocked}
    for reason in blocked:
        found = folded({"promptFeedback": {"blockReason": reason}, "usageMetadata": COUNTS})
        assert (found.finishes, found.chars) == ([f"blocked:{reason}"], (0, 0, 0))


@pytest.mark.parametrize(
    ("parts", "calls", "faults"),
    [
        ((call(), call()), 2, ["id-missing", "arguments-object", "id-missing", "arguments-object"]),
        ((call(id="ä"),), 1, ["arguments-object"]),
        (({"functionCall": {"id": "ä", "name": "größe"}},), 1, ["arguments-object"]),
        ((call(id="ä", args=None),), 1, ["arguments-object"]),
        ((call(id="ä", args=[7]),), 1, ["arguments-not-object"]),
        ((call(id="ä", args='{"wort": "大小"}'),), 1, ["arguments-text"]),
        ((call(id="ä", args='{"wort": '),), 1, ["arguments-text", "arguments-truncated"]),
        ((call(id="ä", name=None),), 1, ["name-missing", "arguments-object"]),
        ((call(id="ä"), call(id="ä")), 2, ["id-shared", "arguments-object", "arguments-object"]),
        ((call(id="ä", name="größe<|sep|>"),), 1, ["name-malformed", "arguments-object"]),
    ],
)
def test_calls_come_whole(parts: tuple[Any, ...], calls: int, faults: list[str]) -> None:
    found = folded(response(*parts, reason="STOP"))
    assert (found.calls, found.call_faults) == (calls, faults)
    assert whole(NAME, response(*parts)).calls == calls


@pytest.mark.parametrize("kind", ["inlineData", "fileData", "executableCode", "codeExecutionResult"])
def test_output_of_another_kind_is_counted(kind: str) -> None:
    found = folded(response({kind: {"größe": 1}}))
    assert (found.other, found.calls, found.chars) == (1, 0, (0, 0, 0))


@pytest.mark.parametrize(
    ("usage", "tokens", "kinds"),
    [
        (COUNTS, (5, 9, 0, 14), []),
        ({**COUNTS, "thoughtsTokenCount": 6, "totalTokenCount": 20}, (5, 9, 6, 20), []),
        ({**COUNTS, "thoughtsTokenCount": 6, "toolUsePromptTokenCount": 3, "totalTokenCount": 23}, (5, 9, 9, 23), []),
        ({"promptTokenCount": 5, "totalTokenCount": 5}, (5, 0, 0, 5), []),
        ({**COUNTS, "totalTokenCount": 15}, (5, 9, 0, 15), ["sum"]),
        ({**COUNTS, "cachedContentTokenCount": 5}, (5, 9, 0, 14), []),
        ({**COUNTS, "cachedContentTokenCount": 6}, (5, 9, 0, 14), ["part"]),
        ({**COUNTS, "cachedContentTokenCount": 6, "toolUsePromptTokenCount": 3}, (5, 9, 3, 14), []),
        ({**COUNTS, "thoughtsTokenCount": 30}, (5, 9, 30, 14), []),
        ({**COUNTS, "candidatesTokenCount": -9}, (5, None, 0, 14), ["not-a-count"]),
        ({**COUNTS, "promptTokenCount": "fünf"}, (None, 9, 0, 14), ["not-a-count"]),
        ({"trafficType": "ON_DEMAND"}, (None, None, None, None), []),
        ({}, (None, None, None, None), []),
        (None, (None, None, None, None), []),
        ("fünf", (None, None, None, None), ["not-an-object"]),
    ],
)
def test_counts_add_up_with_what_stands_beside(usage: Any, tokens: tuple[Any, ...], kinds: list[str]) -> None:
    found = folded(response({"text": TEXT}, usageMetadata=usage))
    assert found.tokens == tokens
    assert [f.kind for f in found.reply.usage.faults] == kinds


ERROR = {"error": {"code": 503, "message": SORRY, "status": "UNAVAILABLE"}}


@pytest.mark.parametrize(
    ("value", "form"), [(ERROR, "member"), ([ERROR], "member"), ({**response(), **ERROR}, "member")]
)
def test_an_error_is_known_in_every_form(value: Any, form: str) -> None:
    for found in (folded(response({"text": TEXT}), value), whole(NAME, value)):
        assert [(e.form, e.message, e.code, e.shaped) for e in found.errors] == [(form, SORRY, "503", True)]
    at_rest = gemini.error(value)
    assert at_rest is not None
    assert at_rest.message == SORRY


@pytest.mark.parametrize("value", [response(), [], [[]], None, "größe", {"error": None}])
def test_what_is_no_error_is_none(value: Any) -> None:
    assert gemini.error(value) is None


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (response({"text": 7}), ["candidates[].content.parts[].text"]),
        (response({"functionCall": {}}), ["candidates[].content.parts[].functionCall.name"]),
        (response(reason="STOP", candidates="größe"), ["candidates"]),
        (response(index="größe"), ["candidates[].index"]),
        (response(responseId=7), ["responseId"]),
        ("größe", ["the value"]),
        ({"größe": 1}, ["the value"]),
        ({"response": response({"text": TEXT})}, ["the value"]),
        ({"usageMetadata": COUNTS}, []),
        ({"promptFeedback": {}, "neu": 1}, []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths


def test_a_list_under_the_label_of_an_event_stream_is_read_as_a_list() -> None:
    request = Request(method="POST", url=f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse", body=b"{}")
    body = b'[{"candidates": [{"content": {"parts": [{"text": "Gr\xc3\xbc\xc3\x9fe"}]}, "finishReason": "STOP"}]}]'
    facts = answered(NAME, body, "text/event-stream", request)
    assert (facts.body.kind, facts.asked is not None and facts.asked.stream) == ("json", True)
    assert facts.reply is not None
    assert facts.reply.choices[0].text_chars == 5


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        (f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse", MODEL, True),
        (f"/v1beta/models/{MODEL}:streamGenerateContent?key=k&alt=sse", MODEL, True),
        (f"/v1beta/models/{MODEL}:streamGenerateContent", MODEL, False),
        (f"/v1beta/models/{MODEL}:streamGenerateContent?malt=sse", MODEL, False),
        (f"/v1beta/models/{MODEL}:generateContent?alt=sse", MODEL, False),
        ("", None, False),
    ],
)
def test_model_and_stream_stand_in_the_path(path: str, model: str | None, *, stream: bool) -> None:
    found = asked(NAME, path, {"contents": []})
    assert (found.model, found.stream) == (model, stream)


@pytest.mark.parametrize(
    "body",
    [
        {
            "contents": [{"parts": [{"text": TEXT}]}],
            "generationConfig": {"maxOutputTokens": 16},
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
            "tools": [{"functionDeclarations": []}],
        },
        {
            "contents": [{"parts": [{"text": TEXT}]}],
            "generation_config": {"max_output_tokens": 16},
            "tool_config": {"function_calling_config": {"mode": "ANY"}},
            "tools": [{"function_declarations": []}],
        },
    ],
    ids=["camel case", "snake case"],
)
def test_a_request_is_read_in_all_its_members(body: Any) -> None:
    path = f"/v1beta/models/{MODEL}:generateContent"
    assert asked(NAME, path, body) == Asked(
        method="POST", path=path, model=MODEL, cap=16, cap_name="maxOutputTokens", tools=True, forced_call=True,
        ascii=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", f"/v1beta/models/{MODEL}:generateContent", "chat"),
        ("POST", f"/v1beta/models/{MODEL}:streamGenerateContent", "chat"),
        ("POST", f"/v1beta/models/{MODEL}:countTokens", "other"),
        ("GET", "/v1beta/models", "listing"),
        ("GET", f"/v1beta/models/{MODEL}", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert gemini.kind(method, path) == kind


def test_a_close_marker_that_streams_do_not_have_is_one_fault() -> None:
    evidence = Evidence(
        facts=fold(capture("gemini-done"), gemini, CATALOGUE.tables(NAME)), source=Source.RECORDED, ref="größe"
    )
    found = judge(CATALOGUE.bound_to_dialect(NAME), [evidence], provider=None, models=())
    assert [f.contract for f in found if f.outcome is Outcome.VIOLATED] == ["sse.done"]
    assert [f.contract for f in found if f.outcome is Outcome.UNKNOWN] == []
