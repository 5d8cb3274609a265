"""Names as a database spells them, found in its catalogue and quoted, never taken from an option as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def find(name: str, known: Iterable[str]) -> str | None:
    """Give a name as the database spells it: as it is written, else as ASCII would tell it apart; None for no such."""
    known = list(known)
    if name in known:
        return name
    return next((other for other in known if folded(other) == folded(name)), None)


def folded(name: str) -> str:
    """Fold a name as databases do, which know only ASCII's capitals."""
    return "".join(char.lower() if char.isascii() else char for char in name)


def quoted(name: str) -> str:
    """Write a name so that it is only a name."""
    return '"' + name.replace('"', '""') + '"'
