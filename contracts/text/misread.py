"""How UTF-8 looks when its bytes were read by another table: the alphabets, their shapes, and the way back.

Three tables matter: ISO-8859-1, windows-1252, and the printable alphabet that byte-level BPE tokenizers (GPT-2 and
its heirs) write bytes in. In each of them the byte that leads a UTF-8 sequence stands as itself (U+00C2 to U+00F4) and
no other byte of a sequence does, so sequences can be found without knowing where the text began. (DF leads N'Ko alone;
it is left out, because ß before a closing quotation mark is everyday German.)
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

# Windows-1252 gives 27 of the bytes 80 to 9F a character; https://encoding.spec.whatwg.org/#windows-1252 reads the
# other five (81 8D 8F 90 9D) as the C1 controls, so those five tell nothing about which table it was.
_BYTE_OF = {ord(char): byte for byte in range(0x80, 0xA0) for char in bytes([byte]).decode("cp1252", "ignore")}
WINDOWS = "".join(map(chr, _BYTE_OF))
LATIN_ONLY = "".join(chr(byte) for byte in range(0x80, 0xA0) if byte in _BYTE_OF.values())

# GPT-2 moves the bytes that do not print to U+0100 onwards, in order: 00 to 20, 7F to A0, AD. Those from 80 on
# become U+0122 to U+0143; a newline becomes U+010A and a space U+0120.
_MOVED = {0x122 + place: byte for place, byte in enumerate([*range(0x80, 0xA1), 0xAD])}
BPE_ONLY = "".join(map(chr, _MOVED))


def sequences(tail: str, two: str = "\xc2-\xde", three: str = "\xe0-\xef", four: str = "\xf0-\xf4") -> str:
    """The pattern of one misread UTF-8 sequence, of characters within classes: what leads so many bytes, and the rest.

    One class at its front lets `re` skip what leads nothing; three branches would be tried at every character.
    """
    return (
        f"[{two}{three}{four}](?={tail})"
        f"(?:(?<=[{two}]){tail}|(?<=[{three}]){tail}{tail}|(?<=[{four}]){tail}{tail}{tail})"
    )


@cache
def shape() -> re.Pattern[str]:
    """One sequence misread as ISO-8859-1 or windows-1252."""
    return re.compile(sequences(f"[\x80-\xbf{WINDOWS}]"))


@cache
def bpe_shape() -> re.Pattern[str]:
    """One sequence in the BPE alphabet; only a character of BPE_ONLY in it tells it from `shape`."""
    return re.compile(sequences(f"[\xa1-\xac\xae-\xbf{BPE_ONLY}]"))


# What honest text is full of: ÇİN, STÓŁ, and a French closing quotation mark after its no-break space. Such a sequence
# counts only beside one that is none of these, so that the prefilter need not stop at it.
_WEAK_TAILS = frozenset("İıŁ")


def weak(damaged: str) -> bool:
    """Whether a sequence is too common in honest text to say anything, be it alone or beside another such."""
    return (damaged[1:] in _WEAK_TAILS and damaged[0] not in "ÂÃÄÅ") or damaged[1:] == "\xa0»"


@cache
def prefilter() -> re.Pattern[bytes]:
    """Either shape in UTF-8 bytes: it begins with one literal byte, which `re` looks for a byte a cycle.

    It finds more than the two shapes do, and nothing less but the weak ones. A match ends behind the lead's two bytes
    and the first of what follows: what costs most is to begin on a letter, so the cheapest test comes first and all the
    rest looks back.
    """
    every = _tails(WINDOWS + BPE_ONLY)
    most = _tails(char for char in WINDOWS + BPE_ONLY if char not in _WEAK_TAILS)
    # Dashes and quotation marks read as Mac Roman (Äî in ‚Äî), cp850 (ÔÇö) and windows-1250 (â€ś).
    other = rb"\x84\xc3[\xac\xae\xb2\xb4\xb9\xba]|\x94\xc3\x87|\xa2\xe2\x82\xac(?:\xc5[\x9a\x9b\xa4\xa5]|\xcb\x98)"
    return re.compile(
        rb"\xc3.[^\x00-\x7f]"  # most accented letters are followed by ASCII: out at once
        rb"(?<=[\x82-\xb4][\xc2-\xc6\xcb\xe2])(?<=(?=" + other + rb"|[\x82-\x85]" + every + rb"|[\x86-\x9e]" + most
        + rb"|[\xa0-\xaf](?!\xc2\xa0\xc2\xbb)" + every * 2 + rb"|[\xb0-\xb4]" + every * 3 + rb")..)",
        re.DOTALL,
    )  # fmt: skip


def _tails(chars: Iterable[str]) -> bytes:
    """A pattern of UTF-8 for ISO-8859-1 from 80 to BF and for these characters besides."""
    lasts: dict[bytes, bytes] = {}
    for char in sorted(char.encode() for char in chars):
        lasts[char[:-1]] = lasts.get(char[:-1], b"") + re.escape(char[-1:])
    other = b"".join(b"|" + re.escape(first) + b"[" + last + b"]" for first, last in lasts.items())
    return rb"(?:\xc2[\x80-\xbf]" + other + rb")"


def repair(text: str) -> str | None:
    """What stood there before it was misread once, or None where the bytes are no UTF-8."""
    try:
        return text.translate(_BYTE_OF).encode("latin-1").decode()
    except UnicodeError:
        return None


def bpe_repair(text: str) -> str | None:
    """What a piece of the BPE alphabet stands for, or None where the bytes are no UTF-8."""
    try:
        return text.translate(_MOVED).encode("latin-1").decode()
    except UnicodeError:
        return None
