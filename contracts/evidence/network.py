"""Connections for httpcore, on asyncio itself: they tell when bytes arrived, and say in words why there is none."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import httpcore

from contracts.evidence.troubles import of_tls, refused

HIGH_WATER = 256 * 1024  # bytes that wait to be read before the other side is slowed down
TLS_CLOSE_S = 0.5  # how long a polite end of TLS may take


class Arrival:
    """When bytes last arrived for a request, by the loop's clock, and how many arrivals there were."""

    __slots__ = ("at", "count")

    def __init__(self) -> None:
        """Start before the first byte."""
        self.at, self.count = 0.0, 0


arrival: ContextVar[Arrival | None] = ContextVar("arrival", default=None)
"""Set by whoever sends a request, and filled by the connection that reads its answer."""


class Pipe(asyncio.Protocol):
    """What arrives on one connection, until it is read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start with nothing."""
        self._loop = loop
        self._transport: asyncio.Transport | None = None
        self._pieces: list[bytes] = []
        self._size = self.arrivals = 0
        self.at = 0.0
        self._waiter: asyncio.Future[None] | None = None
        self._room = asyncio.Event()
        self._room.set()
        self._is_paused = False
        self.is_ended = False
        self.error: Exception | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the transport, also the one that TLS puts in its place."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - only streams are made here
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Keep what arrived."""
        self.at = self._loop.time()
        self.arrivals += 1
        self._pieces.append(data)
        self._size += len(data)
        if self._size > HIGH_WATER and not self._is_paused and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        """Note that nothing more will come; asyncio then closes the connection."""
        self.is_ended = True
        self._wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end, and why."""
        self.is_ended, self.error = True, exc
        self._room.set()
        self._wake()

    def pause_writing(self) -> None:
        """Wait before writing more."""
        self._room.clear()

    def resume_writing(self) -> None:
        """Go on writing."""
        self._room.set()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    @property
    def is_readable(self) -> bool:
        """Whether a read would not wait."""
        return bool(self._pieces) or self.is_ended

    async def read(self) -> bytes:
        """Give all that has arrived, at least one byte; nothing once the other side has ended."""
        while not self._pieces:
            if self.is_ended:
                if self.error is not None:
                    raise httpcore.ReadError("the connection was reset") from self.error
                return b""
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        data = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
        return data

    async def drain(self) -> None:
        """Wait until more may be written."""
        await self._room.wait()


class Connection(httpcore.AsyncNetworkStream):
    """One connection, plain or within TLS."""

    def __init__(self, transport: asyncio.Transport, pipe: Pipe, peer: str) -> None:
        """Hold a connection to `peer`, `host:port` for messages."""
        self._transport, self._pipe, self._peer = transport, pipe, peer

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's name
        """Read what has arrived. The run's deadline bounds the wait, not `timeout`."""
        del max_bytes, timeout
        data = await self._pipe.read()
        seen = arrival.get()
        if seen is not None and data:
            seen.at, seen.count = self._pipe.at, self._pipe.arrivals
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's name
        """Write, and wait while the other side takes nothing."""
        del timeout
        if not buffer:
            return
        if self._pipe.is_ended:
            raise httpcore.WriteError("the connection was closed")
        self._transport.write(buffer)
        await self._pipe.drain()

    async def aclose(self) -> None:
        """Close without waiting for a goodbye that may never come."""
        self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
    ) -> httpcore.AsyncNetworkStream:
        """Begin TLS.

        Raises:
            EvidenceError: saying what is wrong with the certificate or the handshake.
        """
        del timeout
        loop = asyncio.get_running_loop()
        try:
            made = await loop.start_tls(
                self._transport,
                self._pipe,
                ssl_context,
                server_hostname=server_hostname,
                ssl_shutdown_timeout=TLS_CLOSE_S,
            )
        except (OSError, ssl.SSLError) as error:
            self._transport.abort()
            raise of_tls(error, server_hostname or self._peer) from error
        assert made is not None  # noqa: S101 - None comes only where the connection was lost before, which raises
        self._pipe.connection_made(made)
        return Connection(made, self._pipe, self._peer)

    def get_extra_info(self, info: str) -> Any:
        """Tell httpcore what it asks of a connection."""
        if info == "is_readable":
            return self._pipe.is_readable
        return self._transport.get_extra_info({"client_addr": "sockname", "server_addr": "peername"}.get(info, info))


class Network(httpcore.AsyncNetworkBackend):
    """Makes connections. `via` names the proxy that they lead to, by the variable that set it."""

    def __init__(self, via: str | None = None) -> None:
        """Make connections to providers, or to a proxy."""
        self._via = via

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to whichever address answers first.

        Raises:
            EvidenceError: phase `dns`, `connect` or `proxy`.
        """
        del timeout, local_address, socket_options
        loop = asyncio.get_running_loop()
        pipe = Pipe(loop)
        try:
            # RFC 8305: a second address is tried after a quarter of a second.
            transport, _ = await loop.create_connection(lambda: pipe, host, port, happy_eyeballs_delay=0.25)
        except (OSError, UnicodeError) as error:
            raise refused(error, f"{host}:{port}", self._via) from error
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Connection(transport, pipe, f"{host}:{port}")

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)
