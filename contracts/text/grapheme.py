r"""Grapheme boundaries, found by looking only at the place that is asked for.

Boundaries are those of Unicode's UAX 29 as `regex` implements them in `\X`. Most pairs of characters decide alone
whether there is a boundary between them, and `\X` tells each pair once; only flags, emoji sequences and Indic
conjuncts need what stands before: all flags in a row, or the character that marks and joiners were put on.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

_PAIRS = 8192  # pairs remembered; a text in one script has a few thousand
_RUN = 16  # characters of the longest run remembered; an emoji with its marks has three or four
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
    for place in range(max(0, limit), len(text)):
        if place == 0 or _last(text, place, place - 1)[0] == place:
            return place
    return len(text)


def boundary_utf8(data: bytes, limit: int) -> int:
    """The last grapheme boundary at or before `limit` bytes of UTF-8; a byte that is none of it stands for itself."""
    if limit >= len(data):
        return len(data)
    place = _start(data, max(0, limit))
    size = _WINDOW
    while place:
        begin = _lead(data, max(0, place - size))
        before = data[begin:place].decode("utf-8", "surrogateescape")
        after = data[place : place + _LENGTHS[data[place]]].decode("utf-8", "surrogateescape")
        found, is_sure = _last(before + after[:1], len(before))
        if is_sure or begin == 0:
            return place - len(before[found:].encode("utf-8", "surrogateescape"))
        size *= 2
    return 0


def _start(data: bytes, place: int) -> int:
    """Go back to the byte that begins the character at `place`, unless that byte belongs to none."""
    begin = _lead(data, place)
    if begin == place:
        return place
    end = begin + _LENGTHS[data[begin]]
    return begin if end > place and _is_whole(data[begin:end]) else place


def _lead(data: bytes, place: int) -> int:
    """Go back to a byte that may begin a character; no character has more than three others behind it."""
    least = max(0, place - _UTF8 + 1)
    while place > least and data[place] in CONTINUES:
        place -= 1
    return place


def _is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _last(text: str, place: int, least: int = 0) -> tuple[int, bool]:
    """Find the last boundary at or before `place`, and tell whether text before this text could not change that.

    It is looked for after `least` only, which stands for there being none.
    """
    while place > least:
        is_boundary = _between(text[place - 1 : place + 1])
        if is_boundary is None:
            base, is_boundary = _in_context(text, place)
            if is_boundary:
                return place, base > 0
            place = base
        elif is_boundary:
            return place, True
        else:
            place -= 1
    return max(place, least), False


def _in_context(text: str, place: int) -> tuple[int, bool]:
    """Tell where the text begins that decides on a place, and whether there is a boundary; there is none between."""
    if text[place - 1] in _FLAG_LETTERS and text[place] in _FLAG_LETTERS:
        before = _flags(text, place)
        return (place - before, True) if before % 2 == 0 else (place - 1, False)
    # Back over all that was put on a character, to that character: what stands before it has no say.
    base = place - 1
    while base > 0 and _between(text[base - 1 : base + 1]) is False:
        base -= 1
    run = text[base : place + 1]
    return base, _ends(run) if len(run) <= _RUN else _ends.__wrapped__(run)


@lru_cache(maxsize=_PAIRS)
def _ends(run: str) -> bool:
    """Whether there is a boundary before the last character of several that have none between the others."""
    return _cluster().match(run).end() < len(run)  # type: ignore[union-attr]  # \X matches any character


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
