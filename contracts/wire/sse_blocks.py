"""Whole blocks of an event stream made into events, quickly where they look alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

from contracts.wire.blank_lines import last_blank
from contracts.wire.octets import CR, LF, Octets, Tally
from contracts.wire.sse_fields import Fields
from contracts.wire.sse_shapes import USUAL, Shape, shape_of

Event = tuple[bytes | None, bytes, bytes, int]
"""Name (None for the default), data, last event id, offset of the first line of its block in the body."""

_NONE: tuple[Event, ...] = ()


class Blocks:
    """What the blocks so far have told. A block of more than `limit` bytes is dropped, its fields count for nothing."""

    __slots__ = ("_ends", "events", "fields", "limit", "longest", "octets", "over", "shape")

    def __init__(self, limit: int) -> None:
        """Begin with none."""
        self.limit = limit
        self.fields = Fields()
        self.octets = Octets()
        self.over = Tally("event-too-large", f"more than {limit} bytes")
        self.events = 0
        self.longest = 0
        self.shape = USUAL
        self._ends = 0  # line ends of blocks of this shape that octets have not counted yet

    def learn(self, shape: Shape) -> None:
        """Expect blocks of this shape from here on."""
        if self.shape.crlf:
            self.octets.crlf += self._ends
        else:
            self.octets.lf += self._ends
        self._ends = 0
        self.shape = shape

    def count_plain(self, events: int) -> None:
        """Count events of the present shape, without a name, that were seen elsewhere."""
        self.events += events
        self._ends += 2 * events

    def take(self, head: bytes, at: int) -> Sequence[Event]:
        """Events of whole blocks; `head` begins with a block at offset `at` and ends in an empty line."""
        if 0 in head or not head.isascii():
            self._check(head, at)
        shape = self.shape
        if not (head.startswith(shape.lead) and head.endswith(shape.blank)):
            return self._other(head, at)
        if shape.plain:
            parts = head[len(shape.lead) : -len(shape.blank)].split(shape.separator)
            joined = b"".join(parts)
            if len(head) > self.limit and max(map(len, parts)) + shape.extra > self.limit:
                return self.lines(head, at)
            if LF not in joined and CR not in joined:
                return self._run([], parts, at)
            odd = [i for i, part in enumerate(parts) if LF in part]
            if CR in joined:
                odd = [i for i, part in enumerate(parts) if LF in part or CR in part]
            return self.lines(head, at) if 4 * len(odd) > len(parts) else self._mostly(parts, odd, at)
        return self._split(head, at)

    def _other(self, head: bytes, at: int) -> Sequence[Event]:
        """Blocks of which the first one is not of the present shape."""
        if len(head) <= self.limit and self.shape.is_comment(head):
            self.fields.comments += 1
            self._ends += 2
            return _NONE
        shape = shape_of(head)
        if shape is None:
            return self.lines(head, at)
        if shape is not self.shape:
            self.learn(shape)
        return self._split(head, at)

    def _split(self, head: bytes, at: int) -> Sequence[Event]:
        """Blocks of the present shape, mostly, with gaps between them."""
        shape = self.shape
        gaps, names, datas = shape.columns(shape.split(head))
        if not datas or CR in (b"".join(names + datas) if shape.crlf else head):
            return self.lines(head, at)
        if len(head) > self.limit and 2 * max(map(len, (*names, *datas))) + shape.extra > self.limit:
            return self.lines(head, at)
        if not any(gaps):
            return self._run(names, datas, at)
        odd = list(compress(range(len(datas)), gaps))
        return self.lines(head, at) if 4 * len(odd) > len(gaps) else self._patchwork(gaps, names, datas, odd, at)

    def _mostly(self, parts: list[bytes], odd: list[int], at: int) -> list[Event]:
        """Plain blocks; those numbered `odd` have more before the next one, mostly a comment with its empty line."""
        shape = self.shape
        events: list[Event] = []
        low = 0
        for i in odd:
            if low < i:
                events += self._run([], parts[low:i], at)
                at = events[-1][3] + len(parts[i - 1]) + shape.extra
            low = i + 1
            data, _, gap = parts[i].partition(shape.blank)
            if LF in data or CR in data or not shape.is_comment(gap + shape.blank):
                events += self.lines(shape.lead + parts[i] + shape.blank, at)
            else:
                events += self._run([], [data], at)
                self.fields.comments += 1
                self._ends += 2
            at += len(parts[i]) + shape.extra
        if low < len(parts):
            events += self._run([], parts[low:], at)
        return events

    def _check(self, head: bytes, at: int) -> None:
        """Look for NULs and invalid UTF-8 in whole blocks of which no event is counted yet."""

        def event_at(offset: int) -> int:
            before = head[:offset]
            whole = before[: last_blank(before, LF)] if before else b""
            return self.events + len(Blocks(self.limit).lines(whole, 0))

        self.octets.check(head, at, event_at)

    def _run(self, names: list[bytes], datas: list[bytes], at: int) -> list[Event]:
        """Blocks of the present shape, one right after the other from offset `at`; no names where it has none."""
        shape = self.shape
        extra = shape.extra
        last_id = self.fields.last_id
        events: list[Event] = []
        put = events.append
        longest = 0
        # Measured: at any number of events a loop is quicker than zip, accumulate and max, and two loops than one.
        if names:
            for name, data in zip(names, datas, strict=True):
                put((name, data, last_id, at))
                size = len(name) + len(data) + extra
                at += size
                if size > longest:  # noqa: PLR1730 - in half the time of max()
                    longest = size
        else:
            for data in datas:
                put((None, data, last_id, at))
                size = len(data) + extra
                at += size
                if size > longest:  # noqa: PLR1730 - in half the time of max()
                    longest = size
        self.longest = max(self.longest, longest - len(shape.blank) // 2)
        self.events += len(datas)
        self._ends += len(datas) * shape.lines
        return events

    def _patchwork(
        self, gaps: list[bytes], names: list[bytes], datas: list[bytes], odd: list[int], at: int
    ) -> list[Event]:
        """Runs with gaps before the blocks numbered `odd`: comments, or what has to be read line by line."""
        shape = self.shape
        events: list[Event] = []
        low = 0
        for i in [*odd, len(datas)]:
            if low < i:
                events += self._run(names[low:i], datas[low:i], at)
                name, data, _, begin = events[-1]
                at = begin + len(name or b"") + len(data) + shape.extra
                low = i
            gap = gaps[i]
            if not gap:
                break
            if len(gap) <= self.limit and shape.is_comment(gap):
                self.fields.comments += 1
                self._ends += 2
            else:
                # The gap may be the beginning of the block that follows it.
                if i < len(datas):
                    gap += shape.block(names[i] if names else b"", datas[i])
                    low = i + 1
                events += self.lines(gap, at)
            at += len(gap)
        return events

    def lines(self, raw: bytes, at: int) -> list[Event]:
        """Events of whole blocks, line by line."""
        self.octets.line_ends(raw)
        events: list[Event] = []
        lines: list[bytes] = []
        start = at
        for line in raw.splitlines(keepends=True):
            if line[0] not in b"\r\n":
                lines.append(line)
                at += len(line)
                continue
            if lines:
                events += self._block(lines, start, at - start)
                lines = []
            at += len(line)
            start = at
        return events

    def _block(self, lines: list[bytes], start: int, size: int) -> tuple[Event, ...]:
        if size > self.limit:
            self.over.add(self.events, start)
            return _NONE
        name, data = self.fields.read(lines, start, self.events)
        if data is None:
            return _NONE
        self.events += 1
        self.longest = max(self.longest, size)
        return ((name, data, self.fields.last_id, start),)
