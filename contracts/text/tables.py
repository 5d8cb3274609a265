"""The tables of the code pages of `pages`, made where a marker was found and not before."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from contracts.text.misread import sequences
from contracts.text.pages import SIEVED


class Page(NamedTuple):
    """One code page: its byte of each character from 80 on, one misread sequence, and a sequence with a marker."""

    byte_of: dict[int, int]
    shape: re.Pattern[str]
    leads: str
    tails: str

    def repair(self, text: str) -> str | None:
        """What stood there before it was misread, or None where the bytes are no UTF-8."""
        try:
            return text.translate(self.byte_of).encode("latin-1").decode()
        except UnicodeError:
            return None

    def once(self, text: str) -> str:
        """Read right what can be read right."""
        return self.shape.sub(lambda found: self.repair(found.group()) or found.group(), text)


@cache
def page(name: str) -> Page:
    """Make the tables of one page; what it gives no character is a control, as browsers read it."""
    chars = [_char(byte, name) for byte in range(0x100)]
    escaped = [re.escape(char) for char in chars]
    tail = f"[{''.join(escaped[0x80:0xC0])}]"
    two, three, four = ("".join(escaped[first:last]) for first, last in ((0xC2, 0xDF), (0xE0, 0xF0), (0xF0, 0xF5)))
    shape = re.compile(sequences(tail, two, three, four))
    byte_of = {ord(char): byte for byte, char in enumerate(chars) if byte > 0x7F}  # noqa: PLR2004 - the end of ASCII
    # Latin letters that the page does not have may not pass as their code points.
    byte_of = dict.fromkeys(range(0x80, 0x100), 0x110000 - 1) | byte_of
    return Page(byte_of, shape, "".join(chars[0xC2:0xDF] + chars[0xE0:0xF5]), "".join(chars[0x80:0xC0]))


def _char(byte: int, name: str) -> str:
    try:
        return bytes((byte,)).decode(name)
    except UnicodeDecodeError:
        return chr(byte)


@cache
def begins(name: str, marker: str) -> re.Pattern[str]:
    """A marker where the page would have it: as a leading byte before another, or behind one.

    It begins with a literal, for which `re` looks quickly.
    """
    table = page(name)
    literal = re.escape(marker)
    tails, leads = re.escape(table.tails), re.escape(table.leads)
    if marker in table.tails:
        return re.compile(f"{literal}(?<=[{tails}{leads}]{literal})")
    return re.compile(f"{literal}(?=[{tails}])")


@cache
def sieved(name: str) -> re.Pattern[str]:
    """What the prefilter stops at of a page that has an entry in SIEVED."""
    return re.compile(SIEVED[name])
