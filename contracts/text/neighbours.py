"""How odd it is that one character stands directly before another, as far as misread bytes need it.

Honest text changes neither script nor to a capital within a word, puts no letter before a mathematical sign or a
dagger, and joins no double line to a single one. Misread bytes do all of that, in almost every character.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

Sort = Literal["", "control", "lower", "upper", "letter", "line", "block", "maths", "sign", "close", "join", "other"]

_LETTERS = ("lower", "upper", "letter")
_LINES = frozenset("─│┌┐└┘├┤┬┴┼")
_DOUBLE_LINES = frozenset(map(chr, range(0x2550, 0x256D)))
_SHADES = frozenset("░▒▓█▌▐▀▄")
_MATHS = frozenset("√∞∂∑∏∫≠∆◊≈≤≥±×÷¬Ω⌠⌡∙")
_AFTER_NO_LETTER = frozenset("√∞∂∑∏∫∆◊Ω⌠⌡")
_BEFORE_NO_LETTER = frozenset("∞∂∑∏∫≠∆◊⌠⌡¬†‡‰¢¤¦¨¯´¸")
_SIGNS = frozenset("•¤¦§¶©†‡‰µ№¢£¥€ƒ¡¿‚„¨¯´¸ˇ˘˛˝˙˜ˆ⌐‗⁄₧˚")
_CLOSING = frozenset("»”‘›‹«®™°²³¹ºª“")
_OPENING = frozenset("“‘«‹")  # of _CLOSING: some language opens with them
_JOINS = frozenset("\xa0\xad–—…·’")
_DASHES = frozenset("–—")
_AFTER_NO_DASH = frozenset("∑∏∂π∫Ωæø≤≥±µºª¥")
# Letters of no two alphabets: Romanian Ă and Slovak Ĺ before what only others write.
_FOREIGN = {"Ă": frozenset("ŚŹśźŁĄŻłążĽľŤťšžŠŽ"), "Ĺ": frozenset("ŚŹśźŁĄŻłąż")}


@lru_cache(1024)
def sort(char: str) -> Sort:
    """What kind of neighbour a character is; empty where any neighbour will do."""
    if char.isascii():
        return "lower" if char.islower() else "upper" if char.isupper() else ""
    if "\x80" <= char < "\xa0":
        return "control"
    for name, chars in _SORTS:
        if char in chars:
            return name
    if "\u2500" <= char < "\u2600":
        return "block"
    if char.isalpha():
        return "lower" if char.islower() else "upper" if char.isupper() else "letter"
    return "other"


_SORTS: tuple[tuple[Sort, frozenset[str]], ...] = (
    ("line", _LINES), ("maths", _MATHS), ("sign", _SIGNS), ("close", _CLOSING), ("join", _JOINS),
)  # fmt: skip


def is_letter(char: str) -> bool:
    """Whether it is a letter, of ASCII too."""
    return sort(char) in _LETTERS


@lru_cache(8192)
def oddity(one: str, other: str) -> int:
    """How odd `one` directly before `other` is: 0 where honest text has it, 1 seldom, 2 next to never."""
    first, second = sort(one), sort(other)
    if "control" in (first, second):
        return 2
    if not first or not second:
        return 0
    if (one == "─" or one in "≈ƒ∆") and second in _LETTERS and other > "\x7f" and _script(other) == "latin":
        return 1
    if one == "√" and (other in "±•" or (other > "\x7f" and second in _LETTERS and _script(other) == "latin")):
        return 1 if other in "±•" else 2
    if one in _DASHES:
        return int(other in _AFTER_NO_DASH)
    if first in _LETTERS:
        return _letters(one, other) if second in _LETTERS else _after_letter(other)
    if second in _LETTERS:
        return _before_letter(one)
    return _symbols(one, other)


def _letters(one: str, other: str) -> int:
    if other in _FOREIGN.get(one, ""):
        return 2
    if _script(one) != _script(other):
        return 1 if one.isascii() or other.isascii() else 2
    return int(one.islower() and other.isupper())


def _after_letter(other: str) -> int:
    if other in "├┼":
        return 2
    if sort(other) == "maths":
        return int(other in _AFTER_NO_LETTER)
    return int(sort(other) in ("block", "sign"))


def _before_letter(one: str) -> int:
    first = sort(one)
    if first == "close":
        return int(one not in _OPENING)
    return int(first == "block" or one in _BEFORE_NO_LETTER)


def _symbols(one: str, other: str) -> int:
    """Two that are no letters: lines among each other, maths with maths, and what closes with anything, are honest."""
    first, second = sort(one), sort(other)
    drawn = [kind in ("line", "block") for kind in (first, second)]
    if all(drawn):
        if first == second == "line" or (one in _DOUBLE_LINES and other in _DOUBLE_LINES):
            return 0
        mixed = "line" in (first, second) and (one in _DOUBLE_LINES or other in _DOUBLE_LINES)
        return int(mixed or (first == "line" and other in _SHADES))
    if any(drawn):
        return 1
    if "maths" in (first, second):
        return int(first != second and "join" not in (first, second))
    return int("sign" in (first, second) and "join" not in (first, second) and "close" not in (first, second))


def _script(char: str) -> str:
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        return "latin"
    return "greek" if char < "\u0400" else "cyrillic" if char < "\u0530" else "other"
