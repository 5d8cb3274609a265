"""The rules of spend, pure: may this request be sent? The default is no.

What counts is the request itself, as it will go over the wire, never what its sender says of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from msgspec import Struct

from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.evidence.prices import ZeroPrice

PROBE_MODEL = "contracts-probe/no-such-model"  # of no vendor, so that no router can serve it by a lucky guess
CREDENTIALS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie", "proxy-authorization")
KEY_PARAMETERS = ("key", "api_key", "api-key", "apikey", "access_token", "token")
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
    method = sending.method.upper()
    if any(method == m and _fits(url.path, path) for m, path in rules.catalogue):
        return Allowed("get" if method == "GET" else "post_free")
    if method != "POST" or url.path != rules.chat_path:
        return Refused(f"{method} {url.path[:80]} is not in the row's catalogue")
    return _decide_chat(sending, url.query, rules, proofs)


def _decide_chat(sending: Sending, query: str, rules: RowRules, proofs: Mapping[str, ZeroPrice]) -> Allowed | Refused:
    """Decide on a chat."""
    value, faults = decode(sending.body)
    if value is UNREADABLE or faults or not isinstance(value, dict):
        # A parser on the other side could read another model out of it than we do.
        return Refused("its body is not one strict JSON object")
    model = value.get("model")
    if not isinstance(model, str):
        return Refused("its body names no model")
    if not rules.bills:
        return Allowed("post_free")
    keyless = not _has_credentials(sending, query)
    if keyless and model == PROBE_MODEL:
        return (
            Allowed("post_free") if rules.declares_key else Refused("the row declares no key, so a chat may be served")
        )
    if model not in proofs:
        return Refused(f"nothing proves in this run that {model[:80]} costs nothing")
    extra = sorted(set(value) - FREE_MEMBERS)
    if extra:
        return Refused(f"a free chat carries {extra[0][:40]}, which may be priced apart")
    cap = next((value[n] for n in CAPS if n in value), None)
    if not isinstance(cap, int) or isinstance(cap, bool) or not 0 < cap <= MAX_FREE_TOKENS:
        return Refused(f"a free chat is capped at {MAX_FREE_TOKENS} tokens")
    return Allowed("post_free", free_chat=True)


def _has_credentials(sending: Sending, query: str) -> bool:
    """Tell whether a request carries anything that may identify an account."""
    names = {part.partition("=")[0].lower() for part in query.split("&")}
    return any(name in sending.headers for name in CREDENTIALS) or not names.isdisjoint(KEY_PARAMETERS)


def _fits(path: str, pattern: str) -> bool:
    """Tell whether a path is one that a pattern allows; an id may have slashes, and never dots that climb."""
    if "/../" in f"{path}/" or "/./" in f"{path}/" or "//" in path or "%2e" in path.lower():
        return False
    parts = (re.escape(part) for part in pattern.split("{id}"))
    return re.fullmatch("[^?#]+".join(parts), path) is not None
