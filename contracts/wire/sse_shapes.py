"""Blocks of one shape that follow each other, cut and checked by a few calls for all of them together.

Nearly every stream repeats one of these shapes thousands of times: a `data: ` line, or an `event: ` line with a
`data: ` line under it. What stands between them is a gap, and has to be looked at by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable


class Shape:
    """One shape with one kind of line end, in slots because every read looks at them.

    `plain` blocks are one `data: ` line. `split` cuts into gap, name (when `named`), data, gap, and so on. `extra`
    counts the bytes of a block besides name and data, `lines` its line ends, both with the empty line.
    """

    __slots__ = ("_pattern", "blank", "crlf", "extra", "lead", "lines", "named", "plain", "separator", "split")

    def __init__(self, eol: bytes, *leads: bytes, pattern: bytes) -> None:
        """Count what `leads`, the beginnings of a block's lines, have in common."""
        self.lead = leads[0]
        self.blank = eol + eol
        self.crlf = eol == b"\r\n"
        self.separator = self.blank + self.lead
        self.plain = leads == (b"data: ",)
        self.named = len(leads) > 1
        self.lines = len(leads) + 1
        self.extra = sum(map(len, leads)) + len(eol) * self.lines
        # The anchor keeps a line that holds `data: ` ten thousand times from being tried as often.
        self._pattern = b"^" + pattern.replace(b"\n", eol) + self.blank
        self.split: Callable[[bytes], list[bytes]] = self._compile

    def _compile(self, head: bytes) -> list[bytes]:
        """Split for the first time: most programs see one shape of six, and compiling takes start-up time."""
        self.split = re.compile(self._pattern, re.MULTILINE).split
        return self.split(head)

    def columns(self, cells: list[bytes]) -> tuple[list[bytes], list[bytes], list[bytes]]:
        """Gaps, names (none at all unless `named`) and data out of what `split` returned; one gap more than data."""
        return (cells[::3], cells[1::3], cells[2::3]) if self.named else (cells[::2], [], cells[1::2])

    def block(self, name: bytes, data: bytes) -> bytes:
        """One block of this shape, as it stood in the stream."""
        eol = self.blank[len(self.blank) // 2 :]
        first = self.lead + name + eol + b"data: " if self.named else self.lead
        return first + data + self.blank

    def is_comment(self, gap: bytes) -> bool:
        """Say whether a gap is one comment with its empty line, and nothing else."""
        return gap[:1] == b":" and gap.endswith(self.blank) and gap.count(b"\n") + gap.count(b"\r") == len(self.blank)


def _shapes(eol: bytes) -> tuple[Shape, ...]:
    # A dot takes a CR too: who uses a Shape refuses data that hold one.
    return (
        Shape(eol, b"data: ", pattern=b"data: (.*)"),
        Shape(eol, b"event: ", b"data: ", pattern=b"event: (.+)\ndata: (.*)"),
        Shape(eol, b"data:", pattern=b"data:(?! )(.*)"),
    )


_LF = _shapes(b"\n")
_CRLF = _shapes(b"\r\n")
USUAL = _LF[0]


def shape_of(head: bytes) -> Shape | None:
    """The shape that blocks of `head` have, as far as the first one tells that is no comment.

    Args:
        head: whole blocks, the last one ended by its empty line.
    """
    shapes = _CRLF if head.endswith(b"\r\n\r\n") else _LF if head.endswith(b"\n\n") else ()
    for shape in shapes:
        if head.startswith(shape.lead):
            return shape
    found = [(at, shape) for shape in shapes if (at := head.find(shape.blank + shape.lead)) >= 0]
    return min(found, key=lambda pair: pair[0])[1] if found else None
