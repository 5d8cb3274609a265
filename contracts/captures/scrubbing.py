"""What of an exchange may be kept in a cassette: headers by a list of names, bodies without what `secrets` finds.

Everything is kept away unless it is known to be harmless: vcrpy, which keeps what nobody thought of, records cookies,
organisation ids and keys in headers that no list of bad names has.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from contracts.captures import secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.model import Exchange, Headers

ASKED = ("accept", "accept-encoding", "anthropic-version", "content-type", "user-agent")
ANSWERED = (
    "access-control-allow-origin",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "date",
    "deprecation",
    "ratelimit",
    "retry-after",
    "retry-after-ms",
    "server",
    "sunset",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
)
_RESET = re.compile(r"(?:x-)?rate-?limit-(?:[a-z]+-)*reset(?:-[a-z]+)*")  # when to come back, whoever asked
_KEY_PARAMETER = re.compile(r"[?&](?:key|api[_-]?key|access_token|token|sig|signature|code)=([^&#]+)", re.IGNORECASE)


class Clean(NamedTuple):
    """An exchange as it may be kept, and what was removed from it, in words with counts.

    `exchange` is None where nothing of it may be kept.
    """

    exchange: Exchange | None
    removed: Counter[str]


def cleaned(exchange: Exchange, keys: Sequence[str]) -> Clean:
    """Remove from an exchange, whose body is decoded, what no cassette may hold.

    Args:
        exchange: its chunks and arrivals are kept; lengths do not change.
        keys: credentials that are known.
    """
    removed: Counter[str] = Counter()
    request = exchange.request
    body = _clean(b"".join(exchange.body), keys, "the body", removed)
    apart = secrets.across(body, keys)
    if apart:
        removed.update(f"the whole answer: {what} in pieces over its events" for what in apart)
        return Clean(None, removed)
    asked = None if request.body is None else _clean(request.body, keys, "the request's body", removed)
    request = structs.replace(
        request,
        url=_url(request.url, keys, removed),
        headers=_headers(request.headers, ASKED, keys, "request header", removed),
        body=asked,
    )
    headers = _headers(exchange.headers, ANSWERED, keys, "header", removed)
    return Clean(structs.replace(exchange, request=request, headers=headers, body=_cut(body, exchange.body)), removed)


def _clean(data: bytes, keys: Sequence[str], where: str, removed: Counter[str]) -> bytes:
    clean, found = secrets.scrubbed(data, keys)
    removed.update({f"{what} in {where}": count for what, count in found.items()})
    return clean


def _url(url: str, keys: Sequence[str], removed: Counter[str]) -> str:
    for match in reversed(list(_KEY_PARAMETER.finditer(url))):
        removed["key in the URL"] += 1
        url = url[: match.start(1)] + "x" * len(match[1]) + url[match.end(1) :]
    return _clean(url.encode("utf-8", "surrogatepass"), keys, "the URL", removed).decode("utf-8", "replace")


def _headers(
    headers: Headers, allowed: Sequence[str], keys: Sequence[str], noun: str, removed: Counter[str]
) -> Headers:
    kept = []
    for name, value in headers:
        if name.lower() not in allowed and not _RESET.fullmatch(name.lower()):
            removed[f"{noun} {name.lower()}"] += 1
            continue
        clean = _clean(value.encode("latin-1", "replace"), keys, f"{noun} {name.lower()}", removed)
        kept.append((name, clean.decode("latin-1")))
    return tuple(kept)


def _cut(body: bytes, like: Sequence[bytes]) -> tuple[bytes, ...]:
    """Cut a body where it was cut before."""
    pieces, at = [], 0
    for chunk in like:
        pieces.append(body[at : at + len(chunk)])
        at += len(chunk)
    return tuple(pieces)
