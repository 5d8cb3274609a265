"""Small pieces of the page that come by the thousand: instants, states, counts, strips, cells.

In the template each would be a macro, at ten times the price. Every one escapes and scrubs what it is given.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from contracts.sinks.html_values import Counts, Strip

LIMIT = 2000  # characters of one text: as long as the longest `why` may sensibly be
LETTERS = {"violated": "v", "unknown": "u", "waived": "w", "holds": "h", "not-applicable": "n"}
OTHER = "x"  # not judged, or an outcome that this version does not know
COUNTED = {"holds": "hold", "not-applicable": "not applicable"}  # what follows a number
LIGHT = "v l"  # violated, but no error
# Top and height of a poll's bar, in tenths of the strip: outcomes differ in shape as well as in colour.
BARS = {"violated": "0h{}v10h-{}z", "unknown": "3h{}v4h-{}z", "waived": "5h{}v5h-{}z", "holds": "8h{}v2h-{}z"}

_INSTANT = '<time datetime="{:%Y-%m-%dT%H:%M:%SZ}">{:%Y-%m-%d %H:%MZ}</time>'
_STATE = '<b class="s {}">{}</b>'
_COUNT = '<span class="c {}"><b>{}</b> {}</span>'
_PATH = '<path class="{}" d="{}"/>'
_STRIP = '<svg class="t" role="img" aria-label="{}" viewBox="0 0 {} 10" preserveAspectRatio="none">{}</svg>'
_CELL = '<td class="{}">{}'
_BLANK = "<td>"


class Piece(str):
    """Text that is HTML already; who escapes by the protocol of `__html__`, as the template engine does, lets it be."""

    __slots__ = ()

    def __html__(self) -> str:
        """Give itself."""
        return str(self)


def shown(text: str) -> str:
    """Scrub and escape a text, also for an attribute between quotes."""
    return escape(scrub(text, LIMIT))


def letter(outcome: str) -> str:
    """Name the class of an outcome in the style."""
    return LETTERS.get(outcome, OTHER)


@lru_cache(8192)
def instant(at: datetime) -> Piece:
    """Show an instant to the minute, in UTC."""
    utc = at.astimezone(UTC)
    return Piece(_INSTANT.format(utc, utc))


@lru_cache(256)
def state(outcome: str, severity: str = "") -> Piece:
    """Show an outcome; a violation that is no error looks lighter."""
    is_light = outcome == "violated" and severity in ("warning", "info")
    return Piece(_STATE.format(LIGHT if is_light else letter(outcome), shown(outcome)))


@lru_cache(4096)
def counts(pairs: Counts) -> Piece:
    """Show how many came to what."""
    return Piece("".join(_COUNT.format(letter(o), count, COUNTED.get(o) or shown(o)) for o, count in pairs))


def strip(drawn: Strip) -> Piece:
    """Draw the polls, the oldest left; one that was not judged, or that nothing applied to, stays blank."""
    return _strip(drawn.said, drawn.polls, drawn.stretches)


@lru_cache(8192)
def _strip(said: str, polls: int, stretches: Sequence[tuple[str, int, int]]) -> Piece:
    paths: dict[str, list[str]] = {}
    for outcome, begin, end in stretches:
        if outcome in BARS:
            bar = BARS[outcome].format(end - begin, end - begin)
            paths.setdefault(outcome, []).append(f"M{begin} {bar}")
    drawn = "".join(_PATH.format(letter(outcome), "".join(path)) for outcome, path in paths.items())
    return Piece(_STRIP.format(shown(said), max(polls, 1), drawn))


def names(texts: Iterable[str]) -> Piece:
    """Show several names on one line."""
    return Piece(", ".join(map(shown, texts)))


def cells_of(light: Sequence[bool]) -> Callable[[Iterable[str | None]], Piece]:
    """Give what shows a row of the matrix, where some of its contracts are no errors."""
    heavy: dict[str | None, str] = {o: _CELL.format(c, o) for o, c in LETTERS.items()} | {None: _BLANK}
    lighter = heavy | {"violated": _CELL.format(LIGHT, "violated")}

    def cells(outcomes: Iterable[str | None]) -> Piece:
        parts = (
            (lighter if is_light else heavy).get(outcome) or _CELL.format(OTHER, shown(outcome or ""))
            for outcome, is_light in zip(outcomes, light, strict=True)
        )
        return Piece("".join(parts))

    return cells


def scrubbed(value: object) -> object:
    """Stand between every expression of the template and the page; the template engine escapes what comes out."""
    return scrub(value, LIMIT) if isinstance(value, str) and not hasattr(value, "__html__") else value


def is_link(url: str) -> bool:
    """Tell whether an address may be clicked: one of another scheme could run something."""
    return url.startswith(("https://", "http://")) and url == scrub(url, LIMIT)
