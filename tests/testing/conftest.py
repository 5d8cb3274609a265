"""A client on a bare socket: what it read is what was sent, with nothing set right on the way."""

from __future__ import annotations

import contextlib
import socket
import ssl
import zlib
from collections.abc import Callable, Iterator, Sequence
from errno import ENOTCONN
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from contracts.model import Ended, Exchange, Request, Source
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from tools import questions

__all__ = ["hostile_provider"]

DEADLINE_S = 5.0  # for one read; nothing here waits for it unless something is broken
request_for = questions.ask


class Got(NamedTuple):
    """One answer. `pieces` are the chunks of a chunked body; `is_whole` says that its end was told and reached."""

    status: int
    headers: tuple[tuple[str, str], ...]
    pieces: tuple[bytes, ...]
    is_whole: bool
    is_reset: bool
    raw: bytes
    request: Request

    def header(self, name: str) -> str:
        return next((v for n, v in self.headers if n.lower() == name), "")

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    def exchange(self) -> Exchange:
        """Give what a client would hand over: the body decoded as its coding says."""
        pieces: tuple[bytes, ...] = self.pieces
        if self.header("content-encoding") == "gzip":
            pieces = (zlib.decompress(self.body, zlib.MAX_WBITS | 16),)
        ended = Ended.COMPLETE if self.is_whole else Ended.CUT
        return Exchange(
            request=self.request,
            status=self.status,
            headers=self.headers,
            body=pieces,
            ref="loopback",
            ended=ended,
            source=Source.SYNTHETIC,
        )


def to_bytes(request: Request) -> bytes:
    """Write a request as HTTP/1.1."""
    head = "".join(f"{n}: {v}\r\n" for n, v in request.headers)
    body = request.body or b""
    return f"{request.method} {request.url} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def connect(provider: HostileProvider) -> socket.socket:
    """Open a connection, with TLS where the provider has it."""
    where = urlsplit(provider.base_url)
    host = where.hostname or ""
    raw = socket.create_connection((host, where.port or 0), timeout=DEADLINE_S)
    if where.scheme == "http":
        return raw
    assert provider.authority_pem is not None
    context = ssl.create_default_context(cadata=provider.authority_pem.decode())
    return context.wrap_socket(raw, server_hostname=host)


def received(connection: socket.socket, limit: int) -> Iterator[bytes]:
    """Read until the end, or until so many bytes came. Raises ConnectionResetError where the other side did."""
    while limit > 0 and (data := connection.recv(min(limit, 1 << 20))):
        limit -= len(data)
        yield data


def parse(raw: bytes, request: Request, *, is_reset: bool = False) -> Got:
    """Read the first final answer out of bytes."""
    head, _, rest = raw.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 1"):
        head, _, rest = rest.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    status = int(lines[0].split(" ")[1]) if lines[0].startswith("HTTP/1.1 ") else 0
    headers = tuple((n, v.strip()) for n, _, v in (line.partition(":") for line in lines[1:]))
    named = {n.lower(): v for n, v in headers}
    if named.get("transfer-encoding") == "chunked":
        pieces, is_whole = dechunk(rest)
    elif "content-length" in named:
        length = int(named["content-length"])
        pieces, is_whole = (rest[:length],), len(rest) >= length
    else:
        pieces, is_whole = (rest,), not is_reset
    return Got(status, headers, pieces, is_whole, is_reset, raw, request)


def dechunk(data: bytes) -> tuple[tuple[bytes, ...], bool]:
    """Give the chunks of a body, a last one that was cut too, and whether the end was told."""
    pieces: list[bytes] = []
    at = 0
    while (end := data.find(b"\r\n", at)) > 0:
        size = int(data[at:end], 16)
        if size == 0:
            return tuple(pieces), True
        pieces.append(data[end + 2 : end + 2 + size])
        at = end + 2 + size + 2
    return tuple(pieces), False


def shut_down(connection: socket.socket) -> int:
    """Say that nothing more will be sent; gives the number of the error, or 0."""
    try:
        connection.shutdown(socket.SHUT_WR)
    except OSError as error:
        return error.errno or 0
    return 0


def ask(provider: HostileProvider, request: Request, *, limit: int = 1 << 26) -> Got:
    """Ask, say that nothing more will be asked, and read to the end.

    A provider that would hold the connection open sees the client's end and ends too, so that no silence has to be
    waited for.
    """
    data, is_reset = bytearray(), False
    with connect(provider) as connection:
        connection.sendall(to_bytes(request))
        # Where a reset came before it, there is nothing left to shut down, and still something to read.
        if not isinstance(connection, ssl.SSLSocket) and (code := shut_down(connection)):
            assert code == ENOTCONN
            is_reset = True
        try:
            for piece in received(connection, limit):
                data += piece
        except ConnectionResetError:
            is_reset = True
    return parse(bytes(data), request, is_reset=is_reset)


Play = Callable[..., Got]


@pytest.fixture
def play() -> Play:
    """Start a provider, ask it once, and end it."""

    def once(
        *names: str, shown: str = "stream", limit: int = 1 << 26, dialect: str = "openai-chat", **options: Any
    ) -> Got:
        with HostileProvider(*names, interval_s=0.0, dialect=dialect, **options) as provider:
            return ask(provider, request_for(shown, dialect), limit=limit)

    return once


class Client:
    """The functions above, for tests that do more than ask once."""

    KEY, MODEL = questions.KEY, questions.MODEL
    ask = staticmethod(ask)
    connect = staticmethod(connect)
    parse = staticmethod(parse)
    received = staticmethod(received)
    request_for = staticmethod(request_for)
    to_bytes = staticmethod(to_bytes)

    @staticmethod
    def talk(provider: HostileProvider, requests: Sequence[Request]) -> bytes:
        """Send all requests in one write, and give all that came back."""
        with connect(provider) as connection, contextlib.suppress(ConnectionResetError):
            connection.sendall(b"".join(map(to_bytes, requests)))
            connection.shutdown(socket.SHUT_WR)
            return b"".join(received(connection, 1 << 26))
        return b""


@pytest.fixture(scope="session")
def client() -> type[Client]:
    return Client
