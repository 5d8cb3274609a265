"""What text goes through on a bad way, each as a function, so that a difference is named by what makes it again."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Literal, NamedTuple

Kind = Literal[
    "double-encoded", "normalised", "replaced", "dropped", "truncated", "paraphrased", "surrounded",
    "unpaired-surrogate", "reordered", "escaped", "undecodable",
]  # fmt: skip
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
REPLACEMENT = "\ufffd"
# What reads UTF-8 where nobody says what it is. windows-1252 as browsers read it comes first of its kind.
PAGES = ("latin-1", "cp1252", "iso8859-15", "cp437", "mac-roman", "cp1251", "koi8-r", "cp850", "cp1250")
STRAIGHT_QUOTES = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"})
STRAIGHT_DASHES = str.maketrans({"\u2014": "-"})
TWO_HYPHENS = str.maketrans({"\u2014": "--"})
EN_DASHES = str.maketrans({"\u2014": "\u2013"})
BMP_ENDS = 0xFFFF
BEYOND_BMP = re.compile("[\U00010000-\U0010ffff]")
BEYOND_ASCII = re.compile("[^\\x00-\\x7f]")


class Alteration(NamedTuple):
    """One thing that happens to text. `how` is in words, `act` makes it happen; it may raise UnicodeError."""

    kind: Kind
    how: str
    act: Callable[[str], str]


def misread(text: str, page: str) -> str:
    """Read the UTF-8 of a text by a code page; a byte that it leaves open is a control."""
    return "".join(_char(byte, page) for byte in text.encode("utf-8", "surrogatepass"))


@lru_cache(4096)
def _char(byte: int, page: str) -> str:
    """What one byte is in a page, as browsers read it."""
    try:
        return bytes((byte,)).decode(page)
    except UnicodeDecodeError:
        return chr(byte)


def each(pattern: re.Pattern[str], give: Callable[[str], str]) -> Callable[[str], str]:
    """Make a function that replaces each character of a class."""
    return lambda text: pattern.sub(lambda found: give(found.group()), text)


def without(belongs: Callable[[str], bool]) -> Callable[[str], str]:
    """Make a function that drops the characters of a class."""
    return lambda text: "".join(char for char in text if not belongs(char))


def surrogates(char: str) -> tuple[str, str]:
    """Give the two halves by which UTF-16 writes a character beyond its first plane."""
    offset = ord(char) - 0x10000
    return chr(0xD800 + (offset >> 10)), chr(0xDC00 + (offset & 0x3FF))


def paired(text: str) -> str:
    """Put halves together that belong together, as they may have come in two pieces."""
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def is_mark(char: str) -> bool:
    """Tell whether a character is drawn on the one before it."""
    return unicodedata.category(char) == "Mn"


def is_right_to_left(char: str) -> bool:
    """Tell whether a character is a letter that is written from right to left."""
    return unicodedata.bidirectional(char) in ("R", "AL")


def _page(page: str) -> Alteration:
    return Alteration("double-encoded", f"UTF-8 read as {page}", lambda text: misread(text, page))


def _lossy_windows(text: str) -> str:
    return text.encode().decode("cp1252", "replace")


def _lossy_ascii(text: str) -> str:
    return text.encode().decode("ascii", "replace")


def _normal(form: Form) -> Alteration:
    return Alteration("normalised", form, lambda text: unicodedata.normalize(form, text))


def _entities(text: str) -> str:
    return BEYOND_ASCII.sub(lambda found: f"&#{ord(found.group())};", text)


def _escape(char: str) -> str:
    units = surrogates(char) if ord(char) > BMP_ENDS else (char,)
    return "".join(f"\\u{ord(unit):04x}" for unit in units)


def _swapped(text: str) -> str:
    """Swap the halves of each pair; where two pairs stand side by side, the inner halves make another character."""
    return paired(BEYOND_BMP.sub(lambda found: "".join(surrogates(found.group())[::-1]), text))


def _mirrored(text: str) -> str:
    """Write runs from right to left in the order in which they are seen, as some text extraction does."""
    return re.sub("[\u0590-\u06ff][\u0590-\u06ff ]*[\u0590-\u06ff]", lambda found: found.group()[::-1], text)


FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
# In the order in which they are believed where two give the same text.
ALTERATIONS: tuple[Alteration, ...] = (
    *map(_page, PAGES),
    Alteration("double-encoded", "UTF-8 read as cp1252, with bytes lost", _lossy_windows),
    *(_normal(form) for form in FORMS),
    Alteration("normalised", "quotes straightened", lambda text: text.translate(STRAIGHT_QUOTES)),
    Alteration("normalised", "the dash made a hyphen", lambda text: text.translate(STRAIGHT_DASHES)),
    Alteration("normalised", "the dash made two hyphens", lambda text: text.translate(TWO_HYPHENS)),
    Alteration("normalised", "the dash made shorter", lambda text: text.translate(EN_DASHES)),
    Alteration("replaced", "each character by U+FFFD", each(BEYOND_ASCII, lambda _: REPLACEMENT)),
    Alteration("replaced", "each byte by U+FFFD", _lossy_ascii),
    Alteration("replaced", "each character by ?", each(BEYOND_ASCII, lambda _: "?")),
    Alteration("replaced", "each byte by ?", each(BEYOND_ASCII, lambda char: "?" * len(char.encode()))),
    Alteration("replaced", "characters beyond U+FFFF by U+FFFD", each(BEYOND_BMP, lambda _: REPLACEMENT)),
    Alteration("replaced", "characters beyond U+FFFF by ?", each(BEYOND_BMP, lambda _: "?")),
    Alteration("replaced", "halves of surrogate pairs by U+FFFD", each(BEYOND_BMP, lambda _: REPLACEMENT * 2)),
    Alteration("replaced", "halves of surrogate pairs by ?", each(BEYOND_BMP, lambda _: "??")),
    Alteration("dropped", "characters beyond ASCII", without(lambda char: not char.isascii())),
    Alteration("dropped", "combining marks", without(is_mark)),
    Alteration("dropped", "joiners", without(lambda char: char == "\u200d")),
    Alteration("dropped", "characters beyond U+FFFF", without(lambda char: ord(char) > BMP_ENDS)),
    Alteration("dropped", "right-to-left letters", without(is_right_to_left)),
    Alteration("dropped", "CJK characters", without(lambda char: "\u3000" <= char <= "\u9fff")),
    Alteration("dropped", "dashes and curly quotes", without(lambda char: "\u2010" <= char <= "\u2027")),
    Alteration("unpaired-surrogate", "only the first half", each(BEYOND_BMP, lambda char: surrogates(char)[0])),
    Alteration("unpaired-surrogate", "only the second half", each(BEYOND_BMP, lambda char: surrogates(char)[1])),
    Alteration("unpaired-surrogate", "halves swapped", _swapped),
    Alteration("reordered", "right-to-left letters as they are seen", _mirrored),
    Alteration("escaped", "as JSON escapes", each(BEYOND_ASCII, _escape)),
    Alteration("escaped", "as HTML numbers", _entities),
    Alteration("escaped", "as HTML with &lt; and &quot;", html.escape),
    Alteration("escaped", "backslashes doubled", lambda text: text.replace("\\", "\\\\")),
    Alteration(
        "escaped", "backslashes and quotes escaped", lambda text: text.replace("\\", "\\\\").replace('"', '\\"')
    ),
)
