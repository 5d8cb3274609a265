"""A tap gives the Facts that a fold of the whole gives, holds no text, and lets nothing it meets reach the caller."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts import captures, dialects
from contracts.config import catalogue
from contracts.dialects import Dialect
from contracts.facts import Timing
from contracts.fold import Limits, fold
from contracts.model import Exchange, Request
from contracts.tap import Seen, Tap
from contracts.taps import forward

CASES = Path(__file__).parents[1] / "cases"
CATALOGUE = catalogue.load(None)
DIALECT = dialects.load("openai-chat")
TABLES = CATALOGUE.tables("openai-chat")
STREAM = (("content-type", "text/event-stream"),)
ASKED = Request(
    method="POST",
    url="/v1/chat/completions",
    body=json.dumps({"model": "größe", "stream": True, "messages": [{"role": "user", "content": "hi"}]}).encode(),
)


def event(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    value = {"id": "ä", "object": "chat.completion.chunk", "created": 1, "model": "größe", "choices": [choice]}
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


HONEST = event("Où ça — 你好") + event("", "stop") + b"data: [DONE]\n\n"


def tapped(body: bytes, step: int = 7, **given: Any) -> Seen:
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES, **given)
    for place in range(0, len(body), step):
        tap.feed(body[place : place + step])
    seen = tap.finish()
    assert seen is not None, tap.failure
    return seen


@pytest.mark.parametrize("path", sorted(CASES.glob("*.http")), ids=lambda p: p.stem)
def test_its_facts_are_those_of_a_fold_of_the_whole(path: Path) -> None:
    request = path.with_suffix(".request.json")
    for exchange in captures.read(str(path), captures.read_request(str(request)) if request.exists() else None):
        name = dialects.by_path(exchange.request.method, exchange.request.url.split("?")[0]) or "openai-chat"
        dialect, tables = dialects.load(name), CATALOGUE.tables(name)
        whole = fold(exchange, dialect, tables)
        for step in (1, 5, 4096, 1 << 30):
            tap = Tap(exchange.request, exchange.status, exchange.headers, dialect, tables)
            body = b"".join(exchange.body)
            for place in range(0, len(body), step):
                tap.feed(body[place : place + step])
            seen = tap.finish(exchange.ended.value)
            assert seen is not None, tap.failure
            assert seen.facts == whole, step


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300) | st.lists(st.sampled_from([HONEST, b"\n", b"data: {", b"\xff", b"}"])).map(b"".join))
def test_it_makes_something_of_any_bytes(body: bytes) -> None:
    exchange = Exchange(request=ASKED, status=200, headers=STREAM, body=(body,), ref="größe")
    assert tapped(body).facts == structs.replace(fold(exchange, DIALECT, TABLES), ended="complete")


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_chunks_that_are_coded_are_read_without_their_coding(coding: str) -> None:
    body = gzip.compress(HONEST) if coding == "gzip" else zlib.compress(HONEST)
    headers = (*STREAM, ("Content-Encoding", coding))
    tap = Tap(ASKED, 200, headers, DIALECT, TABLES, is_coded=True)
    for byte in body:
        tap.feed(bytes([byte]))
    seen = tap.finish()
    assert seen is not None
    plain = tapped(HONEST).facts
    assert structs.replace(seen.facts, coding=None, headers=plain.headers) == plain
    assert seen.facts.coding is not None
    assert (seen.facts.coding.raw_bytes, seen.facts.coding.decoded_bytes) == (len(body), len(HONEST))


@pytest.mark.parametrize("coding", ["br", "zstd", "größe"])
def test_a_coding_that_it_does_not_read_is_nobodys_silence(coding: str) -> None:
    tap = Tap(ASKED, 200, (*STREAM, ("content-encoding", coding)), DIALECT, TABLES, is_coded=True)
    tap.feed(zlib.compress(HONEST * 20))
    seen = tap.finish()
    assert seen is not None
    assert (seen.verification.verdict, seen.verification.detail) == ("unverifiable", "content coding not read")


def test_a_coding_that_breaks_off_within_a_call_or_before_a_word_is_nobodys_fault() -> None:
    call = {"index": 0, "id": "1", "type": "function", "function": {"name": "größe", "arguments": '{"a": '}}
    value = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    for body in (b"data: " + json.dumps(value).encode() + b"\n\n", b": ping\n\n"):
        whole = gzip.compress(body)
        tap = Tap(ASKED, 200, (*STREAM, ("content-encoding", "gzip")), DIALECT, TABLES, is_coded=True)
        tap.feed(whole[:-9])
        seen = tap.finish()
        assert seen is not None
        assert not seen.verification.model_attributable


def test_bytes_that_are_no_stream_are_nobodys_silence() -> None:
    seen = tapped(zlib.compress(HONEST * 20)).verification
    assert (seen.verdict, seen.detail, seen.model_attributable) == ("malformed", "unreadable events", False)
    assert tapped(b": \xc3\xa9\n\n" * 9).verification.detail == "empty response"


def test_what_the_request_asked_is_read_once_for_all_attempts() -> None:
    asked = DIALECT.asked(ASKED)
    without = structs.replace(ASKED, body=None)
    tap = Tap(without, 200, STREAM, DIALECT, TABLES, asked=asked)
    tap.feed(HONEST)
    seen = tap.finish()
    assert seen is not None
    assert seen.facts.asked == asked
    assert asked is not None
    assert (asked.model, asked.ascii) == ("größe", True)


def test_what_a_buffer_held_when_it_was_fed_is_what_counts() -> None:
    buffer = bytearray(HONEST)
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES)
    tap.feed(memoryview(buffer))  # type: ignore[arg-type] # servers hand on what they read into
    buffer[:] = b"x" * len(buffer)
    seen = tap.finish()
    assert seen is not None
    assert seen.facts == tapped(HONEST).facts


def test_damage_is_told_with_its_verdict() -> None:
    spoilt = HONEST.decode("latin-1").encode()
    seen = tapped(spoilt, asked=structs.replace(cast("Any", DIALECT.asked(ASKED)), ascii=True))
    assert (seen.verification.verdict, seen.verification.model_attributable) == ("mangled", True)
    assert seen.verification.detail.startswith("double-utf8-latin1 [provider]")


def test_what_was_too_large_to_be_read_is_nobodys_silence() -> None:
    body = event("größer" * 1000) + event("", "stop") + b"data: [DONE]\n\n"
    limits = Limits(event_bytes=4096, body_bytes=1 << 20)
    assert tapped(body).verification.verdict == "ok"
    seen = tapped(body, limits=limits).verification
    assert (seen.verdict, seen.detail, seen.model_attributable) == ("unverifiable", "not read to its end", False)


def test_a_model_that_says_the_same_over_and_over_is_told() -> None:
    body = b"".join(event("und dann ging er über die Brücke zurück. ") for _ in range(200)) + event("", "length")
    assert tapped(body).verification.verdict == "looping"


def test_chunks_that_are_empty_are_not_held() -> None:
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES)
    tap.feed("data: größer".encode())
    tracemalloc.start()
    try:
        for _ in range(100_000):
            tap.feed(b"", 0.1)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 10_000


def test_it_holds_a_window_however_long_the_stream_is() -> None:
    piece = b"".join(event(f"Straße {n} — 你好 ") for n in range(50))
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES)
    tap.feed(piece)
    tracemalloc.start()
    try:
        for _ in range(500):  # 4 MB
            tap.feed(piece)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 300_000
    seen = tap.finish()
    assert seen is not None
    assert seen.facts.reply is not None
    assert seen.facts.reply.events == 501 * 50


class Broken(ModuleType):
    """A dialect that raises where it is told to."""

    NAME, NDJSON = "kaputt", False

    def __init__(self, where: str) -> None:
        super().__init__("kaputt")
        self._where = where

    def kind(self, method: str, path: str) -> str:
        del method, path
        return self._at("kind", "chat")

    def asked(self, request: Request) -> None:
        del request
        self._at("asked", "")

    def event(self, recorder: object, name: object, value: object) -> None:
        del recorder, name, value
        self._at("event", "")

    def _at(self, where: str, given: str) -> str:
        if where == self._where:
            raise ValueError("Grüße aus der Tiefe")
        return given


@pytest.mark.parametrize("where", ["kind", "asked", "event"])
def test_no_exception_reaches_the_caller(where: str) -> None:
    tap = Tap(ASKED, 200, STREAM, cast("Dialect", Broken(where)), TABLES)
    for _ in range(3):
        tap.feed(HONEST * 100)
    assert tap.finish() is None
    assert repr(tap.failure) == "ValueError('Grüße aus der Tiefe')"


def test_one_who_is_told_and_fails_does_not_reach_the_caller_either() -> None:
    def tell(seen: Seen) -> None:
        raise OSError(f"kein Platz für {seen.facts.dialect}")

    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES, tell=tell)
    tap.feed(HONEST)
    assert tap.finish() is None
    assert isinstance(tap.failure, OSError)


def test_it_tells_once() -> None:
    told: list[Seen] = []
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES, tell=told.append)
    tap.feed(HONEST)
    assert tap.finish() is told[0]
    tap.feed(HONEST)
    assert tap.finish() is None
    assert (len(told), tap.failure) == (1, None)


def test_times_are_those_that_the_provider_let_wait() -> None:
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES, head_ms=1_500)
    for wait_ms in (700, 3, 20_000.04, 5):
        tap.feed(HONEST, wait_ms)
    seen = tap.finish()
    assert seen is not None
    assert seen.facts.timing == Timing(first_byte_ms=2200, total_ms=22_208, longest_gap_ms=20_000, arrivals=4)


def test_without_times_there_are_none() -> None:
    assert tapped(HONEST).facts.timing is None


def test_a_client_that_takes_its_time_is_no_stall_of_the_provider() -> None:
    told: list[Seen] = []
    tap = Tap(ASKED, 200, STREAM, DIALECT, TABLES, tell=told.append)
    chunks = forward([HONEST, HONEST], tap)
    for _ in chunks:
        since = perf_counter()
        while perf_counter() - since < 0.05:
            pass
    assert told[0].facts.timing is not None
    assert told[0].facts.timing.longest_gap_ms < 50
