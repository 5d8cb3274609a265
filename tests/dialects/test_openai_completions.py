"""Dialect openai-completions: every chunk, reason, error and count becomes its facts."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.dialects import openai_completions
from contracts.facts import Asked
from contracts.model import Request
from tests.dialects.folding import SORRY, TEXT, Folded, answered, asked, finish, streamed, whole

NAME = "openai-completions"
MODEL = "gpt-größe-instruct"
COUNTS = {"prompt_tokens": 5, "completion_tokens": 9, "total_tokens": 14}


def chunk(text: Any = "", reason: str | None = None, index: Any = 0, **over: Any) -> dict[str, Any]:
    choice = {"text": text, "index": index, "logprobs": None, "finish_reason": reason}
    usual = {"id": "cmpl-ä1", "object": "text_completion", "created": 1, "model": MODEL, "choices": [choice]}
    return {**usual, **over}


def folded(*events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    return streamed(NAME, *events, names=names)


def test_text_id_model_and_usage_are_read() -> None:
    found = folded(chunk(TEXT), chunk(TEXT, usage=None), chunk("", "stop"), chunk(choices=[], usage=COUNTS))
    assert found.chars == (2 * len(TEXT), 0, 0)
    assert [(i.value, i.count) for i in found.reply.ids] == [("cmpl-ä1", 4)]
    assert [(m.value, m.count) for m in found.reply.models] == [(MODEL, 4)]
    assert found.reply.choices[0].finishes == (finish("stop", 2),)
    assert found.tokens == (5, 9, None, 14)
    assert (found.reply.usage.count, found.reply.usage.placed) == (1, "last")
    assert (found.errors, found.departures, found.call_faults) == ([], [], [])


def test_a_whole_answer_says_the_same() -> None:
    value = chunk(TEXT, "length", usage=COUNTS)
    value["choices"] += chunk(TEXT, "stop", 1)["choices"]
    found = whole(NAME, value)
    assert (found.chars, found.finishes) == ((2 * len(TEXT), 0, 0), ["length", "stop"])
    assert (found.tokens, found.reply.usage.placed, found.departures) == ((5, 9, None, 14), "body", [])


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
def test_every_reason_is_read(reason: str) -> None:
    assert folded(chunk(TEXT), chunk("", reason)).finishes == [reason]


def test_text_after_the_end_of_its_choice_is_told() -> None:
    after = folded(chunk(TEXT, "stop"), chunk(TEXT, index=1), chunk(TEXT)).reply.choices[0].after_finish
    assert after is not None
    assert (after.kind, after.event) == ("text", 2)


@pytest.mark.parametrize(
    ("events", "placed", "count"),
    [
        ((chunk(TEXT), chunk("", "stop"), chunk(choices=[], usage=COUNTS)), "last", 1),
        ((chunk(TEXT), chunk(choices=[], usage=COUNTS), chunk("", "stop")), "early", 1),
        ((chunk(TEXT), chunk("", "stop", usage=COUNTS)), "finish", 1),
        ((chunk(TEXT, usage=COUNTS), chunk(TEXT, usage=COUNTS)), "chunk", 2),
    ],
)
def test_usage_says_where_it_stood(events: tuple[Any, ...], placed: str, count: int) -> None:
    usage = folded(*events).reply.usage
    assert (usage.placed, usage.count) == (placed, count)


ERROR = {"message": SORRY, "type": "server_error", "code": "server_error", "param": None}


@pytest.mark.parametrize(
    ("value", "name", "form", "chars"),
    [
        ({"error": ERROR}, None, "member", 0),
        (chunk(TEXT, error=ERROR), None, "member", len(TEXT)),
        ({"error": ERROR}, b"error", "event", 0),
        (ERROR, b"error", "event", 0),
        (SORRY, b"error", "event", 0),
        ({"object": "error", "message": SORRY, "code": 500}, None, "body", 0),
    ],
)
def test_an_error_is_known_in_every_form(value: Any, name: bytes | None, form: str, chars: int) -> None:
    found = folded(chunk(TEXT), value, names=(None, name))
    assert [(e.form, e.message, e.event, e.byte) for e in found.errors] == [(form, SORRY, 1, 100)]
    assert found.chars[0] == len(TEXT) + chars, "text beside an error is text"
    assert found.departures == []


def test_an_error_as_a_whole_answer_has_the_shape_of_the_dialect() -> None:
    at_rest = openai_completions.error({"error": ERROR})
    assert at_rest is not None
    assert (at_rest.message, at_rest.code, at_rest.shaped) == (SORRY, "server_error", True)
    assert [e.message for e in whole(NAME, {"error": ERROR}).errors] == [SORRY]
    assert openai_completions.error(chunk(TEXT)) is None


@pytest.mark.parametrize(
    ("tail", "count"), [(b"", 0), (b"data: [DONE]\n\n", 1), (b"data: [DONE]\n\ndata: [DONE]\n\n", 2)]
)
def test_the_close_is_counted(tail: bytes, count: int) -> None:
    reply = answered(NAME, 'data: {"id": "ä", "choices": []}\n\n'.encode() + tail, "text/event-stream").reply
    assert reply is not None
    assert reply.close.count == count


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (chunk(object="chat.completion.chunk"), ["object"]),
        (chunk(None), ["choices[].text"]),
        (chunk(created="größe"), ["created"]),
        (chunk(index=None), ["choices[].index"]),
        ({k: v for k, v in chunk().items() if k != "id"}, ["id"]),
        (["größe"], ["the value"]),
        (chunk(größe=1), []),
    ],
)
def test_departures_from_the_schema_are_named(value: Any, paths: list[str]) -> None:
    assert folded(value).departures == paths
    assert whole(NAME, value).departures == paths


def test_a_request_is_read_in_all_its_members() -> None:
    body = {"model": MODEL, "prompt": TEXT, "stream": True, "stream_options": {"include_usage": True}, "max_tokens": 16}
    assert asked(NAME, "https://wölkchen.example/v1/completions", body) == Asked(
        method="POST", path="/v1/completions", model=MODEL, stream=True, usage=True, cap=16, cap_name="max_tokens",
        ascii=False,
    )  # fmt: skip


def test_of_a_request_without_a_known_body_nothing_is_known() -> None:
    assert openai_completions.asked(Request(method="POST", url="/v1/completions")) is None


@pytest.mark.parametrize(
    ("method", "path", "kind"),
    [
        ("POST", "/v1/completions", "chat"),
        ("POST", "/v1/chat/completions", "other"),
        ("GET", "/v1/models", "listing"),
        ("GET", "/v1/models/größe", "other"),
        ("", "", None),
    ],
)
def test_an_endpoint_tells_what_it_answers_with(method: str, path: str, kind: str | None) -> None:
    assert openai_completions.kind(method, path) == kind
