"""Each dialect's paths, refusals, caps, counts and pages are those that its API documents."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from contracts import dialects
from contracts.config import catalogue as catalogues
from contracts.dialects import listing as listings
from contracts.errors import ConfigError
from contracts.fold import fold
from contracts.model import Request
from contracts.testing import TEXT, HostileProvider, text_of
from contracts.testing.reply import PIECES
from contracts.testing.writers import (
    Writer,
    anthropic_messages,
    cohere,
    gemini,
    load,
    names,
    ollama,
    openai_chat,
    openai_completions,
    openai_responses,
)
from tests.testing import parrot
from tools import questions

DIALECTS = names()
# Whether they have the members of one is for the type checker to say.
WRITERS: tuple[Writer, ...] = (
    anthropic_messages,
    cohere,
    gemini,
    ollama,
    openai_chat,
    openai_completions,
    openai_responses,
    parrot,
)
CATALOGUE = catalogues.load(None)
CAPS: dict[str, dict[str, Any]] = {
    "anthropic-messages": {"max_tokens": 2},
    "cohere": {"max_tokens": 2},
    "gemini": {"generationConfig": {"maxOutputTokens": 2}},
    "ollama": {"options": {"num_predict": 2}},
    "openai-chat": {"max_completion_tokens": 2},
    "openai-completions": {"max_tokens": 2},
    "openai-responses": {"max_output_tokens": 2},
}
CUT = {
    "anthropic-messages": b'"stop_reason":"max_tokens"',
    "cohere": b'"finish_reason":"MAX_TOKENS"',
    "gemini": b'"finishReason":"MAX_TOKENS"',
    "ollama": b'"done_reason":"length"',
    "openai-chat": b'"finish_reason":"length"',
    "openai-completions": b'"finish_reason":"length"',
    "openai-responses": b'"incomplete_details":{"reason":"max_output_tokens"}',
}


def test_there_is_a_writer_for_every_dialect_that_is_read() -> None:
    assert set(DIALECTS) == set(CATALOGUE.dialects)
    assert [writer.NAME for writer in WRITERS] == [*DIALECTS, "parrot"]
    assert [load(name) for name in DIALECTS] == list(WRITERS[:-1])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_cap_of_a_request_is_kept(dialect: str, client: Any) -> None:
    with HostileProvider(dialect=dialect) as provider:
        got = client.ask(provider, client.request_for("stream", dialect, **CAPS[dialect]))
    assert text_of(got.body, dialect) == "".join(PIECES[:2])
    assert CUT[dialect] in got.body


@pytest.mark.parametrize("dialect", DIALECTS)
def test_streamed_and_not_an_answer_says_the_same(dialect: str, client: Any) -> None:
    replies = []
    for shown in ("stream", "chat"):
        with HostileProvider("declared", dialect=dialect) as provider:
            got = client.ask(provider, client.request_for(shown, dialect))
        reply = fold(got.exchange(), dialects.load(dialect), CATALOGUE.tables(dialect)).reply
        assert reply is not None
        replies.append(reply)
    stream, whole = replies
    assert (stream.streamed, whole.streamed) == (True, False)
    for attribute in ("ids", "models"):
        assert [s.value for s in getattr(stream, attribute)] == [s.value for s in getattr(whole, attribute)]
    assert stream.text == whole.text
    assert [f.reason for f in stream.choices[0].finishes] == [f.reason for f in whole.choices[0].finishes]
    assert (stream.usage.input_tokens, stream.usage.output_tokens) == (9, len(PIECES))
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (9, len(PIECES))
    assert stream.text.chars == len(TEXT)


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if "tools" not in load(d).LACKS])
@pytest.mark.parametrize("shown", ["stream", "chat"])
def test_thoughts_and_calls_are_read_as_they_were_meant(shown: str, dialect: str, client: Any) -> None:
    with HostileProvider("tool-calls", "reasoning", dialect=dialect) as provider:
        got = client.ask(provider, client.request_for(shown, dialect))
    facts = fold(got.exchange(), dialects.load(dialect), CATALOGUE.tables(dialect))
    assert facts.reply is not None
    assert facts.schema_faults == ()
    (choice,) = facts.reply.choices
    assert (choice.calls, choice.text_chars, choice.reasoning_chars) == (2, 0, len("Réfléchissons: 日本…"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_error_has_the_shape_of_the_dialect_and_names_the_model(dialect: str, client: Any) -> None:
    asked = {
        401: client.request_for("keyless", dialect),
        404: client.request_for("chat", dialect, model="vendor-größer"),
    }
    for status, request in asked.items():
        with HostileProvider(dialect=dialect) as provider:
            got = client.ask(provider, request)
        error = dialects.load(dialect).error(json.loads(got.body))
        assert error is not None
        assert error.shaped
        assert got.status == (status if load(dialect).KEYED else 404)
        assert "vendor-größer" in error.message or status == 401


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("sent", "status"), [(b"[1]", 400), (b"\xc3\xa9", 400), (b"", 400)])
def test_a_chat_that_is_no_object_is_refused_in_the_words_of_the_dialect(
    sent: bytes, status: int, dialect: str, client: Any
) -> None:
    request = client.request_for("chat", dialect)
    with HostileProvider(dialect=dialect) as provider:
        got = client.ask(provider, Request(method="POST", url=request.url, headers=request.headers, body=sent))
    assert got.status == status
    error = dialects.load(dialect).error(json.loads(got.body))
    assert error is not None
    assert error.shaped


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_wrong_method_and_another_apis_path_are_refused(dialect: str, client: Any) -> None:
    chat = client.request_for("chat", dialect)
    others = [client.request_for("chat", other) for other in DIALECTS if other != dialect]
    with HostileProvider(dialect=dialect) as provider:
        got = client.ask(provider, Request(method="GET", url=chat.url, headers=chat.headers))
        statuses = {client.ask(provider, other).status for other in others}
    assert (got.status, got.header("allow")) == (405, "POST")
    assert statuses == {404}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_listing_is_read_by_the_dialects_own_query(dialect: str, client: Any) -> None:
    with HostileProvider(dialect=dialect) as provider:
        found = listings.read(
            json.loads(client.ask(provider, client.request_for("listing", dialect)).body),
            CATALOGUE.tables(dialect).listing,
        )
        served = provider.models
    assert found.faults == ()
    assert [{model.id, *model.aliases} & set(served) for model in found.models] == [{name} for name in served]
    assert not found.more


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if "pages" not in load(d).LACKS])
def test_a_listing_without_end_says_in_the_dialect_that_there_is_more(dialect: str, client: Any) -> None:
    with HostileProvider("listing-endless", dialect=dialect) as provider:
        got = client.ask(provider, client.request_for("listing", dialect))
    found = listings.read(json.loads(got.body), CATALOGUE.tables(dialect).listing)
    # OpenAI documents no pages of models, so two of its dialects do not look for more.
    assert (len(found.models), found.more) == (23, CATALOGUE.tables(dialect).listing.more is not None)


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if "endpoints" not in load(d).LACKS])
def test_one_model_alone_is_told_with_and_without_endpoints(dialect: str, client: Any) -> None:
    bodies = []
    for scenarios in ((), ("no-endpoints",)):
        with HostileProvider(*scenarios, dialect=dialect) as provider:
            got = client.ask(provider, client.request_for("endpoints", dialect))
        assert got.status == 200
        bodies.append(json.loads(got.body))
    assert bodies[0] != bodies[1]
    if dialect == "ollama":
        assert [body["capabilities"] for body in bodies] == [["completion", "tools"], ["embedding"]]


ONE_MODEL = [
    ("anthropic-messages", "/v1/models/{}"),
    ("cohere", "/v1/models/{}"),
    ("gemini", "/v1beta/models/{}"),
    ("openai-chat", "/v1/models/{}"),
]


@pytest.mark.parametrize(("dialect", "path"), ONE_MODEL)
def test_one_model_is_told_as_the_listing_tells_it(dialect: str, path: str, client: Any) -> None:
    with HostileProvider(dialect=dialect) as provider:
        listed = json.loads(client.ask(provider, client.request_for("listing", dialect)).body)[load(dialect).ITEMS]
        one = client.ask(provider, client.request_for("listing", dialect, url=path.format(provider.models[1])))
        none = client.ask(provider, client.request_for("listing", dialect, url=path.format("größe")))
    assert json.loads(one.body) == listed[1]
    assert none.status == 404


def test_a_stream_of_gemini_that_is_not_asked_for_as_events_is_a_list(client: Any) -> None:
    url = client.request_for("stream", "gemini").url.removesuffix("?alt=sse")
    with HostileProvider(dialect="gemini") as provider:
        request = client.request_for("chat", "gemini")
        got = client.ask(provider, Request(method="POST", url=url, headers=request.headers, body=request.body))
    (answer,) = json.loads(got.body)
    assert answer["candidates"][0]["content"]["parts"] == [{"text": TEXT}]
    assert got.header("content-type") == "application/json"


def test_ollama_streams_unless_told_otherwise_and_asks_for_no_key(client: Any) -> None:
    body = json.dumps({"model": f"{questions.model_of('ollama')}:latest", "messages": []}).encode()
    request = client.request_for("keyless", "ollama")
    with HostileProvider(dialect="ollama") as provider:
        got = client.ask(provider, Request(method="POST", url=request.url, body=body))
        assert not provider.requests[0].keyed
    assert got.header("content-type") == "application/x-ndjson"
    assert text_of(got.body, "ollama") == TEXT


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_costs_nothing_by_the_price_table_is_not_counted_as_paid(dialect: str, client: Any) -> None:
    with HostileProvider(dialect=dialect) as provider:
        for model in (*provider.models[:2], "nichts-größer"):
            client.ask(provider, client.request_for("chat", dialect, model=model))
        assert [asked.model for asked in provider.paid_chats] == [provider.models[1]]


ELSEWHERE = [
    ("openai-chat", "/api/v1/chat/completions"),
    ("openai-chat", "/openai/v1/chat/completions"),
    ("openai-chat", "/openai/deployments/größe/chat/completions?api-version=2024-10-21"),
    ("openai-responses", "/openai/v1/responses"),
    ("openai-completions", "/completions"),
    (
        "gemini",
        "/v1/projects/größe/locations/europe-west4/publishers/google/models/loopback-libre:streamGenerateContent?alt=sse",
    ),
]


@pytest.mark.parametrize(("dialect", "url"), ELSEWHERE)
def test_a_chat_is_answered_at_the_paths_of_other_hosts_of_the_api_too(dialect: str, url: str, client: Any) -> None:
    request = client.request_for("stream", dialect)
    with HostileProvider(dialect=dialect) as provider:
        there = Request(method="POST", url=quote(url, safe="/:?=&"), headers=request.headers, body=request.body)
        got = client.ask(provider, there)
    assert text_of(got.body, dialect) == TEXT


def test_a_dialect_that_is_none_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"found 'anthropic-message' \(did you mean 'anthropic-messages'\?\)"):
        HostileProvider(dialect="anthropic-message")
    with pytest.raises(ConfigError, match="expected a dialect, one of anthropic-messages, cohere, gemini, ollama"):
        text_of(b"", "größe")


def test_a_scenario_that_a_dialect_has_no_place_for_is_refused_with_the_reason() -> None:
    with pytest.raises(ConfigError, match="'id-changes' does not exist in dialect ollama: an answer has no id"):
        HostileProvider("chat:id-changes", dialect="ollama")
    with pytest.raises(ConfigError, match="'tool-calls' does not exist in dialect openai-completions: the API has no"):
        HostileProvider(by_model={"größe": "tool-calls"}, dialect="openai-completions")
