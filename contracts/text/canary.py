"""The canary: one line that every wire should carry as it is, in numbered segments, and a control in plain ASCII.

Each segment is there for one way to break text; the numbers are ASCII, so that most damage leaves them where they were
and a difference can be told segment by segment.
"""

from __future__ import annotations

from typing import NamedTuple


class Segment(NamedTuple):
    """One part of a canary, and what it is there for."""

    name: str
    text: str


SEGMENTS = (
    Segment("em dash", "one \u2014 two"),  # the character that the first incident was seen by
    Segment("composed marks", "d\u00e9j\u00e0 vu, na\u00efve"),  # NFC
    Segment("combining marks", "cafe\u0301, man\u0303ana"),  # NFD
    Segment("compatibility", "\u2116 \u00bd"),  # NFKC makes other characters of them
    Segment("CJK", "\u65e5\u672c\u8a9e\u3001\u4e2d\u6587"),
    Segment("right to left", "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"),
    Segment("joined emoji", "\U0001f469\u200d\U0001f467\u200d\U0001f466"),
    Segment("flag", "\U0001f1eb\U0001f1f7"),
    Segment("curly quotes", "\u201ccurly\u201d \u2018quotes\u2019"),
    Segment("code", 'if (a[0] <= b && c != "\\t") { x = `\u00e9`; }'),
    Segment("end", "the end"),
)
CONTROL_SEGMENTS = (
    Segment("dash", "one - two"),
    Segment("words", "plain words, no marks"),
    Segment("numbers", "17 and 1942"),
    Segment("code", 'if (a[0] <= b && c != "\\t") { x = "e"; }'),
    Segment("end", "the end"),
)


def line(segments: tuple[Segment, ...]) -> str:
    """Write segments as one line: `(1) one … (2) two …`."""
    return " ".join(f"({number}) {segment.text}" for number, segment in enumerate(segments, 1))


CANARY = line(SEGMENTS)
CONTROL = line(CONTROL_SEGMENTS)
