"""What arrives from the relay, as bytes and with the times of their arrival: one request, and no redirect followed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from msgspec import Struct, field

from contracts.errors import EvidenceError
from contracts.evidence import http1, network
from contracts.relay.sent import MAX_BYTES

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable

    from contracts.evidence.keys import Key
    from contracts.model import Headers

HIDDEN = b"***"
QUIET_S = 1.0  # after which nothing more is waited for, once the provider holds the connection open for ever

ReceivedEnding = Literal["whole", "cut", "open", "over"]


class Question(Struct, frozen=True, kw_only=True):
    """A request as it is sent.

    Attributes:
        url: absolute.
        accept: the media type of the answer that is asked for.
        labels: headers that the dialect needs.
        credentials: headers that hold a key.
    """

    url: str
    accept: str
    labels: tuple[tuple[str, str], ...]
    credentials: tuple[tuple[str, str], ...]
    body: bytes


class Received(Struct, kw_only=True):
    """One answer of the relay.

    Attributes:
        status: None where no head came.
        chunks: what arrived when, in seconds of `time.monotonic`, without the chunks of HTTP.
        ending: `open` where the time was over or nothing more came of what is never ended, `over` where more came than
            is read.
        trouble: why there is no answer, or what is wrong with how it ended.
    """

    status: int | None = None
    headers: Headers = ()
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    ending: ReceivedEnding = "cut"
    trouble: str = ""


async def connect(url: str, context: ssl.SSLContext) -> network.Connection:
    """Connect to the host of a URL. Raises EvidenceError."""
    parts = urlsplit(url)
    host, is_tls = parts.hostname or "", parts.scheme == "https"
    connection = await network.connect(host, parts.port or (443 if is_tls else 80))
    return await connection.start_tls(context, host) if is_tls else connection


async def ask(
    connection: network.Connection, question: Question, limit_s: float, is_held: Callable[[], bool]
) -> Received:
    """Send a request on a connection of its own, and read the answer to its end, or as long as may be.

    `is_held` tells whether the provider sends nothing more and does not end either.
    """
    received = Received()
    try:
        async with asyncio.timeout(limit_s):
            await connection.write(_request(question))
            await _read(connection, received, is_held)
    except TimeoutError:
        received.ending, received.trouble = "open", f"nothing ended it within {limit_s:g} s"
    except http1.ChunkError as error:
        received.trouble = str(error)
    except (http1.CutError, ConnectionResetError):
        received.trouble = "the connection ended before its time"
    except EvidenceError as error:
        received.trouble = str(error)
    finally:
        connection.abort()
    return received


def _request(question: Question) -> bytes:
    parts = urlsplit(question.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    fixed = (
        ("Host", parts.netloc.rpartition("@")[2]),
        ("Content-Type", "application/json"),
        ("Content-Length", str(len(question.body))),
        ("Accept", question.accept),
        ("Accept-Encoding", "gzip, deflate"),
        ("Connection", "close"),
    )
    headers = (*fixed, *question.labels, *question.credentials)
    lines = [f"POST {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join((*lines, "", "")).encode() + question.body


async def _read(connection: network.Connection, received: Received, is_held: Callable[[], bool]) -> None:
    head, rest = await http1.head(connection)
    received.status = head.status
    received.headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
    size = 0
    pieces = aiter(http1.Body(connection, head, rest))
    while True:
        try:
            piece = await _next(pieces, is_held)
        except StopAsyncIteration:
            received.ending = "whole"
            return
        if piece is None:
            received.ending, received.trouble = "open", "nothing more came"
            return
        received.chunks.append((time.monotonic(), piece))
        size += len(piece)
        if size > MAX_BYTES:
            received.ending, received.trouble = "over", f"more than {MAX_BYTES >> 20} MiB came"
            return


async def _next(pieces: AsyncIterator[bytes], is_held: Callable[[], bool]) -> bytes | None:
    """Wait for what comes next; None where nothing does and the provider sends no more. Raises StopAsyncIteration."""
    task = asyncio.ensure_future(_piece(pieces))
    try:
        while not (await asyncio.wait((task,), timeout=QUIET_S))[0]:
            if is_held():
                return None
    finally:
        task.cancel()
    return await task


async def _piece(pieces: AsyncIterator[bytes]) -> bytes:
    return await anext(pieces)


def without(received: Received, key: Key | None) -> Received:
    """Take the key out of an answer that quotes it, before any of it is shown."""
    if key is None:
        return received
    text = key.reveal().encode()
    body = b"".join(piece for _, piece in received.chunks)
    if text in body:
        # When the pieces came counts for nothing in an answer that cannot be the provider's.
        received.chunks = [(received.chunks[-1][0], body.replace(text, HIDDEN))]
    received.headers = tuple((name, key.hidden_in(value)) for name, value in received.headers)
    return received
