"""Server-sent events out of bytes that come in pieces, with the facts of the framing.

Sans-IO and exactly the WHATWG standard: one BOM is dropped, a line ends in LF, CRLF or CR, a block is what
stands between two empty lines, and the block at the end of the body that no empty line ended is not dispatched.
Source: https://html.spec.whatwg.org/multipage/server-sent-events.html (read 2026-11-30).

Three speeds: a read that is one plain event; blocks of one shape, cut by a single split; lines one by one.
Whatever the speed and wherever the reads cut, events and facts are the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from contracts.facts import Framing
from contracts.wire.blank_lines import first_blank, last_blank
from contracts.wire.octets import CR, LF, is_utf_8
from contracts.wire.sse_blocks import Blocks, Event
from contracts.wire.sse_fields import may_go_on, tail_data

__all__ = ["Decoder", "Event"]

_BOM = b"\xef\xbb\xbf"
_NONE: tuple[Event, ...] = ()
_SMALL = 1024  # bytes; a read up to this size within a line is only put by, so at most _SMALL * _MANY are waiting
_LARGE = 8192  # bytes; from here on a copy takes longer than what spares it
_MANY = 512  # pieces; then they are joined and held against the limit
_TAIL_BYTES = 65_536  # of the undispatched data; a close marker or an error object is far shorter


class Decoder:
    """One event stream.

    The size of an event is that of its block's lines with their ends, without the empty line. A block past
    `max_event_bytes` is dropped and `Framing.over_limit` tells so; its bytes are still checked, its fields count for
    nothing.
    """

    __slots__ = (
        "_at",
        "_blank",
        "_blocks",
        "_bom",
        "_kept",
        "_last_id",
        "_limit",
        "_longest",
        "_lost",
        "_pieces",
        "_quick",
        "_singles",
        "_start",
        "_swallow",
        "_tail",
        "_trim",
    )

    def __init__(self, max_event_bytes: int = 8 * 1024 * 1024) -> None:
        """Begin at the first byte of a body."""
        self._limit = max(1, max_event_bytes)
        self._blocks = Blocks(self._limit)
        self._at = 0  # offset of the unfinished block
        self._pieces: list[bytes] = []  # of the unfinished block, as they came
        self._kept = bytearray()  # its bytes before those, once they were many
        self._lost = 0  # how many before those were thrown away
        self._bom = False
        self._tail: bytes | None = None
        self._start = True  # a BOM may come
        self._swallow = False  # a CR ended the last block; an LF now belongs to it
        self._quick = False  # neither of these, and no line has just ended within a block
        self._singles = 0  # events that came as a read of their own and self._blocks knows nothing of yet
        self._copy()

    def feed(self, chunk: bytes) -> Sequence[Event]:
        """Take the next bytes, cut anywhere; return the events they ended.

        A CR ends its line at once, so an event keeps its true time of arrival.
        """
        if not self._quick:
            return self._feed(chunk)
        if LF not in chunk:
            if CR not in chunk and len(chunk) <= _SMALL:
                pieces = self._pieces
                pieces.append(chunk)
                if len(pieces) > _MANY:
                    self._squeeze()
                return _NONE
        elif chunk[:6] == b"data: " and chunk[self._trim :] == self._blank and not self._pieces:
            data = chunk[6 : self._trim]
            # Not longer than one before it: so within the limit, and no new longest.
            if (
                LF not in data
                and CR not in data
                and 0 not in data
                and len(chunk) <= self._longest
                and (chunk.isascii() or is_utf_8(chunk))
            ):
                at = self._at
                self._at = at + len(chunk)
                self._singles += 1
                return ((None, data, self._last_id, at),)
        elif chunk == b"\n" and self._pieces and self._pieces[-1]:
            self._pieces.append(chunk)
            self._quick = False
            return _NONE
        return self._take(chunk)

    def close(self) -> Sequence[Event]:
        """End the body: judge what was never dispatched. No event comes of it."""
        self._start = False
        self._settle()
        blocks = self._blocks
        tail = bytes(self._kept) + b"".join(self._pieces)
        end = self._at + self._lost + len(tail)
        blocks.octets.see(tail, end - len(tail), blocks.events)
        blocks.octets.finish(end, blocks.events)
        if self._lost:
            return _NONE
        if len(tail) > self._limit:
            blocks.over.add(blocks.events, self._at)
            return _NONE
        lines = tail.splitlines(keepends=True)
        whole = lines if tail.endswith((b"\n", b"\r")) else lines[:-1]
        blocks.fields.read(whole, self._at, blocks.events)
        if len(whole) < len(lines) and not may_go_on(lines[-1]):
            blocks.fields.read(lines[-1:], end - len(lines[-1]), blocks.events)
        self._tail = tail_data(lines)
        return _NONE

    @property
    def tail_data(self) -> bytes:
        """Data of the block that was never ended, its lines joined by LF, at most 64 KiB; for use after `close`."""
        return (self._tail or b"")[:_TAIL_BYTES]

    def framing(self) -> Framing:
        """Tell the facts, whole once `close` was called."""
        self._settle()
        blocks = self._blocks
        tail_bytes = self._lost + len(self._kept) + sum(map(len, self._pieces))
        return Framing(
            events=blocks.events,
            bytes=self._at + tail_bytes,
            lf=blocks.octets.lf,
            crlf=blocks.octets.crlf,
            cr=blocks.octets.cr,
            bom=self._bom,
            comments=blocks.fields.comments,
            retry_ms=blocks.fields.retry_ms,
            longest_event_bytes=blocks.longest,
            unknown_fields=blocks.fields.unknown(),
            nuls=blocks.octets.nuls.fault(),
            invalid_utf8=blocks.octets.invalid.fault(),
            over_limit=blocks.over.fault(),
            tail_bytes=tail_bytes,
            tail_byte=self._at if tail_bytes else None,
            tail_data=self._tail is not None,
        )

    def _settle(self) -> None:
        """Let the blocks know of all that was counted here."""
        self._blocks.count_plain(self._singles)
        self._singles = 0
        self._blocks.learn(self._blocks.shape)

    def _copy(self) -> None:
        """Have at hand what the quickest way looks at."""
        blocks = self._blocks
        self._longest = blocks.longest
        self._last_id = blocks.fields.last_id
        self._blank = blocks.shape.blank
        self._trim = -len(self._blank)

    def _feed(self, chunk: bytes) -> Sequence[Event]:
        """Take a chunk where a BOM or an LF may have to go first, or where a line has just ended."""
        if self._start:
            chunk = self._after_bom(chunk)
        if self._swallow and chunk:
            self._swallow = False
            if chunk[0] == LF:
                self._blocks.octets.join()
                self._at += 1
                chunk = chunk[1:]
        if chunk:
            return self._take(chunk)
        self._quick = not (self._start or self._swallow or self._pieces)
        return _NONE

    def _after_bom(self, chunk: bytes) -> bytes:
        """The chunk without a BOM; nothing as long as it could still become one."""
        chunk = b"".join(self._pieces) + chunk
        self._pieces.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            if chunk:
                self._pieces.append(chunk)
            return b""
        self._start = False
        if not chunk.startswith(_BOM):
            return chunk
        self._bom = True
        self._at = len(_BOM)
        return chunk[len(_BOM) :]

    def _take(self, chunk: bytes) -> Sequence[Event]:
        """Cut after the last empty line; before it there are whole blocks, after it there is an unfinished one."""
        if self._lost:
            return self._skip(chunk)
        end = chunk.rfind(self._blank) - self._trim
        rest = chunk[end:]
        if end < -self._trim or LF in rest or CR in rest:
            end = last_blank(chunk, self._last()) if chunk else 0
            if not end:
                return self._wait(chunk)
            rest = chunk[end:]
        pieces = self._pieces
        if not pieces:
            head = chunk[:end]
        else:
            # A view spares the copy of a large read, and costs more than the copy of a small one.
            head = b"".join((*pieces, memoryview(chunk)[:end] if end > _LARGE else chunk[:end]))
            pieces.clear()
            if self._kept:
                head = bytes(self._kept) + head
                self._kept.clear()
        if self._singles:
            self._settle()
        events = self._blocks.take(head, self._at)
        self._at += len(head)
        self._copy()
        if rest:
            pieces.append(rest)
            self._quick = rest[-1] not in b"\r\n"
            if len(rest) > self._limit:
                self._squeeze()
        else:
            self._swallow = head[-1] == CR
            self._quick = not self._swallow
        return events

    def _last(self) -> int:
        """The last byte of the unfinished block, LF if there is none."""
        pieces = self._pieces
        if not pieces:
            return LF
        return pieces[-1][-1] if pieces[-1] else (b"\n" + b"".join(pieces))[-1]

    def _wait(self, chunk: bytes) -> Sequence[Event]:
        """Put by what ends no block."""
        if chunk:
            self._pieces.append(chunk)
            self._quick = chunk[-1] not in b"\r\n"
            if len(chunk) > _SMALL or len(self._pieces) > _MANY:
                self._squeeze()
        return _NONE

    def _squeeze(self) -> None:
        """Join the pieces but for the last byte, which tells whether a line has ended; drop what passes the limit."""
        joined = b"".join(self._pieces)
        self._pieces[:] = [joined[-1:]]
        self._kept += joined[:-1]
        if self._lost or len(self._kept) + 1 > self._limit:
            self._settle()
            blocks = self._blocks
            if not self._lost:
                blocks.over.add(blocks.events, self._at)
            raw = bytes(self._kept)
            self._kept.clear()
            blocks.octets.see(raw, self._at + self._lost, blocks.events)
            self._lost += len(raw)

    def _skip(self, chunk: bytes) -> Sequence[Event]:
        """Look for the end of a block that is being dropped."""
        end = first_blank(chunk, self._last()) if chunk else 0
        if not end:
            return self._wait(chunk)
        raw = b"".join(self._pieces) + chunk[:end]
        self._pieces.clear()
        self._blocks.octets.see(raw, self._at + self._lost, self._blocks.events)
        self._at += self._lost + len(raw)
        self._lost = 0
        if end < len(chunk):
            return self._take(chunk[end:])
        self._swallow = raw[-1] == CR
        self._quick = not self._swallow
        return _NONE
