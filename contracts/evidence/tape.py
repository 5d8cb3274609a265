"""A tape: what went over the wire to one provider, both ways, as bytes with their times.

It runs behind the spend guard, so that nothing is on it that the guard did not let pass.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from time import monotonic
from typing import TYPE_CHECKING

from contracts.evidence.http1 import CutError
from contracts.model import Ended
from contracts.wire import content_coding as coding

if TYPE_CHECKING:
    from contracts.evidence.limits import Bounds
    from contracts.evidence.transport import Incoming, Outgoing, Transport
    from contracts.facts import Fault
    from contracts.model import Headers


class Take:
    """One request and its answer, so far. Times in ms since the request was sent; `chunks` as they were on the wire."""

    def __init__(self, request: Outgoing) -> None:
        """Start with a request that is about to be sent."""
        self.method, self.url, self.body = request.method, request.url, request.body
        self.request_headers: Headers = request.headers
        self.status = 0
        self.headers: Headers = ()
        self.chunks: list[bytes] = []
        self.arrivals_ms: list[float] = []
        self.ended = Ended.UNKNOWN


class Tape:
    """Wraps the transport of one provider and keeps what passes."""

    def __init__(self, inner: Transport) -> None:
        """Start with an empty tape."""
        self._inner = inner
        self.takes: list[Take] = []

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send a request, and keep it with its answer."""
        take = Take(request)
        started_at = monotonic()
        response = await self._inner.send(request, phase)
        take.status, take.headers = response.status, pairs(response.headers)
        self.takes.append(take)
        return response._replace(body=_taken(response.body, take, started_at))

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()


async def _taken(body: AsyncIterable[bytes], take: Take, started_at: float) -> AsyncIterator[bytes]:
    """Keep a body as it is read; whoever reads it sets its limits."""
    try:
        async for chunk in body:
            if chunk:
                take.chunks.append(chunk)
                take.arrivals_ms.append((monotonic() - started_at) * 1000)
            yield chunk
    except CutError:
        take.ended = Ended.CUT
        raise
    take.ended = Ended.COMPLETE


def decoded(take: Take, bounds: Bounds) -> tuple[tuple[bytes, ...], tuple[float, ...], Fault | None]:
    """Take the coding off a body chunk by chunk, so that each keeps the time of its arrival; and tell its fault."""
    unpacked = coding.Decoder(coding.declared(take.headers), bounds.listing_bytes)
    pieces: list[tuple[float, bytes]] = []
    for ms, chunk in zip(take.arrivals_ms, take.chunks, strict=True):
        pieces.append((ms, b"".join(unpacked.feed(chunk))))
    last_ms = take.arrivals_ms[-1] if take.arrivals_ms else 0.0
    pieces.append((last_ms, b"".join(unpacked.finish(cut=take.ended is Ended.CUT))))
    whole = [(ms, piece) for ms, piece in pieces if piece]
    return tuple(piece for _, piece in whole), tuple(ms for ms, _ in whole), unpacked.fault


def pairs(raw: list[tuple[bytes, bytes]]) -> Headers:
    """Give headers in order, as they came."""
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)
