"""How UTF-8 looks when its bytes were read by a code page other than ISO-8859-1 and windows-1252.

In each of these pages the byte that leads a sequence and the bytes that continue it stand for different characters, so
sequences can be found without knowing where the text began. Which page it was shows in the characters: `вЂ”`, `Б─■`,
`ΓÇö`, `ÔÇö` and `‚Äî` are all an em dash.
"""

from __future__ import annotations

from functools import cache

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
# Looked for at the front of a text only: to look for all of it costs more than to look for all the rest.
RARE = SIGNATURES | {"sentencepiece-space"}
NEAR = 48  # characters between a marker and what is looked at because of it


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
