"""Read one answer off the wire: its bytes within bounds, their arrival times, their coding, and how it ended."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from contracts.errors import EvidenceError
from contracts.evidence.http1 import ChunkError, CutError
from contracts.facts import Facts, Fault, Timing
from contracts.fold import Fold, Limits
from contracts.wire import content_coding as coding
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from contracts.dialects import Dialect, Tables
    from contracts.evidence.limits import Bounds
    from contracts.evidence.network import Arrival
    from contracts.evidence.transport import Incoming
    from contracts.facts import AnswerKind
    from contracts.model import Headers, Request


class Reader(NamedTuple):
    """What is the same for every answer of a provider."""

    dialect: Dialect
    tables: Tables
    bounds: Bounds


class Wanted(NamedTuple):
    """Which answer is read: to what request, of what kind, and about which model."""

    request: Request
    kind: AnswerKind
    about: str | None = None


class Clock:
    """Arrival times of one answer, in ms since its request was sent."""

    def __init__(self, seen: Arrival, sent_at: float) -> None:
        """Start when the request was sent, by the loop's clock."""
        self._seen, self._sent_at, self._last_at = seen, sent_at, sent_at
        self._first_at: float | None = None
        self._count = -1
        self._arrivals = 0
        self._gap = 0.0

    def tick(self) -> None:
        """Note that bytes of the body were read, perhaps from an arrival that brought others before."""
        if self._seen.count == self._count:
            return
        self._count = self._seen.count
        self._arrivals += 1
        at = max(self._seen.at, self._last_at)
        if self._first_at is None:
            self._first_at = at
        else:
            self._gap = max(self._gap, at - self._last_at)
        self._last_at = at

    def timing(self, now: float) -> Timing:
        """Give the times; what is silent until now counts as a gap."""
        gap = self._gap if self._first_at is None else max(self._gap, now - self._last_at)
        first_ms = None if self._first_at is None else _ms(self._first_at - self._sent_at)
        return Timing(
            first_byte_ms=first_ms,
            total_ms=_ms(now - self._sent_at),
            longest_gap_ms=_ms(gap),
            arrivals=self._arrivals,
        )


def head(response: Incoming, bounds: Bounds) -> Headers:
    """Give the headers in order, as they came.

    Raises:
        EvidenceError: where there are too many or they are too large.
    """
    raw = response.headers
    if len(raw) > bounds.headers:
        raise EvidenceError(f"the answer has {len(raw)} headers, at most {bounds.headers} are read", "headers")
    if sum(len(name) + len(value) for name, value in raw) > bounds.header_bytes:
        raise EvidenceError(f"the headers of the answer have more than {bounds.header_bytes} bytes", "headers")
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in raw)


async def read(response: Incoming, wanted: Wanted, reader: Reader, clock: Clock, deadline: float) -> Facts:
    """Read an answer to its end, to a limit, or to the deadline (by the loop's clock), and give its Facts.

    Raises:
        EvidenceError: where the headers are beyond their limits.
    """
    loop, bounds = asyncio.get_running_loop(), reader.bounds
    headers = head(response, bounds)
    limit = _limit(wanted.kind, response.status, bounds)
    # One byte more than the fold will keep, so that it drops what is too long rather than parse it.
    unpacked = coding.Decoder(coding.declared(headers), limit + 1)
    fold = Fold(
        wanted.request, response.status, headers, reader.dialect, reader.tables,
        wanted.kind, Limits(body_bytes=limit), wanted.about,
    )  # fmt: skip
    stopped = broken = None
    ended = "complete"
    try:
        async with asyncio.timeout_at(deadline):
            async for chunk in response.body:
                clock.tick()
                for piece in unpacked.feed(chunk):
                    fold.feed(piece)
                stopped = _stopped(unpacked, fold, limit, bounds)
                if stopped is not None:
                    break
    except TimeoutError:
        stopped = Fault(kind="deadline", detail="deadline: the time was up while the answer was being read")
    except CutError as error:
        ended = "cut"
        broken = Fault(kind="chunks", detail=str(error)) if isinstance(error, ChunkError) else None
    for piece in unpacked.finish(cut=stopped is not None or ended == "cut"):
        fold.feed(piece)
    facts = structs.replace(fold.finish("unknown" if stopped else ended), broken=broken)
    if stopped is None:
        stopped = _spoilt(unpacked, facts)
    return structs.replace(
        facts,
        coding=unpacked.facts(),
        timing=clock.timing(loop.time()),
        limits=() if stopped is None else (stopped,),
    )


def _limit(kind: AnswerKind, status: int, bounds: Bounds) -> int:
    if not is_success(status):
        return bounds.error_bytes
    return bounds.stream_bytes if kind == "chat" else bounds.listing_bytes


def _stopped(unpacked: coding.Decoder, fold: Fold, limit: int, bounds: Bounds) -> Fault | None:
    """Tell the limit that was reached, None while there is room."""
    if unpacked.stopped:
        if unpacked.fault is not None:
            return coding.unread(unpacked.fault)
        return Fault(kind="body-too-large", detail=f"the body is longer than {limit} bytes", byte=limit)
    if fold.events > bounds.events:
        return Fault(kind="too-many-events", detail=f"the stream has more than {bounds.events} events")
    return None


def _spoilt(unpacked: coding.Decoder, facts: Facts) -> Fault | None:
    """Tell what spoilt a body that was read to its end: its coding, or a connection that was cut within a JSON text."""
    spoilt = coding.undecodable(unpacked.fault)
    if spoilt is not None:
        return spoilt
    if (
        facts.ended == "cut"
        and facts.framing is None
        and any(f.kind in ("truncated", "too-large", "empty") for f in facts.json_faults)
    ):
        if facts.broken is not None:
            return Fault(kind="chunks", detail=f"the body cannot be read to its end: {facts.broken.detail}")
        return Fault(kind="cut", detail="the connection was cut within the answer")
    return None


def _ms(seconds: float) -> float:
    return round(max(0.0, seconds) * 1000, 1)
