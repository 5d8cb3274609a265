"""What characters a request held, learnt once for each request: what decides whether damage in its answer is new."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.text.damage import Scanner

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.facts import Asked

MOST_SCRIPTS = 16  # a text in more scripts than that is a table of characters


class RequestCharset(Struct, frozen=True, kw_only=True):
    """What characters a request held.

    Attributes:
        ascii: all of its text is ASCII.
        scripts: of its letters beyond ASCII, the first word of their Unicode names in lower case (`latin`, `cjk`,
            `hiragana`), sorted; empty where they are not known.
        damage: names of the signatures of encoding damage that it carried.
    """

    ascii: bool = True
    scripts: tuple[str, ...] = ()
    damage: tuple[str, ...] = ()


def profile(texts: Iterable[str]) -> RequestCharset:
    """Learn the profile of a request from all its strings; one alone may stand for itself.

    Raises:
        TypeError: something else is among them, as the content of a message may be None.
    """
    if isinstance(texts, str):  # its characters would be strings as well, and show no damage
        texts = (texts,)
    scanner = Scanner(counts=False)
    beyond: set[str] = set()
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"texts: expected strings, found {type(text).__name__} among them")
        if not text.isascii():
            beyond.update(text)
        scanner.feed(text)
        scanner.feed("\n")  # two strings are not one text
    damage = tuple(found.kind for found in scanner.finish().damage)
    is_ascii = all(char.isascii() for char in beyond)
    return RequestCharset(ascii=is_ascii, scripts=_scripts(beyond), damage=damage)


def of_asked(asked: Asked | None) -> RequestCharset | None:
    """Give the profile that Facts hold of a request, None where the request is not known."""
    return None if asked is None else RequestCharset(ascii=asked.ascii, damage=asked.damage)


def _scripts(chars: set[str]) -> tuple[str, ...]:
    found = {_script(char) for char in chars if not char.isascii() and char.isalpha()}
    return tuple(sorted(found)[:MOST_SCRIPTS])


def _script(char: str) -> str:
    return unicodedata.name(char, "unnamed").split(" ", 1)[0].split("-", 1)[0].lower()
