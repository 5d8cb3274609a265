"""Make text from a provider safe to show: one line, and nothing in it that a terminal obeys or hides."""

from __future__ import annotations

import unicodedata

from contracts.text.grapheme import boundary

# Blank, yet letters by category: the Hangul fillers and the Braille pattern without dots.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")


def scrub(text: str, limit: int = 300) -> str:
    r"""Show what would not be seen, and shorten.

    Control characters, line ends, bidirectional overrides, zero-width characters, surrogates, private use and what
    Unicode has not assigned become `\xNN`, `\uNNNN` or `\UNNNNNNNN`; spaces of other widths become a space. Markup
    is left as it is: whoever writes HTML, XML or Markdown escapes for it.

    Args:
        text: anything.
        limit: of the result, in characters. What is longer is cut at a grapheme boundary and ends in `…`.
    """
    if len(text) <= limit and _harmless(text):
        return text
    shown = [_shown(char) for char in text[: limit + 1]]
    if len(text) <= limit and sum(map(len, shown)) <= limit:
        return "".join(shown)
    size = 0
    fits = 0
    for piece in shown:
        size += len(piece)
        if size > limit - 1:
            break
        fits += 1
    # The cut is in the text itself: an escape stays whole, and so does what the reader takes for one character.
    return ("".join(shown[: boundary(text, fits)]) + "…")[: max(0, limit)]


def _harmless(text: str) -> bool:
    return text.isprintable() and _BLANK_LETTERS.isdisjoint(text)


def _shown(char: str) -> str:
    if _harmless(char):
        return char
    if unicodedata.category(char) == "Zs":
        return " "
    code = ord(char)
    if code <= 0xFF:  # noqa: PLR2004 - two digits hold no more
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - four digits hold no more
