"""Double encoding by the code pages of `pages`: what is found near their markers, and whether to believe it.

A sequence is believed where it and its neighbours are too odd for honest text (`neighbours`), or where it is one of the
dashes, quotation marks and bullets that every text has. A verdict looks at no more than `signs.REACH` characters on
either side: it is the same wherever the text was cut.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise

from contracts.text.misread import repair
from contracts.text.mojibake import Unit, explained
from contracts.text.neighbours import is_letter, oddity, sort
from contracts.text.pages import DOS, MARKERS, NEAR, PAGES, SIEVED, WIDE
from contracts.text.script import assigned, common, latin
from contracts.text.tables import Page, begins, page
from contracts.text.tables import sieved as sieve
from contracts.text.wide import beside, fronts

_ENOUGH = 2
_BESIDE = 24  # characters from damage in which what could be damaged counts as damaged
_TYPOGRAPHY = frozenset("–—‘’“”„†•…‰‹›€™−→←↑↓⇒≈≠≤≥✓✗★●■►")

Found = tuple[str, int, int]


def damage(text: str, markers: str, *, sieved: bool) -> tuple[list[Found], list[tuple[int, int]]]:
    """Find (signature, start, end) of each damaged character near markers, and the spans that are damaged beside.

    `sieved` is whether to look for what the prefilter stops at besides.
    """
    found: list[Found] = []
    spans: set[tuple[int, int]] = set()
    for name in PAGES:
        here = [begins(name, marker) for marker in MARKERS[name] if marker in markers]
        if sieved and name in SIEVED:
            here.append(sieve(name))
        places = sorted(match.start() for pattern in here for match in pattern.finditer(text))
        if places:
            candidates = _units(text, page(name), places)
            believed = [unit for unit in _believed(text, candidates, page(name)) if _near(places, unit)]
            _add(found, f"double-utf8-{name}", believed)
            spans |= _beside(candidates, believed)
    for name, own in WIDE.items():
        if not set(own).isdisjoint(markers):
            wide = list(fronts(text, name))
            found += [(f"double-utf8-{name}", start, end) for start, end in wide]
            spans.update(beside(text, wide))
    return found, sorted(spans)


def _add(found: list[Found], kind: str, units: list[Unit]) -> None:
    """Add what overlaps nothing that an earlier page explains; the two DOS pages share much of their tables."""
    taken = {place: at for at, (_, start, end) in enumerate(found) for place in range(start, end)}
    for start, end, _ in units:
        at = next((taken[place] for place in range(start, end) if place in taken), None)
        if at is None:
            found.append((kind, start, end))
        elif kind == "double-utf8-cp850" and found[at][1:] == (start, end):
            found[at] = (DOS, start, end)


def _units(text: str, table: Page, places: list[int]) -> list[Unit]:
    """Misread sequences around the places that decode by this page, and by none of the usual two, in order."""
    found: list[Unit] = []
    done = 0
    for place in places:
        begin, end = max(done, place - 2 * NEAR), place + 2 * NEAR
        if begin >= end:
            continue
        # A sequence is four characters at most; one across the end of what was done begins before it.
        for match in table.shape.finditer(text, max(0, begin - 3), end):
            char = table.repair(match.group())
            if char is not None and repair(match.group()) is None and (not found or match.start() >= found[-1].end):
                found.append(Unit(match.start(), match.end(), char))
        done = end
    return found


def _near(places: list[int], unit: Unit) -> bool:
    at = bisect_left(places, unit.start - NEAR)
    return at < len(places) and places[at] < unit.end + NEAR


def _beside(candidates: list[Unit], believed: list[Unit]) -> set[tuple[int, int]]:
    """Where units stand that are damage or close to it."""
    ends = [unit.end for unit in believed]
    spans = set()
    for start, end, _ in candidates:
        at = bisect_right(ends, start - _BESIDE)
        if at < len(believed) and believed[at].start < end + _BESIDE:
            spans.add((start, end))
    return spans


def _believed(text: str, units: list[Unit], table: Page) -> Iterator[Unit]:
    points = [_points(text, units, at) for at in range(len(units))]
    for at, unit in enumerate(units):
        if _is_damage(text, units, at, points) and not explained(text, unit, table.once):
            yield unit


def _is_damage(text: str, units: list[Unit], at: int, oddities: list[int]) -> bool:
    """Whether a unit is damage and no accident of honest characters; `oddities` are the points of each."""
    unit = units[at]
    start, end, char = unit
    if not common(char) or "\uf900" <= char < "\ufe00":
        return False
    if char in _TYPOGRAPHY and end - start == 3:  # noqa: PLR2004 - UTF-8
        return True
    points = oddities[at]
    touching = [other for other in units[max(0, at - 1) : at + 2] if other.end == start or other.start == end]
    for place in (at - 1, at + 1):
        if 0 <= place < len(units) and _in_one_word(text, unit, units[place]) and _alike(unit, units[place]):
            points += oddities[place]
    if _strays(text, units, at) or (not touching and "\u0300" <= char < "\u0370"):
        return False
    if text[start] in "–—" and any(text[other.start] in "–—" for other in touching):
        points += 1
    if touching and latin(char) and any(map(_small, (text[max(0, start - 1) : start], text[end : end + 1]))):
        points += 1
    return points >= _ENOUGH


def _small(char: str) -> bool:
    return char.isascii() and char.islower()


def _points(text: str, units: list[Unit], at: int) -> int:
    """How odd a unit is in itself and beside letters and the units that it touches."""
    start, end, _ = units[at]
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    within = text[start:end]
    points = sum(oddity(one, other) for one, other in pairwise(within))
    if before and (is_letter(before) or (at > 0 and units[at - 1].end == start)):
        points += oddity(before, within[0])
    if after and (is_letter(after) or (at + 1 < len(units) and units[at + 1].start == end)):
        points += oddity(within[-1], after)
    amid = before and after and is_letter(before) and is_letter(after)
    return points + int(bool(amid) and sort(within[0]) in ("line", "block", "maths", "sign"))


def _in_one_word(text: str, one: Unit, other: Unit) -> bool:
    first, second = sorted((one, other))
    gap = text[first.end : second.start]
    return not gap or (len(gap) < 5 and gap.isascii() and gap.isalpha())  # noqa: PLR2004 - letters of a word


def _alike(unit: Unit, other: Unit) -> bool:
    near = abs(ord(unit.char) - ord(other.char)) < 0x80  # noqa: PLR2004 - a block of Unicode
    return assigned(other.char) and (near or common(other.char))


def _strays(text: str, units: list[Unit], at: int) -> bool:
    """Whether what touches on both sides is beyond ASCII and no unit, as in a table of the code page."""
    start, end, _ = units[at]
    if at > 0 and units[at - 1].end == start:
        start = units[at - 1].start
    if at + 1 < len(units) and units[at + 1].start == end:
        end = units[at + 1].end
    beside = [unit for unit in units[max(0, at - 2) : at + 3] if start == unit.end or end == unit.start]
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return (
        _beyond(before)
        and _beyond(after)
        and not any(unit.end == start for unit in beside)
        and not any(unit.start == end for unit in beside)
    )


def _beyond(char: str) -> bool:
    return char > "\x7f" and not char.isspace()
