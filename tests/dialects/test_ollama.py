"""Dialect ollama: every line, reason, error and count becomes its facts, in whatever framing it comes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.dialects import ollama
from contracts.facts import Asked
from contracts.model import Request
from tests.dialects.folding import SORRY, TEXT, THOUGHT, Folded, answered, asked, finish, streamed, whole

NAME = "ollama"
MODEL = "qwen3-größe"
NDJSON, SSE, JSON = "application/x-ndjson", "text/event-stream", "application/json"


def line(content: Any = "", **over: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": content, **over.pop("message", {})}
    return {"model": MODEL, "created_at": "2026-11-30T08:00:00Z", "message": message, "done": False, **over}


def last(reason: str | None = "stop", **over: Any) -> dict[str, Any]:
    told = {} if reason is None else {"done_reason": reason}
    return line(done=True, **told, **{"prompt_eval_count": 5, "eval_count": 9, **over})


def call(**function: Any) -> dict[str, Any]:
    return line(message={"tool_calls": [{"function": {"name": "größe", "arguments": {"wort": "大小"}, **function}}]})


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(v, ensure_ascii=False).encode() + b"\n" for v in values)


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def test_text_reasoning_model_usage_and_close_are_read() -> None:
    found = folded(line(message={"thinking": THOUGHT}), line(TEXT), line(TEXT), last())
    assert found.chars == (2 * len(TEXT), len(THOUGHT), 0)
    assert found.reply.ids == ()
    assert [(m.value, m.count) for m in found.reply.models] == [(MODEL, 4)]
    assert found.reply.choices[0].finishes == (finish("stop", 3),)
    assert (found.reply.close.count, found.reply.close.event) == (1, 3)
    assert (found.tokens, found.reply.usage.placed) == ((5, 9, None, None), "finish")
    assert (found.errors, found.departures) == ([], [])


def test_a_whole_answer_says_the_same_and_has_no_close() -> None:
    found = whole(NAME, last(message={"content": TEXT, "thinking": THOUGHT}))
    assert (found.chars, found.finishes) == ((len(TEXT), len(THOUGHT), 0), ["stop"])
    assert (found.tokens, found.reply.usage.placed) == ((5, 9, None, None), "body")
    assert (found.reply.close.count, found.departures) == (0, [])


def test_the_endpoint_for_prompts_is_read_too() -> None:
    value = {"model": MODEL, "created_at": "ä", "response": TEXT, "thinking": THOUGHT, "done": True, "eval_count": 9}
    assert folded(value).chars == (len(TEXT), len(THOUGHT), 0)


@pytest.mark.parametrize(("reason", "other"), [("stop", 0), ("length", 0), ("load", 1), ("unload", 1)])
def test_every_reason_is_read_and_loading_a_model_is_an_answer(reason: str, other: int) -> None:
    found = folded(last(reason))
    assert (found.finishes, found.other) == ([reason], other)


def test_a_last_line_without_a_reason_has_stopped() -> None:
    assert folded(last(None)).finishes == ["stop"]


@pytest.mark.parametrize("done", [False, None, 1, "true"])
def test_only_true_says_that_a_line_is_the_last(done: Any) -> None:
    found = folded(line(TEXT, done=done))
    assert (found.finishes, found.reply.close.count) == ([], 0)


@pytest.mark.parametrize(
    ("events", "calls", "faults"),
    [
        ((call(), call(index=1)), 2, ["id-missing", "arguments-object", "id-missing", "arguments-object"]),
        ((call(arguments={}),), 1, ["id-missing", "arguments-object"]),
        ((call(arguments='{"wort": "大小"}'),), 1, ["id-missing", "arguments-text"]),
        ((call(arguments=[7]),), 1, ["id-missing", "arguments-not-object"]),
        ((call(name=None),), 1, ["id-missing", "name-missing", "arguments-object"]),
    ],
)
def test_calls_come_whole(events: tuple[Any, ...], calls: int, faults: list[str]) -> None:
    found = folded(*events, last())
    assert (found.calls, found.call_faults) == (calls, faults)


@pytest.mark.parametrize(
    ("value", "name", "form"),
    [
        ({"error": SORRY}, None, "member"),
        ({"error": {"message": SORRY}}, None, "member"),
        ({"message": SORRY}, b"error", "event"),
    ],
)
def test_an_error_in_a_stream_is_told_with_its_place(value: Any, name: bytes | None, form: str) -> None:
    found = folded(line(TEXT), value, names=(None, name))
    assert [(e.form, e.message, e.event, e.byte) for e in found.errors] == [(form, SORRY, 1, 100)]
    assert (found.departures, found.finishes) == ([], [])


def test_an_error_as_a_whole_answer_is_a_text() -> None:
    at_rest = ollama.error({"error": SORRY})
    assert at_rest is not None
    assert (at_rest.form, at_rest.message, at_rest.shaped) == ("member", SORRY, True)
    assert [e.message for e in whole(NAME, {"error": SORRY}).errors] == [SORRY]
    assert ollama.error(last()) is None
    assert ollama.error([SORRY]) is None


@pytest.mark.parametrize(
    ("counts", "tokens", "kinds"),
    [
        ({}, (5, 9), []),
        ({"prompt_eval_count": -5}, (None, 9), ["not-a-count"]),
        ({"eval_count": 9.5}, (5, None), ["not-a-count"]),
        ({"eval_count": "neun"}, (5, None), ["not-a-count"]),
    ],
)
def test_counts_are_whole_numbers(counts: Any, tokens: tuple[Any, Any], kinds: list[str]) -> None:
    found = folded(last(**counts))
    assert (found.tokens[:2], [f.kind for f in found.reply.usage.faults]) == (tokens, kinds)


def test_a_prompt_that_was_cached_is_not_counted() -> None:
    value = last()
    del value["prompt_eval_count"]
    assert folded(value).tokens == (0, 9, None, None)
    del value["eval_count"]
    assert folded(value).reply.usage.count == 0


# Framing.

REQUEST = Request(method="POST", url="/api/chat", body=b'{"model": "qwen3-gr\xc3\xb6\xc3\x9fe"}')
WHOLE = Request(method="POST", url="/api/chat", body=b'{"model": "qwen3-gr\xc3\xb6\xc3\x9fe", "stream": false}')
STREAM = lines(line(TEXT), last())


@pytest.mark.parametrize("label", [NDJSON, SSE, JSON, "text/plain; charset=latin-1", None])
@pytest.mark.parametrize("chunk", [0, 1, 5])
def test_lines_are_read_under_any_label_and_cut_anywhere(label: str | None, chunk: int) -> None:
    facts = answered(NAME, STREAM, label, REQUEST, chunk)
    assert facts.body.kind == "ndjson"
    assert facts.reply is not None
    assert (facts.reply.streamed, facts.reply.events, facts.reply.close.count) == (True, 2, 1)
    assert facts.reply.choices[0].text_chars == len(TEXT)


@pytest.mark.parametrize("label", [NDJSON, SSE, JSON, None])
def test_an_event_stream_is_read_under_any_label(label: str | None) -> None:
    body = b"".join(b"data: " + one + b"\n\n" for one in STREAM.splitlines())
    facts = answered(NAME, body, label, REQUEST)
    assert facts.body.kind == "sse"
    assert facts.reply is not None
    assert (facts.reply.close.count, facts.reply.choices[0].text_chars) == (1, len(TEXT))


@pytest.mark.parametrize("label", [NDJSON, SSE, JSON])
def test_one_answer_that_was_asked_for_is_one_answer_under_any_label(label: str) -> None:
    facts = answered(NAME, lines(last(message={"content": TEXT})), label, WHOLE)
    assert facts.body.kind == "json"
    assert facts.reply is not None
    assert (facts.reply.streamed, facts.reply.choices[0].text_chars) == (False, len(TEXT))


def test_a_stream_of_one_line_is_a_stream() -> None:
    facts = answered(NAME, lines(last(message={"content": TEXT})), NDJSON, REQUEST)
    assert facts.reply is not None
    assert (facts.body.kind, facts.reply.streamed, facts.reply.close.count) == ("ndjson", True, 1)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (STREAM.replace(b"\n", b"", 1), ["concatenated"]),
        (STREAM.replace(b"\n", b"\r\n"), []),
        (STREAM.replace(b"\n", b"\n\n"), []),
        (STREAM[:-1], []),
        (STREAM[:-9], ["truncated"]),
        (lines(line(TEXT)) + "größe\n".encode() + lines(last()), ["malformed"]),
    ],
)
def test_a_line_is_one_json_value(body: bytes, kinds: list[str]) -> None:
    assert [f.kind for f in answered(NAME, body, NDJSON, REQUEST).json_faults] == kinds


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (line(["größe"]), ["message.content"]),
        (line(message={"role": None}), ["message.role"]),
        (line(message={"tool_calls": [{"größe": 1}]}), ["message.tool_calls[].function"]),
        ({"model": MODEL, "done": False}, ["created_at"]),
        ({k: v for k, v in line().items() if k != "model"}, ["model"]),
        (["größe"], ["the value"]),
        (line(größe=1), []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths


# What was asked.


def test_a_request_is_read_in_all_its_members() -> None:
    body = {
        "model": MODEL,
        "messages": [{"role": "user", "content": TEXT}],
        "options": {"num_predict": 16},
        "tools": [{}],
    }
    assert asked(NAME, "http://localhost:11434/api/chat", body) == Asked(
        method="POST", path="/api/chat", model=MODEL, stream=True, cap=16, cap_name="num_predict", tools=True,
        ascii=False,
    )  # fmt: skip


@pytest.mark.parametrize(("stream", "found"), [(None, True), (True, True), (False, False)])
def test_a_stream_is_what_one_gets_without_asking(stream: Any, *, found: bool) -> None:
    body = {"model": MODEL} if stream is None else {"model": MODEL, "stream": stream}
    assert asked(NAME, "/api/chat", body).stream is found


@pytest.mark.parametrize(("number", "cap"), [(16, 16), (0, None), (-1, None), (-2, None), ("16", None), (True, None)])
def test_no_cap_and_odd_ones_are_none(number: Any, cap: int | None) -> None:
    found = asked(NAME, "/api/chat", {"options": {"num_predict": number}})
    assert (found.cap, found.cap_name) == (cap, None if cap is None else "num_predict")


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert ollama.asked(Request(method="POST", url="/api/chat")) is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/api/chat", "chat"),
        ("POST", "/api/generate", "chat"),
        ("POST", "/api/show", "other"),
        ("GET", "/api/tags", "listing"),
        ("GET", "/api/ps", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert ollama.kind(method, path) == kind
