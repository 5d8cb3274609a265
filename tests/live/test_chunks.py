"""Chunks of HTTP that are none are told as what they are, and not as a connection that was cut."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable

import pytest

from tests.live.conftest import FREE, Check, row
from tests.live.test_raw_wire import raw

HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: "
LISTING = json.dumps({"data": [{"id": FREE, "pricing": {"prompt": "0", "completion": "0"}}]}).encode()
EVENT = (
    'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"loopback/libre","choices":[{"index":0,'
    '"delta":{"role":"assistant","content":"Grüße — 你好"},"finish_reason":null}]}\n\n'
)


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def speaker(listing: bytes, chat: bytes) -> Callable[[socket.socket], None]:
    """Answer in chunks, whatever these are."""

    def speak(connection: socket.socket) -> None:
        asked = connection.recv(65536)
        if asked.startswith(b"GET"):
            connection.sendall(HEAD + b"application/json\r\n\r\n" + listing)
        else:
            connection.sendall(HEAD + b"text/event-stream; charset=utf-8\r\n\r\n" + chat)

    return speak


BROKEN = [
    (b"gr\xc3\xb6\xc3\x9fe\r\n", "should be a hexadecimal number, found 'gr\\xc3\\xb6\\xc3\\x9fe'"),
    (b"-1\r\n", "found '-1'"),
    (b"3\r\n: adef", "longer than its size says: 'de' where its line should end"),
]


@pytest.mark.parametrize(("chunks", "said"), BROKEN, ids=["no number", "negative", "too long"])
def test_a_listing_whose_chunks_are_none_is_unknown_for_that_reason(chunks: bytes, said: str, check: Check) -> None:
    with raw(speaker(chunk(LISTING[:20]) + chunks, b"")) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None)})
    assert got.outcome("models.shape") == "unknown"
    assert said in got.reason("models.shape")
    assert "cut" not in got.reason("models.shape")


@pytest.mark.parametrize(("chunks", "said"), BROKEN, ids=["no number", "negative", "too long"])
def test_a_stream_whose_chunks_are_none_breaks_the_promise_that_nothing_is_lost(
    chunks: bytes, said: str, check: Check
) -> None:
    whole = chunk(LISTING) + b"0\r\n\r\n"
    with raw(speaker(whole, chunk(EVENT.encode()) + chunks)) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None)})
    assert got.outcome("sse.framing") == "violated"
    assert said in got.reason("sse.framing")


def test_a_connection_that_is_cut_is_still_told_as_one(check: Check) -> None:
    with raw(speaker(chunk(LISTING[:20]), b"")) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None)})
    assert got.reason("models.shape") == "the connection was cut within the answer"
