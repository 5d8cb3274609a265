"""What holds for every dialect: it reads what it asks, takes any bytes, and no cut of the network changes a fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from contracts import dialects
from contracts.dialects.recorder import Recorder
from contracts.evidence.plan import rules
from contracts.evidence.rules import Allowed, Refused, Sending, decide, probe_model
from contracts.fold import fold
from contracts.model import Provider, Request
from tests.dialects.folding import CATALOGUE, FOLDER, NAMES, answered, capture, of

OTHERS = [name for name in NAMES if name != "openai-chat"]
STREAMS = sorted(p.stem for p in FOLDER.glob("*-ok.http") if "listing" not in p.name and "listed" not in p.name)
ODDITIES: list[Any] = [None, True, 7, -1.5, "größe", [], {}, ["größe"], [{}], [[]], {"größe": [1]}]
LABELS = ("text/event-stream", "application/x-ndjson", "application/json", "text/plain", None)
REMOTE = "https://wölkchen.example/v1"


def dialect_of(stem: str) -> str:
    return next(name for name in OTHERS if stem.startswith(f"{name}-"))


def values_of(stem: str) -> Iterator[tuple[bytes | None, Any]]:
    """Every value of a capture's body, with the name of its event."""
    name: bytes | None = None
    body = b"".join(capture(stem).body)
    for line in body.splitlines():
        if line.startswith(b"event: "):
            name = line.removeprefix(b"event: ")
        data = line.removeprefix(b"data: ")
        if data[:1] in (b"{", b"["):
            try:
                value = json.loads(data)
            except ValueError:
                continue  # [DONE]
            yield name, value
            name = None


def changed(value: Any) -> Iterator[Any]:
    """Give a value with each of its members in turn left out, and replaced by every oddity."""
    if isinstance(value, dict):
        for name in value:
            yield {k: v for k, v in value.items() if k != name}
            for new in changed(value[name]):
                yield {**value, name: new}
    if isinstance(value, list):
        for new in changed(value[0]) if value else ():
            yield [new, *value[1:]]
    yield from ODDITIES


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_has_the_name_of_its_module_and_asks(name: str) -> None:
    assert name == dialects.load(name).NAME
    assert dialects.load_asking(name) is not None


def test_a_dialect_that_does_not_ask_is_told_apart_from_a_broken_one() -> None:
    assert dialects.load_asking("größe") is None


@pytest.mark.parametrize("name", NAMES)
def test_a_dialect_reads_what_it_asks(name: str) -> None:
    dialect, asking = dialects.load(name), dialects.load_asking(name)
    assert asking is not None
    url = f"{REMOTE}/api{asking.chat_path('größe-1')}"
    chat = dialect.asked(Request(method="POST", url=url, body=asking.free_chat("größe-1", 64)))
    assert chat is not None
    assert chat.model == "größe-1"
    # The prompt is ASCII, so that damage in the answer is attributable; the model id may be anything.
    assert (chat.stream, chat.cap, chat.ascii, chat.damage) == (True, 64, True, ())
    assert dialect.kind("POST", chat.path) == "chat"
    probe = dialect.asked(Request(method="POST", url=url, body=asking.probe("größe-1")))
    assert probe is not None
    assert probe.cap is not None
    assert probe.cap <= 16
    assert probe.tools is False


@pytest.mark.parametrize("name", NAMES)
def test_a_key_goes_into_headers_alone(name: str) -> None:
    asking = dialects.load_asking(name)
    assert asking is not None
    carried = asking.credentials("schlüssel-7")
    assert any("schlüssel-7" in value for _, value in carried)
    assert not any("schlüssel-7" in value for _, value in asking.headers())
    shown = asking.chat_path("größe").encode() + asking.free_chat("größe", 1) + asking.probe("größe")
    assert "schlüssel-7".encode() not in shown


BEARER = ("Authorization", "Bearer schlüssel-7")


@pytest.mark.parametrize(
    ("name", "path", "key", "headers"),
    [
        ("anthropic-messages", "/messages", ("x-api-key", "schlüssel-7"), (("anthropic-version", "2023-06-01"),)),
        ("cohere", "/v2/chat", BEARER, ()),
        ("gemini", "/models/größe-1:streamGenerateContent?alt=sse", ("x-goog-api-key", "schlüssel-7"), ()),
        ("ollama", "/chat", BEARER, ()),
        ("openai-chat", "/chat/completions", BEARER, ()),
        ("openai-completions", "/completions", BEARER, ()),
        ("openai-responses", "/responses", BEARER, ()),
    ],
)
def test_a_dialect_asks_as_its_api_documents(name: str, path: str, key: tuple[str, str], headers: Any) -> None:
    asking = dialects.load_asking(name)
    assert asking is not None
    for model in ("größe-1", *(["models/größe-1"] if name == "gemini" else [])):
        assert unquote(asking.chat_path(model)) == path
    assert (asking.credentials("schlüssel-7"), asking.headers()) == ((key,), headers)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("billing", ["metered", "none"])
def test_what_may_be_sent_is_decided_and_never_crashes(name: str, billing: Any) -> None:
    asking = dialects.load_asking(name)
    assert asking is not None
    row = Provider(name="wölkchen", dialect=name, base_url=REMOTE, api_key="WOLKE_API_KEY", billing=billing)
    headers = {k.lower(): v for k, v in asking.credentials("schlüssel")}
    sending = Sending("POST", REMOTE + asking.chat_path("größe"), headers, asking.free_chat("größe", 64))
    decided = decide(sending, rules(row, asking), {})
    if billing == "metered":
        assert isinstance(decided, Refused)
        assert decided.reason
    else:
        assert isinstance(decided, Allowed)


@pytest.mark.parametrize("name", NAMES)
def test_the_chat_without_a_key_may_be_sent_and_with_one_it_may_not(name: str) -> None:
    asking = dialects.load_asking(name)
    assert asking is not None
    row = Provider(name="wölkchen", dialect=name, base_url=REMOTE, api_key="WOLKE_API_KEY")
    headers = {"content-type": "application/json", **{k.lower(): v for k, v in asking.headers()}}
    model = probe_model(asking.CHAT)
    sending = Sending("POST", REMOTE + asking.chat_path(model), headers, asking.probe(model))
    assert isinstance(decide(sending, rules(row, asking), {}), Allowed)
    sending = sending._replace(headers={**headers, **dict(asking.credentials("schlüssel"))})
    assert isinstance(decide(sending, rules(row, asking), {}), Refused)


@pytest.mark.parametrize("stem", STREAMS)
def test_where_the_network_cuts_does_not_matter(stem: str) -> None:
    exchange, name = capture(stem), dialect_of(stem)
    body = b"".join(exchange.body)
    label = dict(exchange.headers).get("Content-Type")
    once = answered(name, body, label, exchange.request)
    assert answered(name, body, label, exchange.request, chunk=1) == once
    assert answered(name, body, label, exchange.request, chunk=7) == once


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("stem", STREAMS)
def test_a_wrong_label_changes_nothing_that_is_read(stem: str, label: str | None) -> None:
    exchange, name = capture(stem), dialect_of(stem)
    body = b"".join(exchange.body)
    right = fold(exchange, dialects.load(name), CATALOGUE.tables(name))
    found = answered(name, body, label, exchange.request)
    assert (found.reply, found.errors, found.body.kind) == (right.reply, right.errors, right.body.kind)


@pytest.mark.parametrize("stem", STREAMS)
def test_no_odd_member_makes_a_fold_raise(stem: str) -> None:
    name = dialect_of(stem)
    dialect, tables = dialects.load(name), CATALOGUE.tables(name)
    tried = 0
    recorder = Recorder(tables, streamed=True)
    bodies = Recorder(tables, streamed=False)
    for event, value in values_of(stem):
        dialect.event(recorder, event, value)
        for odd in changed(value):
            tried += 1
            dialect.event(recorder, event if tried % 3 else b"error", odd)
            dialect.body(bodies, odd)
            dialect.error(odd)
    assert tried > 50
    assert of(recorder).departures
    assert of(bodies).reply.choices


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", ODDITIES)
def test_no_odd_request_makes_the_reading_raise(name: str, odd: Any) -> None:
    asking = dialects.load_asking(name)
    assert asking is not None
    honest = json.loads(asking.free_chat("größe", 8))
    for member in (*honest, "tools", "tool_choice", "toolConfig", "options", "generationConfig", "stream_options"):
        body = json.dumps({**honest, member: odd}).encode()
        for url in ("", "größe", REMOTE + asking.chat_path("größe"), ":streamGenerateContent", "/?alt=sse"):
            assert dialects.load(name).asked(Request(method="POST", url=url, body=body)) is not None
    assert dialects.load(name).asked(Request(method="POST", url=REMOTE)) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["Überlastet — 请稍后", {"message": "Überlastet — 请稍后"}, {}, None, 7, ["größe"]])
def test_an_event_named_error_is_one_whatever_it_holds(name: str, value: Any) -> None:
    recorder = Recorder(CATALOGUE.tables(name), streamed=True)
    dialects.load(name).event(recorder, b"error", value)
    if name == "openai-chat" and not value:
        return  # an empty one says nothing there, and the schema complains
    assert len(recorder.errors) == 1
    assert recorder.errors[0].form == "event"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("method", "path"), [("", ""), ("GET", ""), ("", "/größe"), ("DELETE", "/v1/größe")])
def test_an_endpoint_that_is_not_known_is_no_chat(name: str, method: str, path: str) -> None:
    assert dialects.load(name).kind(method, path) in (None, "other")
