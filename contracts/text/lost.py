"""Text whose bytes are gone: U+FFFD, halves of surrogate pairs, and two famous leftovers of Chinese code pages."""

from __future__ import annotations

import re
from collections.abc import Iterator

_QUOTED = frozenset(('""', "''", "``", "“”", "«»", "「」", "『』", "()", "（）", "''", "„“", "‘’"))
_NAMED = re.compile(r"FFFD|replacement char|乱码|亂碼|文字化け|mojibake", re.IGNORECASE)
_MEMORY = (re.compile("烫烫烫+"), re.compile("屯屯屯+"))
_SURROGATE = re.compile("[\ud800-\udfff]")


def replacements(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each U+FFFD that is not plainly shown as itself, as `(U+FFFD)` or in quotation marks."""
    place = text.find("\ufffd")
    while place >= 0:
        if not _shown(text, place, place + 1):
            yield place, place + 1
        place = text.find("\ufffd", place + 1)


def surrogates(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each surrogate; the caller has joined those that were pairs."""
    for match in _SURROGATE.finditer(text):
        yield match.span()


def gbk(text: str) -> Iterator[tuple[int, int]]:
    """Yield each `锟斤拷`: two U+FFFD in UTF-8, read as GBK."""
    place = text.find("锟斤拷")
    while place >= 0:
        if not _shown(text, place, place + 3):
            yield place, place + 3
        place = text.find("锟斤拷", place + 3)


def memory(text: str) -> Iterator[tuple[int, int]]:
    """Yield each run of 烫 or 屯: the bytes CC and CD that a debugger fills memory with, read as GBK.

    烫烫烫！ is also what one shouts at a hot pot, so a short run before an exclamation is honest.
    """
    for start, end in (match.span() for filler in _MEMORY for match in filler.finditer(text)):
        short = end - start < 6  # noqa: PLR2004 - longer than anybody shouts
        if short and (_shown(text, start, end) or (text[end : end + 1] in "！!，的了啊呀哦" and end < len(text))):
            continue
        yield start, end


def _shown(text: str, start: int, end: int) -> bool:
    """Whether it is quoted alone, or named close by: somebody writes about it."""
    if text[max(0, start - 1) : start] + text[end : end + 1] in _QUOTED and start > 0:
        return True
    return _NAMED.search(text, max(0, start - 32), end + 32) is not None
