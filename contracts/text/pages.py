"""How UTF-8 looks when its bytes were read by a code page other than ISO-8859-1 and windows-1252.

In each of these pages the byte that leads a sequence and the bytes that continue it stand for different characters, so
sequences can be found without knowing where the text began. Which page it was shows in the characters: `вЂ”`, `Б─■`,
`ΓÇö`, `ÔÇö` and `‚Äî` are all an em dash.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

# What a sequence must be near: what leads one in the page, or, where letters of honest text do that, what continues it.
# Left out is what honest text is full of, in that place too.
MARKERS = {
    "cp437": "├┼─╬╨╓╫╪┘┌█αßπΓστΦδ∞",
    "cp850": "├┼─╬¤ðÎÏ┘┌█ÓßÔÒÕµÙý",
    "mac-roman": "√≈ƒŒ–÷◊ÿ‡‚„‰ÂÊÎÏ",
    "cp1251": "ЂЃ‚„‡‰Ќ•™љ›џЎ¤§©\xad°±µ¶№јЅѕ",
    "koi8-r": "─│┌└┘├┤┼█░■√≈≥⌡÷║╓╖╘╜╟╠╨╪╫╬",
    "cp1250": "ĂĹĎĐŕĺ",
}
# Dashes and quotation marks at which `misread.prefilter` stops: the letters they begin with are no markers for it.
SIEVED = {"cp850": "ÔÇ", "mac-roman": "Ä[ìîòôùú¢¶]", "cp1250": "â€[ŚśŤť˘]"}
PAGES = tuple(MARKERS)
# Of the pages that read two bytes as one character: what they make of the first two of a common sequence, hardly used
# otherwise. General punctuation (鈥 窶), the punctuation of CJK (銆 縲), kana (銇銈銉 縺繧繝), full width (锛).
WIDE = {"gbk": "鈥锛銆銇銈銉", "cp932": "窶縺繧繝縲"}
DOS = "double-utf8-dos"  # what both pages of DOS explain, until the rest of the text tells which it was
SIGNATURES = frozenset((DOS, *(f"double-utf8-{name}" for name in (*PAGES, *WIDE))))
NEAR = 48  # characters between a marker and what is looked at because of it


class Page(NamedTuple):
    """One code page: its byte of each character from 80 on, one misread sequence, and a sequence with a marker."""

    name: str
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
    shape = re.compile(
        f"[{two}{three}{four}](?={tail})(?:(?<=[{two}]){tail}|(?<=[{three}]){tail}{tail}|(?<=[{four}]){tail}{tail}{tail})"
    )
    byte_of = {ord(char): byte for byte, char in enumerate(chars) if byte > 0x7F}  # noqa: PLR2004 - the end of ASCII
    # Latin letters that the page does not have may not pass as their code points.
    byte_of = dict.fromkeys(range(0x80, 0x100), 0x110000 - 1) | byte_of
    return Page(name, byte_of, shape, "".join(chars[0xC2:0xDF] + chars[0xE0:0xF5]), "".join(chars[0x80:0xC0]))


def _char(byte: int, name: str) -> str:
    try:
        return bytes((byte,)).decode(name)
    except UnicodeDecodeError:
        return chr(byte)


@cache
def _by_lead() -> tuple[tuple[bytes, str], ...]:
    """All markers by the first byte of their UTF-8: what is not in the text spares looking for any of them."""
    groups: dict[bytes, list[str]] = {}
    for char in dict.fromkeys("".join((*MARKERS.values(), *WIDE.values()))):
        groups.setdefault(char.encode()[:1], []).append(char)
    return tuple((lead, "".join(chars)) for lead, chars in groups.items())


def marked(text: str, data: bytes) -> str:
    """The markers that are in a text, whose UTF-8 is `data`."""
    return "".join([char for lead, chars in _by_lead() if lead in data for char in chars if char in text])


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
