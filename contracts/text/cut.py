r"""Cut text at a grapheme boundary by looking only at the place of the cut.

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
_known: dict[str, bool | None] = {}


def cut(text: str, limit: int) -> str:
    """The longest prefix of at most `limit` characters that ends at a grapheme boundary; it may be empty."""
    return text[: boundary(text, limit)]


def boundary(text: str, limit: int) -> int:
    """The last grapheme boundary at or before `limit`, which is counted in code points."""
    if limit >= len(text):
        return len(text)
    place = max(0, limit)
    while place > 0 and not _is_boundary(text, place):
        place -= 1
    return place


def _is_boundary(text: str, place: int) -> bool:
    pair = text[place - 1 : place + 1]
    # Below U+0300 nothing extends a character and only CR LF stays together; `regex` costs 55 ms to import.
    if pair[0] < "\u0300" and pair[1] < "\u0300":
        return pair != "\r\n"
    known = _pair(pair)
    return _with_context(text, place) if known is None else known


def _pair(pair: str) -> bool | None:
    """Whether there is a boundary between two characters, or None where what stands before decides."""
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


def _with_context(text: str, place: int) -> bool:
    """Segment from the last sure boundary before `place`."""
    start = place - 1
    while start > 0 and not (_sure(text[start - 1 : start + 1])):
        start -= 1
    cluster = _cluster()
    while start < place:
        start = cluster.match(text, start, place + 1).end()  # type: ignore[union-attr]  # \X matches any character
    return start == place


def _sure(pair: str) -> bool:
    return _pair(pair) is True


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
