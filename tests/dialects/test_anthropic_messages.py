"""Dialect anthropic-messages: every block, reason, error and report of usage becomes its facts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.dialects import anthropic_messages
from contracts.facts import Asked
from contracts.model import Request
from tests.dialects.folding import SORRY, TEXT, THOUGHT, Folded, answered, asked, finish, streamed, whole

NAME = "anthropic-messages"
MODEL = "claude-größe-4-20250514"
REASONS = (
    "end_turn",
    "max_tokens",
    "stop_sequence",
    "tool_use",
    "pause_turn",
    "compaction",
    "refusal",
    "model_context_window_exceeded",
)


def start(**over: Any) -> dict[str, Any]:
    usage = {"input_tokens": 5, "output_tokens": 1}
    message = {"id": "msg_ä1", "type": "message", "role": "assistant", "model": MODEL, "content": [], "usage": usage}
    return {"type": "message_start", "message": {**message, "stop_reason": None, **over}}


def opened(index: Any, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: Any, **piece: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": piece}


def partial(index: Any, piece: Any) -> dict[str, Any]:
    return delta(index, type="input_json_delta", partial_json=piece)


def tool(index: Any, **over: Any) -> dict[str, Any]:
    return opened(index, **{"type": "tool_use", "id": f"toolu_ä{index}", "name": "größe", "input": {}, **over})


def ended(reason: str = "end_turn", **usage: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9, **usage}}


STOP = {"type": "message_stop"}


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def message(*content: Any, reason: str = "end_turn", **over: Any) -> dict[str, Any]:
    return {**start()["message"], "content": list(content), "stop_reason": reason, **over}


def test_text_reasoning_id_model_usage_and_close_are_read() -> None:
    found = folded(
        start(),
        opened(0, type="thinking", thinking="", signature=""),
        delta(0, type="thinking_delta", thinking=THOUGHT),
        delta(0, type="signature_delta", signature="Eqo"),
        opened(1, type="text", text=TEXT[:2]),
        delta(1, type="text_delta", text=TEXT[2:]),
        {"type": "content_block_stop", "index": 1},
        {"type": "ping"},
        ended(),
        STOP,
    )
    assert found.chars == (len(TEXT), len(THOUGHT), 0)
    assert [i.value for i in found.reply.ids] == ["msg_ä1"]
    assert [m.value for m in found.reply.models] == [MODEL]
    assert found.reply.choices[0].finishes == (finish("end_turn", 8),)
    assert (found.reply.close.count, found.reply.close.event, found.reply.close.after) == (1, 9, None)
    assert found.tokens == (5, 9, None, None)
    assert (found.reply.usage.count, found.reply.usage.placed, found.reply.usage.faults) == (2, "finish", ())
    assert (found.errors, found.departures, found.call_faults) == ([], [], [])


def test_a_whole_message_says_the_same() -> None:
    found = whole(
        NAME,
        message(
            {"type": "thinking", "thinking": THOUGHT, "signature": "Eqo"},
            {"type": "redacted_thinking", "data": "ä"},
            {"type": "text", "text": TEXT},
            {"type": "tool_use", "id": "toolu_ä", "name": "größe", "input": {"wort": "大小"}},
            reason="tool_use",
        ),
    )
    assert found.chars == (len(TEXT), len(THOUGHT), 0)
    assert (found.calls, found.other, found.finishes) == (1, 0, ["tool_use"])
    assert found.call_faults == ["arguments-object"], "a fact that the dialect's parameters accept"
    assert (found.reply.usage.placed, found.tokens) == ("body", (5, 1, None, None))
    assert found.departures == []


@pytest.mark.parametrize("reason", REASONS)
def test_every_reason_is_read_and_known(reason: str) -> None:
    assert folded(start(), ended(reason)).finishes == [reason]
    assert whole(NAME, message(reason=reason)).finishes == [reason]


@pytest.mark.parametrize(
    ("events", "calls", "faults"),
    [
        ((tool(0), partial(0, ""), partial(0, '{"wort": "grö'), partial(0, 'ße"}')), 1, []),
        ((tool(0), tool(1), partial(1, "{}"), partial(0, "{}")), 2, []),
        ((tool(0),), 1, ["arguments-empty"]),
        ((tool(0), partial(0, '{"wort": größe}')), 1, ["arguments-malformed"]),
        ((tool(0), partial(0, "{}{}")), 1, ["arguments-concatenated"]),
        ((tool(0), partial(0, "{}"), partial(0, '{"wort": "größe"}')), 1, ["arguments-again"]),
        ((tool(0), partial(0, '{"wort": "größe"}'), partial(0, '{"wort": "größe"}')), 1, ["arguments-again"]),
        ((tool(0), partial(0, ""), partial(0, "{}"), partial(0, '{"a":'), partial(0, '"ö"}')), 1, ["arguments-again"]),
        ((tool(0), partial(0, '{"wort": "gr'), partial(0, 'öße"}{}')), 1, ["arguments-concatenated"]),
        # Two that come token by token are two that the model wrote.
        (
            (tool(0), *(partial(0, piece) for piece in ('{"wort": ', '"ö"}', '{"wort": ', '"ö"}'))),
            1,
            ["arguments-concatenated"],
        ),
        ((tool(0), partial(0, "[7]")), 1, ["arguments-not-object"]),
        ((tool(0), partial(0, '{"wort":'), ended("max_tokens")), 1, ["arguments-cut"]),
        ((tool(0), partial(0, '{"wort":'), ended("model_context_window_exceeded")), 1, ["arguments-cut"]),
        ((tool(0), partial(0, '{"wort":'), ended("tool_use")), 1, ["arguments-truncated"]),
        ((tool(0, id=None), partial(0, "{}")), 1, ["id-missing"]),
        ((tool(0, name=""), partial(0, "{}")), 1, ["name-missing"]),
        ((tool(0), tool(0), partial(0, "{}")), 1, ["id-repeated", "name-repeated"]),
        ((tool("größe"), partial("größe", "{}")), 1, ["index-missing", "arguments-empty"]),
        ((tool(0), partial(0, {"wort": "größe"})), 1, ["arguments-object"]),
        ((tool(0), tool(1, id="toolu_ä0"), partial(0, "{}"), partial(1, "{}")), 2, ["id-shared"]),
        ((partial(0, '{"wort": 1}'),), 0, []),
    ],
)
def test_calls_are_assembled_by_the_index_of_their_block(
    events: tuple[Any, ...], calls: int, faults: list[str]
) -> None:
    found = folded(start(), *events)
    assert (found.calls, found.call_faults) == (calls, faults)


@pytest.mark.parametrize("kind", ["server_tool_use", "web_search_tool_result", "mcp_tool_use", "container_upload"])
def test_what_a_server_tool_does_is_no_call(kind: str) -> None:
    found = folded(start(), opened(0, type=kind, id="srv_ä", name="suche", input={}), partial(0, '{"größe'), ended())
    assert (found.calls, found.other, found.call_faults, found.chars) == (0, 1, [], (0, 0, 0))


def test_a_citation_is_no_text() -> None:
    assert folded(start(), delta(0, type="citations_delta", citation={"cited_text": TEXT})).chars == (0, 0, 0)


@pytest.mark.parametrize(
    ("value", "name", "kind"),
    [
        ({"type": "error", "error": {"type": "overloaded_error", "message": SORRY}}, b"error", "overloaded_error"),
        ({"type": "error", "error": {"type": "api_error", "message": SORRY}}, None, "api_error"),
        ({"error": {"type": "api_error", "message": SORRY}}, None, "api_error"),
        ({"message": SORRY}, b"error", None),
        (SORRY, b"error", None),
    ],
)
def test_an_error_in_a_stream_is_told_with_its_place(value: Any, name: bytes | None, kind: str | None) -> None:
    found = folded(start(), value, names=(None, name))
    assert [(e.form, e.message, e.type, e.event, e.byte) for e in found.errors] == [("event", SORRY, kind, 1, 100)]
    assert found.departures == []


def test_an_error_as_a_whole_answer_has_the_shape_of_the_dialect() -> None:
    value = {"type": "error", "error": {"type": "not_found_error", "message": SORRY}, "request_id": "req_ä"}
    at_rest = anthropic_messages.error(value)
    assert at_rest is not None
    assert (at_rest.message, at_rest.type, at_rest.shaped) == (SORRY, "not_found_error", True)
    assert [e.message for e in whole(NAME, value).errors] == [SORRY]
    assert anthropic_messages.error(message()) is None
    assert anthropic_messages.error([value]) is None


@pytest.mark.parametrize(
    ("reports", "tokens", "faults"),
    [
        (({"input_tokens": 5, "output_tokens": 1}, {"output_tokens": 9}), (5, 9), 0),
        (({"input_tokens": 5, "output_tokens": 1}, {"input_tokens": None, "output_tokens": 9}), (5, 9), 0),
        (({"input_tokens": 5, "output_tokens": 1}, {"input_tokens": 7, "output_tokens": 9}), (7, 9), 0),
        (({"input_tokens": 5, "output_tokens": 1}, {"output_tokens": 0}), (5, 0), 0),
        ((None, {"input_tokens": 5, "output_tokens": 9}), (5, 9), 0),
        (({"input_tokens": 5, "output_tokens": 1}, {"output_tokens": -9}), (5, None), 1),
        (({"input_tokens": 5, "output_tokens": 1}, {"output_tokens": 9.5}), (5, None), 1),
        ((None, {"output_tokens": 9}), (None, 9), 1),
        (("fünf", {"input_tokens": 5, "output_tokens": 9}), (5, 9), 1),
    ],
)
def test_usage_is_cumulative(reports: tuple[Any, Any], tokens: tuple[int | None, int | None], faults: int) -> None:
    found = folded(start(usage=reports[0]), {**ended(), "usage": reports[1]})
    assert found.tokens[:2] == tokens
    assert len(found.reply.usage.faults) == faults


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({**start(), "message": None}, ["message"]),
        (start(role="größe"), ["message.role"]),
        (start(content=TEXT), ["message.content"]),
        (opened(0, type="text"), ["content_block.text"]),
        (opened(0, type="tool_use", id="ä", input={}), ["content_block.name"]),
        (delta(0, type="text_delta"), ["delta.text"]),
        (delta(0, type="input_json_delta"), ["delta.partial_json"]),
        (delta(0, type="thinking_delta", thinking=7), ["delta.thinking"]),
        ({"type": "content_block_stop"}, ["index"]),
        ({"größe": 1}, ["type"]),
        ({"type": "größe", "neu": 1}, []),
        (delta(0, type="größe_delta"), []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths


def test_a_second_close_and_what_follows_it_are_counted() -> None:
    found = folded(start(), ended(), STOP, STOP)
    assert (found.reply.close.count, found.reply.close.event) == (2, 2)
    assert found.reply.close.after is not None
    assert found.reply.close.after.event == 3


def test_a_request_is_read_in_all_its_members() -> None:
    body = {
        "model": MODEL,
        "max_tokens": 16,
        "messages": [{"role": "user", "content": [{"type": "text", "text": TEXT}]}],
        "stream": True,
        "tools": [{"name": "größe"}],
        "tool_choice": {"type": "any"},
    }
    assert asked(NAME, "https://wölkchen.example/v1/messages?beta=true", body) == Asked(
        method="POST", path="/v1/messages", model=MODEL, stream=True, cap=16, cap_name="max_tokens",
        tools=True, forced_call=True, ascii=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "forced"),
    [({"type": "auto"}, False), ({"type": "none"}, False), ({"type": "tool", "name": "größe"}, True), ("any", False)],
)
def test_a_forced_call_is_known(choice: Any, *, forced: bool) -> None:
    assert asked(NAME, "/v1/messages", {"tool_choice": choice}).forced_call is forced


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert anthropic_messages.asked(Request(method="POST", url="/v1/messages")) is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/v1/messages", "chat"),
        ("POST", "/v1/messages/count_tokens", "other"),
        ("GET", "/v1/models", "listing"),
        ("GET", "/v1/models/größe", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert anthropic_messages.kind(method, path) == kind


def test_the_input_of_a_message_whose_start_never_came_is_not_missed_and_one_left_out_by_null_stands() -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    headless = streamed(NAME, delta(0, type="text_delta", text=TEXT), {**end, "usage": {"output_tokens": 9}})
    assert headless.reply.usage.faults == ()
    nulls = streamed(NAME, start(), {**end, "usage": {"input_tokens": None, "output_tokens": 9}})
    assert (nulls.tokens[:2], nulls.reply.usage.faults) == ((5, 9), ())
    silent = streamed(NAME, start(usage={}), {**end, "usage": {"output_tokens": 9}})
    assert silent.reply.usage.faults[0].detail == "input_tokens is absent"


def test_a_cumulative_count_that_becomes_less_or_null_is_told() -> None:
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
    found = streamed(NAME, start(), {**end, "usage": {"output_tokens": 9}}, {**end, "usage": {"output_tokens": 3}})
    assert [fault.detail for fault in found.reply.usage.faults] == ["output_tokens is cumulative and went from 9 to 3"]
    null = streamed(NAME, start(), {**end, "usage": {"output_tokens": None}})
    assert [fault.kind for fault in null.reply.usage.faults] == ["not-a-count"]


SAID = (
    opened(0, type="text", text=""),
    delta(0, type="text_delta", text=TEXT),
    {"type": "content_block_stop", "index": 0},
)


@pytest.mark.parametrize("name", [b"message", b"content_block_delta ", "größe".encode(), b"\xff"])
def test_an_event_has_the_name_of_its_type(name: bytes) -> None:
    events = (start(), *SAID, ended(), STOP)
    assert folded(*events).departures == []
    assert folded(*events, names=(name,)).departures == ["event"]


def test_an_event_of_an_event_stream_without_a_name_is_told_and_a_line_of_json_needs_none() -> None:
    values = [json.dumps(value, ensure_ascii=False).encode() for value in (start(), *SAID, ended(), STOP)]
    events = answered(NAME, b"".join(b"data: %s\n\n" % value for value in values), "text/event-stream")
    assert [(f.path, f.found, f.count) for f in events.schema_faults] == [("event", "absent", 6)]
    assert answered(NAME, b"\n".join(values), "application/x-ndjson").schema_faults == ()


THINKING = {"type": "thinking", "thinking": ""}
CALL = {"type": "tool_use", "id": "ä", "name": "größe", "input": {}}
WORDS = {"type": "text_delta", "text": TEXT}
JSON = {"type": "input_json_delta", "partial_json": "{}"}


@pytest.mark.parametrize(
    ("block", "piece", "departures"),
    [
        ({"type": "text", "text": ""}, {"type": "thinking_delta", "thinking": THOUGHT}, ["delta.type"]),
        ({"type": "text", "text": ""}, {"type": "citations_delta", "citation": {}}, []),
        ({"type": "text", "text": ""}, JSON, ["delta.type"]),
        (THINKING, WORDS, ["delta.type"]),
        (THINKING, {"type": "signature_delta", "signature": "ä"}, []),
        (CALL, WORDS, ["delta.type"]),
        ({**CALL, "input": ""}, JSON, ["content_block.input"]),
        ({**CALL, "type": "server_tool_use"}, JSON, []),
        ({"type": "text", "text": ""}, {"type": "größe_delta"}, []),
        ({"type": "größe"}, WORDS, []),
    ],
)
def test_a_block_has_the_deltas_of_its_type(block: Any, piece: Any, departures: list[str]) -> None:
    assert folded(start(), opened(0, **block), delta(0, **piece)).departures == departures


def test_blocks_are_counted_from_nought() -> None:
    second = [{**value, "index": 2} for value in SAID]
    assert folded(start(), *SAID, *second, ended(), STOP).disorder == [("index 1", "index 2", 4)]
    assert folded(start(), *SAID, *SAID, ended(), STOP).disorder == [("index 1", "index 0", 4)]


def test_a_block_after_the_end_is_one_fault_where_it_says_something_and_another_where_not() -> None:
    late = [{**value, "index": 1} for value in SAID]
    found = folded(start(), *SAID, ended(), *late, STOP)
    assert found.disorder == []
    assert found.reply.choices[0].after_finish is not None
    empty = folded(start(), *SAID, ended(), late[0], late[2], STOP)
    assert empty.disorder == [("message_delta or message_stop", "content_block_start", 5)]
    assert empty.reply.choices[0].after_finish is None


@pytest.mark.parametrize("usage", [{}, {"usage": None}])
def test_the_last_count_is_missed(usage: dict[str, Any]) -> None:
    last = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, **usage}
    assert [f.detail for f in folded(start(), *SAID, last, STOP).reply.usage.faults] == ["usage is absent"]
    goes_on = {"type": "message_delta", "delta": {"stop_reason": None}, **usage}
    assert folded(start(), *SAID, goes_on, ended(), STOP).reply.usage.faults == ()
    assert [f.detail for f in whole(NAME, {**message(), **({"usage": None} | usage)}).reply.usage.faults] == [
        "usage is absent"
    ]
