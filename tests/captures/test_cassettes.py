"""The shipped cassettes: synthetic and saying so, without a secret, and exactly what the recorder makes."""

from __future__ import annotations

import glob
import json
import os
from datetime import UTC, datetime

import pytest
import vcr  # type: ignore[import-untyped] # vcrpy ships no types

from contracts import captures
from contracts.model import Source
from tools import cassettes as recorder

FOLDER = os.path.join(recorder.ROOT, "cassettes")
NAMES = sorted(os.path.relpath(path, FOLDER) for path in glob.glob(os.path.join(FOLDER, "*", "*.yaml")))


def text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_recording_anew_gives_the_same_cassettes_byte_for_byte(tmp_path: os.PathLike[str]) -> None:
    recorder.main(os.fspath(tmp_path))
    made = sorted(os.path.relpath(path, tmp_path) for path in glob.glob(os.path.join(tmp_path, "*", "*.yaml")))
    assert made == NAMES
    for name in NAMES:
        assert text_of(os.path.join(tmp_path, name)) == text_of(os.path.join(FOLDER, name))


@pytest.mark.parametrize("name", NAMES)
def test_a_cassette_holds_what_was_played_and_says_that_no_provider_sent_it(name: str) -> None:
    source = os.path.join(recorder.PLAYED, name.removesuffix(".yaml"))
    (played,) = captures.read(f"{source}.http", captures.read_request(f"{source}.request.json"))
    (exchange,) = captures.read(os.path.join(FOLDER, name))
    assert (exchange.status, exchange.body) == (played.status, played.body)
    assert set(exchange.headers) == {(key, value) for key, value in played.headers if key != "Set-Cookie"}
    assert exchange.source is Source.SYNTHETIC
    assert exchange.at == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert exchange.request.body == played.request.body
    assert exchange.request.keyless == played.request.keyless == ("keyless" in name)
    assert exchange.request.url == recorder.HOSTS[name.partition("/")[0]] + played.request.url
    text = text_of(os.path.join(FOLDER, name))
    assert text.startswith("# Synthetic: a loopback server of this project played ")
    assert "\n  note: played by a loopback server of this project; not sent by the provider\n" in text


@pytest.mark.parametrize("name", NAMES)
def test_no_cassette_holds_a_key_a_cookie_or_where_it_was_recorded(name: str) -> None:
    text = text_of(os.path.join(FOLDER, name)).lower()
    for secret in (recorder.KEY, "authorization:", "bearer", "set-cookie", "session=", "127.0.0.1", "localhost"):
        assert secret.lower() not in text


def test_the_key_and_the_cookie_were_there_to_be_scrubbed() -> None:
    (played,) = captures.read(os.path.join(recorder.PLAYED, "openrouter", "chat-stream.http"))
    assert "Set-Cookie" in dict(played.headers)


def test_the_server_cuts_inside_characters_and_between_line_ends() -> None:
    body = b"".join(captures.read(os.path.join(recorder.PLAYED, "openrouter", "chat-stream.http"))[0].body)
    pieces = list(recorder.pieces(body))
    assert b"".join(pieces) == body
    cuts_inside = sum(0x80 <= piece[0] < 0xC0 for piece in pieces)
    assert cuts_inside == sum(not character.isascii() for character in body.decode("utf-8")) > 30
    # Every blank line ends an event; no piece holds both of its line ends.
    assert body.count(b"\n\n") > 10
    assert not any(b"\n\n" in piece for piece in pieces)
    assert list(recorder.pieces("a\r\n\r\né".encode())) == [b"a\r", b"\n", b"\r", b"\n", b"\xc3", b"\xa9"]


def test_the_openrouter_stream_is_the_hostile_case() -> None:
    (exchange,) = captures.read(os.path.join(FOLDER, "openrouter", "chat-stream.yaml"))
    headers = dict(exchange.headers)
    assert headers["Content-Type"] == "text/event-stream"
    assert {"X-Generation-Id", "CF-RAY", "Access-Control-Expose-Headers", "Permissions-Policy"} <= set(headers)
    request = exchange.request.body or b""
    assert request.isascii()
    assert b'"include_usage":true' in request
    text = b"".join(exchange.body).decode("utf-8")
    events = text.removesuffix("\n\n").split("\n\n")
    assert events[0] == events[1] == ": OPENROUTER PROCESSING"
    assert events.count(": OPENROUTER PROCESSING") == 3
    assert events[-1] == "data: [DONE]"
    assert '"choices":[],"usage":{"prompt_tokens":' in events[-2]
    chunks = [event for event in events[:-2] if event.startswith("data: ")]
    assert all('"delta":{"role":"assistant",' in event and '"provider":' in event for event in chunks)
    content = "".join(json.loads(event[6:])["choices"][0]["delta"]["content"] for event in chunks)
    for part in ("—", "cafe\u0301", "Z\u0338\u0322\u031b", "世界", "日本語", "한국어", "👨\u200d👩\u200d👧\u200d👦"):
        assert part in content
    # Raw, not escaped.
    assert "\\u" not in text


def test_the_neuralwatt_stream_declares_its_charset_and_tells_energy_between_usage_and_done() -> None:
    (exchange,) = captures.read(os.path.join(FOLDER, "neuralwatt", "chat-stream.yaml"))
    assert dict(exchange.headers)["Content-Type"] == "text/event-stream; charset=utf-8"
    events = b"".join(exchange.body).decode("utf-8").removesuffix("\n\n").split("\n\n")
    assert '"usage":{' in events[-3]
    assert events[-2].startswith(": energy {")
    assert events[-1] == "data: [DONE]"


@pytest.mark.parametrize("name", NAMES)
def test_vcrpy_ignores_the_header_and_never_writes_a_cassette_that_it_plays(name: str) -> None:
    path = os.path.join(FOLDER, name)
    before = os.stat(path).st_mtime_ns
    with vcr.use_cassette(path, record_mode="none") as cassette:
        assert len(cassette) == 1
    assert os.stat(path).st_mtime_ns == before
