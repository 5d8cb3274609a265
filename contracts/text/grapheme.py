r"""Grapheme boundaries, found by looking only at the place that is asked for.

Boundaries are those of Unicode's UAX 29 as `regex` implements them in `\X`. Most pairs of characters decide alone
whether there is a boundary between them, and `\X` tells each pair once; only flags, emoji sequences and Indic
conjuncts need what stands before, back to the next sure boundary.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

_PAIRS = 8192  # pairs remembered; a text in one script has a few thousand
_WINDOW = 64  # bytes before the place: any letter with its marks, and most emoji sequences
_UTF8 = 4  # bytes of the longest character
CONTINUES = range(0x80, 0xC0)  # bytes that begin no character of UTF-8
_LENGTHS = bytes([1] * 0xC0 + [2] * 0x20 + [3] * 0x10 + [4] * 0x10)  # of a character, by its first byte
_FLAG_LETTERS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
_known: dict[str, bool | None] = {}


def boundary(text: str, limit: int) -> int:
    """The last grapheme boundary at or before `limit`, which is counted in code points."""
    if limit >= len(text):
        return len(text)
    return _last(text, max(0, limit))[0]


def boundary_after(text: str, limit: int) -> int:
    """The first grapheme boundary at or after `limit`, which is counted in code points."""
    if limit <= 0:
        return 0
    before = boundary(text, limit)
    if before >= min(limit, len(text)):
        return before
    return _cluster().match(text, before).end()  # type: ignore[union-attr]  # \X matches any character


def boundary_utf8(data: bytes, limit: int) -> int:
    """The last grapheme boundary at or before `limit` bytes of UTF-8; a byte that is none of it stands for itself."""
    if limit >= len(data):
        return len(data)
    place = _start(data, max(0, limit))
    size = _WINDOW
    while place:
        begin = _start(data, max(0, place - size))
        before = data[begin:place].decode("utf-8", "surrogateescape")
        after = data[place : place + _UTF8].decode("utf-8", "surrogateescape")
        found, is_sure = _last(before + after[:1], len(before))
        if is_sure or begin == 0:
            return place - len(before[found:].encode("utf-8", "surrogateescape"))
        size *= 2
    return 0


def _start(data: bytes, place: int) -> int:
    """Go back to the byte that begins the character at `place`, unless that byte belongs to none."""
    for begin in range(place, max(-1, place - _UTF8), -1):
        if data[begin] not in CONTINUES:
            end = begin + _LENGTHS[data[begin]]
            return begin if end > place and _is_whole(data[begin:end]) else place
    return place


def _is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _last(text: str, place: int) -> tuple[int, bool]:
    """Find the last boundary at or before `place`, and tell whether text before this text could not change that."""
    while place > 0:
        is_boundary = _between(text[place - 1 : place + 1])
        if is_boundary is None:
            if not _are_flags(text, place):
                return _with_context(text, place)
            before = _flags(text, place)
            if before % 2 == 0:
                return place, before < place
        elif is_boundary:
            return place, True
        place -= 1
    return 0, False


def _between(pair: str) -> bool | None:
    """Whether there is a boundary between two characters, or None where what stands before decides."""
    # Below U+0300 nothing extends a character and only CR LF stays together; `regex` costs 55 ms to import.
    if pair[0] < "\u0300" and pair[1] < "\u0300":
        return pair != "\r\n"
    try:
        return _known[pair]
    except KeyError:
        pass
    if len(_known) >= _PAIRS:
        _known.clear()
    answer: bool | None = _cluster().match(pair).end() == 1  # type: ignore[union-attr]  # \X matches any character
    if _depends().match(pair):
        answer = None
    _known[pair] = answer
    return answer


def _with_context(text: str, place: int) -> tuple[int, bool]:
    """Segment from the last sure boundary before `place`, once: text may be made of nothing but such pairs."""
    start = place - 1
    while start > 0:
        is_boundary = _between(text[start - 1 : start + 1])
        if is_boundary is None and _are_flags(text, start):
            start -= _flags(text, start) % 2
            break
        if is_boundary:
            break
        start -= 1
    is_sure = start > 0
    cluster = _cluster()
    while True:
        end = cluster.match(text, start, place + 1).end()  # type: ignore[union-attr]  # \X matches any character
        if end > place:
            return start, is_sure
        start = end


def _are_flags(text: str, place: int) -> bool:
    return text[place - 1] in _FLAG_LETTERS and text[place] in _FLAG_LETTERS


def _flags(text: str, place: int) -> int:
    r"""Count the letters of flags that stand before a place; `\X` would count them anew for each pair."""
    start = place
    while start > 0 and text[start - 1] in _FLAG_LETTERS:
        start -= 1
    return place - start


@cache
def _cluster() -> regex.Pattern[str]:
    import regex

    return regex.compile(r"\X")


@cache
def _depends() -> regex.Pattern[str]:
    """Pairs that UAX 29 judges by more than the two: rules GB9c, GB11, GB12 and GB13."""
    import regex

    return regex.compile(
        r"[\p{GCB=Extend}\p{GCB=ZWJ}][\p{InCB=Consonant}\p{Extended_Pictographic}]|\p{GCB=Regional_Indicator}{2}"
    )
