"""What every dialect reads of a request: its JSON value, whether it is ASCII, and damage it already carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.dialects.calls import strings
from contracts.text.damage import Scanner
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from contracts.facts import Text
    from contracts.model import Request


def path_of(url: str) -> str:
    """Give the path of a URL or path, without query, fragment and a slash at its end."""
    rest = url.split("://", 1)[-1] if "://" in url else url
    path = rest[rest.find("/") :] if "://" in url and "/" in rest else "" if "://" in url else rest
    return path.split("?", 1)[0].split("#", 1)[0].rstrip("/")


def read(request: Request) -> tuple[dict[str, Any], Text] | None:
    """Decode a request's JSON object and scan all its strings; None where its body is not known.

    A body that is no JSON object was asked for all the same: the object is then empty.
    """
    if request.body is None:
        return None
    value, _ = decode(request.body)
    scanner = Scanner()
    if value is UNREADABLE:
        scanner.feed(request.body.decode("utf-8", "replace"), None, None)
    else:
        for text in strings(value):
            scanner.feed(text, None, None)
            scanner.feed("\n", None, None)  # two strings are not one text
    return (value if isinstance(value, dict) else {}), scanner.finish()


def whole(value: object) -> int | None:
    """Give a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
