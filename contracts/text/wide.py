"""Double encoding by the code pages that read two bytes as one character: UTF-8 read as GBK or as Shift JIS (cp932).

There a sequence does not end where a character does: `，我` is `锛屾垜`, a letter after a quotation mark is swallowed
(`鈥渃`) and a dash before a space is broken (`鈥�`). So the bytes are put together again, from a character on that is
the front of a common sequence and hardly used otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from contracts.text.pages import WIDE
from contracts.text.script import common

_PUNCTUATION = frozenset("鈥窶")
_DASHES_AND_QUOTES = frozenset("–—‘’“”•…")
_AHEAD = 6  # characters looked at after a front
_ENOUGH = 2  # sequences in a row
_BESIDE = 24  # characters from damage that count as damaged


@cache
def _fronts(name: str) -> re.Pattern[str]:
    return re.compile(f"[{WIDE[name]}]")


def fronts(text: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield where each front stands that is damage, with the character after it unless that is lost."""
    for match in _fronts(name).finditer(text):
        start, end = match.span()
        if _is_damage(text, start, name) and not _shown(text, start, end):
            yield start, end + (text[end : end + 1] not in ("", "\ufffd"))


def beside(text: str, found: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what is beyond ASCII close to damage: nothing of it can be told from damage."""
    done = 0
    for start, end in found:
        first = max(done, start - _BESIDE)
        last = min(len(text), end + _BESIDE)
        yield from ((place, place + 1) for place in range(first, last) if text[place] > "\x7f")
        done = max(done, last)


def _is_damage(text: str, start: int, name: str) -> bool:
    chars = _decoded(text[start : start + _AHEAD], name)
    if text[start] in _PUNCTUATION:
        # 鈥 is holmium where Chinese is written in full, 窶 half of a word for poverty: both stand among their like.
        alone = start == 0 or text[start - 1].isascii() or text[start - 1] == "\ufffd"
        return alone and (chars[:1] in _DASHES_AND_QUOTES and chars != "")
    return chars == "\ufffd" or len(chars) >= _ENOUGH


def _decoded(text: str, name: str) -> str:
    """The characters that a text begins with, once its bytes are UTF-8 again; U+FFFD where it breaks at once."""
    if text[1:2] == "\ufffd" or (text[0] in _PUNCTUATION and text[1:2] == "?"):
        return "—" if text[0] in _PUNCTUATION else "\ufffd"
    data = b""
    for char in text:
        try:
            data += char.encode(name)
        except UnicodeEncodeError:
            break
    chars = ""
    while data:
        size = 4 if data[0] >= 0xF0 else 3 if data[0] >= 0xE0 else 2 if data[0] >= 0xC2 else 0  # noqa: PLR2004 - UTF-8
        try:
            char = data[:size].decode()
        except UnicodeDecodeError:
            break
        if not char or not common(char):
            break
        chars += char
        data = data[size:]
    return chars


def _shown(text: str, start: int, end: int) -> bool:
    """Whether somebody writes about it: quoted alone, or by a word for mojibake."""
    near = text[max(0, start - 32) : end + 32]
    return _NAMED.search(near) is not None


_NAMED = re.compile(r"乱码|亂碼|文字化け|mojibake|GBK|UTF-8|Shift.JIS|cp932", re.IGNORECASE)
