"""Dialect cohere: every event, reason, error and count becomes its facts."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.dialects import cohere
from contracts.facts import Asked
from contracts.model import Request
from tests.dialects.folding import SORRY, TEXT, THOUGHT, Folded, answered, asked, finish, streamed, whole

NAME = "cohere"
MODEL = "command-größe"
REASONS = ("COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "ERROR", "TIMEOUT")
TOKENS = {"input_tokens": 5, "output_tokens": 9}
USAGE = {"billed_units": {"input_tokens": 3, "output_tokens": 9}, "tokens": TOKENS}


def event(kind: str, message: Any = None, **over: Any) -> dict[str, Any]:
    return {"type": kind, "index": 0, "delta": {"message": {} if message is None else message}, **over}


def content(kind: str = "content-delta", **piece: Any) -> dict[str, Any]:
    return event(kind, {"content": piece})


def call(kind: str = "tool-call-delta", index: Any = 0, call_id: Any = None, **function: Any) -> dict[str, Any]:
    return event(kind, {"tool_calls": {"id": call_id, "type": "function", "function": function}}, index=index)


def opened(index: Any = 0, **over: Any) -> dict[str, Any]:
    return call("tool-call-start", index, **{"call_id": f"größe_ä{index}", "name": "größe", "arguments": "", **over})


def ended(reason: Any = "COMPLETE", usage: Any = USAGE, **over: Any) -> dict[str, Any]:
    return {"type": "message-end", "delta": {"finish_reason": reason, "usage": usage, **over}}


START = {"type": "message-start", "id": "ä1", "delta": {"message": {"role": "assistant", "content": []}}}


def answer(reason: str = "COMPLETE", **message: Any) -> dict[str, Any]:
    return {"id": "ä1", "finish_reason": reason, "message": {"role": "assistant", **message}, "usage": USAGE}


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def test_text_reasoning_plan_id_and_usage_are_read() -> None:
    found = folded(
        START,
        content("content-start", type="thinking", thinking=""),
        content(thinking=THOUGHT),
        {"type": "content-end", "index": 0},
        event("tool-plan-delta", {"tool_plan": THOUGHT}),
        content("content-start", type="text", text=TEXT[:2]),
        content(text=TEXT[2:]),
        event("citation-start", {"citations": {"text": TEXT}}),
        {"type": "citation-end", "index": 0},
        ended(),
    )
    assert found.chars == (len(TEXT), 2 * len(THOUGHT), 0)
    assert [i.value for i in found.reply.ids] == ["ä1"]
    assert found.reply.models == ()
    assert found.reply.choices[0].finishes == (finish("COMPLETE", 9),)
    assert found.tokens == (5, 9, None, None)
    assert (found.reply.usage.count, found.reply.usage.placed) == (1, "finish")
    assert (found.errors, found.departures, found.reply.close.count) == ([], [], 0)


def test_a_whole_answer_says_the_same() -> None:
    calls = [
        {"id": f"größe_ä{n}", "type": "function", "function": {"name": "größe", "arguments": "{}"}} for n in (1, 2)
    ]
    parts = [{"type": "thinking", "thinking": THOUGHT}, {"type": "text", "text": TEXT}]
    found = whole(NAME, answer("TOOL_CALL", content=parts, tool_plan=THOUGHT, tool_calls=calls))
    assert (found.chars, found.calls, found.finishes) == ((len(TEXT), 2 * len(THOUGHT), 0), 2, ["TOOL_CALL"])
    assert (found.tokens, found.reply.usage.placed) == ((5, 9, None, None), "body")
    assert (found.call_faults, found.departures, found.errors) == ([], [], [])


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_read_and_a_failure_is_an_error(reason: str) -> None:
    for found in (folded(START, content(text=TEXT), ended(reason)), whole(NAME, answer(reason, content=[]))):
        assert found.finishes == [reason]
        assert [(e.form, e.code) for e in found.errors] == (
            [("finish", reason)] if reason in ("ERROR", "TIMEOUT") else []
        )


def test_the_error_that_ended_the_generation_is_told() -> None:
    (seen,) = folded(START, ended("COMPLETE", error=SORRY)).errors
    assert (seen.form, seen.message, seen.code, seen.event, seen.byte) == ("finish", SORRY, None, 1, 100)


@pytest.mark.parametrize(
    ("events", "calls", "faults"),
    [
        ((opened(), call(arguments='{"wort": "grö'), call(arguments='ße"}')), 1, []),
        ((opened(0), opened(1), call(index=1, arguments="{}"), call(index=0, arguments="{}")), 2, []),
        ((opened(),), 1, ["arguments-empty"]),
        ((opened(), call(arguments="{größe}")), 1, ["arguments-malformed"]),
        ((opened(), call(arguments="{}{}")), 1, ["arguments-concatenated"]),
        ((opened(), call(arguments='{"wort"'), ended("MAX_TOKENS")), 1, ["arguments-cut"]),
        ((opened(), call(arguments='{"wort"'), ended("TOOL_CALL")), 1, ["arguments-truncated"]),
        ((opened(call_id=None), call(arguments="{}")), 1, ["id-missing"]),
        ((opened(name=None), call(arguments="{}")), 1, ["name-missing"]),
        ((opened(), call(arguments={"wort": "größe"})), 1, ["arguments-object"]),
        ((opened(), call(call_id="größe_ä0", arguments="{}")), 1, ["id-repeated"]),
    ],
)
def test_calls_are_assembled_by_their_index(events: tuple[Any, ...], calls: int, faults: list[str]) -> None:
    found = folded(START, *events)
    assert (found.calls, found.call_faults) == (calls, faults)


@pytest.mark.parametrize(
    ("value", "name", "message"),
    [
        ({"message": SORRY}, None, SORRY),
        ({"id": "ä", "message": SORRY}, b"error", SORRY),
        ({"error": {"message": SORRY}}, None, SORRY),
        (SORRY, b"error", SORRY),
        ({"type": "error", "message": SORRY}, None, SORRY),
    ],
)
def test_an_error_in_a_stream_is_told_with_its_place(value: Any, name: bytes | None, message: str) -> None:
    found = folded(START, value, names=(None, name))
    assert [(e.form, e.message, e.event, e.byte) for e in found.errors] == [("event", message, 1, 100)]
    assert found.departures == []


def test_an_error_as_a_whole_answer_is_a_text_where_an_answer_has_an_object() -> None:
    value = {"id": "ä", "message": SORRY}
    at_rest = cohere.error(value)
    assert at_rest is not None
    assert (at_rest.form, at_rest.message, at_rest.shaped) == ("body", SORRY, True)
    assert [e.message for e in whole(NAME, value).errors] == [SORRY]
    assert cohere.error(answer(content=[])) is None
    assert cohere.error({**answer(), "message": SORRY}) is None, "an answer of a wrong shape, which the schema says"
    assert cohere.error(SORRY) is None


@pytest.mark.parametrize(
    ("usage", "count", "kinds"),
    [
        (USAGE, 1, []),
        (None, 0, []),
        ({"billed_units": {}}, 0, []),
        ({"tokens": {"input_tokens": 5, "output_tokens": -9}}, 1, ["not-a-count"]),
        ({"tokens": {"input_tokens": 5.5, "output_tokens": 9}}, 1, ["not-a-count"]),
        ({"tokens": {"output_tokens": 9}}, 1, ["not-a-count"]),
        ({"tokens": "fünf"}, 1, ["not-an-object"]),
    ],
)
def test_counts_are_whole_numbers(usage: Any, count: int, kinds: list[str]) -> None:
    found = folded(START, ended(usage=usage)).reply.usage
    assert (found.count, [f.kind for f in found.faults]) == (count, kinds)


END = b'data: {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}\n\n'
DONE = b"data: [DONE]\n\n"
LATE = 'data: {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "Größe"}}}}\n\n'.encode()


@pytest.mark.parametrize(
    ("body", "count", "after"),
    [
        (END + DONE, 1, None),
        (END, 0, None),
        (END + DONE + DONE, 2, 2),
        (END + LATE + DONE, 1, 1),
        (END + DONE + LATE, 1, 2),
        (END + END + DONE, 1, 1),
    ],
)
def test_the_close_follows_message_end_at_once_and_once(body: bytes, count: int, after: int | None) -> None:
    reply = answered(NAME, body, "text/event-stream").reply
    assert reply is not None
    assert (reply.close.count, reply.close.after.event if reply.close.after else None) == (count, after)


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"type": "message-start"}, ["delta"]),
        ({"type": "content-delta", "index": 0, "delta": {}}, ["delta.message"]),
        ({"type": "content-delta", "delta": {"message": {}}}, ["index"]),
        ({"type": "message-end", "delta": {}}, ["delta.finish_reason"]),
        (call(index="größe"), ["index"]),
        (["größe"], ["the value"]),
        ({"type": "größe", "neu": 1}, []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths


def test_a_request_is_read_in_all_its_members() -> None:
    body = {"model": MODEL, "messages": [{"role": "user", "content": TEXT}], "stream": True, "max_tokens": 16,
            "tools": [{"type": "function"}], "tool_choice": "REQUIRED"}  # fmt: skip
    assert asked(NAME, "https://wölkchen.example/v2/chat", body) == Asked(
        method="POST", path="/v2/chat", model=MODEL, stream=True, cap=16, cap_name="max_tokens",
        tools=True, forced_call=True, ascii=False,
    )  # fmt: skip


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert cohere.asked(Request(method="POST", url="/v2/chat")) is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/v2/chat", "chat"),
        ("POST", "/v2/embed", "other"),
        ("GET", "/v1/models", "listing"),
        ("GET", "/v1/models/größe", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert cohere.kind(method, path) == kind
