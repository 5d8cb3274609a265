"""What every dialect reads of a request: its JSON value, whether it is ASCII, and damage it already carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from contracts.dialects.calls import strings
from contracts.facts import Asked
from contracts.text.damage import Scanner
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from contracts.model import Request


def path_of(url: str) -> str:
    """Give the path of a URL or path, without query, fragment and a slash at its end."""
    rest = url.split("://", 1)[-1] if "://" in url else url
    path = rest[rest.find("/") :] if "://" in url and "/" in rest else "" if "://" in url else rest
    return path.split("?", 1)[0].split("#", 1)[0].rstrip("/")


def read(request: Request) -> tuple[dict[str, Any], Asked] | None:
    """Decode a request's JSON object, and read of it what all dialects share; None where its body is not known.

    The model and whether it calls for tools are taken from the members of that name. All strings are scanned but the
    model's id, which no model reads. A body that is no JSON object was asked for all the same: its object is empty.
    """
    if request.body is None:
        return None
    value, _ = decode(request.body)
    scanner = Scanner()
    if value is UNREADABLE:
        scanner.feed(request.body.decode("utf-8", "replace"), None, None)
    else:
        prompts = {k: v for k, v in value.items() if k != "model"} if isinstance(value, dict) else value
        for text in strings(prompts):
            scanner.feed(text, None, None)
            scanner.feed("\n", None, None)  # two strings are not one text
    body, seen = (value if isinstance(value, dict) else {}), scanner.finish()
    model = body.get("model")
    asked = Asked(
        method=request.method,
        path=path_of(request.url),
        model=model if isinstance(model, str) else None,
        stream=body.get("stream") is True,
        tools=bool(body.get("tools")),
        ascii=seen.non_ascii == 0,
        damage=tuple(d.kind for d in seen.damage),
    )
    return body, asked


def capped(asked: Asked, holder: object, *names: str) -> Asked:
    """Add the request's own token limit: of `names` the first that is a whole number in `holder`."""
    if not isinstance(holder, dict):
        return asked
    name = next((n for n in names if whole(holder.get(n)) is not None), None)
    return structs.replace(asked, cap=holder[name], cap_name=name) if name else asked


def whole(value: object) -> int | None:
    """Give a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
