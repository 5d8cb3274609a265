"""What the provider was asked: the request as scenarios see it, and the record that tests read.

No credential is kept: a marker says whether one came.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, deque
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote

import msgspec

Kind = Literal["chat", "listing", "endpoints", "other"]

KEPT = 10_000  # requests that are kept; a provider that is played for weeks must not grow
KEY_CAME = "<a key came>"
NO_KEY = "<no key>"
KEYS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
CREDENTIALS = (*KEYS, "proxy-authorization", "cookie")  # what is never kept
_SCHEMES = ("bearer", "basic")
_KEY_PARAMETERS = ("key", "api_key", "api-key", "access_token")
_TARGET = re.compile(r"(?:https?://[^/?]*)?([^?]*)(?:\?(.*))?", re.DOTALL)
_ROUTE = re.compile(r"(?:/api)?(?:/v1)?/(models|chat/completions)(?:/(.+?)(/endpoints)?)?")


class Ask(msgspec.Struct, kw_only=True):
    """One request.

    Attributes:
        path: decoded, without the query.
        is_keyed: whether any credential came with it; a scenario may let a request in by setting it.
        model: the id in the body of a chat, or in the path.
        turn: how many requests of this kind came, this one counted; further pages of a listing are no new turn.
        interval_s: seconds between two bytes of whatever is sent slowly.
        origin, elsewhere: this server, and another host that listens too; without a slash at the end.
    """

    method: str
    path: str
    query: dict[str, str]
    headers: tuple[tuple[str, str], ...]
    body: bytes
    kind: Kind
    is_keyed: bool
    model: str | None
    value: dict[str, Any] | None
    turn: int = 1
    interval_s: float = 1.0
    origin: str = ""
    elsewhere: str = ""

    @property
    def wants_stream(self) -> bool:
        """Whether a stream was asked for."""
        return bool(self.value) and self.value is not None and self.value.get("stream") is True

    @property
    def wants_usage(self) -> bool:
        """Whether usage was asked for in a stream."""
        options = (self.value or {}).get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True


def read(method: str, target: str, headers: tuple[tuple[str, str], ...], body: bytes) -> Ask:
    """Read a request; whatever cannot be understood is of kind `other`."""
    match = _TARGET.fullmatch(target)
    path, raw_query = (match[1], match[2] or "") if match else (target, "")
    path, query = unquote(path), dict(parse_qsl(raw_query, keep_blank_values=True))
    route = _ROUTE.fullmatch(path.rstrip("/"))
    kind: Kind = "other"
    value, model = None, None
    if route is not None:
        model = route[2]
        kind = "chat" if route[1] != "models" else "listing" if model is None else "endpoints" if route[3] else "other"
    if kind == "chat":
        value = _value(body)
        named = (value or {}).get("model")
        model = named if isinstance(named, str) else None
    keyed = any(_has_secret(v) for n, v in headers if n.lower() in KEYS)
    keyed = keyed or any(query.get(name) for name in _KEY_PARAMETERS)
    return Ask(
        method=method,
        path=path,
        query=query,
        headers=headers,
        body=body,
        kind=kind,
        is_keyed=bool(keyed),
        model=model,
        value=value,
    )


def _value(body: bytes) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _has_secret(value: str) -> bool:
    words = value.split()
    return bool(words) and not (len(words) == 1 and words[0].lower() in _SCHEMES)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it is kept: what a test needs to prove what was sent, and nothing secret.

    `headers` and `query` hold a marker in the place of a credential. `paid`: a chat on a model that was not free in
    every component by the provider's own latest listing.
    """

    method: str
    path: str
    query: dict[str, str]
    headers: tuple[tuple[str, str], ...]
    kind: Kind
    keyed: bool
    model: str | None
    streamed: bool
    body_bytes: int
    paid: bool = False


def kept(ask: Ask, *, paid: bool) -> Asked:
    """Give what is kept of a request."""
    headers = tuple(
        (n, (KEY_CAME if _has_secret(v) else NO_KEY) if n.lower() in CREDENTIALS else v[:512])
        for n, v in ask.headers[:100]
    )
    query = {
        n: (KEY_CAME if v else NO_KEY) if n in _KEY_PARAMETERS else v[:512] for n, v in list(ask.query.items())[:100]
    }
    return Asked(
        method=ask.method,
        path=ask.path[:2048],
        query=query,
        headers=headers,
        kind=ask.kind,
        keyed=ask.is_keyed,
        model=ask.model[:256] if ask.model else None,
        streamed=ask.wants_stream,
        body_bytes=len(ask.body),
        paid=paid,
    )


class Record:
    """All requests that came, the latest of them in full; safe to read from any thread."""

    def __init__(self, limit: int = KEPT) -> None:
        """Start empty; `limit` is how many requests are kept in full."""
        self._lock = threading.Lock()
        self._latest: deque[Asked] = deque(maxlen=limit)
        self._paid: deque[Asked] = deque(maxlen=limit)
        self._count = 0
        self._turns: Counter[str] = Counter()

    def turn(self, kind: Kind, *, is_first_page: bool) -> int:
        """Count a request of a kind, and say the how many-th it is."""
        with self._lock:
            self._turns[kind] += is_first_page
            return max(1, self._turns[kind])

    def add(self, asked: Asked) -> None:
        """Keep a request."""
        with self._lock:
            self._count += 1
            self._latest.append(asked)
            if asked.paid:
                self._paid.append(asked)

    @property
    def count(self) -> int:
        """How many requests ever came."""
        return self._count

    @property
    def requests(self) -> tuple[Asked, ...]:
        """The latest requests, the oldest first."""
        with self._lock:
            return tuple(self._latest)

    @property
    def paid_chats(self) -> tuple[Asked, ...]:
        """Chats on models that cost something; empty only if there never was one."""
        with self._lock:
            return tuple(self._paid)

    def chats_of(self, model: str) -> tuple[Asked, ...]:
        """Chats that asked for a model.

        Raises:
            LookupError: where requests were forgotten, because then "none" would prove nothing.
        """
        with self._lock:
            if self._count > len(self._latest):
                raise LookupError(f"{self._count} requests came and only the last {len(self._latest)} are kept")
            return tuple(a for a in self._latest if a.kind == "chat" and a.model == model)
