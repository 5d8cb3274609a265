"""What the bytes of a body are, whatever they mean: line ends, NULs, invalid UTF-8."""

from __future__ import annotations

from codecs import utf_8_decode
from collections.abc import Callable

from contracts.facts import Fault

LF = 10
CR = 13


class Tally:
    """A Fault in the making: where it first stood and how often it came."""

    __slots__ = ("_byte", "_detail", "_event", "_kind", "count")

    def __init__(self, kind: str, detail: str = "") -> None:
        """Begin with none seen."""
        self._kind = kind
        self._detail = detail
        self._event = 0
        self._byte = 0
        self.count = 0

    def add(self, event: int, byte: int, count: int = 1) -> None:
        """Count; only the first place is kept."""
        if not self.count:
            self._event = event
            self._byte = byte
        self.count += count

    def fault(self) -> Fault | None:
        """The Fault, or None when nothing was counted."""
        if not self.count:
            return None
        return Fault(kind=self._kind, detail=self._detail, event=self._event, byte=self._byte, count=self.count)


class Octets:
    """Count line ends, NULs and the first invalid UTF-8 over a body that comes in pieces.

    Pieces may be cut anywhere, also inside a CRLF or a character. Of invalid UTF-8 only the first
    place is kept, as after it the rest of the bytes says little.
    """

    __slots__ = ("_after_cr", "_rest", "cr", "crlf", "invalid", "lf", "nuls")

    def __init__(self) -> None:
        """Begin at the first byte of a body."""
        self.lf = self.crlf = self.cr = 0
        self.nuls = Tally("nul")
        self.invalid = Tally("invalid-utf8")
        self._after_cr = False
        self._rest = b""

    def see(self, raw: bytes, at: int, event: int) -> None:
        """Take the next piece of a part of the body in which no event ends; `at` is its offset."""
        if raw:
            self.line_ends(raw)
            if self._after_cr and raw[0] == LF:
                self.lf -= 1
                self.join()
            self._after_cr = raw[-1] == CR
            self.check(raw, at, lambda _: event)

    def join(self) -> None:
        """Make the last CR a CRLF."""
        self.cr -= 1
        self.crlf += 1

    def line_ends(self, raw: bytes) -> None:
        """Count the line ends of bytes that neither begin nor end within a CRLF."""
        crlf = raw.count(b"\r\n") if CR in raw else 0
        self.lf += raw.count(b"\n") - crlf
        self.cr += raw.count(b"\r") - crlf
        self.crlf += crlf

    def check(self, raw: bytes, at: int, event_at: Callable[[int], int]) -> None:
        """Look for NULs and invalid UTF-8; `event_at` tells the event in which an offset of `raw` lies."""
        if 0 in raw:
            first = raw.index(0)
            self.nuls.add(0 if self.nuls.count else event_at(first), at + first, raw.count(0))
        if (self._rest or not raw.isascii()) and not self.invalid.count:
            self._decode(raw, at, event_at)

    def _decode(self, raw: bytes, at: int, event_at: Callable[[int], int]) -> None:
        before = len(self._rest)
        whole = self._rest + raw
        try:
            used = utf_8_decode(whole, "strict", False)[1]  # noqa: FBT003 - positional only: more may follow
        except UnicodeDecodeError as error:
            self._rest = b""
            self.invalid.add(event_at(max(0, error.start - before)), at + error.start - before)
        else:
            self._rest = whole[used:]

    def finish(self, end: int, event: int) -> None:
        """Judge a character that the end of the body at offset `end` has cut."""
        if self._rest:
            self.invalid.add(event, end - len(self._rest))
            self._rest = b""


def is_utf_8(raw: bytes) -> bool:
    """Say whether bytes that no cut has divided are UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True
