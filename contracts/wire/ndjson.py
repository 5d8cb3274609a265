"""Newline-delimited JSON out of bytes that come in pieces: the same interface and facts as the SSE decoder's.

A line ends in LF or CRLF; an event is a line that is not blank. The last line needs no line end.
Source: https://github.com/ndjson/ndjson-spec (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Sequence

from contracts.facts import Framing
from contracts.wire.octets import Octets, Tally
from contracts.wire.sse import Event

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_MANY = 512  # pieces; then they are joined and held against the limit
_BYTES = 65_536  # the same for what they hold


class Decoder:
    """One stream of lines. A line past `max_event_bytes`, its end not counted, is dropped and told of."""

    __slots__ = (
        "_at",
        "_bom",
        "_events",
        "_kept",
        "_limit",
        "_longest",
        "_lost",
        "_octets",
        "_over",
        "_pieces",
        "_start",
        "_waiting",
    )

    def __init__(self, max_event_bytes: int = 8 * 1024 * 1024) -> None:
        """Begin at the first byte of a body."""
        self._limit = max(1, max_event_bytes)
        self._octets = Octets()
        self._over = Tally("event-too-large", f"more than {self._limit} bytes")
        self._at = 0  # offset of the unfinished line
        self._pieces: list[bytes] = []  # of it, as they came
        self._waiting = 0  # bytes in these
        self._kept = bytearray()  # what came before them, once they were many
        self._lost = 0  # how many bytes before those were thrown away
        self._events = 0
        self._longest = 0
        self._start = True  # a BOM may come
        self._bom = False

    def feed(self, chunk: bytes) -> Sequence[Event]:
        """Take the next bytes, cut anywhere; return the events they ended."""
        if self._start:
            chunk = self._after_bom(chunk)
        if not chunk:
            return ()
        first, *rest = chunk.split(b"\n")
        self._pieces.append(first)
        self._waiting += len(first)
        if not rest:
            if self._waiting > _BYTES or len(self._pieces) > _MANY:
                self._squeeze()
            return ()
        events = self._finish(b"\n")
        last = rest.pop()
        for line in rest:
            events += self._line(line, b"\n")
        self._pieces.append(last)
        self._waiting = len(last)
        return events

    def close(self) -> Sequence[Event]:
        """End the body; return the event of a last line without a line end."""
        self._start = False
        events = self._finish(b"")
        self._octets.finish(self._at, self._events)
        return events

    @property
    def tail_data(self) -> bytes:
        """Nothing: the last line was dispatched."""
        return b""

    def framing(self) -> Framing:
        """Tell the facts, whole once `close` was called."""
        return Framing(
            events=self._events,
            bytes=self._at + self._lost + len(self._kept) + sum(map(len, self._pieces)),
            lf=self._octets.lf,
            crlf=self._octets.crlf,
            cr=self._octets.cr,
            bom=self._bom,
            longest_event_bytes=self._longest,
            nuls=self._octets.nuls.fault(),
            invalid_utf8=self._octets.invalid.fault(),
            over_limit=self._over.fault(),
        )

    def _after_bom(self, chunk: bytes) -> bytes:
        chunk = b"".join(self._pieces) + chunk
        self._pieces.clear()
        if len(chunk) < len(_BOM) and _BOM.startswith(chunk):
            self._pieces.append(chunk)
            return b""
        self._start = False
        self._bom = chunk.startswith(_BOM)
        self._at = len(_BOM) if self._bom else 0
        return chunk[self._at :]

    def _squeeze(self) -> None:
        """Join the pieces; drop what passes the limit, but for a CR at the end, which may be of the line end."""
        self._kept += b"".join(self._pieces)
        self._pieces.clear()
        self._waiting = 0
        held = 1 if self._kept.endswith(b"\r") else 0
        if self._lost or len(self._kept) - held > self._limit:
            if not self._lost:
                self._over.add(self._events, self._at)
            raw = bytes(self._kept[: len(self._kept) - held])
            del self._kept[: len(raw)]
            self._octets.see(raw, self._at + self._lost, self._events)
            self._lost += len(raw)

    def _finish(self, end: bytes) -> list[Event]:
        """End the line that is unfinished."""
        line = bytes(self._kept) + b"".join(self._pieces)
        self._kept.clear()
        self._pieces.clear()
        self._waiting = 0
        if not self._lost:
            return self._line(line, end)
        self._octets.see(line + end, self._at + self._lost, self._events)
        self._at += self._lost + len(line) + len(end)
        self._lost = 0
        return []

    def _line(self, line: bytes, end: bytes) -> list[Event]:
        at = self._at
        self._at = at + len(line) + len(end)
        self._octets.see(line + end, at, self._events)
        data = line.removesuffix(b"\r") if end else line
        if len(data) > self._limit:
            self._over.add(self._events, at)
        elif data.strip(_BLANK):
            self._events += 1
            self._longest = max(self._longest, len(data))
            return [(None, data, b"", at)]
        return []
