"""Look for every kind of damage in one stretch of text; cheap tests decide what is looked at closely."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from contracts.text.misread import prefilter

REACH = 128  # characters around a place that decide about it, at most

Hit = tuple[str, int, int]

_HIGH = bytes(range(0x80, 0x100))


class Seen(NamedTuple):
    """What a stretch of text held.

    `misread` counts its characters beyond ASCII that could be misread bytes, `damaged` what is damaged otherwise.
    """

    found: list[Hit]
    non_ascii: int
    misread: int = 0
    damaged: int = 0


def hits(text: str, start: int, end: int, *, lone: bool = False, count: bool = True) -> Seen:
    """Find the damage that begins in text[start:end], in order; what is around it is looked at but not reported.

    Args:
        text: with its surrogate pairs joined (`pairs_joined`).
        start: of the stretch; REACH characters before it should be in the text where there are so many.
        end: of the stretch; the same after it.
        lone: whether surrogates are left in it.
        count: whether to count characters beyond ASCII, which costs as much as all the rest.

    Raises:
        UnicodeEncodeError: there are surrogates, and `lone` did not say so.
    """
    if text.isascii():
        return Seen(_within(_byte_tokens(text), start, end) if "<" in text and _ascii_token().search(text) else [], 0)
    # UTF-8 lets `re` and `in` look for single bytes with memchr; a search for several costs as much as the encoding.
    data = text.encode("utf-8", "surrogatepass" if lone else "strict")
    tokens = b"<" in data and _token().search(text) is not None
    found: list[Hit] = []
    misread = 0
    damaged = 0
    if lone or "\ufffd" in text or _chinese(text, data):
        lost = _lost(text)
        damaged += _overlap([hit[1:] for hit in lost], start, end)
        found += _within(lost, start, end)
    if tokens:
        found += _within(_byte_tokens(text), start, end)
    if b"\xc3" in data and prefilter().search(data):
        close, misread = _misread(text, start, end)
        found += close
    if b"\xc4" in data and ((b"\xa0" in data and _space().search(text)) or (b"\x8a" in data and "Ċ" in text)):
        spaces = _within(_spaces(text), start, end)
        damaged += len(spaces)
        found += spaces
    if len(found) > 1:
        found.sort(key=lambda hit: hit[1])
    if not count:
        return Seen(found, 0)
    plain = len(data.translate(None, _HIGH)) - _plain(text[:start]) - _plain(text[end:])
    return Seen(found, end - start - plain, misread, damaged)


def _chinese(text: str, data: bytes) -> bool:
    """Whether a leftover of GBK may be there; a lead byte is quicker to miss than a character, that than three."""
    return (
        (b"\xe9" in data and "锟" in text)
        or (b"\xe7" in data and "烫" in text and "烫烫烫" in text)
        or (b"\xe5" in data and "屯" in text and "屯屯屯" in text)
    )


def _plain(text: str) -> int:
    """How many characters are ASCII."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass").translate(None, _HIGH))


# Of all ways to look for these, `re` is the quickest where the first byte is common: twice as quick as `in`. In a text
# beyond ASCII it is so only with one literal in front, and then quicker than in UTF-8, which is longer.
@cache
def _token() -> re.Pattern[str]:
    return re.compile("<(?=0x)")


@cache
def _ascii_token() -> re.Pattern[str]:
    return re.compile("<0x")


@cache
def _space() -> re.Pattern[str]:
    return re.compile("Ġ")


def pairs_joined(text: str) -> str:
    """The text with each surrogate pair as the one character it stands for."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _within(found: list[Hit], start: int, end: int) -> list[Hit]:
    return [hit for hit in found if start <= hit[1] < end]


def _overlap(spans: list[tuple[int, int]], start: int, end: int) -> int:
    """How many characters of text[start:end] are in the spans, which do not overlap."""
    return sum(max(0, min(last, end) - max(first, start)) for first, last in spans)


def _byte_tokens(text: str) -> list[Hit]:
    from contracts.text.leaks import byte_tokens

    return [("byte-token", start, end) for start, end in byte_tokens(text)]


def _spaces(text: str) -> list[Hit]:
    from contracts.text.leaks import spaces

    return [("bpe-alphabet", start, end) for start, end in spaces(text)]


def _lost(text: str) -> list[Hit]:
    from contracts.text import lost

    return [
        *(("replacement-character", start, end) for start, end in lost.replacements(text)),
        *(("lone-surrogate", start, end) for start, end in lost.surrogates(text)),
        *(("gbk-replacement", start, end) for start, end in lost.gbk(text)),
        *(("uninitialised-memory", start, end) for start, end in lost.memory(text)),
    ]


def _misread(text: str, start: int, end: int) -> tuple[list[Hit], int]:
    """Double encoding and the BPE alphabet, and how many characters of the stretch could be either."""
    from contracts.text.leaks import sequences
    from contracts.text.mojibake import damage, units

    candidates = units(text)
    found: list[Hit] = []
    for kind, first, last in damage(text, candidates):
        name = "triple-utf8" if kind == "triple" else f"double-utf8-{kind}"
        found.append((name, first, last))
    leaked = sequences(text)
    spans = [unit[:2] for unit in candidates] + leaked
    misread = _overlap(spans, start, end)
    return _within(found + [("bpe-alphabet", first, last) for first, last in leaked], start, end), misread
