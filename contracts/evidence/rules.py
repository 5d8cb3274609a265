"""The rules of spend, pure: may this request be sent? The default is no.

What counts is the request itself, as it will go over the wire, never what its sender says of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.evidence.prices import ZeroPrice

PROBE_MODEL = "contracts-probe/no-such-model"  # of no vendor, so that no router can serve it by a lucky guess
# The headers of a keyless request. Whatever else there is may identify an account, under a name that nobody foresaw.
KEYLESS_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "user-agent", "content-type", "content-length", "connection",
     "anthropic-version")  # names a version of the API, without which there is no answer
)  # fmt: skip
# Headers that make one request another one on its way: a GET a POST, a body another body.
DISGUISES = frozenset(
    ("x-http-method-override", "x-http-method", "x-method-override", "content-encoding", "transfer-encoding", "upgrade",
     "x-original-url", "x-rewrite-url", "x-forwarded-host")
)  # fmt: skip
MAX_FREE_TOKENS = 64  # the cap of a free chat: enough for one sentence
CAPS = ("max_tokens", "max_completion_tokens")
# What a free chat may carry. Anything else (tools, plugins, n, models, routing, web search) may be priced apart.
FREE_MEMBERS = frozenset(("model", "messages", "stream", "stream_options", "temperature", *CAPS))


class Sending(NamedTuple):
    """A request as it will be sent. `headers` in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class RowRules(Struct, frozen=True, kw_only=True):
    """What a provider's row permits.

    `catalogue` holds (method, path), paths from the root with `{id}` for a model id.
    """

    provider: str
    base_url: str
    catalogue: tuple[tuple[str, str], ...]
    chat_path: str
    declares_key: bool
    bills: bool = True


class Allowed(NamedTuple):
    """The request may be sent. `free_chat`: one of today's free chats has to be taken for it first."""

    kind: Literal["get", "post_free"]
    free_chat: bool = False


class Refused(NamedTuple):
    """The request may not be sent, and why."""

    reason: str


def decide(sending: Sending, rules: RowRules, proofs: Mapping[str, ZeroPrice]) -> Allowed | Refused:
    """Decide whether a request may be sent without a budget.

    Args:
        sending: the request as it will go over the wire.
        rules: what its provider's row permits.
        proofs: by model id, what this run's listing proves to cost nothing.
    """
    try:
        url, base = urlsplit(sending.url), urlsplit(rules.base_url)
        same = (url.scheme, url.hostname, url.port) == (base.scheme, base.hostname, base.port)
    except ValueError:
        return Refused("its URL cannot be read")
    if not same or url.username is not None or url.password is not None:
        return Refused("it goes to another host than the row's")
    if sending.headers.get("host", url.netloc) != url.netloc or not DISGUISES.isdisjoint(sending.headers):
        return Refused("its headers make another request of it")
    method = sending.method
    # The chat's rules come first: no row may list the endpoint that bills as a part of its catalogue.
    if method == "POST" and _same_path(url.path, rules.chat_path):
        return _decide_chat(sending, url.path, url.query, rules, proofs)
    if any(method == m and _fits(url.path, path) for m, path in rules.catalogue):
        return Allowed("get" if method == "GET" else "post_free")
    return Refused(f"{method} {url.path[:80]} is not in the row's catalogue")


def _decide_chat(
    sending: Sending, path: str, query: str, rules: RowRules, proofs: Mapping[str, ZeroPrice]
) -> Allowed | Refused:
    """Decide on a chat."""
    if path != rules.chat_path or query:
        # Other letters, a slash more or a query may lead to the same endpoint and to other terms.
        return Refused("its URL is not exactly that of the row's chats")
    value, faults = decode(sending.body)
    if value is UNREADABLE or faults or not isinstance(value, dict):
        # A parser on the other side could read another model out of it than we do.
        return Refused("its body is not one strict JSON object")
    model = value.get("model")
    if not isinstance(model, str):
        return Refused("its body names no model")
    if not rules.bills:
        return Allowed("post_free")
    if model == PROBE_MODEL and KEYLESS_HEADERS.issuperset(sending.headers):
        if not rules.declares_key:
            return Refused("the row declares no key, so a chat may be served")
        return Allowed("post_free")
    if model not in proofs:
        return Refused(f"nothing proves in this run that {model[:80]} costs nothing")
    extra = sorted(set(value) - FREE_MEMBERS)
    if extra:
        return Refused(f"a free chat carries {extra[0][:40]}, which may be priced apart")
    caps = [value[n] for n in CAPS if n in value]
    if not caps or not all(type(cap) is int and 0 < cap <= MAX_FREE_TOKENS for cap in caps):
        return Refused(f"a free chat is capped at {MAX_FREE_TOKENS} tokens")
    return Allowed("post_free", free_chat=True)


def _same_path(path: str, chat_path: str) -> bool:
    """Tell whether a path may reach the chat endpoint, by a server that reads paths loosely."""
    loose = [re.sub("/+", "/", unquote(p).replace("\\", "/")).rstrip("/").casefold() for p in (path, chat_path)]
    return loose[0] == loose[1]


def _fits(path: str, pattern: str) -> bool:
    """Tell whether a path is one that a pattern allows; an id may have slashes, and never dots that climb."""
    if "{id}" not in pattern:
        return path == pattern
    plain = f"{unquote(path)}/".replace("\\", "/")
    if "/../" in plain or "/./" in plain or "//" in plain or "%" in unquote(path) or not plain.isprintable():
        return False
    parts = (re.escape(part) for part in pattern.split("{id}"))
    return re.fullmatch("[^?#]+".join(parts), path) is not None
