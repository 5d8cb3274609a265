"""Shorten text without cutting through what its reader takes for one character.

What is looked at is the kept part and the place of the cut, never the whole text: a megabyte costs what a line does.

A budget is counted by a measure: `characters` (code points), `utf8_bytes`, or a caller's own counter of tokens, which
is called a few times on parts of at most about twice what fits, also where these end within one huge character. What is
given back never measures more than the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from contracts.text.grapheme import CONTINUES, boundary, boundary_after, boundary_utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    Measure = Callable[[str], int]
    Part = Callable[[str, int], str]

MARK = "…"
_SEAMS = 8  # clusters of a tail given up for a mark that they would join; a mark that joins them all gets no tail
_ENCODING = ("utf-8", "surrogatepass")  # a lone surrogate has a length as well


def characters(text: str) -> int:
    """Count code points."""
    return len(text)


def utf8_bytes(text: str) -> int:
    """Count bytes as UTF-8; an unpaired surrogate counts three."""
    return len(text.encode(*_ENCODING))


def head(text: str, budget: int, measure: Measure = characters) -> str:
    """Give the beginning of a text: the longest that fits and ends at a grapheme boundary, maybe nothing.

    A counter of tokens that gives a longer text fewer tokens than a shorter one may cost some characters of what fits.
    """
    if budget <= 0:
        return ""
    if measure is utf8_bytes:
        return _head(text, _characters_of(text[:budget].encode(*_ENCODING), budget))
    return _head(text, budget) if measure is characters else _largest(text, budget, measure, _first, _head)


def tail(text: str, budget: int, measure: Measure = characters) -> str:
    """Give the end of a text: the longest that fits and begins at a grapheme boundary, maybe nothing."""
    if budget <= 0:
        return ""
    if measure is utf8_bytes:
        data = text[-budget:].encode(*_ENCODING)
        rest = data[max(0, len(data) - budget) :]
        # What is left of a character that was cut stands in front as continuation bytes.
        begin = next((n for n, byte in enumerate(rest) if byte not in CONTINUES), len(rest))
        return _tail(text, len(rest[begin:].decode(*_ENCODING)))
    return _tail(text, budget) if measure is characters else _largest(text, budget, measure, _last, _tail)


def elide(
    text: str,
    budget: int,
    measure: Measure = characters,
    *,
    keep: Literal["head", "tail", "both"] = "both",
    mark: str = MARK,
) -> str:
    """Give a text whole where it fits, else its head, its tail or both, with a mark where something is left out.

    Args:
        text: of any length.
        budget: for the result with its mark. Where the mark alone takes all of it, the text is cut without one; where
            not one character fits beside it, the mark is all.
        measure: counts what the budget is in.
        keep: what is worth keeping. Of `both`, the head gets half, and the tail what that leaves.
        mark: stands for what was left out.
    """
    whole = head(text, budget, measure)
    if len(whole) == len(text):
        return text
    room = budget - measure(mark)
    if room <= 0:
        return tail(text, budget, measure) if keep == "tail" else whole
    step = 1
    while room > 0:
        result = _joined(text, room, measure, keep, mark)
        over = measure(result) - budget  # tokens of parts need not add up
        if over <= 0:
            return result
        room -= max(over, step)
        step *= 2
    return mark


def cut_utf8(data: bytes, limit: int) -> bytes:
    """Give the longest beginning of UTF-8 of at most `limit` bytes that ends at a grapheme boundary.

    Damaged UTF-8 is cut as it stands: a byte that belongs to no character counts as one.
    """
    return data[: boundary_utf8(data, limit)]


def _joined(text: str, room: int, measure: Measure, keep: str, mark: str) -> str:
    first = "" if keep == "tail" else head(text, room if keep == "head" else (room + 1) // 2, measure)
    last = "" if keep == "head" else tail(text, room - measure(first), measure)
    before = first + mark
    # A tail may begin with a combining mark that had a line end before it, and would now combine with ours.
    for _ in range(_SEAMS):
        if not last or boundary(before + last, len(before)) == len(before):
            return before + last
        last = last[boundary_after(last, 1) :]
    return before


def _first(text: str, length: int) -> str:
    return text[:length]


def _last(text: str, length: int) -> str:
    return text[len(text) - length :]


def _head(text: str, length: int) -> str:
    return text[: boundary(text, length)]


def _tail(text: str, length: int) -> str:
    return text[boundary_after(text, len(text) - length) :]


def _characters_of(data: bytes, budget: int) -> int:
    """Count the characters that lie whole within the first bytes."""
    end = min(budget, len(data))
    while 0 < end < len(data) and data[end] in CONTINUES:
        end -= 1
    return len(data[:end].decode(*_ENCODING))


def _largest(text: str, budget: int, measure: Measure, part: Part, whole: Part) -> str:
    """Find the largest part that fits: ever larger ones until one does not, then by halves between.

    What is measured may end within a cluster, as one cluster may be a megabyte; what is given back does not.
    """
    fits, fails = 0, min(budget, len(text))  # most tokens are longer than a character
    while measure(part(text, fails)) <= budget:
        if fails == len(text):
            return text
        fits, fails = fails, min(2 * fails, len(text))
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if measure(part(text, middle)) <= budget:
            fits = middle
        else:
            fails = middle
    best, step = whole(text, fits), 1
    while 0 < len(best) < fits and measure(best) > budget:  # a shorter text may have more tokens
        best = whole(text, max(0, len(best) - step))
        step *= 2
    return best
