"""The wire to one origin. It never decodes, never follows and never decides: the spend guard stands before it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from contracts.errors import EvidenceError
from contracts.evidence import http1, network, troubles

if TYPE_CHECKING:
    from contracts.evidence.proxies import Proxy

PER_HOST = 4  # connections; browsers take six
PORTS = {"http": 80, "https": 443}


class Outgoing(NamedTuple):
    """A request as it will be sent; `Host` and `Content-Length` are the transport's own."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""


class Incoming(NamedTuple):
    """An answer whose head has arrived. `close` ends it, whether or not all of its body was read."""

    status: int
    headers: http1.RawHeaders
    body: AsyncIterator[bytes] | http1.Body
    close: Callable[[], Any]


class Transport(Protocol):
    """Sends requests."""

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send one request and give its answer; `phase[0]` is kept at what it waits for.

        Raises:
            EvidenceError: where there is no answer.
        """

    async def aclose(self) -> None:
        """End every connection."""


def has_http2() -> bool:
    """Tell whether the extra `http2` is installed."""
    return find_spec("h2") is not None


class Wire:
    """The connections to one origin, directly or through a proxy."""

    def __init__(self, base_url: str, context: ssl.SSLContext | None, proxy: Proxy | None = None) -> None:
        """Prepare; nothing is connected before the first request. A context is needed for https and proxies alone.

        Raises:
            EvidenceError: for a SOCKS proxy without the package that speaks to it.
        """
        parts = urlsplit(base_url)
        self._tls = parts.scheme == "https"
        self._host, self._port = parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0)
        self._context, self._via = context, proxy.variable if proxy else None
        self._idle: list[network.Connection] = []
        self._open: set[network.Connection] = set()
        self._two: Any = None
        self._agreeing = asyncio.Lock()
        self._pool: Any = None
        if proxy is not None:
            from contracts.evidence import pooled

            assert context is not None  # noqa: S101 - made where a variable names a proxy
            self._pool = pooled.through(proxy, context, PER_HOST, http2=has_http2())

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send one request and give its answer.

        Raises:
            EvidenceError: where there is no answer.
        """
        over = self._pool or self._two
        if over is not None:
            return await self._by_httpcore(over, request, phase)
        while self._idle:
            connection = self._idle.pop()
            if connection.is_readable:  # the other side has gone, or says what nobody asked
                self._drop(connection)
                continue
            try:
                return await self._by_http1(connection, request, phase)
            except EvidenceError as error:
                # It may have gone just before: a GET that got no byte is sent again, as RFC 9110, 9.2.2, allows.
                if request.method != "GET" or not troubles.is_gone(error):
                    raise
        phase[0] = "connect"
        if not self._tls:
            return await self._by_http1(await self._connected(), request, phase)
        phase[0] = "tls"
        async with self._agreeing:
            if self._two is None:
                connection = await self._secured(phase)
                if connection.speaks_http2:
                    from contracts.evidence import pooled

                    self._two = pooled.over_http2(connection, request.url)
        if self._two is not None:
            return await self._by_httpcore(self._two, request, phase)
        return await self._by_http1(connection, request, phase)

    async def aclose(self) -> None:
        """End every connection."""
        for connection in tuple(self._open):
            self._drop(connection)
        if self._pool is not None:
            await self._pool.aclose()

    async def _connected(self) -> network.Connection:
        connection = await network.connect(self._host, self._port)
        self._open.add(connection)
        return connection

    async def _secured(self, phase: list[str]) -> network.Connection:
        assert self._context is not None  # noqa: S101 - made where a row is https
        phase[0] = "connect"
        plain = await network.connect(self._host, self._port)
        phase[0] = "tls"
        connection = await plain.start_tls(self._context, self._host)
        self._open.add(connection)
        return connection

    def _drop(self, connection: network.Connection) -> None:
        connection.abort()
        self._open.discard(connection)

    async def _by_http1(self, connection: network.Connection, request: Outgoing, phase: list[str]) -> Incoming:
        try:
            phase[0] = "write"
            await connection.write(_encoded(request))
            phase[0] = "headers"
            head, rest = await http1.head(connection)
        except (http1.CutError, ConnectionResetError) as error:
            self._drop(connection)
            raise troubles.of_cut(error) from error
        except BaseException:
            self._drop(connection)
            raise
        body = http1.Body(connection, head, rest)

        def close() -> None:
            if body.is_whole and connection in self._open:
                self._idle.append(connection)
            else:
                self._drop(connection)

        return Incoming(head.status, head.headers, body, close)

    async def _by_httpcore(self, over: Any, request: Outgoing, phase: list[str]) -> Incoming:
        from contracts.evidence import pooled

        try:
            response = await pooled.send(over, request, phase)
        except pooled.FAILED as error:
            raise troubles.of_httpcore(error, self._via) from error

        async def body() -> AsyncIterator[bytes]:
            try:
                async for chunk in response.aiter_stream():
                    yield chunk
            except pooled.CUT as error:
                raise http1.CutError from error

        return Incoming(response.status, response.headers, body(), response.aclose)


def parts(url: str) -> tuple[str, str]:
    """Give the authority and the target of an absolute URL without credentials and fragment."""
    begin = url.index("://") + 3
    slash = url.find("/", begin)
    return (url[begin:], "/") if slash < 0 else (url[begin:slash], url[slash:])


def _encoded(request: Outgoing) -> bytes:
    authority, target = parts(request.url)
    lines = [f"{request.method} {target} HTTP/1.1", f"Host: {authority}"]
    lines += [f"{name}: {value}" for name, value in request.headers]
    if request.body or request.method == "POST":
        lines.append(f"Content-Length: {len(request.body)}")
    text = "\r\n".join(lines)
    ends = len(lines) - 1
    # A blank or a control character in a target that a redirect named would be read as another request by some.
    is_plain = " " not in target and target.isprintable()
    if not text.isascii() or text.count("\r") != ends or text.count("\n") != ends or not is_plain:
        raise EvidenceError("the request cannot be written as HTTP", "write")
    return f"{text}\r\n\r\n".encode() + request.body
