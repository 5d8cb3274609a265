"""Which signature has what could be of several, once all of a text is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.text.pages import DOS, SIGNATURES

if TYPE_CHECKING:
    from contracts.text.damage import Tally


def settled(found: dict[str, Tally]) -> dict[str, Tally]:
    """Give what could be of two signatures to the one that the rest of the text shows.

    What both code pages read alike is ISO-8859-1's where nothing else tells, for that explains it with less; beside a
    leaked BPE alphabet it belongs to that. Where much was damaged twice, all was: the rest is only harder to see, and
    each of its characters looks like two.
    """
    found = dict(found)
    if "double-utf8-either" in found:
        kind = "double-utf8-latin1"
        if kind not in found:
            kind = next((name for name in ("double-utf8-cp1252", "bpe-alphabet") if name in found), kind)
        _give(found, "double-utf8-either", kind)
    _give_to_pages(found)
    for kind in ("double-utf8-latin1", "double-utf8-cp1252"):
        if kind in found and "triple-utf8" in found and 2 * found["triple-utf8"].count >= found[kind].count:
            _give(found, kind, "triple-utf8")
    return found


def _give_to_pages(found: dict[str, Tally]) -> None:
    """Give what two code pages read alike to the one of them that is told by the rest.

    The DOS pages share what draws boxes, windows-1250 shares dashes with windows-1252; and of every page's damage a
    little looks like that of the two usual ones.
    """
    if DOS in found:
        _give(found, DOS, _CP850 if _CP850 in found else "double-utf8-cp437")
    pages = [kind for kind in found if kind in SIGNATURES]
    for kind in ("double-utf8-latin1", "double-utf8-cp1252"):
        if pages and kind in found:
            most = max(pages, key=lambda page: found[page].count)
            if "double-utf8-cp1250" in pages:
                _give(found, kind, "double-utf8-cp1250")
            elif found[most].count >= found[kind].count:
                _give(found, kind, most)


_CP850 = "double-utf8-cp850"


def _give(found: dict[str, Tally], kind: str, to: str) -> None:
    """Count one signature as another; the earlier of the two places stays."""
    given = found.pop(kind)
    taker = found.get(to)
    if taker is not None:
        count = given.count + taker.count
        given = min(given, taker, key=lambda tally: tally.order)
        given.count = count
    found[to] = given
