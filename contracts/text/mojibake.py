"""Double encoding: UTF-8 that was read as ISO-8859-1 or windows-1252 and written as UTF-8 again.

Every candidate is decoded back; what does not come out as UTF-8 is none. Honest text still holds candidates: a letter
and the punctuation after it may decode to something (`CAFÉ®`, `né »` with its no-break space, `Spaß“`, `5 Å²`). So a
candidate is believed when its neighbours say that the letter cannot stand there as itself, or when the next character
is a candidate too. A verdict looks at no more than REACH characters on either side: it is the same wherever the text
was cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple

from contracts.text.misread import LATIN_ONLY, WINDOWS, repair, shape, weak
from contracts.text.script import assigned, common, latin

REACH = 96

# What honestly follows a letter, and then anything may follow it: ellipsis (NEL as some write it), no-break space, soft
# hyphen, dots, dashes, apostrophes.
_JOIN = frozenset("\x85\xa0\xad·…–—’•")
# What honestly follows a letter, and then no letter does: closing quotes of some language, marks, superscripts.
_CLOSE = frozenset("«»“”‘‹›™®©²³¹ºª°†‡")
_CLOSING_QUOTES = frozenset("»«”“›‹’‘")
_PUNCTUATION = _JOIN | _CLOSE
_SOFT = _PUNCTUATION | frozenset("šžŠŽ")
# What may come after punctuation that follows a letter: openers, currencies, fractions.
_OPEN = frozenset("€£¥¢§„‚¿¡½¼¾±¶")
_QUOTES = frozenset(('""', "''", "``", "“”", "„“", "„”", "«»", "»«", "‘’", "‚‘", "「」", "『』", "‹›", "’’", "””"))
_VIETNAMESE_END = re.compile(r"(?:ng?h?|m|p|t|ch?)(?!\w)")
_ARROW = re.compile(r"→|⇒|->|=>")
_EDGE = re.compile(r"""[\s"'`.,;:!?()\[\]{}<>=/“”„]""")
_WORD = 24  # characters of a word on either side of damage


class Unit(NamedTuple):
    """One misread sequence: where it stands and the character that stood there before."""

    start: int
    end: int
    char: str


def units(text: str) -> list[Unit]:
    """All misread sequences of a text that decode, in order, honest accidents included."""
    found = []
    for match in shape().finditer(text):
        char = repair(match.group())
        if char is not None:
            found.append(Unit(match.start(), match.end(), char))
    return found


def codec(damaged: str) -> str:
    """Which table a damaged sequence was read with: `latin1`, `cp1252`, or `either` where both read it so."""
    if not _WINDOWS_SET.isdisjoint(damaged):
        return "cp1252"
    return "latin1" if not _LATIN_SET.isdisjoint(damaged) else "either"


_WINDOWS_SET = frozenset(WINDOWS)
_LATIN_SET = frozenset(LATIN_ONLY)


def damage(text: str, found: list[Unit]) -> Iterator[tuple[str, int, int]]:
    """Yield (`triple` or a codec, start, end) for each character that was damaged, in order."""
    place = 0
    while place < len(found):
        run = _run_end(found, place)
        twice = _twice(text, found[place:run]) if run > place + 1 else {}
        at = place
        while at < run:
            unit = found[at]
            if at - place in twice:
                at = place + twice[at - place] - 1
                yield "triple", unit.start, found[at].end
            elif believed(text, found, at) and not explained(text, unit, _once):
                yield codec(text[unit.start : unit.end]), unit.start, unit.end
            at += 1
        place = run


def _twice(text: str, run: list[Unit]) -> dict[int, int]:
    """First and end index of units that, read right, are damage again."""
    chars = "".join([unit.char for unit in run])
    result: dict[int, int] = {}
    for match in shape().finditer(chars):
        start, end = match.span()
        before = _once(text[max(0, run[start].start - _NEAR) : run[start].start])
        after = _once(text[run[end - 1].end : run[end - 1].end + _NEAR])
        local = before + match.group() + after
        again = units(local)
        place = next((at for at, unit in enumerate(again) if unit.start == len(before)), None)
        if place is not None and believed(local, again, place):
            result[start] = end
    return result


_NEAR = 48  # characters read right around a candidate: more than `believed` looks at


def _once(text: str) -> str:
    """Read right what can be read right."""
    return shape().sub(lambda found: repair(found.group()) or found.group(), text)


def _run_end(found: list[Unit], place: int) -> int:
    """Index after the last of the units that follow each other without a gap."""
    place += 1
    while place < len(found) and found[place].start == found[place - 1].end:
        place += 1
    return place


def believed(text: str, found: list[Unit], at: int) -> bool:
    """Whether the unit is damage and no accident of honest characters."""
    unit = found[at]
    for other in (at - 1, at + 1):
        if 0 <= other < len(found) and _in_one_word(text, unit, found[other]) and _pair(text, unit, found[other]):
            return True
    left, right = text[max(0, unit.start - 2) : unit.start], text[unit.end : unit.end + 3]
    lead, tail = text[unit.start], text[unit.start + 1 : unit.end]
    if left[-1:] + right[:1] in _QUOTES and left:
        return False
    if any("\x80" <= char < "\xa0" and (char != "\x85" or lead == "Ã") for char in tail):
        return common(unit.char) or lead == "Â"
    if not common(unit.char) or _in_a_table(left[-1:], unit.char, right[:1]):
        return False
    if len(tail) == 1:
        return _two(lead, tail, unit.char, left, right)
    return _three(lead, tail, unit.char, left, right) if len(tail) == 2 else _four(tail)  # noqa: PLR2004 - UTF-8


def _in_one_word(text: str, unit: Unit, other: Unit) -> bool:
    """Whether two sequences touch, or have only a few letters between them that no join of sentences explains."""
    first, second = sorted((unit, other))
    gap = text[first.end : second.start]
    if not gap:
        return True
    joins = first.end - first.start == 2 and text[first.end - 1] in _JOIN  # noqa: PLR2004 - a letter and a dash
    return len(gap) < 5 and gap.isascii() and gap.isalpha() and not joins  # noqa: PLR2004 - letters of a word


def _pair(text: str, one: Unit, other: Unit) -> bool:
    """Whether two sequences of a word are damage: both plausible, and not letters that trail off (`Ä…Ä…`)."""
    if not (assigned(one.char) and assigned(other.char)):
        return False
    if weak(text[one.start : one.end]) and weak(text[other.start : other.end]):
        return False
    if text[one.end - 1] == text[other.end - 1] in "…–—’•" and latin(one.char) and latin(other.char):
        return False
    near = abs(ord(one.char) - ord(other.char)) < 0x80  # noqa: PLR2004 - a block of Unicode
    return near or (common(one.char) and common(other.char))


def _in_a_table(before: str, char: str, after: str) -> bool:
    """Whether it stands among characters beyond ASCII that it has nothing to do with, as in a code page's table."""
    return before > "\x7f" and after > "\x7f" and all(abs(ord(char) - ord(other)) > 0x80 for other in before + after)  # noqa: PLR2004


def _two(lead: str, tail: str, char: str, left: str, right: str) -> bool:
    """Judge a capital and one character after it (an honest × counts as one)."""
    if left[-1:] in "“„«‘»" and left and tail in _CLOSING_QUOTES:
        return False
    if lead == "×":
        return False
    if unicodedata.category(char)[0] == "M":
        return left[-1:].islower() or (left[-1:].isalpha() and tail not in _SOFT and not tail.isalpha())
    if lead == "Â":
        return _sign(tail, left)
    if not char.isalnum():
        return _product(tail, left, right) if lead == "Ã" else tail not in _SOFT and not left[-1:].isupper()
    if latin(char) or "\u02b0" <= char < "\u0300":
        return _latin(lead, tail, char, left, right)
    return _foreign(lead, tail, left[-1:], right[:1])


def _sign(tail: str, left: str) -> bool:
    """Judge an Â before a sign of ISO-8859-1; no language ends a word that has small letters with it."""
    before = left[-1:]
    if before.isupper():
        return False
    if tail in "\xa0\xad»":
        return before.islower() or (before != "" and before in "0123456789.,;:!?)%" and tail != "\xad")
    return True


def _product(tail: str, left: str, right: str) -> bool:
    """Judge a misread × or ÷; only between numbers is its dash no dash."""
    if tail == "—":
        return left[-1:] in " 0123456789" and right[:1] in " 0123456789" and any(map(str.isdigit, left + right[:2]))
    return not left[-1:].isupper()


def _latin(lead: str, tail: str, char: str, left: str, right: str) -> bool:
    """Judge what decodes to a Latin letter by the case of its neighbours."""
    before, after = left[-1:], right[:1]
    if lead == "Ä" and tail in "šžŠŽ":  # letters of Estonian; Ě, Ğ, Ċ and Ď seldom stand where only they would tell
        return before.islower() and char.islower()
    if before.islower():
        return not char.isupper() and not (after.isupper() and tail in _SOFT)
    if before.isupper():
        return _in_capitals(lead + tail, char, left, right)
    if after.islower():
        if lead == "Ã" or tail not in _JOIN:
            return True
        return lead == "Å" and tail == "’" and right[1:2].isalpha()
    if after.isupper():
        return lead in "ÃÄÅÊ" and not char.islower() and (tail not in _JOIN or (lead == "Ã" and tail == "–"))
    if lead == "Ã":
        if tail == "\xa0":
            return left == "" or (before == " " and (left[:1].islower() or left[:1] in ",;.'"))
        return char.islower() and (tail not in _JOIN or tail == "\xad")
    return lead in "ÄÅ" and char.islower() and tail not in _SOFT and tail not in _OPEN


def _in_capitals(damaged: str, char: str, left: str, right: str) -> bool:
    """Judge a letter that comes after an ASCII or other capital."""
    tail = damaged[1]
    shouted = left[:-1].isupper()
    if right[:1].isupper():
        return char.isupper() and tail not in _JOIN
    if right[:1].islower():
        return not shouted and not char.isupper() and (tail not in _JOIN or tail == "\xad" or damaged == "Ã\xa0")
    if shouted:
        return char.isupper() and tail not in _SOFT
    return char.islower() and (tail not in _SOFT or (damaged[0] == "Ã" and tail in "©³ª²º"))


def _foreign(lead: str, tail: str, before: str, after: str) -> bool:
    """Judge what decodes to a letter of another script: it does not stand inside a Latin word."""
    if (before and latin(before)) or (after and latin(after)):
        return False
    if tail in _SOFT:
        alone = (before == "" or before.isspace()) and (after == "" or after.isspace() or after in ".,;:!?)")
        return alone and lead in "ÐÑÎÏ" and tail in "²³°ºª®"
    return not (lead == "Ø" and tail in "¼½¾±€£$")


def _three(lead: str, tail: str, char: str, left: str, right: str) -> bool:
    """Judge a small letter and two characters after it: two pieces of punctuation may be honest."""
    if (lead == "â" and tail[0] == "€") or (lead == "ï" and ord(char) >= 0xFEFF):  # noqa: PLR2004 - BOM
        return True
    first, second = tail[0], tail[1]
    if lead == "á" and first in "¸¹º»" and latin(char):
        if second not in _PUNCTUATION or second == "\xad" or left[-1:].isupper():
            return True
        if second in _JOIN:
            return left[-1:].isalpha() and _VIETNAMESE_END.match(right) is not None
        return right[:1].islower()
    # š and ž are letters of words that a quotation mark follows: Czech „víš“.
    return not (first in _SOFT and (second in _SOFT or second in _OPEN))


def _four(tail: str) -> bool:
    """Judge a small letter and three characters after it."""
    return any(char not in _SOFT and char not in _OPEN for char in tail) or tail[0] == "Ÿ"


def explained(text: str, unit: Unit, once: Callable[[str], str]) -> bool:
    """Whether damage that `once` reads right is shown on purpose: quoted or at an arrow, and intact close by."""
    start = unit.start - len(_EDGE.split(text[max(0, unit.start - _WORD) : unit.start])[-1])
    end = unit.end + len(_EDGE.split(text[unit.end : unit.end + _WORD], maxsplit=1)[0])
    near = text[max(0, start - 48) : start] + "\n" + text[end : end + 48]
    if near.isascii():
        return False
    # What it reads like is asked last: that costs most.
    shown = text[max(0, start - 1) : start] + text[end : end + 1] in _QUOTES or _ARROW.search(near) is not None
    return shown and once(text[start:end]) in near
