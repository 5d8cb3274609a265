"""The fold: where the network cuts does not matter, memory is bounded, and nothing that a provider sends raises."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from contracts import captures, dialects
from contracts.config import catalogue
from contracts.dialects import openai_chat
from contracts.dialects.recorder import Recorder
from contracts.facts import Facts
from contracts.fold import LIMITS, Fold, Limits
from contracts.judge import judge
from contracts.model import Evidence, Exchange, Request, Source

HERE = Path(__file__).parent
CATALOGUE = catalogue.load(None)
TABLES = CATALOGUE.tables("openai-chat")
BOUND = CATALOGUE.bound_to_dialect("openai-chat")
DIALECT = dialects.load("openai-chat")
MODEL = "qwen3-größe"
STREAM = "text/event-stream"
ASKED = {"model": MODEL, "messages": [{"role": "user", "content": "Grüß mich — 你好"}], "stream": True}
CHAT = Request(method="POST", url="/v1/chat/completions", body=json.dumps(ASKED).encode())
REQUESTS = [CHAT, Request(), Request(method="GET", url="/v1/models"), Request(method="GET", url="/größe")]
SMALL = Limits(event_bytes=200, body_bytes=4000)


def folded(
    chunks: Iterable[bytes],
    request: Request = CHAT,
    status: int = 200,
    label: str | None = STREAM,
    limits: Limits = LIMITS,
) -> Facts:
    headers = (("Content-Type", label),) if label else ()
    fold = Fold(request, status, headers, DIALECT, TABLES, limits=limits)
    for chunk in chunks:
        fold.feed(chunk)
    return fold.finish()


def one_by_one(body: bytes) -> list[bytes]:
    return [body[i : i + 1] for i in range(len(body))]


def judged(facts: Facts) -> Facts:
    """Judge facts by every contract, which must not raise, and give them back."""
    evidence = Evidence(facts=facts, source=Source.SYNTHETIC, ref="größe.http")
    findings = judge(BOUND, [evidence], provider=None, models=(MODEL,))
    assert {f.contract for f in findings} == {b.contract.id for b in BOUND}
    return facts


def chunk(delta: dict[str, Any], finish: str | None = None, **over: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    usual = {"id": "ä1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}
    return {**usual, **over}


def event(value: object, *, ascii_only: bool = False) -> bytes:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))
    return b"data: " + text.encode("utf-8", "surrogatepass") + b"\n\n"


# Where the network cuts.

CAPTURES = sorted(p for folder in ("cases", "evidence") for p in (HERE / folder).glob("*.http"))


def read(path: Path) -> Exchange:
    request = path.with_suffix(".request.json")
    return captures.read(str(path), captures.read_request(str(request)) if request.exists() else None)[0]


def facts_of(exchange: Exchange, chunks: Iterable[bytes]) -> Facts:
    fold = Fold(exchange.request, exchange.status, exchange.headers, DIALECT, TABLES)
    for one in chunks:
        fold.feed(one)
    return fold.finish(exchange.ended.value)


@pytest.mark.parametrize("path", CAPTURES, ids=[p.stem for p in CAPTURES])
def test_a_capture_gives_the_same_facts_whole_one_by_one_and_cut_in_two(path: Path) -> None:
    exchange = read(path)
    body = b"".join(exchange.body)
    whole = facts_of(exchange, [body])
    assert facts_of(exchange, one_by_one(body)) == whole
    # Every cut within the first bytes, which tell what the body is; forty more over its length.
    for cut in {*range(24), *range(24, len(body), max(1, len(body) // 40))}:
        assert facts_of(exchange, [body[:cut], body[cut:]]) == whole, cut


@pytest.mark.slow
@pytest.mark.parametrize("path", CAPTURES, ids=[p.stem for p in CAPTURES])
def test_a_capture_gives_the_same_facts_cut_in_two_anywhere(path: Path) -> None:
    exchange = read(path)
    body = b"".join(exchange.body)
    whole = facts_of(exchange, [body])
    for cut in range(len(body)):
        assert facts_of(exchange, [body[:cut], body[cut:]]) == whole, cut


TEXT = "Grö\U0001f469‍\U0001f467ße — 你好 e\u0301"
CALL = {"index": 0, "id": "call_ä", "function": {"name": "suche_größe", "arguments": '{"wort": "'}}
MORE = {"index": 0, "function": {"arguments": 'größe"}'}}
PIECES = [
    b"\xef\xbb\xbf",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\n\n",
    b"\x00",
    b"\xff",
    b"\xc3",
    b"d",
    b"data",
    b"{",
    b"[",
    b"<",
    b": Kommentar \xe2\x80\x94 \xe6\xb3\xa8\n\n",
    "größe: 3\n".encode(),
    "id: ä7\n".encode(),
    b"retry: 150\n",
    b"retry: -1\n",
    b"event: error\n",
    b"data: [DONE]\n\n",
    b"[DONE]\n\n",
    b"data:  [DONE] \r\n\r\n",
    b"data: \n\n",
    b"data\n\n",
    b"data: {\ndata: }\n\n",
    b'data: {"a":1}{"a":2}\n\n',
    b'data: {"a":1,"a":NaN,"b":1e999}\n\n',
    b'data: {"a":"\x01"}\n\n',
    b"data: " + b"x" * 300 + b"\n\n",
    b": " + b"y" * 300 + b"\n",
    b"\n" * 70_000,
    event(chunk({"role": "assistant", "content": TEXT})),
    event(chunk({"content": "halb \ud83d"}), ascii_only=True),
    event(chunk({"content": "\ude00 ganz"}), ascii_only=True),
    event(chunk({"content": "â\x80\x94 <0xE2><0x80> \ufffdĠĊ"})),
    event(chunk({"tool_calls": [CALL]})),
    event(chunk({"tool_calls": [MORE]})),
    event(chunk({}, "stop")),
    event(chunk({}, choices=[], usage={"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12})),
    event({"error": {"message": "Überlastet — 请稍后", "code": 502}}),
    event(chunk({}, id=None, created=1.5)),
    json.dumps(chunk({"content": TEXT})).encode() + b"\n",
    json.dumps({"data": [{"id": MODEL}]}).encode(),
    b"<html>",
]
LABELS = [STREAM, "text/event-stream; charset=utf-8", "application/json", "application/x-ndjson", "text/html", None]
BODIES = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    body=BODIES,
    at=st.lists(st.integers(0, 4000), max_size=4),
    request=st.sampled_from(REQUESTS),
    label=st.sampled_from(LABELS),
    status=st.sampled_from([200, 200, 200, 404]),
    limits=st.sampled_from([SMALL, Limits()]),
)
@example(body=b"\n" * 70_000 + b"{}", at=[65_535], request=CHAT, label=None, status=200, limits=Limits())
@example(body=b"[DONE]\n\n", at=[1], request=CHAT, label=STREAM, status=200, limits=Limits())
@example(body=event(chunk({"content": TEXT})) * 80, at=[100], request=CHAT, label=STREAM, status=200, limits=SMALL)
@example(body=event(chunk({"content": TEXT})), at=[], request=CHAT, label=STREAM, status=200, limits=Limits(20, 20))
def test_where_the_network_cuts_does_not_matter(  # noqa: PLR0913, PLR0917 - an answer has as many parts
    body: bytes, at: list[int], request: Request, label: str | None, status: int, limits: Limits
) -> None:
    whole = folded([body], request, status, label, limits)
    cuts = sorted({0, *(min(place, len(body)) for place in at), len(body)})
    parts = [body[a:b] for a, b in pairwise(cuts)]
    assert folded(parts, request, status, label, limits) == whole
    if len(body) < 3000:
        assert folded(one_by_one(body), request, status, label, limits) == whole
    judged(whole)


# Twins: events alike but for their text, which are decoded once.


class Plodding:
    """The dialect without a word for plain events, so that every event is decoded; counts what it folded."""

    NAME, NDJSON = DIALECT.NAME, DIALECT.NDJSON
    kind, asked = staticmethod(DIALECT.kind), staticmethod(DIALECT.asked)
    body, error = staticmethod(DIALECT.body), staticmethod(DIALECT.error)

    def __init__(self) -> None:
        self.folded = 0

    def event(self, recorder: Recorder, name: bytes | None, value: object) -> None:
        self.folded += 1
        DIALECT.event(recorder, name, value)


class Learning(Plodding):
    """The same with it."""

    def plain(self, recorder: Recorder, value: object) -> object:
        return vars(openai_chat)["plain"](recorder, value)


def facts_by(dialect: Any, body: bytes) -> Facts:
    fold = Fold(CHAT, 200, (("Content-Type", STREAM),), dialect, TABLES)
    fold.feed(body)
    return fold.finish()


TEXTS = [
    TEXT,
    "Grö",
    "e",
    " ",
    "\n",
    '"',
    "\\",
    "stop",
    "ä1",
    MODEL,
    "assistant",
    "halb \ud83d",
    "\ude00",
    "\ufffd",
    "â\x80\x94",
    "<0xE2>",
    "\u2028",
    "\x7f",
    "content",
    "0",
    '","delta":{"content":"',
]
RAW = event(chunk({"content": "PLATZ"}))
TWINS = [
    *(event(chunk({"content": text}), ascii_only=text.startswith(("halb", "\ude00"))) for text in TEXTS),
    *(
        RAW.replace(b"PLATZ", odd)
        for odd in (b"", b"\x01", b"\x1f", b"\xff", b"\xed\xa0\xbd", b'"', b'","a":"', b"\\n", b"\\", b"\\ud83d")
    ),
    *(event(chunk({"content": text}, note="Grö")) for text in ("Grö", "e", TEXT)),
    *(event(chunk({"content": text}, usage=None)) for text in ("Grö", "e")),
    *(event(chunk({"content": text}, error={"message": "Überlastet"})) for text in ("Grö", "e")),
    *(event(chunk({"content": text}, created=1.5)) for text in ("Grö", "e")),
    *(event(chunk({"role": "assistant", "content": text}, "stop")) for text in ("Grö", "e")),
    *(event(chunk({"content": text, "reasoning": "Grund"})) for text in ("Grö", "e")),
    *(event(chunk({}, choices=[{"index": 1, "delta": {"content": text}}])) for text in ("Grö", "e")),
    *(
        event(chunk({"content": text}, usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}))
        for text in "äö"
    ),
    *(event({**chunk({"content": text}), "id": "ü2", "model": "anders"}) for text in ("Grö", "e")),
    event({**chunk({"content": "ä1"}), "id": "ü2"}),
    *(b"event: error\n" + event(chunk({"content": text})) for text in ("Grö", "e")),
    *(b'data: {"x":1,"x":2,' + event(chunk({"content": text}))[7:] for text in ("Grö", "e")),
    event(chunk({}, "stop")),
    event(chunk({}, choices=[], usage={"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2})),
    b"data: [DONE]\n\n",
    b": Kommentar \xe2\x80\x94\n\n",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(TWINS), max_size=14).map(b"".join))
def test_a_stream_gives_the_same_facts_whether_twins_are_known_or_not(body: bytes) -> None:
    assert facts_by(Learning(), body) == facts_by(Plodding(), body)


@pytest.mark.parametrize("second", TWINS)
def test_an_event_after_another_is_read_for_what_it_is(second: bytes) -> None:
    for first in TWINS:
        body = first + second + first
        assert facts_by(Learning(), body) == facts_by(Plodding(), body)


def test_twins_are_decoded_once() -> None:
    dialect = Learning()
    facts = facts_by(dialect, b"".join(event(chunk({"content": f"Größe {n}"})) for n in range(100)))
    assert dialect.folded == 1
    assert facts.reply is not None
    assert (facts.reply.events, facts.reply.ids[0].count, facts.reply.choices[0].text_chars) == (100, 100, 790)


def test_events_that_are_never_alike_are_soon_no_longer_learnt() -> None:
    learnt = []

    class Counting(Learning):
        def plain(self, recorder: Recorder, value: object) -> object:
            learnt.append(value)
            return super().plain(recorder, value)

    facts_by(Counting(), b"".join(event(chunk({"content": "Größe"}, padding="x" * n)) for n in range(100)))
    assert len(learnt) == 16


# What a body is.


@pytest.mark.parametrize(
    ("body", "label", "kind"),
    [
        (b"", STREAM, "empty"),
        (b"\n\r\n \t", STREAM, "empty"),
        (b"\xef\xbb\xbf", None, "empty"),
        (b"\xef\xbb", None, "empty"),
        (b"\xef\xbb\xbf\n", "application/json", "empty"),
        (b"\n" * 70_000, "application/json", "empty"),
        (b"data: {}\n\n", None, "sse"),
        (b"\n" * 65_535 + b"data: {}\n\n", None, "sse"),
        (b"\n" * 65_536 + b"data: {}\n\n", None, "text"),
        (b"data: {}\n\n", "application/json", "sse"),
        (b"\n\n\xef", None, "text"),
        (b"\xef\xbb\xbfdata: {}\n\n", None, "sse"),
        (b"\n\ndata: {}\n\n", None, "sse"),
        (b"data\n\n", None, "sse"),
        (b": Gr\xc3\xbc\xc3\x9fe\n\n", None, "sse"),
        (b"event: message\n", None, "sse"),
        (b"id\r", None, "sse"),
        (b"retry: 3\n", None, "sse"),
        (b"data", None, "text"),
        (b"date: 3\n", None, "text"),
        (b"date: 3\n", STREAM, "sse"),
        (b"[DONE]\n\n", STREAM, "sse"),
        (b"[DONE]\n\n", None, "json"),
        (b"[1]", STREAM, "json"),
        (b'{"a":1}', STREAM, "json"),
        (b'\xef\xbb\xbf{"a":1}', None, "json"),
        (b'{"a":1}\n{"a":2}\n', "application/x-ndjson", "ndjson"),
        (b'{"a":1}\n{"a":2}\n', "application/json", "ndjson"),
        (b'{"a":1}\n', "application/x-ndjson", "json"),
        (b"<!DOCTYPE html>", "application/json", "html"),
        (b"  <html>", STREAM, "html"),
        ("größe".encode(), "text/plain", "text"),
        (b'"gr\xc3\xb6\xc3\x9fe"', "application/json", "json"),
        (b'"gr\xc3\xb6\xc3\x9fe', "application/json", "text"),
    ],
)
def test_a_body_is_what_its_bytes_are(body: bytes, label: str | None, kind: str) -> None:
    assert folded([body], label=label).body.kind == kind
    assert folded(one_by_one(body), label=label).body.kind == kind


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        (b'{"data": []}', 200, "listing"),
        (b"[]", 200, "listing"),
        (b'{"models": [{"name": "gr\xc3\xb6\xc3\x9fe"}]}', 200, "listing"),
        (b'{"choices": [], "data": []}', 200, "chat"),
        (b'{"error": {"message": "gr\xc3\xb6\xc3\x9fer"}, "data": []}', 200, "chat"),
        (b'{"data": []}', 404, "chat"),
        (b"data: {}\n\n", 200, "chat"),
        (b"", 200, "chat"),
    ],
)
def test_an_answer_to_an_unknown_request_is_what_its_members_say(body: bytes, status: int, kind: str) -> None:
    assert folded([body], Request(), status, None).kind == kind


# Positions and what the fold keeps.


def test_the_first_place_is_told_by_event_and_by_byte_of_the_body() -> None:
    first = event(chunk({"content": TEXT}))
    bad = b'data: {"gr\xc3\xb6\xc3\x9fe":1,"gr\xc3\xb6\xc3\x9fe":2}\n\n'
    facts = folded([first, bad, bad])
    (fault,) = facts.json_faults
    assert (fault.kind, fault.event, fault.count) == ("duplicate-key", 1, 2)
    assert fault.byte is not None
    assert len(first) < fault.byte < len(first) + len(bad)


@settings(max_examples=100, deadline=None)
@given(body=BODIES)
def test_whatever_could_not_be_read_is_told_as_a_fault_of_json(body: bytes) -> None:
    facts = folded([body])
    if facts.reply is not None and facts.reply.unread:
        assert facts.json_faults


def test_half_pairs_in_neighbouring_events_are_one_character() -> None:
    facts = folded([event(chunk({"content": c}), ascii_only=True) for c in ("\ud83d", "\ude00")])
    assert facts.reply is not None
    assert facts.reply.text.damage == ()
    assert facts.json_faults == ()


@pytest.mark.parametrize(
    "tail", [b"data: [DONE]", b"data: [DONE]\n", b"data: {}", b"data: {}\r\n", b'data: {"a":\ndata: 1}']
)
def test_a_tail_that_is_one_whole_value_or_close_is_told_so(tail: bytes) -> None:
    framing = folded([event(chunk({"content": TEXT})), tail]).framing
    assert framing is not None
    assert (framing.tail_data, framing.tail_whole) == (True, True)


@pytest.mark.parametrize("tail", [b"data: [DON", b'data: {"gr\xc3', b"data: {}\ndata: {}"])
def test_a_tail_that_is_no_whole_value_is_told_so(tail: bytes) -> None:
    framing = folded([event(chunk({"content": TEXT})), tail]).framing
    assert framing is not None
    assert (framing.tail_data, framing.tail_whole) == (True, False)


def test_a_secret_in_a_header_is_not_kept() -> None:
    headers = (("Set-Cookie", "sitzung=größe"), ("X-API-Key", "geheim"), ("X-Größe", "klein"))
    facts = Fold(CHAT, 200, headers, DIALECT, TABLES).finish()
    assert facts.headers == (("Set-Cookie", "***"), ("X-API-Key", "***"), ("X-Größe", "klein"))


def test_the_text_itself_is_in_no_fact() -> None:
    secret = "Geheimnisträger"
    facts = folded([event(chunk({"content": secret, "tool_calls": [{**CALL, "function": {"arguments": secret}}]}))])
    assert secret not in repr(facts)


# Memory.


def peak_bytes(chunks: Iterable[bytes], limits: Limits = LIMITS) -> int:
    tracemalloc.start()
    try:
        folded(chunks, limits=limits)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def stream(events: int) -> Iterator[bytes]:
    for number in range(events):
        yield event(chunk({"content": f"{TEXT * 20} {number}", "reasoning": TEXT * 20}))
        yield event({**chunk({"content": 7}), "id": f"ä{number}", "model": f"größe{number}"})
        yield event(chunk({"tool_calls": [{"index": number, "id": f"ö{number}"}]}, f"grund{number}"))
        yield "größe: 3\nid: 7\n".encode() + event({"error": {"message": f"Überlastet {number}"}})
        yield f'data: {{"größe":1,"größe":{number}\n\n'.encode()


def test_what_is_held_does_not_grow_with_the_length_of_a_stream() -> None:
    fold = Fold(CHAT, 200, (("Content-Type", STREAM),), DIALECT, TABLES)
    held = []  # bytes, every ten events: the scanners wait for some thousand characters, so it rises and falls
    gc.freeze()  # what was there before needs no looking at
    tracemalloc.start()
    try:
        for number, one in enumerate(stream(600)):
            fold.feed(one)
            if number % 10 == 0:
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    early, late = max(held[80:150]), max(held[230:300])
    assert late < early + 16 * 1024


def test_a_body_beyond_the_limit_is_dropped_and_said_to_be() -> None:
    part = b'{"x":"' + b"y" * 65_530
    assert len(part) == 65_536
    limits = Limits(body_bytes=1024 * 1024)
    assert peak_bytes((part[:] for _ in range(512)), limits) < 3 * 1024 * 1024
    facts = folded((part for _ in range(512)), label="application/json", limits=limits)
    assert facts.body.over_limit is not None
    assert (facts.body.kind, facts.body.bytes, facts.body.over_limit.byte) == ("json", 512 * 65_536, 1024 * 1024)
    judged(facts)


def test_a_body_may_be_as_long_as_the_limit() -> None:
    body = '{"größe": 1}'.encode()
    for limit, over in ((len(body), False), (len(body) - 1, True)):
        for chunks in ([body], one_by_one(body)):
            assert (folded(chunks, limits=Limits(body_bytes=limit)).body.over_limit is not None) is over


def test_a_stream_may_be_longer_than_the_limit_of_a_body() -> None:
    one = event(chunk({"content": TEXT}))
    facts = folded([one * 100], limits=Limits(body_bytes=1000))
    assert facts.body.over_limit is None
    assert facts.reply is not None
    assert facts.reply.events == 100


def test_an_event_beyond_the_limit_is_told_and_the_next_is_read() -> None:
    facts = judged(folded([event(chunk({"content": TEXT * 900})), event(chunk({"content": TEXT}))], limits=Limits(600)))
    assert facts.framing is not None
    assert facts.framing.over_limit is not None
    assert facts.reply is not None
    assert facts.reply.events == 1


# Hostile.

HUGE = "9" * 5000
HOSTILE = [
    "[" * 100_000,
    "[" * 100_000 + "]" * 100_000,
    '{"a":' * 100_000 + "1" + "}" * 100_000,
    "1e999",
    "-1e999",
    "NaN",
    HUGE,
    "null",
    "true",
    '""',
    "[]",
    "{}",
    '"größe"',
    "[null]",
    '{"choices":null}',
    '{"choices":{}}',
    '{"choices":[null]}',
    '{"choices":[[]]}',
    f'{{"created":{HUGE}}}',
    f'{{"choices":[{{"index":{HUGE},"delta":{{"content":"größe"}}}}]}}',
    f'{{"error":{{"code":{HUGE}}}}}',
    f'{{"usage":{{"prompt_tokens":{HUGE},"completion_tokens":1,"total_tokens":{HUGE}}}}}',
    f'{{"object":{HUGE}}}',
    '{"usage":{"prompt_tokens":1e999}}',
    '{"object":1e999,"choices":[{"index":1e999,"delta":{}}]}',
    '{"error":"\\ud800"}',
    '{"id":"\\ud800","model":"\\udfff","object":"\\ud800"}',
    '{"error":{"message":"\\u0000\\u202e\\ud800","code":"²"}}',
    '{"choices":[{"index":true,"delta":{"tool_calls":[{"index":-1,"function":{"arguments":{"a":[]}}}]}}]}',
    '{"choices":[{"delta":{"content":[{"type":"text","text":null},{"thinking":[null,{"text":1}]},3]}}]}',
    '{"\\ud800":"\\ud800"}',
    '{"choices":[{"delta":{"function_call":{"name":7,"arguments":[]}}}]}',
    '{"data":[{"id":"\\ud800"},{"id":7},null]}',
]


@pytest.mark.parametrize("value", HOSTILE, ids=[v[:40] for v in HOSTILE])
@pytest.mark.parametrize("request_", REQUESTS, ids=["chat", "unknown", "listing", "other"])
def test_a_hostile_value_is_judged_wherever_it_stands(value: str, request_: Request) -> None:
    data = value.encode()
    for status in (200, 404, 500):
        judged(folded([data], request_, status, "application/json"))
        judged(
            folded(
                [b"event: error\ndata: " + data + b"\n\n", b"data: " + data + b"\n\ndata: " + data], request_, status
            )
        )
    judged(folded([data + b"\n" + data], request_, 200, "application/x-ndjson"))


@pytest.mark.parametrize("value", HOSTILE, ids=[v[:40] for v in HOSTILE])
def test_a_hostile_request_is_read(value: str) -> None:
    for body in (value, f'{{"model":{value},"stream":{value},"stream_options":{value},"max_tokens":{value}}}'):
        judged(folded([event(chunk({"content": TEXT}))], Request(method="POST", url=CHAT.url, body=body.encode())))


@settings(max_examples=200, deadline=None)
@given(body=st.binary(max_size=200), request=st.sampled_from(REQUESTS), label=st.sampled_from(LABELS))
def test_arbitrary_bytes_are_judged(body: bytes, request: Request, label: str | None) -> None:
    judged(folded([body], request, 200, label))
    judged(folded([b"data: ", body, b"\n\n"], request, 200, label))
    judged(folded([body], request, 400, label))


MEMBERS = [
    "id",
    "object",
    "created",
    "model",
    "choices",
    "index",
    "delta",
    "message",
    "content",
    "role",
    "refusal",
    "tool_calls",
    "function",
    "function_call",
    "name",
    "arguments",
    "finish_reason",
    "usage",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "completion_tokens_details",
    "reasoning_tokens",
    "error",
    "code",
    "type",
    "param",
    "metadata",
    "detail",
    "provider_name",
    "errors",
    "success",
    "data",
    "models",
    "reasoning",
    "thinking",
    "text",
    "audio",
    "größe",
    "logprobs",
]
WORDS = ["chat.completion.chunk", "error", "stop", "length", "tool_calls", "²", MODEL, TEXT, "\ud83d", "\x00"]
LEAVES = (
    st.none() | st.booleans() | st.integers(-3, 600) | st.integers() | st.floats() | st.sampled_from(WORDS)
    | st.text(st.characters(), max_size=5) | st.just(10**400)
)  # fmt: skip
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=5),
    max_leaves=25,
)
CHOICE = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("index", "delta", "message", "finish_reason", "error", "logprobs"), VALUES)
)
ANSWERS = VALUES | st.fixed_dictionaries(
    {"choices": st.lists(CHOICE, max_size=3)},
    optional=dict.fromkeys(("id", "object", "created", "model", "usage", "error"), VALUES),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.lists(ANSWERS, min_size=1, max_size=4), request=st.sampled_from(REQUESTS), ascii_only=st.booleans())
def test_arbitrary_values_are_judged_as_events_bodies_listings_and_errors(
    values: list[Any], request: Request, *, ascii_only: bool
) -> None:
    judged(folded([event(v, ascii_only=ascii_only) for v in values], request))
    judged(folded([b"event: error\n" + event(values[0], ascii_only=ascii_only)], request))
    body = json.dumps(values[0]).encode()
    for status in (200, 404, 503):
        judged(folded([body], request, status, "application/json"))
    judged(folded([json.dumps({"data": values}).encode()], REQUESTS[2], 200, "application/json"))
