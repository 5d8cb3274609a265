"""What a relay does to the request: damage is found under its promise alone, and the same in JSON is the same."""

from __future__ import annotations

import gzip
import json
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.evidence.keys import Key
from contracts.relay import asked
from contracts.relay.asked import Asking
from contracts.relay.prompt import LONG_BYTES, TEXT
from contracts.relay.question import RelaySettings, question
from contracts.relay.received import Question
from contracts.relay.told import Breach, Checked
from contracts.relay.trial import trials
from contracts.testing import ask as asks
from contracts.testing import writers
from tests.relay.relays import Handler, Relay, broken, held

PATH = "/v1/chat/completions"
KEY = "sk-relais-0123456789abcdef"  # no key of anybody's
CHAT = writers.load("openai-chat")
WORD = "wort-1"


class Changes(Relay):
    """Asks with another body."""

    def __init__(self, change: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self.change = change

    def answer(self, handler: Handler, body: bytes) -> None:
        super().answer(handler, self.change(body))


def values(change: Callable[[Any], Any], **options: Any) -> Callable[[bytes], bytes]:
    """Change the JSON of a body; `options` are those of json.dumps."""

    def changed(body: bytes) -> bytes:
        return json.dumps(change(json.loads(body)), **{"ensure_ascii": False, **options}).encode()

    return changed


def contents(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Change the text of the message."""

    def changed(value: Any) -> Any:
        message = {**value["messages"][0], "content": change(value["messages"][0]["content"])}
        return {**value, "messages": [message]}

    return values(changed)


def through(change: Callable[[bytes], bytes], *scenarios: str, dialect: str = "openai-chat") -> Checked:
    """What comes of a run through a relay that changes what it asks."""
    with Changes(change) as relay:
        return held(relay, *scenarios, dialect=dialect)


def floats(body: bytes) -> bytes:
    return json.dumps(json.loads(body, parse_int=lambda text: int(float(text)))).encode()


def question_marks(body: bytes) -> bytes:
    return body.decode().encode("latin-1", "replace")


def without_joiners(text: str) -> str:
    return text.replace("\u200d", "")


def normalised(body: bytes) -> bytes:
    return unicodedata.normalize("NFC", body.decode()).encode()


CONTENT = "the request is another one: messages[0].content"
DAMAGE: list[tuple[str, Callable[[bytes], bytes], str, str]] = [
    (
        "honest",
        lambda body: body.decode("latin-1").encode(),
        f"{CONTENT} is double-encoded: read as latin-1",
        "(1) one â",
    ),
    ("honest", question_marks, "is no UTF-8; messages[0].content has a question mark for every", "(1) one ?"),
    ("honest", normalised, f"{CONTENT} was normalised", "(3) café"),
    ("honest", contents(without_joiners), f"{CONTENT} lost every U+200D", "(7) \U0001f469\U0001f467"),
    ("honest", contents(str.strip), f"{CONTENT} lost its blanks at the ends", 'at the end"'),
    ("honest", contents(lambda text: text.replace("\r\n", "\n")), f"{CONTENT} has other line ends", "and\\n"),
    ("honest", contents(lambda text: text.replace("\ufffd", "")), "", ""),
    ("long:honest", contents(lambda text: text[:100_000]), f"{CONTENT} was cut after 100000 of", ""),
    ("long:honest", lambda body: body[: 64 * 1024], "the request is another one: was cut after 65536 of", ""),
    ("tool-calls", floats, "rewrote tools[0].function.parameters.properties.width.maximum", '"9007199254740992"'),
    ("tool-calls", values(lambda value: {**value, "tools": []}), "rewrote tools", '"tools": []'),
    ("honest", values(lambda value: {**value, "messages": [*value["messages"]] * 2}), "rewrote messages", ""),
    ("honest", values(lambda value: {**value, "max_tokens": 1}), "rewrote max_tokens", '"1"'),
    ("honest", values(lambda value: {**value, "model": None}), "names no model", ""),
    ("honest", lambda body: body.replace(b'"max_tokens"', b'"max_tokens":1,"max_tokens"'), "has a member twice", ""),
    ("honest", values(lambda value: {k: v for k, v in value.items() if k != "max_tokens"}), "dropped max_tokens", ""),
    ("honest", lambda body: body.replace(b'"max_tokens":64', b'"max_tokens":NaN'), "holds NaN; rewrote max_tokens", ""),
]


@pytest.mark.parametrize(
    ("trial", "change", "detail", "observed"), DAMAGE, ids=[detail or "no damage" for _, _, detail, _ in DAMAGE]
)
def test_what_is_damaged_on_the_way_to_the_provider_is_found_under_its_promise_alone(
    trial: str, change: Callable[[bytes], bytes], detail: str, observed: str
) -> None:
    found = through(change, trial)
    if not detail:
        assert (found.outcome, found.findings) == ("holds", ())
        return
    assert broken(found) == {"relay.request": {trial}}
    (breach,) = found.findings
    assert detail in breach.detail
    assert observed in breach.observed
    assert (breach.severity, breach.scope) == ("error", "pipeline")


REWRITTEN: list[tuple[Callable[[bytes], bytes], str]] = [
    (values(lambda value: value, ensure_ascii=True), "the request: re-serialised: spacing, escapes"),
    (values(lambda value: value, sort_keys=True, separators=(",", ":")), "the request: re-serialised: key order"),
    (values(lambda value: {**value, "model": "größe/eigen"}), "rewrote model"),
    (values(lambda value: {**value, "user": "é"}), "added user"),
    (lambda body: body.replace(b'"max_tokens":64', b'"max_tokens":6.4e1'), "the request: re-serialised: numbers"),
]


@pytest.mark.parametrize(("change", "note"), REWRITTEN, ids=[note for _, note in REWRITTEN])
def test_what_json_calls_the_same_is_a_note_and_so_are_another_name_and_a_parameter_more(
    change: Callable[[bytes], bytes], note: str
) -> None:
    found = through(change, "honest", "tool-calls")
    assert (found.findings, found.outcome) == ((), "holds")
    for trial in found.trials:
        (said,) = trial.notes
        assert note in said


@pytest.mark.parametrize("dialect", writers.names())
def test_every_dialect_is_asked_with_the_text_and_loses_it_to_a_relay_that_decodes_wrongly(dialect: str) -> None:
    found = through(lambda body: body.decode("latin-1").encode(), "honest", "whole:honest", dialect=dialect)
    assert broken(found) == {"relay.request": {"honest", "whole:honest"}}
    assert all("is double-encoded" in one.detail for one in found.findings)


def test_a_request_without_the_text_cannot_be_told_from_one_of_the_relays_own() -> None:
    found = through(gzip.compress, "honest")
    assert (found.outcome, found.findings) == ("unknown", ())
    (trial,) = found.trials
    assert "the provider was asked, but not with the text of the trial; the relay answered 400" in (trial.reason or "")


def test_a_stream_that_is_asked_for_whole_and_the_other_way_round_are_found() -> None:
    streams, whole = values(lambda value: {**value, "stream": True}), values(lambda value: {**value, "stream": False})
    (breach,) = (one for one in through(whole, "honest").findings if one.promise == "relay.request")
    assert breach.changes == ("is not streamed and was to be",)
    (breach,) = (one for one in through(streams, "whole:honest").findings if one.promise == "relay.request")
    assert breach.changes == ("is streamed and was not to be",)


class Elsewhere(Relay):
    """Asks at a path where there is nothing."""

    def ask(self, handler: Handler, body: bytes) -> Any:
        handler.path = "/v1/größe".encode().decode("latin-1")
        return self.client.stream("POST", f"{self.upstream}/v1/gr%C3%B6%C3%9Fe", content=body)


def test_a_request_to_another_path_is_the_relays_fault_and_nothing_else_is_judged() -> None:
    with Elsewhere() as relay:
        found = held(relay, "honest")
    assert {one.promise for one in found.findings} == {"relay.request", "relay.request-headers"}
    first = found.findings[0]
    assert (first.detail, first.observed) == ("the provider was asked where it answers no chat", "POST /v1/größe")
    assert found.outcome == "violated"
    assert [one.outcome for one in found.promises if one.id == "relay.bytes"] == ["unknown"]


class Labels(Relay):
    """Asks with other headers, and the key where it is said to go."""

    def __init__(self, path: str = "", body: bytes = b"", **headers: str | None) -> None:
        super().__init__()
        self.path, self.body, self.changed = path, body, {n.replace("_", "-"): v for n, v in headers.items()}

    def ask(self, handler: Handler, body: bytes) -> Any:
        kept = {
            n.lower(): v
            for n, v in handler.headers.items()
            if n.lower() not in ("host", "content-length", "connection")
        }
        headers = {n: v for n, v in {**kept, **self.changed}.items() if v is not None}
        content = body.replace(b"{", self.body, 1) if self.body else body
        return self.client.stream("POST", self.upstream + handler.path + self.path, content=content, headers=headers)


BEARER = f"Bearer {KEY}"
HEADERS: list[tuple[Labels, str, str, str | None, str]] = [
    (
        Labels(content_type="text/plain"),
        "openai-chat",
        "the label of the request is another one",
        "content-type",
        "error",
    ),
    (
        Labels(content_type="application/json; charset=latin-1"),
        "openai-chat",
        "is another one",
        "content-type",
        "error",
    ),
    (Labels(content_type=None), "openai-chat", "the label of the request was lost", "content-type", "error"),
    (
        Labels(anthropic_version=None),
        "anthropic-messages",
        "that the dialect needs was lost",
        "anthropic-version",
        "error",
    ),
    (Labels(anthropic_version="2020"), "anthropic-messages", "needs was changed", "anthropic-version", "error"),
    (Labels(accept="text/html"), "openai-chat", "another kind of answer", "accept", "warning"),
    (Labels(x_forwarded_key=KEY), "openai-chat", "reached the provider in header x-forwarded-key", None, "error"),
    (Labels(api_key="anderer"), "openai-chat", "reached the provider in header authorization", None, "error"),
    (Labels(path=f"?k={KEY}"), "openai-chat", "reached the provider in the query", None, "error"),
    (Labels(body=b'{"user":"%b",' % KEY.encode()), "openai-chat", "reached the provider in the body", None, "error"),
]


@pytest.mark.parametrize(("relay", "dialect", "detail", "header", "severity"), HEADERS, ids=[one[2] for one in HEADERS])
def test_a_header_that_the_provider_reads_by_and_a_key_that_is_shown_are_found(
    relay: Labels, dialect: str, detail: str, header: str | None, severity: str
) -> None:
    with relay:
        found = held(relay, "honest", dialect=dialect, key="RELAIS", environ={"RELAIS": KEY})
    assert broken(found) == {"relay.request-headers": {"honest"}}
    (breach,) = found.findings
    assert detail in breach.detail
    assert (breach.where.header, breach.severity) == (header, severity)
    assert KEY not in str(found)


@pytest.mark.parametrize(
    "relay",
    [
        Labels(content_type="Application/JSON; Charset=UTF-8"),
        Labels(accept=None),
        Labels(accept="application/json"),
        Labels(accept="text/html, */*;q=0.1"),
        Labels(authorization="Bearer anderer"),
    ],
    ids=["charset", "no accept", "as OpenAI's client", "anything", "another key"],
)
def test_headers_that_say_the_same_and_a_key_of_the_providers_own_are_no_breach(relay: Labels) -> None:
    with relay:
        found = held(relay, "honest", key="RELAIS", environ={"RELAIS": KEY})
    assert (found.outcome, found.findings) == ("holds", ())
    was_passed_on = "authorization" not in relay.changed
    assert found.trials[0].notes == (("the key for the relay was passed on to the provider",) if was_passed_on else ())


def test_a_key_that_is_a_word_is_looked_for_nowhere() -> None:
    with Labels(user_agent="lokal/1.0") as relay:
        found = held(relay, "honest", key="RELAIS", environ={"RELAIS": "lokal"})
    assert (found.outcome, found.findings, found.trials[0].notes) == ("holds", (), ())


def asking(body: bytes, key: Key | None = None) -> Asking:
    """The question of a trial, with a body."""
    (trial,) = trials(["honest"], CHAT)
    made = Question(url=f"http://127.0.0.1{PATH}", accept="text/event-stream", labels=(), credentials=(), body=body)
    return Asking(trial, made, key)


def found_in(sent: bytes, received: bytes) -> list[Breach]:
    """What is found where a body arrived as another one."""
    ask = asks.read("POST", PATH, (("Content-Type", "application/json"),), received, CHAT)
    return list(asked.breaches(asking(sent), [ask]))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def usual(dialect: str) -> set[str]:
    """The trials that a dialect has."""
    return {one.name for one in trials((), writers.load(dialect))}


STYLES = st.fixed_dictionaries(
    {"ensure_ascii": st.booleans(), "sort_keys": st.booleans(), "indent": st.sampled_from([None, 0, 3])}
)


@given(JSONS, JSONS, STYLES, TEXTS.filter(bool))
def test_a_body_that_is_written_anew_is_the_same_however_it_is_written(
    inner: Any, added: Any, style: dict[str, Any], name: str
) -> None:
    value = {"stream": True, "messages": inner, "model": "größe"}
    sent = json.dumps(value, ensure_ascii=False).encode()
    other = {"model": name, f"+{name}": added, **{key: value[key] for key in ("messages", "stream")}}
    received = json.dumps(other, **style).encode()
    assert found_in(sent, received) == []


@given(TEXTS.filter(bool), st.data())
def test_a_character_that_is_lost_anywhere_is_found(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    sent, received = (
        json.dumps({"stream": True, "messages": [{"content": said}]}).encode()
        for said in (text, text[:at] + text[at + 1 :])
    )
    (breach,) = found_in(sent, received)
    assert breach.promise == "relay.request"


@given(st.binary())
def test_whatever_bytes_arrive_they_are_judged(received: bytes) -> None:
    (breach,) = found_in(b'{"stream":true,"messages":[{"content":"\xc3\xa9"}]}', received)
    assert breach.promise == "relay.request"


def test_the_text_shows_what_the_forms_of_unicode_and_the_usual_charsets_change() -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert unicodedata.normalize(form, TEXT) != TEXT
    for lost in ("\u200d", "\u200c", "\u00ad", "\ufe0f", "\u2028", "\u00a0", "\r", "\t", "\ufeff", "\u200f"):
        assert lost in TEXT
    assert TEXT.strip() != TEXT
    assert LONG_BYTES < 1024**2  # what nginx takes unasked


@pytest.mark.parametrize("dialect", [name for name in writers.names() if "tool-calls" in usual(name)])
def test_a_tool_has_numbers_that_doubles_and_floats_of_four_bytes_do_not_hold(dialect: str) -> None:
    (trial,) = trials(["tool-calls"], writers.load(dialect))
    body = question(RelaySettings(url="http://127.0.0.1", dialect=dialect), trial, "größe", WORD, None).body
    assert (b"9007199254740993" in body, b"0.1" in body) == (True, True)
