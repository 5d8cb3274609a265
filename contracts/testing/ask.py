"""What the provider was asked: the request as scenarios see it, and the record that tests read.

No credential is kept: a marker says whether one came.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, deque
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from contracts.testing import answer as answers
from contracts.testing import reply
from contracts.testing.answer import Answer
from contracts.testing.reply import Reply
from contracts.testing.writers import USUAL, Kind, Route, Wants, Writer, load

KEPT = 10_000  # requests that are kept; a provider that is played for weeks must not grow
KEY_CAME = "<a key came>"
NO_KEY = "<no key>"
KEYS = ("authorization", "x-api-key", "api-key", "x-goog-api-key")
CREDENTIALS = (*KEYS, "proxy-authorization", "cookie")  # what is never kept
_SCHEMES = ("bearer", "basic")
_KEY_PARAMETERS = ("key", "api_key", "api-key", "access_token")
_TARGET = re.compile(r"(?:https?://[^/?]*)?([^?]*)(?:\?(.*))?", re.DOTALL)


class Ask(msgspec.Struct, kw_only=True):
    """One request.

    Attributes:
        path: decoded, without the query.
        writer: who writes the answer in the dialect of the provider.
        route: the endpoint; None where there is none at the path.
        wants: what a chat asks for.
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
    writer: Writer
    route: Route | None = None
    wants: Wants = Wants()
    turn: int = 1
    interval_s: float = 1.0
    origin: str = ""
    elsewhere: str = ""

    @property
    def wants_stream(self) -> bool:
        """Whether a stream was asked for."""
        return self.wants.stream

    @property
    def is_let_in(self) -> bool:
        """Whether a chat is answered: a key came, or none is asked for."""
        return self.is_keyed or not self.writer.KEYED

    def honest(self, cap: int | None) -> Reply:
        """Give what an honest provider says, cut at a cap of tokens."""
        return reply.honest(f"{self.writer.REPLY_ID}{self.turn}", self.model, cap)

    def error(self, status: int, message: str, **members: Any) -> Answer:
        """Give an error in the words of the dialect; `members` are OpenAI's `code`, `type` and `param`."""
        return answers.whole(status, self.writer.error(status, message, members))


def read(
    method: str, target: str, headers: tuple[tuple[str, str], ...], body: bytes, writer: Writer | None = None
) -> Ask:
    """Read a request; whatever cannot be understood is of kind `other`."""
    writer = writer or load(USUAL)
    match = _TARGET.fullmatch(target)
    path, raw_query = (match[1], match[2] or "") if match else (target, "")
    path, query = unquote(path), dict(parse_qsl(raw_query, keep_blank_values=True))
    route, model = _route(writer, path.rstrip("/"))
    value = _value(body) if route is not None and route.method == "POST" else None
    wants = Wants() if value is None else writer.wants(value, path, query)
    keyed = any(_has_secret(v) for n, v in headers if n.lower() in KEYS)
    keyed = keyed or any(query.get(name) for name in _KEY_PARAMETERS)
    return Ask(
        method=method,
        path=path,
        query=query,
        headers=headers,
        body=body,
        kind="other" if route is None else route.kind,
        is_keyed=bool(keyed),
        model=wants.model or model,
        value=value,
        writer=writer,
        route=route,
        wants=wants,
    )


def _route(writer: Writer, path: str) -> tuple[Route | None, str | None]:
    """Find the endpoint at a path, and the model that the path names."""
    for route in writer.ROUTES:
        if found := re.fullmatch(route.path, path):
            return route, found.groupdict().get("model")
    return None, None


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
