"""A writer of a dialect that nobody speaks, as one would add it: one file, with every scenario that has a place in it.

A stream is lines, `{"say": "…"}` each, and `{"end": "stop"}` at last. A chat asks `{"bird": MODEL, "live": true}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Reply, Says
from contracts.testing.writers import Route, Sent, Wants

NAME = "parrot"
BASE = "/nest"
NDJSON = True
SENTINEL: bytes | None = None
KEYED = True
ROUTES: tuple[Route, ...] = (Route("chat", "POST", "/nest/chat"), Route("listing", "GET", "/nest/birds"))

REPLY_ID = ""
ID, ITEMS = "bird", "birds"
HEAD: Mapping[str, Any] = {}
TAIL: Mapping[str, Any] = {}
NOT_FOR_CHAT: Mapping[str, Any] = {}
DEPRECATED: Mapping[str, Any] = {}
CHANGED: Mapping[str, Any] = {}

LACKS: Mapping[str, str] = {
    "sse": "a stream is lines",
    "tools": "a parrot has no hands",
    "reasoning": "a parrot does not think",
    "id": "what is said has no id",
    "usage-apart": "nobody counts",
    "prices": "parrots are free",
}
BREAKS: Mapping[str, tuple[str, ...]] = {}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for."""
    del path, query
    return Wants(model=value.get("bird"), stream=value.get("live") is True)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream."""
    del reply
    for say in says:
        if say.what == "text":
            yield Sent("text", {"say": say.piece})
        elif say.what == "finish":
            yield Sent("finish", {"end": say.reason}, closes=True)


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    return {"say": "".join(reply.pieces), "end": reply.finish}


def said(value: Any) -> str:
    """Read the text of one line."""
    return value.get("say") or ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the line by which a stream fails."""
    del reply
    return Sent("error", error(500, message, {}))


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    del members
    return {"squawk": message, "status": status}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    del per_token
    return {"bird": model}


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model."""
    del endpoints
    return entry(model, "")
