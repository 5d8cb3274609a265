"""Connections on asyncio itself: they tell when bytes arrived, and say in words why there is none."""

from __future__ import annotations

import asyncio
import select
import ssl
from contextvars import ContextVar
from typing import Any

from contracts.errors import EvidenceError
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

    @property
    def has_bytes(self) -> bool:
        """Whether something has arrived that was not read."""
        return bool(self._pieces)

    async def read(self) -> bytes:
        """Give all that has arrived, at least one byte; nothing once the other side has ended.

        Raises:
            ConnectionResetError: where the connection was cut.
        """
        while not self._pieces:
            if self.is_ended:
                if self.error is not None:
                    raise ConnectionResetError("the connection was reset") from self.error
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


class Connection:
    """One connection, plain or within TLS. `peer` is `host:port`, for messages."""

    def __init__(self, transport: asyncio.Transport, pipe: Pipe, peer: str) -> None:
        """Hold a connection that was made."""
        self._transport, self._pipe, self._peer = transport, pipe, peer

    @property
    def is_readable(self) -> bool:
        """Whether something came unasked, or the other side has gone, also where the loop has not looked yet."""
        if self._pipe.is_readable or not hasattr(select, "poll"):
            return self._pipe.is_readable
        number: int = self._transport.get_extra_info("socket").fileno()
        if number < 0:
            return True  # closed on this side
        poll = select.poll()
        poll.register(number, select.POLLIN)
        return bool(poll.poll(0))

    @property
    def speaks_http2(self) -> bool:
        """Whether TLS agreed on HTTP/2."""
        tls = self._transport.get_extra_info("ssl_object")
        return tls is not None and tls.selected_alpn_protocol() == "h2"

    def about(self, name: str) -> Any:
        """Give what asyncio knows of the connection by a name of its own."""
        return self._transport.get_extra_info(name)

    async def read(self) -> bytes:
        """Read all that has arrived; nothing at the end.

        Raises:
            ConnectionResetError: where the connection was cut.
        """
        data = await self._pipe.read()
        seen = arrival.get()
        if seen is not None and data:
            seen.at, seen.count = self._pipe.at, self._pipe.arrivals
        return data

    async def write(self, data: bytes) -> None:
        """Write, and wait while the other side takes nothing.

        Raises:
            ConnectionResetError: where the connection has ended.
        """
        if self._pipe.is_ended:
            raise ConnectionResetError("the connection was closed")
        self._transport.write(data)
        await self._pipe.drain()

    def abort(self) -> None:
        """Close without waiting for a goodbye that may never come."""
        self._transport.abort()

    async def start_tls(self, context: ssl.SSLContext, host: str) -> Connection:
        """Begin TLS.

        Raises:
            EvidenceError: saying what is wrong with the certificate or the handshake.
        """
        loop = asyncio.get_running_loop()
        if self._pipe.has_bytes:
            # They would be read later as if they had come within TLS, whoever put them there.
            self._transport.abort()
            raise EvidenceError(f"{host} or what is before it sent bytes ahead of the TLS handshake", "tls")
        try:
            made = await loop.start_tls(
                self._transport, self._pipe, context, server_hostname=host, ssl_shutdown_timeout=TLS_CLOSE_S
            )
        except (OSError, ssl.SSLError) as error:
            self._transport.abort()
            raise of_tls(error, host) from error
        except BaseException:
            self._transport.abort()
            raise
        assert made is not None  # noqa: S101 - None comes only where the connection was lost before, which raises
        self._pipe.connection_made(made)
        return Connection(made, self._pipe, self._peer)


async def connect(host: str, port: int, via: str | None = None) -> Connection:
    """Connect to whichever address answers first; `via` is the variable that named the host as a proxy.

    Raises:
        EvidenceError: phase `dns`, `connect` or `proxy`.
    """
    loop = asyncio.get_running_loop()
    pipe = Pipe(loop)
    try:
        # RFC 8305: a second address is tried after a quarter of a second. An address itself has no second.
        delay = None if host[-1:].isdigit() or ":" in host else 0.25
        transport, _ = await loop.create_connection(lambda: pipe, host, port, happy_eyeballs_delay=delay)
    except (OSError, UnicodeError) as error:
        raise refused(error, f"{host}:{port}", via) from error
    return Connection(transport, pipe, f"{host}:{port}")
