"""A model that says the same thing over and over until something stops it.

Only the end of a text is looked at, for a loop goes on to the end: the last characters are searched for further ahead,
and what lies between is the unit that has to come again and again without a break. Refrains, tables, rules of dashes
and lines of code come again too, so a unit has to be words, often and long; anything else has to fill pages up to a
limit that cut it. What was asked for, a line a hundred times or a litany, is no other text: whether it ended by itself
tells the two apart, and `text.verdict` asks for that.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

TAIL = 8192  # characters of the end that are looked at
PROBE = 24  # characters that are searched for; fewer are met by chance in any table
LONGEST = 1024  # characters of a unit, so that the tail holds it eight times
TRIES = 8  # places looked at: a unit may hold its own end within it
TIMES = 8  # a refrain is sung less often in a row
SPAN = 800  # characters that a loop of words fills at least; those seen went on for thousands
SPAN_OTHER = 4000  # the same of what is no words, where a limit cut it
KINDS = 4  # different letters of a unit of words; ASCII art, laughter and zeros have fewer
PROSE = 0.8  # share of letters among what is not white space; code and tables have fewer
WORD = 24  # letters of a word on average at most, where words stand apart; lines of DNA have more


class Loop(NamedTuple):
    """How long the unit is in characters, and how often it came in a row at least."""

    unit_chars: int
    times: int


class Tail:
    """The end of a text that arrives in pieces, in bounded memory."""

    __slots__ = ("_pieces", "_room")

    def __init__(self) -> None:
        """Start with no text."""
        self._pieces: list[str] = []
        self._room = 2 * TAIL  # for characters and pieces alike: a small piece costs as much as a large one

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        self._pieces.append(piece)
        self._room -= len(piece) + 1
        if self._room < 0:
            end = "".join(self._pieces)[-TAIL:]
            self._pieces = [end]
            self._room = 2 * TAIL - len(end)

    def finish(self, *, was_cut: bool) -> Loop | None:
        """Say what the text came to."""
        return find("".join(self._pieces), was_cut=was_cut)


def find(text: str, *, was_cut: bool) -> Loop | None:
    """Find the loop that a text ends in.

    Args:
        text: all of it or its end.
        was_cut: a limit of tokens ended it.
    """
    if len(text) < SPAN:
        return None
    tail = text[-TAIL:]
    probe = tail[-PROBE:]
    end = len(tail) - PROBE
    at = end
    for _ in range(TRIES):
        at = tail.rfind(probe, 0, at - 1 + PROBE)
        period = end - at
        if at < 0 or period > LONGEST:
            return None
        if tail[-period:] == tail[-2 * period : -period]:
            return _judged(tail, period, was_cut=was_cut)
    return None


def _judged(tail: str, period: int, *, was_cut: bool) -> Loop | None:
    # What repeats at the end of a text repeats at every shorter end too, so halving finds how far it goes.
    low, high = period, len(tail) - period
    while low < high:
        middle = (low + high + 1) // 2
        if tail[-middle:] == tail[-middle - period : -period]:
            low = middle
        else:
            high = middle - 1
    span = low + period
    times = span // period
    words = _is_words(tail[-period:])
    if times < TIMES or span < (SPAN if words else SPAN_OTHER) or not (words or was_cut):
        return None
    return Loop(period, times)


def _is_words(unit: str) -> bool:
    solid = [char for char in unit if not char.isspace()]
    letters = [char for char in solid if char.isalpha() or unicodedata.category(char)[0] == "M"]
    # Scripts that know capitals put blanks between words; a run of their letters without one is a code, such as DNA.
    is_spaced = len(solid) < len(unit) and len(letters) <= WORD * len(unit.split())
    is_spaced = is_spaced or all(char.lower() == char.upper() for char in letters)
    return is_spaced and len(set(letters)) >= KINDS and len(letters) >= PROSE * len(solid)
