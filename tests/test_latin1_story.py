"""The case this project was born from: a stream without a charset, and what became of its text.

`requests` falls back to ISO-8859-1 for `text/*` without a charset (`requests.utils.get_encoding_from_headers`). A proxy
that decodes so and encodes as UTF-8 doubles the encoding of every character beyond ASCII, and what it hands on is
valid UTF-8: no decoder down the line will ever complain.
"""

from __future__ import annotations

import os
from email.message import Message

import httpx
import pytest
import vcr  # type: ignore[import-untyped] # vcrpy ships no types

from contracts import captures
from contracts.text import damage

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OPENROUTER = os.path.join(ROOT, "cassettes", "openrouter", "chat-stream.yaml")
NEURALWATT = os.path.join(ROOT, "cassettes", "neuralwatt", "chat-stream.yaml")


def replayed(cassette: str) -> httpx.Response:
    """Ask again what was asked when the cassette was recorded, through httpx; vcrpy has to be the one that answers."""
    (exchange,) = captures.read(cassette)
    asked = exchange.request
    with vcr.use_cassette(cassette, record_mode="none", match_on=["method", "uri", "body"]) as tape:
        with httpx.Client() as client:
            response = client.request(asked.method, asked.url, content=asked.body, headers=dict(asked.headers))
        # A swapped HTTP client would pass the cassette by without a word.
        assert tape.play_count == 1
        assert tape.all_played
    return response


def charset_as_requests_has_it(content_type: str) -> str | None:
    """Charset that requests takes from a Content-Type: the declared one, else ISO-8859-1 for text, else none."""
    message = Message()
    message["content-type"] = content_type
    charset = message.get_param("charset")
    if isinstance(charset, str):
        return charset
    return "ISO-8859-1" if message.get_content_maintype() == "text" else None


def handed_on(response: httpx.Response) -> bytes:
    """What a proxy hands on that decodes as requests does and encodes as UTF-8."""
    charset = charset_as_requests_has_it(response.headers["content-type"])
    assert charset is not None
    return response.content.decode(charset).encode("utf-8")


def test_the_fallback_doubles_the_encoding_and_its_output_is_valid_utf_8() -> None:
    response = replayed(OPENROUTER)
    sent, spoilt = response.content, handed_on(response)
    assert response.headers["content-type"] == "text/event-stream"
    assert charset_as_requests_has_it("text/event-stream") == "ISO-8859-1"
    assert "A dash —" in sent.decode("utf-8")

    text = spoilt.decode("utf-8")
    assert "A dash \u00e2\u0080\u0094" in text
    assert "—" not in text
    assert "世" not in text
    assert "\u00e4\u00b8\u0096\u00e7\u0095\u008c" in text
    # Each byte beyond ASCII became one character, and two bytes.
    beyond = sum(byte >= 0x80 for byte in sent)
    assert beyond > 100
    assert len(spoilt) == len(sent) + beyond
    # Nothing that counts bytes of ASCII only, as the framing of the stream does, can see a difference.
    assert spoilt.count(b"\n\n") == sent.count(b"\n\n")


def test_our_path_leaves_every_byte_alone() -> None:
    (exchange,) = captures.read(OPENROUTER)
    assert b"".join(exchange.body) == replayed(OPENROUTER).content


def test_the_damage_is_found_in_what_the_fallback_hands_on_and_none_in_what_was_sent() -> None:
    response = replayed(OPENROUTER)
    found = damage.find(handed_on(response).decode("utf-8"))
    assert [one.kind for one in found] == ["double-utf8-latin1"]
    assert found[0].sample == "U+00E2 U+0080 U+0094"
    (exchange,) = captures.read(OPENROUTER)
    assert damage.find(b"".join(exchange.body).decode("utf-8")) == ()


@pytest.mark.parametrize("cassette", [NEURALWATT])
def test_a_declared_charset_saves_the_same_proxy(cassette: str) -> None:
    response = replayed(cassette)
    assert charset_as_requests_has_it(response.headers["content-type"]) == "utf-8"
    assert handed_on(response) == response.content
    assert not response.content.isascii()
