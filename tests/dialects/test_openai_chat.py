"""Dialect openai-chat: its types agree with the published schema, and every form of answer becomes its facts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct, ValidationError, convert

from contracts.config import catalogue
from contracts.dialects import openai_chat, openai_chat_types
from contracts.dialects.recorder import Recorder
from contracts.dialects.schema import compile_schema
from contracts.facts import Asked, ErrorSeen, Reply, SchemaFault, Usage
from contracts.model import Request
from tests.dialects.folding import answered

TABLES = catalogue.load(None).tables("openai-chat")
MODEL = "qwen3-größe"
TEXT = "Grüße — 你好 👩‍👧"


def recorded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Recorder:
    """Fold events, the first of them with these names."""
    recorder = Recorder(TABLES, streamed=True)
    for number, value in enumerate(events):
        recorder.event, recorder.byte = number, number * 100
        openai_chat.event(recorder, names[number] if number < len(names) else None, value)
    return recorder


def streamed(*events: Any) -> Reply:
    return recorded(*events).reply()


def whole(value: Any) -> tuple[Recorder, Reply]:
    recorder = Recorder(TABLES, streamed=False)
    openai_chat.body(recorder, value)
    return recorder, recorder.reply()


def chunk(delta: Any = None, finish: str | None = None, **over: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    usual = {"id": "ä1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    return {**usual, **over}


def completion(message: Any, finish: str | None = "stop", **over: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "finish_reason": finish}
    return {"id": "ä1", "object": "chat.completion", "created": 1, "model": MODEL, "choices": [choice], **over}


# The types and the published schema.

ODD: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, 7, 1.5, "größe", [], {}, ["größe"], [{}], [None], {"größe": 1}]
)


def near(usual: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """Objects that mostly fit: now and then a member is missing or of another kind, or the whole is no object."""
    members = {name: st.one_of(value, value, value, value, ODD) for name, value in usual.items()}
    fits = st.fixed_dictionaries(usual, optional={"größe": ODD})
    departs = st.fixed_dictionaries({}, optional={**members, "größe": ODD})
    return st.one_of(fits, fits, departs, ODD)


STRING = st.text(max_size=4)
NULLABLE = st.none() | STRING
CALLS = st.none() | st.lists(near({"index": st.integers(0, 3)}), max_size=2)
CONTENT = {"role": NULLABLE, "content": NULLABLE, "refusal": NULLABLE, "tool_calls": CALLS}
LOGPROBS = st.none() | st.fixed_dictionaries({"content": ODD})


def answers(part: str, constant: str, content: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    choice = near({"index": st.integers(0, 3), part: near(content), "finish_reason": NULLABLE, "logprobs": LOGPROBS})
    return near({
        "id": STRING, "object": st.just(constant), "created": st.integers(), "model": STRING,
        "choices": st.lists(choice, max_size=2), "system_fingerprint": NULLABLE, "service_tier": NULLABLE,
    })  # fmt: skip


CHUNKS = answers("delta", "chat.completion.chunk", CONTENT)
COMPLETIONS = answers("message", "chat.completion", {**CONTENT, "role": STRING})


def fits(record: type[Struct], value: Any) -> bool:
    try:
        convert(value, record)
    except ValidationError:
        return False
    return True


def validator(name: str) -> Callable[[Any], bool]:
    is_valid: Callable[[Any], bool] = compile_schema(TABLES.schema(name)).is_valid
    return is_valid


CHUNK_IS_VALID, COMPLETION_IS_VALID = validator("chunk"), validator("completion")


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CHUNKS)
def test_the_types_of_a_chunk_agree_with_the_published_schema(value: Any) -> None:
    assert fits(openai_chat_types.Chunk, value) == CHUNK_IS_VALID(value)


@settings(max_examples=600, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(COMPLETIONS)
def test_the_types_of_a_completion_agree_with_the_published_schema(value: Any) -> None:
    assert fits(openai_chat_types.Completion, value) == COMPLETION_IS_VALID(value)


WHOLE_CHUNK = {
    **chunk({"role": "assistant", "content": TEXT, "refusal": "nein — 不", "tool_calls": [{"index": 0}]}, "stop"),
    "system_fingerprint": "fp_ä",
    "service_tier": "größe",
}
WHOLE_CHUNK["choices"][0]["logprobs"] = {}
WHOLE_COMPLETION = {
    **completion({"role": "assistant", "content": TEXT, "refusal": "nein — 不", "tool_calls": [{"id": "ä"}]}),
    "system_fingerprint": "fp_ä",
    "service_tier": "größe",
}
WHOLE_COMPLETION["choices"][0]["logprobs"] = {}
ODDITIES: list[Any] = [None, True, 7, 1.5, "größe", [], {}, [7], ["größe"], [{}]]


def changed(value: Any) -> list[Any]:
    """Give a value with each of its members in turn left out, and replaced by every oddity."""
    if isinstance(value, dict):
        out = [{k: v for k, v in value.items() if k != name} for name in value]
        return out + [{**value, name: new} for name in value for new in changed(value[name])]
    if isinstance(value, list):
        return [[new, *value[1:]] for new in changed(value[0])] + ODDITIES
    return ODDITIES


@pytest.mark.parametrize(
    ("record", "value", "is_valid"),
    [
        (openai_chat_types.Chunk, WHOLE_CHUNK, CHUNK_IS_VALID),
        (openai_chat_types.Completion, WHOLE_COMPLETION, COMPLETION_IS_VALID),
    ],
    ids=["chunk", "completion"],
)
def test_types_and_schema_agree_on_every_single_departure(
    record: type[Struct], value: Any, is_valid: Callable[[Any], bool]
) -> None:
    assert fits(record, value)
    assert is_valid(value)
    differing = [v for v in changed(value) if fits(record, v) != is_valid(v)]
    assert not differing


def test_a_whole_number_with_a_point_is_refused_by_the_types_alone_and_still_told() -> None:
    value = chunk({"content": TEXT}, created=1796000000.0)
    assert CHUNK_IS_VALID(value)
    assert recorded(value).schema.facts() == (
        SchemaFault(path="created", expected="integer", found="number", event=0, byte=0),
    )


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (chunk(id=None), ("id", "string", "null")),
        ({k: v for k, v in chunk().items() if k != "id"}, ("id", "present", "absent")),
        (chunk(object="größe"), ("object", '"chat.completion.chunk"', '"größe"')),
        (chunk([], "stop"), ("choices[].delta", "object", "array")),
        (chunk({"content": [{"type": "text", "text": TEXT}]}), ("choices[].delta.content", "string or null", "array")),
        (chunk(choices=None), ("choices", "array", "null")),
        (chunk(choices=[{"index": 0.0, "delta": {}}]), ("choices[].index", "integer", "number")),
        ([TEXT], ("the value", "object", "array")),
        (chunk(object="\ud83d"), ("object", '"chat.completion.chunk"', '"?"')),
    ],
)
def test_a_departure_is_told_by_path_and_kind_and_never_by_its_text(value: Any, fault: tuple[str, str, str]) -> None:
    (found,) = recorded(chunk({"content": TEXT}), value).schema.facts()
    assert (found.path, found.expected, found.found) == fault
    assert (found.event, found.byte, found.count) == (1, 100, 1)
    assert TEXT not in repr(found)


def test_equal_departures_are_counted_where_the_first_stood() -> None:
    (found,) = recorded(*[chunk(id=None)] * 5).schema.facts()
    assert (found.count, found.event) == (5, 0)


@pytest.mark.parametrize("member", ["role", "content", "refusal", "tool_calls"])
def test_a_member_of_a_delta_that_is_null_counts_as_absent(member: str) -> None:
    recorder = recorded(chunk({member: None}))
    assert recorder.schema.facts() == ()
    assert recorder.reply() == streamed(chunk({}))


# A prompt filter's first chunk.

FILTER = {"id": "", "object": "", "model": "", "created": 0, "choices": [], "prompt_filter_results": [{"größe": 1}]}


def test_a_first_chunk_with_empty_names_is_a_prompt_filters() -> None:
    recorder = recorded(FILTER, chunk({"content": TEXT}))
    assert recorder.schema.facts() == ()
    reply = recorder.reply()
    assert [i.value for i in reply.ids] == ["ä1"]
    assert [m.value for m in reply.models] == [MODEL]


def test_such_a_chunk_later_departs() -> None:
    assert recorded(chunk({"content": TEXT}), FILTER).schema.facts()


@pytest.mark.parametrize("name", ["id", "object"])
def test_a_first_chunk_without_choices_that_has_a_name_is_held_to_the_schema(name: str) -> None:
    assert recorded({**FILTER, name: "ä1"}).schema.facts()


# Content.


def test_text_of_a_stream_is_counted_in_characters() -> None:
    reply = streamed(chunk({"role": "assistant", "content": ""}), chunk({"content": TEXT}), chunk({}, "stop"))
    (choice,) = reply.choices
    assert (choice.text_chars, choice.visible, choice.finish_count) == (len(TEXT), True, 1)
    assert [f.reason for f in choice.finishes] == ["stop"]
    assert reply.text.chars == len(TEXT)


@pytest.mark.parametrize("blank", [" ", "\n\n", "\u3000\u00a0"])
def test_blank_text_is_not_visible(blank: str) -> None:
    (choice,) = streamed(chunk({"content": blank})).choices
    assert (choice.text_chars, choice.visible) == (len(blank), False)


@pytest.mark.parametrize(
    ("parts", "text", "reasoning", "refusal", "other"),
    [
        ([{"type": "text", "text": TEXT}], len(TEXT), 0, 0, 0),
        ([TEXT], len(TEXT), 0, 0, 0),
        ([{"type": "text", "text": ""}], 0, 0, 0, 0),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": TEXT}]}], 0, len(TEXT), 0, 0),
        ([{"type": "thinking", "thinking": TEXT}], 0, len(TEXT), 0, 0),
        ([{"type": "refusal", "refusal": TEXT}], 0, 0, len(TEXT), 0),
        ([{"type": "image_url", "image_url": {}}], 0, 0, 0, 1),
        ([None, 7], 0, 0, 0, 0),
    ],
)
def test_a_list_of_parts_is_read(parts: Any, text: int, reasoning: int, refusal: int, other: int) -> None:
    for reply in (streamed(chunk({"content": parts})), whole(completion({"role": "assistant", "content": parts}))[1]):
        (choice,) = reply.choices
        assert (choice.text_chars, choice.reasoning_chars, choice.refusal_chars) == (text, reasoning, refusal)
        assert choice.other_output == other


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_is_no_answer(member: str) -> None:
    (choice,) = streamed(chunk({"content": "", member: TEXT})).choices
    assert (choice.reasoning_chars, choice.text_chars, choice.visible) == (len(TEXT), 0, False)


def test_reasoning_that_is_told_twice_over_is_counted_once() -> None:
    (choice,) = streamed(chunk({"reasoning": TEXT, "reasoning_content": TEXT})).choices
    assert choice.reasoning_chars == len(TEXT)


@pytest.mark.parametrize("content", [{"audio": {"id": "ä"}}, {"images": [{"größe": 1}]}])
def test_what_is_neither_text_nor_call_is_other_output(content: dict[str, Any]) -> None:
    (choice,) = streamed(chunk(content)).choices
    assert choice.other_output == 1


def test_damage_in_reasoning_refusal_and_arguments_is_found() -> None:
    call = {"index": 0, "id": "ä", "function": {"name": "größe", "arguments": '{"wort": "naÃ¯ve \ufffd"}'}}
    for delta in ({"content": "\ufffd"}, {"reasoning": "\ufffd"}, {"refusal": "\ufffd"}, {"tool_calls": [call]}):
        reply = streamed(chunk({"content": "heil — 完好"}), chunk(delta))
        assert "replacement-character" in [d.kind for d in reply.text.damage], delta
        assert {d.event for d in reply.text.damage} == {1}


def test_texts_of_two_choices_are_not_one_text() -> None:
    halves = [chunk(choices=[{"index": i, "delta": {"content": c}}]) for i, c in enumerate(("\ud83d", "\ude00"))]
    assert [(d.kind, d.count) for d in streamed(*halves).text.damage] == [("lone-surrogate", 2)]


def test_text_and_calls_after_the_end_are_noted_where_they_first_came() -> None:
    late = streamed(chunk({}, "stop"), chunk({"content": ""}), chunk({"content": TEXT}), chunk({"content": TEXT}))
    assert late.choices[0].after_finish is not None
    assert (late.choices[0].after_finish.kind, late.choices[0].after_finish.event) == ("text", 2)
    call = {"index": 0, "id": "ä", "function": {"name": "größe", "arguments": "{}"}}
    late = streamed(chunk({}, "stop"), chunk({"tool_calls": [call]}))
    assert late.choices[0].after_finish is not None
    assert late.choices[0].after_finish.kind == "tool call"
    assert streamed(chunk({"content": TEXT}, "stop")).choices[0].after_finish is None


def test_a_message_inside_a_stream_is_read_though_it_departs() -> None:
    value = chunk(choices=[{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}])
    assert recorded(value).schema.facts()
    assert streamed(value).choices[0].text_chars == len(TEXT)


def test_a_choice_without_a_number_is_the_one_at_its_place() -> None:
    reply = streamed(chunk(choices=[{"delta": {"content": "ä"}}, {"index": "1", "delta": {"content": "大小"}}]))
    assert [(c.index, c.text_chars) for c in reply.choices] == [(0, 1), (1, 2)]


# Tool calls.


def call(index: Any, id_: Any = None, name: Any = None, arguments: Any = None) -> dict[str, Any]:
    function = {k: v for k, v in (("name", name), ("arguments", arguments)) if v is not None}
    members = {"index": index, "id": id_, "function": function}
    return chunk({"tool_calls": [{k: v for k, v in members.items() if v is not None}]})


def faults(*events: dict[str, Any]) -> list[str]:
    return [f.kind for f in streamed(*events).call_faults]


GOOD = (call(0, "ä", "größe", ""), call(0, arguments='{"wort": "Grö'), call(0, arguments='ße — 大小"}'))


@pytest.mark.parametrize(
    ("events", "found"),
    [
        (GOOD, []),
        ((*GOOD, call(1, "ö", "größe", "{}")), []),
        ((call(0, "ä", "größe", "{}"), call(0, "", "", "")), []),
        ((call(None, "ä", "größe", "{}"),), ["index-missing"]),
        ((call("0", "ä", "größe", "{}"),), ["index-missing"]),
        ((call(False, "ä", "größe", "{}"),), ["index-missing"]),  # noqa: FBT003 - a JSON value
        ((call(0, None, "größe", "{}"),), ["id-missing"]),
        ((call(0, "ä", None, "{}"),), ["name-missing"]),
        ((call(0, 7, "größe", "{}"),), ["id-not-text", "id-missing"]),
        ((call(0, "ä", "größe", "{}"), call(0, "ä")), ["id-repeated"]),
        ((call(0, "ä", "größe", "{}"), call(0, None, "größe")), ["name-repeated"]),
        ((call(0, "ä", "größe", "{}"), call(0, "ö", None, "{}")), ["id-changed", "arguments-again"]),
        ((call(0, None, "größe", "{"), call(0, "ä", None, "}")), ["id-late"]),
        ((call(0, "ä", "größe"),), ["arguments-empty"]),
        ((call(0, "ä", "größe", '{"wort":'),), ["arguments-truncated"]),
        ((call(0, "ä", "größe", '{"wort":'), chunk({}, "length")), ["arguments-cut"]),
        ((call(0, "ä", "größe"), chunk({}, "length")), ["arguments-cut"]),
        ((call(0, "ä", "größe", '{"wort": "grö\x01ße"}'),), ["arguments-control-character"]),
        ((call(0, "ä", "größe", '{"größe":1,"größe":2}'),), ["arguments-duplicate-key"]),
        ((call(0, "ä", "größe", "{größe}"),), ["arguments-malformed"]),
        ((call(0, "ä", "größe", "[1]"),), ["arguments-not-object"]),
        ((call(0, "ä", "größe", '{"größe": NaN}'),), ["arguments-nan"]),
        ((call(0, "ä", "größe", '{"größe": 1e999}'),), ["arguments-overflow"]),
        ((call(0, "ä", "größe", {"wort": "größe"}),), ["arguments-object"]),
        ((call(0, "ä", "größe", [7]),), ["arguments-not-object"]),
        ((call(0, "ä", "größe", '{"wort": "\\ud83d"}'),), []),
        ((call(0, "ä", "größe", '{"wort": "\ud83d'), call(0, arguments='\ude00"}')), []),
    ],
)
def test_calls_are_assembled_and_judged(events: tuple[dict[str, Any], ...], found: list[str]) -> None:
    assert faults(*events) == found


def test_calls_without_an_index_are_told_apart_by_their_ids() -> None:
    reply = streamed(call(None, "ä", "größe", "{"), call(None, arguments="}"), call(None, "ö", "größe", "{}"))
    assert reply.choices[0].calls == 2
    assert [f.kind for f in reply.call_faults] == ["index-missing"]
    assert reply.call_faults[0].count == 3


def test_calls_of_a_whole_message_need_no_index() -> None:
    calls = [{"id": i, "type": "function", "function": {"name": "größe", "arguments": "{}"}} for i in ("ä", "ö")]
    _, reply = whole(completion({"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"))
    assert (reply.choices[0].calls, reply.call_faults) == (2, ())


def test_the_legacy_form_of_a_call_is_a_call() -> None:
    reply = streamed(
        chunk({"function_call": {"name": "größe", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"wort": "大小"}'}}),
        chunk({}, "function_call"),
    )
    assert (reply.choices[0].calls, reply.call_faults) == (1, ())
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "größe", "arguments": "{}"}}
    _, reply = whole(completion(legacy, "function_call"))
    assert (reply.choices[0].calls, reply.call_faults) == (1, ())


# Errors.


def told(value: Any, name: bytes | None = None) -> ErrorSeen | None:
    errors = recorded(value, names=(name,)).errors
    assert len(errors) <= 1
    return errors[0] if errors else None


@pytest.mark.parametrize(
    ("value", "form", "shaped"),
    [
        ({"error": {"message": "Überlastet — 请稍后"}}, "member", True),
        ({**chunk({"content": ""}, "error"), "error": {"message": "Überlastet — 请稍后"}}, "member", True),
        ({"error": "Überlastet — 请稍后"}, "member", False),
        ({"error": {"msg": "Überlastet — 请稍后"}}, "member", False),
        ({"object": "error", "message": "Überlastet — 请稍后", "code": 500}, "body", False),
        ({"type": "error", "message": "Überlastet — 请稍后"}, "body", False),
        ({"message": "Überlastet — 请稍后", "code": "größe"}, "bare", False),
        ({"msg": "Überlastet — 请稍后", "success": False}, "bare", False),
        ({"detail": "Überlastet — 请稍后"}, "bare", False),
        ({"errors": [{"message": "Überlastet — 请稍后", "code": 7003}]}, "bare", False),
    ],
)
def test_an_error_is_known_in_every_form(value: dict[str, Any], form: str, *, shaped: bool) -> None:
    seen = told(value)
    assert seen is not None
    assert (seen.form, seen.message, seen.shaped) == (form, "Überlastet — 请稍后", shaped)
    assert (seen.event, seen.byte) == (0, 0)
    recorder, _ = whole(value)
    assert [e.message for e in recorder.errors] == ["Überlastet — 请稍后"]
    at_rest = openai_chat.error(value)
    assert at_rest is not None
    assert (at_rest.form, at_rest.message) == (form, "Überlastet — 请稍后")


@pytest.mark.parametrize(
    "value", [{"message": "Überlastet"}, {"error": {"message": "Überlastet"}}, {"error": "Überlastet"}, "Überlastet"]
)
def test_an_event_named_error_is_one_whatever_it_holds(value: Any) -> None:
    seen = told(value, b"error")
    assert seen is not None
    assert (seen.form, seen.message) == ("event", "Überlastet")


@pytest.mark.parametrize(("data", "message"), [("", ""), (" ", ""), ("Überlastet — 请稍后", "Überlastet — 请稍后")])
def test_an_event_named_error_is_one_though_its_data_are_no_json(data: str, message: str) -> None:
    body = f"event: error\ndata: {data}\n\n".encode()
    (seen,) = answered("openai-chat", body, "text/event-stream").errors
    assert seen == ErrorSeen(form="event", message=message, shaped=False, event=0, byte=0)


def test_an_event_named_error_is_one_though_it_looks_like_a_chunk() -> None:
    recorder = recorded(chunk({"content": TEXT}), names=(b"error",))
    assert [e.form for e in recorder.errors] == ["event"]
    assert recorder.reply().choices[0].text_chars == len(TEXT)


def test_an_error_in_a_choice_is_one() -> None:
    value = chunk(choices=[{"index": 0, "delta": {}, "finish_reason": "error", "error": {"message": "Überlastet"}}])
    seen = told(value)
    assert seen is not None
    assert (seen.form, seen.message) == ("choice", "Überlastet")


@pytest.mark.parametrize("nothing", [None, "", {}, [], False])
def test_an_error_that_is_empty_is_none(nothing: Any) -> None:
    assert told({**chunk({"content": TEXT}), "error": nothing}) is None
    assert told(chunk(choices=[{"index": 0, "delta": {}, "error": nothing}])) is None


@pytest.mark.parametrize(
    "value", [chunk({"content": TEXT}), {"id": "ä", "detail": ""}, {"message": TEXT}, {"größe": 1}]
)
def test_what_is_no_error_is_none(value: dict[str, Any]) -> None:
    assert told(value) is None


def test_an_error_is_told_with_code_type_parameter_and_upstream() -> None:
    error = {
        "message": "Ü\u202e\nx",
        "code": 502,
        "type": "größe",
        "param": "wörter",
        "metadata": {"provider_name": "Wölkchen"},
    }
    seen = told({"error": error})
    assert seen is not None
    assert (seen.code, seen.type, seen.param, seen.upstream) == ("502", "größe", "wörter", "Wölkchen")
    assert "\u202e" not in seen.message
    assert "\n" not in seen.message


def test_text_beside_an_error_is_still_folded() -> None:
    reply = streamed({**chunk({"content": TEXT}, "error"), "error": {"message": "Überlastet"}})
    assert (reply.choices[0].text_chars, reply.choices[0].finishes[0].reason) == (len(TEXT), "error")


# Usage.

COUNTS = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}


def usage(*events: dict[str, Any]) -> Usage:
    return streamed(*events).usage


@pytest.mark.parametrize(
    ("events", "placed"),
    [
        ((chunk({"content": TEXT}), chunk({}, "stop"), chunk(choices=[], usage=COUNTS)), "last"),
        ((chunk({"content": TEXT}), chunk(choices=[], usage=COUNTS), chunk({}, "stop")), "early"),
        ((chunk({"content": TEXT}), chunk({}, "stop", usage=COUNTS)), "finish"),
        ((chunk({"content": TEXT}), chunk({}, "stop", usage=COUNTS), chunk(choices=[])), "finish"),
        ((chunk({"content": TEXT}, usage=COUNTS), chunk({}, "stop")), "chunk"),
    ],
)
def test_usage_says_where_it_stood(events: tuple[dict[str, Any], ...], placed: str) -> None:
    found = usage(*events)
    assert (found.count, found.placed) == (1, placed)
    assert (found.input_tokens, found.output_tokens, found.total_tokens, found.faults) == (5, 7, 12, ())


def test_usage_of_a_body_is_the_bodys() -> None:
    _, reply = whole(completion({"role": "assistant", "content": TEXT}, usage=COUNTS))
    assert (reply.usage.placed, reply.usage.count) == ("body", 1)


def test_usage_that_is_null_is_none() -> None:
    assert usage(chunk({"content": TEXT}, usage=None)).count == 0


@pytest.mark.parametrize(
    ("counts", "kinds"),
    [
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, []),
        ({**COUNTS, "total_tokens": 13}, ["sum"]),
        ({**COUNTS, "completion_tokens": -1}, ["not-a-count"]),
        ({**COUNTS, "completion_tokens": 7.0}, ["not-a-count"]),
        ({**COUNTS, "completion_tokens": None}, ["not-a-count"]),
        ({**COUNTS, "completion_tokens": True}, ["not-a-count"]),
        ({**COUNTS, "prompt_tokens": "fünf"}, ["not-a-count"]),
        ({"prompt_tokens": 5, "completion_tokens": 7}, ["not-a-count"]),
        ([], ["not-an-object"]),
        ({**COUNTS, "total_tokens": 20, "completion_tokens_details": {"reasoning_tokens": 8}}, []),
        ({**COUNTS, "completion_tokens_details": {"reasoning_tokens": 6}}, []),
        ({**COUNTS, "total_tokens": 19, "completion_tokens_details": {"reasoning_tokens": 8}}, ["sum"]),
        ({**COUNTS, "completion_tokens_details": None}, []),
    ],
)
def test_counts_are_whole_numbers_that_add_up(counts: Any, kinds: list[str]) -> None:
    assert [f.kind for f in usage(chunk(choices=[], usage=counts)).faults] == kinds


# Bounds.


def test_choices_calls_ids_models_errors_and_ends_are_bounded() -> None:
    many = [
        {
            **chunk(
                choices=[{"index": n, "delta": {"content": TEXT, "tool_calls": [{"index": n}]}, "finish_reason": "ä"}]
            ),
            "id": f"ä{n}" * 5000,
            "model": f"größe{n}",
        }
        for n in range(400)
    ]
    recorder = recorded(*many, *[{"error": {"message": f"Überlastet {n}"}} for n in range(50)])
    reply = recorder.reply()
    assert (len(reply.choices), len(reply.ids), len(reply.models), len(recorder.errors)) == (128, 8, 8, 8)
    assert all(len(i.value) <= 120 for i in reply.ids)
    assert max(len(c.finishes) for c in reply.choices) <= 8
    assert sum(c.finish_count for c in reply.choices) == 400
    assert sum(c.text_chars for c in reply.choices) == 400 * len(TEXT)
    assert len(reply.call_faults) <= 32


def test_calls_of_one_choice_are_bounded_and_that_is_told() -> None:
    reply = streamed(*[call(n, f"ä{n}", "größe", "{}") for n in range(300)])
    assert reply.choices[0].calls == 128
    assert ("too-many-calls", 172) in [(f.kind, f.count) for f in reply.call_faults]


def test_arguments_are_bounded_over_all_calls_and_that_is_told() -> None:
    piece = "ä" * 700_000
    reply = streamed(*[call(n % 2, None if n > 1 else f"ö{n}", None if n > 1 else "größe", piece) for n in range(9)])
    assert "arguments-too-large" in [f.kind for f in reply.call_faults]


def test_departures_are_bounded_in_kind_and_in_effort() -> None:
    recorder = Recorder(TABLES, streamed=True)
    for number in range(2500):
        openai_chat.event(recorder, None, chunk(object=f"größe{number}"))
    found = recorder.schema.facts()
    assert len(found) == 32
    assert all(f.count == 1 for f in found)


# What was asked.


def asked(
    body: Any, url: str = "https://wölkchen.example/v1/chat/completions?größe=1", *, ascii_only: bool = True
) -> Asked:
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=ascii_only).encode()
    found = openai_chat.asked(Request(method="POST", url=url, body=data))
    assert found is not None
    return found


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert openai_chat.asked(Request(method="POST", url="/v1/chat/completions")) is None


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "raw"])
def test_a_request_is_read_in_all_its_members(*, ascii_only: bool) -> None:
    body = {
        "model": MODEL,
        "messages": messages(TEXT),
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
        "max_tokens": 16,
        "tools": [{"type": "function", "function": {"name": "größe"}}],
        "tool_choice": "required",
    }
    assert asked(body, ascii_only=ascii_only) == Asked(
        method="POST",
        path="/v1/chat/completions",
        model=MODEL,
        stream=True,
        usage=True,
        usage_every_event=True,
        cap=16,
        cap_name="max_tokens",
        tools=True,
        forced_call=True,
        ascii=False,
        damage=(),
    )


@pytest.mark.parametrize(
    ("more", "cap", "name"),
    [
        ({}, None, None),
        ({"max_completion_tokens": 5, "max_tokens": 9}, 5, "max_completion_tokens"),
        ({"max_output_tokens": 7}, 7, "max_output_tokens"),
        ({"max_completion_tokens": None, "max_tokens": 9}, 9, "max_tokens"),
        ({"max_tokens": True}, None, None),
        ({"max_tokens": "fünf"}, None, None),
        ({"max_tokens": 1.5}, None, None),
    ],
)
def test_the_requests_own_cap_is_read(more: dict[str, Any], cap: int | None, name: str | None) -> None:
    found = asked({"model": MODEL, **more})
    assert (found.cap, found.cap_name) == (cap, name)


@pytest.mark.parametrize(
    ("more", "forced"),
    [
        ({"tool_choice": "auto"}, False),
        ({"tool_choice": "none"}, False),
        ({"tool_choice": "required"}, True),
        ({"tool_choice": {"type": "function", "function": {"name": "größe"}}}, True),
        ({"function_call": {"name": "größe"}}, True),
        ({"function_call": "auto"}, False),
    ],
)
def test_a_forced_call_is_known(more: dict[str, Any], *, forced: bool) -> None:
    assert asked({"model": MODEL, **more}).forced_call is forced


@pytest.mark.parametrize("stream", [False, None, 1, "true", "größe"])
def test_a_stream_is_asked_for_by_true_alone(stream: Any) -> None:
    assert asked({"stream": stream}).stream is False


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "raw"])
def test_a_request_is_ascii_by_its_strings_not_by_its_bytes(*, ascii_only: bool) -> None:
    assert asked({"messages": messages("ASCII \n only")}, ascii_only=ascii_only).ascii is True
    assert asked({"messages": messages("größer")}, ascii_only=ascii_only).ascii is False
    assert asked({"größe": 1}, ascii_only=ascii_only).ascii is False


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "raw"])
def test_damage_in_a_request_is_named(*, ascii_only: bool) -> None:
    assert asked({"messages": messages("halb \ufffd")}, ascii_only=ascii_only).damage == ("replacement-character",)
    assert asked({"messages": messages("<0xE2><0x80><0x94>")}, ascii_only=ascii_only).damage == ("byte-token",)
    found = asked({"messages": messages("Es heiÃ\x9ft GrÃ¼Ã\x9fe â\x80\x94 nicht")}, ascii_only=ascii_only)
    assert found.damage == ("double-utf8-latin1",)
    assert asked(b'{"messages":[{"content":"\\ud83d"}]}').damage == ("lone-surrogate",)


def test_two_strings_of_a_request_are_not_one_text() -> None:
    assert asked(b'{"messages":["\\ud83d","\\ude00"]}').damage == ("lone-surrogate",)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'"gr\xc3\xb6\xc3\x9fe"', b"{", b"\xff", b"gr\xc3\xb6\xc3\x9fe=1"]
)
def test_a_request_that_is_no_object_was_asked_all_the_same(body: bytes) -> None:
    found = asked(body)
    assert (found.model, found.stream, found.cap) == (None, False, None)
    assert found.ascii is body.isascii()


@pytest.mark.parametrize("model", [None, 7, ["größe"]])
def test_a_model_that_is_no_text_is_none(model: Any) -> None:
    assert asked({"model": model}).model is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/v1/chat/completions", "chat"),
        ("POST", "/openai/deployments/größe/chat/completions", "chat"),
        ("GET", "/v1/models", "listing"),
        ("GET", "/v1/größe", "other"),
        ("POST", "/v1/embeddings", "other"),
        ("", "", None),
        ("POST", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert openai_chat.kind(method, path) == kind
