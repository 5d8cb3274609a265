"""Dialect openai-responses: every item, end, error and count becomes its facts."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.dialects import openai_responses
from contracts.facts import Asked
from contracts.model import Request
from tests.dialects.folding import SORRY, TEXT, THOUGHT, Folded, answered, asked, finish, streamed, whole

NAME = "openai-responses"
MODEL = "gpt-größe"
COUNTS = {"input_tokens": 5, "output_tokens": 9, "total_tokens": 14, "output_tokens_details": {"reasoning_tokens": 3}}


def response(status: str = "completed", *items: Any, **over: Any) -> dict[str, Any]:
    usual = {"id": "resp_ä1", "object": "response", "created_at": 1, "model": MODEL, "output": list(items)}
    return {**usual, "status": status, "error": None, "incomplete_details": None, "usage": None, **over}


def event(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **members}


def ended(kind: str = "completed", *items: Any, **over: Any) -> dict[str, Any]:
    return event(kind, response=response(kind, *items, usage=COUNTS, **over))


def added(item: Any, index: Any = 0) -> dict[str, Any]:
    return event("output_item.added", output_index=index, item=item)


def function(index: int = 0, **over: Any) -> dict[str, Any]:
    return {
        "type": "function_call",
        "id": "fc_ä",
        "call_id": f"call_ä{index}",
        "name": "größe",
        "arguments": "",
        **over,
    }


def arguments(piece: Any, index: Any = 0, kind: str = "function_call_arguments.delta") -> dict[str, Any]:
    return event(kind, output_index=index, **{"arguments" if kind.endswith("done") else "delta": piece})


def text(piece: Any) -> dict[str, Any]:
    return event("output_text.delta", output_index=0, content_index=0, item_id="msg_ä", delta=piece)


def message(*parts: Any) -> dict[str, Any]:
    return {"type": "message", "id": "msg_ä", "role": "assistant", "status": "completed", "content": list(parts)}


SAID = {"type": "output_text", "text": TEXT, "annotations": []}
REFUSED = {"type": "refusal", "refusal": TEXT}
THOUGHTS = {"type": "reasoning", "id": "rs_ä", "summary": [{"type": "summary_text", "text": THOUGHT}]}


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def test_text_reasoning_refusal_id_model_usage_and_close_are_read() -> None:
    found = folded(
        event("created", response=response("in_progress")),
        event("reasoning_summary_text.delta", item_id="rs_ä", output_index=0, summary_index=0, delta=THOUGHT),
        event("reasoning_text.delta", item_id="rs_ä", output_index=0, content_index=0, delta=THOUGHT),
        added(message(), 1),
        text(TEXT),
        event("output_text.done", output_index=0, content_index=0, text=TEXT),
        event("refusal.delta", item_id="msg_ä", output_index=1, content_index=1, delta=TEXT),
        ended("completed", THOUGHTS, message(SAID, REFUSED)),
    )
    assert found.chars == (len(TEXT), 2 * len(THOUGHT), len(TEXT))
    assert [(i.value, i.count) for i in found.reply.ids] == [("resp_ä1", 2)]
    assert [(m.value, m.count) for m in found.reply.models] == [(MODEL, 2)]
    assert found.reply.choices[0].finishes == (finish("completed", 7),)
    assert (found.reply.close.count, found.reply.close.event) == (1, 7)
    assert found.tokens == (5, 9, 3, 14)
    assert (found.reply.usage.count, found.reply.usage.placed) == (1, "finish")
    assert (found.errors, found.departures, found.other) == ([], [], 0)


def test_a_whole_response_says_the_same() -> None:
    found = whole(NAME, response("completed", THOUGHTS, message(SAID, REFUSED), function(arguments="{}"), usage=COUNTS))
    assert (found.chars, found.calls, found.finishes) == ((len(TEXT), len(THOUGHT), len(TEXT)), 1, ["completed"])
    assert (found.tokens, found.reply.usage.placed) == ((5, 9, 3, 14), "body")
    assert (found.call_faults, found.departures, found.errors) == ([], [], [])


def test_what_no_delta_brought_is_taken_from_the_last_event() -> None:
    found = folded(ended("completed", THOUGHTS, message(SAID), function(arguments="{}")))
    assert (found.chars, found.calls, found.call_faults) == ((len(TEXT), len(THOUGHT), 0), 1, [])


@pytest.mark.parametrize(
    ("brought", "chars", "calls"),
    [
        (text(TEXT), (len(TEXT), 0, 0), 0),
        (added(function()), (0, 0, 0), 1),
        # Some servers stream reasoning alone, and tell the answer at the end.
        (event("reasoning_text.delta", delta=THOUGHT), (len(TEXT), len(THOUGHT), 0), 1),
    ],
)
def test_what_a_delta_brought_is_not_read_twice(brought: Any, chars: tuple[int, int, int], calls: int) -> None:
    found = folded(brought, ended("completed", THOUGHTS, message(SAID), function(arguments="{}")))
    assert (found.chars, found.calls) == (chars, calls)


@pytest.mark.parametrize(
    ("kind", "over", "reason"),
    [
        ("completed", {}, "completed"),
        ("incomplete", {"incomplete_details": {"reason": "max_output_tokens"}}, "max_output_tokens"),
        ("incomplete", {"incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ("incomplete", {}, "incomplete"),
        ("failed", {"error": {"code": "server_error", "message": SORRY}}, "failed"),
    ],
)
def test_every_end_is_read_and_closes(kind: str, over: dict[str, Any], reason: str) -> None:
    found = folded(text(TEXT), ended(kind, **over))
    assert (found.finishes, found.reply.close.count) == ([reason], 1)
    told = [(e.form, e.message, e.code) for e in found.errors]
    assert told == ([("member", SORRY, "server_error")] if kind == "failed" else [])
    if kind != "failed":
        assert whole(NAME, response(kind, message(SAID), **over)).finishes == [reason]


@pytest.mark.parametrize(
    ("events", "calls", "faults"),
    [
        ((added(function()), arguments('{"wort": "grö'), arguments('ße"}')), 1, []),
        ((added(function()), added(function(1), 1), arguments("{}", 1), arguments("{}")), 2, []),
        ((added(function()),), 1, ["arguments-empty"]),
        ((added(function()), arguments("{}", kind="function_call_arguments.done")), 1, []),
        ((added(function()), arguments("{}"), arguments("{}", kind="function_call_arguments.done")), 1, []),
        ((arguments("{}", kind="function_call_arguments.done"),), 0, []),
        ((added(function()), arguments("{größe}")), 1, ["arguments-malformed"]),
        ((added(function()), arguments("{}{}")), 1, ["arguments-concatenated"]),
        ((added(function()), arguments('{"wort"'), ended("incomplete")), 1, ["arguments-truncated"]),
        ((added(function(call_id=None)), arguments("{}")), 1, ["id-missing"]),
        ((added(function(name=None)), arguments("{}")), 1, ["name-missing"]),
        ((added(function(), "größe"), arguments("{}", None)), 1, ["index-missing"]),
        ((added(function()), added(function(1)), arguments("{}")), 1, ["id-changed", "name-repeated"]),
    ],
)
def test_calls_are_assembled_by_the_index_of_their_item(events: tuple[Any, ...], calls: int, faults: list[str]) -> None:
    found = folded(*events)
    assert (found.calls, found.call_faults) == (calls, faults)


def test_arguments_that_the_cap_cut_are_told_apart() -> None:
    cut = ended("incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert folded(added(function()), arguments('{"wort"'), cut).call_faults == ["arguments-cut"]


def test_a_custom_tool_is_given_free_text() -> None:
    custom = {"type": "custom_tool_call", "id": "ctc_ä", "call_id": "call_ä", "name": "größe", "input": TEXT}
    piece = event("custom_tool_call_input.delta", output_index=0, delta=TEXT)
    assert (folded(added({**custom, "input": ""}), piece).calls, folded(added(custom), piece).call_faults) == (1, [])
    assert (
        whole(NAME, response("completed", custom)).calls,
        whole(NAME, response("completed", custom)).call_faults,
    ) == (
        1,
        [],
    )


@pytest.mark.parametrize("kind", ["web_search_call", "file_search_call", "mcp_call", "image_generation_call"])
def test_what_a_built_in_tool_does_is_no_call_of_the_clients(kind: str) -> None:
    item = {"type": kind, "id": "ws_ä", "status": "completed"}
    for found in (folded(added(item)), whole(NAME, response("completed", item))):
        assert (found.calls, found.other, found.call_faults) == (0, 1, [])


@pytest.mark.parametrize(
    ("value", "name", "code"),
    [
        (
            {"type": "error", "code": "server_error", "message": SORRY, "param": None, "sequence_number": 3},
            None,
            "server_error",
        ),
        ({"type": "error", "error": {"code": "server_error", "message": SORRY}}, b"error", "server_error"),
        ({"error": {"message": SORRY}}, None, None),
        ({"message": SORRY}, b"error", None),
        (SORRY, b"error", None),
    ],
)
def test_an_error_in_a_stream_is_told_with_its_place(value: Any, name: bytes | None, code: str | None) -> None:
    found = folded(text(TEXT), value, names=(None, name))
    assert [(e.form, e.message, e.code, e.event, e.byte) for e in found.errors] == [("event", SORRY, code, 1, 100)]
    assert found.departures == []


def test_an_error_as_a_whole_answer_has_the_shape_of_the_dialect() -> None:
    value = {"error": {"message": SORRY, "type": "invalid_request_error", "param": "model", "code": "model_not_found"}}
    at_rest = openai_responses.error(value)
    assert at_rest is not None
    assert (at_rest.message, at_rest.code, at_rest.param, at_rest.shaped) == (SORRY, "model_not_found", "model", True)
    assert [e.message for e in whole(NAME, value).errors] == [SORRY]
    assert openai_responses.error(response()) is None


@pytest.mark.parametrize(
    ("usage", "kinds"),
    [
        (COUNTS, []),
        ({**COUNTS, "total_tokens": 15}, ["sum"]),
        ({**COUNTS, "input_tokens_details": {"cached_tokens": 5}}, []),
        ({**COUNTS, "input_tokens_details": {"cached_tokens": 6}}, ["part"]),
        ({**COUNTS, "input_tokens_details": {"cached_tokens": -1}}, ["not-a-count"]),
        ({**COUNTS, "input_tokens_details": {"cached_tokens": None}, "output_tokens_details": None}, []),
        ({**COUNTS, "output_tokens_details": {"reasoning_tokens": 9}}, []),
        ({**COUNTS, "output_tokens_details": {"reasoning_tokens": 10}}, ["part"]),
        ({**COUNTS, "output_tokens": -9}, ["not-a-count"]),
        ({**COUNTS, "input_tokens": 5.5}, ["not-a-count"]),
        ({"input_tokens": 5, "output_tokens": 9}, ["not-a-count"]),
        ([], ["not-an-object"]),
    ],
)
def test_counts_are_whole_numbers_that_add_up(usage: Any, kinds: list[str]) -> None:
    assert [f.kind for f in folded(event("completed", response=response(usage=usage))).reply.usage.faults] == kinds
    assert [f.kind for f in whole(NAME, response(usage=usage)).reply.usage.faults] == kinds


@pytest.mark.parametrize(
    ("tail", "count", "after"),
    [
        (b"", 1, None),
        (b"data: [DONE]\n\n", 1, None),
        (b"data: [DONE]\n\ndata: [DONE]\n\n", 1, "event"),
        (b'data: {"type": "response.output_text.delta", "delta": "Gr\xc3\xb6\xc3\x9fe"}\n\n', 1, "event"),
        (b'data: {"type": "response.failed", "response": {}}\n\n', 2, "event"),
    ],
)
def test_one_done_may_follow_the_close_and_nothing_else(tail: bytes, count: int, after: str | None) -> None:
    body = b'data: {"type": "response.completed", "response": {"id": "\xc3\xa4", "status": "completed"}}\n\n' + tail
    reply = answered(NAME, body, "text/event-stream").reply
    assert reply is not None
    assert (reply.close.count, reply.close.after.kind if reply.close.after else None) == (count, after)


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (event("created", response=None), ["response"]),
        (event("created", response=response(object="größe")), ["response.object"]),
        (event("completed", response={k: v for k, v in response().items() if k != "model"}), ["response.model"]),
        (text({"text": TEXT}), ["delta"]),
        (event("output_item.added", item={"type": "message"}), ["output_index"]),
        (added({"größe": 1}), ["item.type"]),
        ({"größe": 1}, ["type"]),
        ({"type": "response.größe", "neu": 1}, []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths


def test_a_request_is_read_in_all_its_members() -> None:
    body = {"model": MODEL, "input": TEXT, "stream": True, "max_output_tokens": 16, "tools": [{"type": "function"}],
            "tool_choice": "required"}  # fmt: skip
    assert asked(NAME, "https://wölkchen.example/v1/responses", body) == Asked(
        method="POST", path="/v1/responses", model=MODEL, stream=True, cap=16, cap_name="max_output_tokens",
        tools=True, forced_call=True, ascii=False,
    )  # fmt: skip


@pytest.mark.parametrize(("choice", "forced"), [("auto", False), ("none", False), ({"type": "function"}, True)])
def test_a_forced_call_is_known(choice: Any, *, forced: bool) -> None:
    assert asked(NAME, "/v1/responses", {"tool_choice": choice}).forced_call is forced


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert openai_responses.asked(Request(method="POST", url="/v1/responses")) is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/v1/responses", "chat"),
        ("POST", "/v1/responses/resp_ä/cancel", "other"),
        ("GET", "/v1/models", "listing"),
        ("GET", "/v1/models/größe", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert openai_responses.kind(method, path) == kind
