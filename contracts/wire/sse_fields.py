"""The fields of one SSE block, read line by line as the WHATWG standard says.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation (read 2026-11-30).
"""

from __future__ import annotations

from collections.abc import Iterable

from contracts.facts import Fault
from contracts.wire.octets import Tally

_KNOWN = (b"data", b"event", b"id", b"retry")
_UNKNOWN_NAMES = 8  # distinct names that are kept; a body that is no SSE at all has one on every line
_NAME_BYTES = 60  # of an unknown name; a whole line without a colon is a name
_RETRY_DIGITS = 15  # more milliseconds than that are 31,000 years, and int() refuses 4,301 digits


class Fields:
    """What outlives a block: the last event id, the retry time, comments, unknown names."""

    __slots__ = ("_unknown", "comments", "last_id", "retry_ms")

    def __init__(self) -> None:
        """Begin as a new connection does."""
        self.last_id = b""
        self.retry_ms: int | None = None
        self.comments = 0
        self._unknown: dict[bytes, Tally] = {}

    def read(self, lines: Iterable[bytes], at: int, event: int) -> tuple[bytes | None, bytes | None]:
        """Take the lines of one block, with their ends, the first one at offset `at`.

        Returns:
            Event name (None for the default) and data (None when there was no data field: nothing is dispatched).
        """
        name: bytes | None = None
        data: list[bytes] = []
        for raw in lines:
            line = raw.rstrip(b"\r\n")
            field, _, value = line.partition(b":")
            if value[:1] == b" ":
                value = value[1:]
            if field == b"data":
                data.append(value)
            elif field == b"event":
                name = value or None
            elif not field:
                self.comments += 1
            else:
                self._other(field, value, at, event)
            at += len(raw)
        return name, b"\n".join(data) if data else None

    def _other(self, field: bytes, value: bytes, at: int, event: int) -> None:
        if field == b"id":
            if 0 not in value:
                self.last_id = value
        elif field == b"retry":
            if value.isdigit():
                digits = value.lstrip(b"0")[: _RETRY_DIGITS + 1]
                self.retry_ms = min(int(digits or b"0"), 10**_RETRY_DIGITS)
        else:
            self._count_unknown(field, at, event)

    def _count_unknown(self, field: bytes, at: int, event: int) -> None:
        key = field[:_NAME_BYTES]
        tally = self._unknown.get(key)
        if tally is None:
            if len(self._unknown) == _UNKNOWN_NAMES:
                return
            # As Python shows bytes, without b'': nothing is left that a terminal would act on.
            tally = self._unknown[key] = Tally("unknown-field", repr(key)[2:-1])
        tally.add(event, at)

    def unknown(self) -> tuple[Fault, ...]:
        """The unknown fields in the order of their first line."""
        return tuple(fault for tally in self._unknown.values() if (fault := tally.fault()))


def may_go_on(line: bytes) -> bool:
    """Tell whether a line that the end of the body cut is a comment, a known field or the start of one's name."""
    field = line.partition(b":")[0]
    return field in (b"", *_KNOWN) or (field == line and any(name.startswith(line) for name in _KNOWN))


def tail_data(lines: Iterable[bytes]) -> bytes | None:
    """Data of a block that was never ended; its last line may be cut, so a name without a colon counts for nothing."""
    data: list[bytes] = []
    for raw in lines:
        line = raw.rstrip(b"\r\n")
        field, colon, value = line.partition(b":")
        if field == b"data" and (colon or line != raw):
            data.append(value[1:] if value[:1] == b" " else value)
    return b"\n".join(data) if data else None
