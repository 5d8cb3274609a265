"""Damage that only some characters took: the cheapest way from what was sent to what came back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from contracts.text.alterations import ALTERATIONS, REPLACEMENT

if TYPE_CHECKING:
    from contracts.text.alterations import Kind

MOST = 4  # replacement characters for one: as many as it has bytes in UTF-8
LONGEST = 400  # characters of a segment that came back; ours have 50
SHOWN = 4  # code points of either side of a difference
PARTLY = "some characters"


class Way(NamedTuple):
    """One thing that may stand where a character stood."""

    made: str
    kind: Kind | None
    how: str


@lru_cache(maxsize=512)
def ways(char: str) -> tuple[Way, ...]:
    """Give all that may stand where a character stood, itself first."""
    found = {char: Way(char, None, "")}
    if char.isascii():
        return tuple(found.values())
    for alteration in ALTERATIONS:
        try:
            made = alteration.act(char)
        except UnicodeError:
            continue
        how = alteration.how if alteration.kind in ("double-encoded", "normalised") else PARTLY
        found.setdefault(made, Way(made, alteration.kind, how))
    for sign in (REPLACEMENT, "?"):
        for count in range(1, MOST + 1):
            found.setdefault(sign * count, Way(sign * count, "replaced", f"{PARTLY} by {_name(sign)}"))
    found.setdefault("", Way("", "dropped", PARTLY))
    return tuple(found.values())


def by_character(sent: str, got: str) -> tuple[tuple[Kind, str], ...] | None:
    """Name what happened to some of the characters; None where no way leads from one text to the other.

    The way with the fewest characters that were touched is taken.
    """
    if len(got) > LONGEST:
        return None
    # Cost and way to have made got[:place] of what was sent so far.
    reached: dict[int, tuple[int, tuple[Way, ...]]] = {0: (0, ())}
    for char in sent:
        following: dict[int, tuple[int, tuple[Way, ...]]] = {}
        for place, (cost, path) in reached.items():
            for way in ways(char):
                if not got.startswith(way.made, place):
                    continue
                end, total = place + len(way.made), cost + (way.kind is not None)
                if end not in following or total < following[end][0]:
                    following[end] = (total, path if way.kind is None else (*path, way))
        reached = following
    if len(got) not in reached:
        return None
    return tuple(dict.fromkeys((way.kind, way.how) for way in reached[len(got)][1] if way.kind is not None))


def points(sent: str, got: str) -> str:
    """Show the first difference of two texts in code points, a few of either side."""
    start = next((at for at, (one, other) in enumerate(zip(sent, got, strict=False)) if one != other), None)
    start = min(len(sent), len(got)) if start is None else start
    end = 0
    while end < min(len(sent), len(got)) - start and sent[-1 - end] == got[-1 - end]:
        end += 1
    was, now = sent[start : len(sent) - end], got[start : len(got) - end]
    return f"{_shown(was)} \u2192 {_shown(now)}"


def _shown(text: str) -> str:
    if not text:
        return "nothing"
    return " ".join(map(_name, text[:SHOWN])) + (" \u2026" if len(text) > SHOWN else "")


def _name(char: str) -> str:
    return "?" if char == "?" else f"U+{ord(char):04X}"
