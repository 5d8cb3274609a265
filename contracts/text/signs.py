"""Look for every kind of damage in one stretch of text; cheap tests decide what is looked at closely."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from contracts.text.misread import prefilter

REACH = 128  # characters around a place that decide about it, at most

Hit = tuple[str, int, int]
Span = tuple[int, int]

_HIGH = bytes(range(0x80, 0x100))


class Seen(NamedTuple):
    """What a stretch of text held.

    `misread` counts its characters beyond ASCII that could be misread bytes, `damaged` what is damaged otherwise.
    """

    found: list[Hit]
    non_ascii: int
    misread: int = 0
    damaged: int = 0


def hits(  # noqa: PLR0913 - three switches of one look
    text: str, start: int, end: int, *, lone: bool = False, count: bool = True, thorough: bool = True
) -> Seen:
    """Find the damage that begins in text[start:end], in order; what is around it is looked at but not reported.

    Args:
        text: with its surrogate pairs joined (`pairs_joined`).
        start: of the stretch; REACH characters before it should be in the text where there are so many.
        end: of the stretch; the same after it.
        lone: whether surrogates are left in it.
        count: whether to count characters beyond ASCII, which costs as much as all the rest.
        thorough: whether to look for the damage of `pages.RARE` too, which costs as much again.

    Raises:
        UnicodeEncodeError: there are surrogates, and `lone` did not say so.
    """
    if text.isascii():
        tokens = _byte_tokens(text) if "<" in text and _ascii_token().search(text) else []
        return Seen([hit for hit in tokens if start <= hit[1] < end], 0)
    # UTF-8 lets `re` and `in` look for single bytes with memchr; a search for several costs as much as the encoding.
    data = text.encode("utf-8", "surrogatepass" if lone else "strict")
    found: list[Hit] = []
    damaged: list[Span] = []
    misread: list[Span] = []
    if lone or "\ufffd" in text or _chinese(text, data):
        found += _lost(text)
        damaged += [hit[1:] for hit in found]
    if b"<" in data and _token().search(text):
        found += _byte_tokens(text)
    sieved = b"\xc3" in data and prefilter().search(data) is not None
    if sieved:
        close, misread = _misread(text)
        found += close
    if thorough:
        close, beside = _rare(text, data, found, sieved=sieved)
        damaged += beside
        found += close
    if b"\xc4" in data and ((b"\xa0" in data and _space().search(text)) or (b"\x8a" in data and "Ċ" in text)):
        spaces = _spaces(text)
        damaged += [hit[1:] for hit in spaces]
        found += spaces
    if found:
        found = sorted((hit for hit in found if start <= hit[1] < end), key=lambda hit: hit[1])
    if not count:
        return Seen(found, 0)
    plain = len(data.translate(None, _HIGH)) - _plain(text[:start]) - _plain(text[end:])
    gone = _places(damaged, start, end)
    return Seen(found, end - start - plain, len(_places(misread, start, end) - gone), len(gone))


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


def _places(spans: list[Span], start: int, end: int) -> set[int]:
    """The characters of text[start:end] that are in the spans."""
    return {place for first, last in spans for place in range(max(first, start), min(last, end))}


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


def _rare(text: str, data: bytes, found: list[Hit], *, sieved: bool) -> tuple[list[Hit], list[Span]]:
    """Double encoding by other code pages where nothing else was found, SentencePiece's sign, and all that they damage.

    `sieved` is whether the prefilter stopped in the text.
    """
    from contracts.text.pages import marked

    hits: list[Hit] = []
    spans: list[Span] = []
    markers = marked(text, data)
    if markers or sieved:
        from contracts.text.doubled import damage

        close, spans = damage(text, markers, sieved=sieved)
        taken = {place for _, first, last in found for place in range(first, last)} if close else set()
        hits += [hit for hit in close if taken.isdisjoint(range(*hit[1:]))]
    if "▁" in text:
        from contracts.text.leaks import sentencepiece

        places = list(sentencepiece(text))
        hits += [("sentencepiece-space", start, end) for start, end in places]
        spans += places
    return hits, spans


def _misread(text: str) -> tuple[list[Hit], list[Span]]:
    """Double encoding and the BPE alphabet, and what could be either."""
    from contracts.text.leaks import sequences
    from contracts.text.mojibake import damage, units

    candidates = units(text)
    found: list[Hit] = []
    for kind, first, last in damage(text, candidates):
        name = "triple-utf8" if kind == "triple" else f"double-utf8-{kind}"
        found.append((name, first, last))
    leaked = sequences(text)
    return found + [("bpe-alphabet", first, last) for first, last in leaked], [u[:2] for u in candidates] + leaked
