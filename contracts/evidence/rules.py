"""The rules of spend, pure: may this request be sent? The default is no.

What counts is the request itself, as it will go over the wire, never what its sender says of it.
"""

from __future__ import annotations

import re
from posixpath import normpath
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct, ValidationError, convert

from contracts.dialects.free import MAX_TOKENS as MAX_FREE_TOKENS
from contracts.text.scrub import scrub
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.dialects.free import FreeBody
    from contracts.evidence.prices import ZeroPrice

__all__ = ["MAX_FREE_TOKENS", "PROBE_MODEL", "Allowed", "Refused", "RowRules", "Sending", "asked_model", "decide",
           "probe_model"]  # fmt: skip

PROBE_MODEL = "contracts-probe/no-such-model"  # of no vendor, so that no router can serve it by a lucky guess
# The headers of a keyless request. Whatever else there is may identify an account, under a name that nobody foresaw.
KEYLESS_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "user-agent", "content-type", "content-length", "connection",
     "anthropic-version")  # names a version of the API, without which there is no answer
)  # fmt: skip
# What a free chat carries beside them is a key. Any other header may switch on what is priced apart.
FREE_HEADERS = KEYLESS_HEADERS | {"authorization", "api-key", "x-api-key", "x-goog-api-key"}
# Headers that make one request another one on its way: a GET a POST, a body another body.
DISGUISES = frozenset(
    ("x-http-method-override", "x-http-method", "x-method-override", "content-encoding", "transfer-encoding", "upgrade",
     "x-original-url", "x-rewrite-url", "x-forwarded-host")
)  # fmt: skip
# Ends of paths at which the APIs of all dialects bill, in small letters: no row may list one as its catalogue.
BILLING = ("/completions", "/responses", "/messages", "/chat", "/generate", ":generatecontent",
           ":streamgeneratecontent", ":predict", ":rawpredict", ":streamrawpredict", "/converse",
           "/converse-stream", "/invoke", "/invoke-with-response-stream", "/predictions", "/generate_stream", "/infill",
           "/embeddings", "/embed", ":embedcontent", ":batchembedcontents", "/rerank", "/generations", "/edits",
           "/speech", "/transcriptions", "/translations", "/batches", "/runs")  # fmt: skip
# Model ids that any server reads in a path as we do; others are not chatted with where a chat may be billed.
PLAIN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
ID = "{id}"
MAX_ESCAPES = 4  # layers of percent-encoding that a path may have; more is nobody's honest path


class Sending(NamedTuple):
    """A request as it will be sent. `headers` in lower case."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class RowRules(Struct, frozen=True, kw_only=True):
    """What a provider's row permits.

    `catalogue` holds (method, path), paths from the root with `{id}` for a model id. `chat_path` is the chat's, from
    the root and with its query, with `{id}` where the model stands in it; `free` all that the body of a free chat may
    hold, None where nothing is known of it.
    """

    provider: str
    base_url: str
    catalogue: tuple[tuple[str, str], ...]
    chat_path: str
    declares_key: bool
    bills: bool = True
    free: type[FreeBody] | None = None


class Allowed(NamedTuple):
    """The request may be sent. `free_chat`: one of today's is taken for it first; `cap` bounds its tokens."""

    kind: Literal["get", "post_free"]
    free_chat: bool = False
    cap: int = 0


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
    if not sending.url.isprintable() or not {" ", "#", "\\"}.isdisjoint(sending.url):
        return Refused("its URL cannot be read")  # the wire would show another one than what is read here
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
    # The chat's rules come first: no row may list an endpoint that bills as a part of its catalogue.
    if method == "POST" and _may_bill(url.path, rules.chat_path):
        return _decide_chat(sending, f"{url.path}?{url.query}" if "?" in sending.url else url.path, rules, proofs)
    if any(method == m and _fits(url.path, path) for m, path in rules.catalogue):
        return Allowed("get" if method == "GET" else "post_free")
    return Refused(f"{method} {scrub(url.path, 80)} is not in the row's catalogue")


def asked_model(sending: Sending, rules: RowRules) -> str | None:
    """Name the model that a chat asks for, in its path or in its body; None where it names none."""
    url = urlsplit(sending.url)
    named = _in_path(f"{url.path}?{url.query}" if "?" in sending.url else url.path, rules.chat_path)
    value, _ = decode(sending.body) if sending.body else (None, ())
    model = named or (value.get("model") if isinstance(value, dict) else None)
    return model if isinstance(model, str) else None


def probe_model(chat_path: str) -> str:
    """Name the model that does not exist, as a chat's path or body holds it; in a path its slash would be a step."""
    return PROBE_MODEL.replace("/", "-") if ID in chat_path else PROBE_MODEL


def _decide_chat(sending: Sending, target: str, rules: RowRules, proofs: Mapping[str, ZeroPrice]) -> Allowed | Refused:
    """Decide on a chat; `target` is path and query."""
    named = _in_path(target, rules.chat_path)
    if named is None:
        # Other letters, a slash more or a query may lead to the same endpoint and to other terms.
        return Refused("its URL is not exactly that of the row's chats")
    value, faults = decode(sending.body)
    if value is UNREADABLE or faults or not isinstance(value, dict):
        # A parser on the other side could read another model out of it than we do.
        return Refused("its body is not one strict JSON object")
    if not rules.bills:
        return Allowed("post_free")
    model = named or value.get("model")
    if not isinstance(model, str):
        return Refused("its body names no model")
    if model == probe_model(rules.chat_path) and KEYLESS_HEADERS.issuperset(sending.headers):
        if not rules.declares_key:
            return Refused("the row declares no key, so a chat may be served")
        return Allowed("post_free")
    return _decide_free(sending, value, model, rules, proofs)


def _decide_free(
    sending: Sending, value: dict[str, object], model: str, rules: RowRules, proofs: Mapping[str, ZeroPrice]
) -> Allowed | Refused:
    """Decide on a chat that is billed unless its model costs nothing."""
    shown = scrub(model, 80)
    spellings = {model}
    if ID in rules.chat_path:
        if PLAIN_ID.fullmatch(model) is None:
            return Refused(f"servers may read {shown} in a path in several ways")
        # A listing may name a model by all of its path: `models/…`.
        spellings.add(f"{rules.chat_path.partition(ID)[0].rstrip('/').rpartition('/')[2]}/{model}")
    if spellings.isdisjoint(proofs):
        return Refused(f"nothing proves in this run that {shown} costs nothing")
    more = sorted(set(sending.headers) - FREE_HEADERS)
    if more:
        return Refused(f"a free chat has the header {scrub(more[0], 40)}, which may be priced apart")
    if sending.headers.get("content-type", "application/json").partition(";")[0].strip().lower() != "application/json":
        return Refused("a free chat is labelled as something else than JSON")
    if rules.free is None:
        return Refused("nothing is known of what a free chat of this dialect holds")
    try:
        body = convert(value, rules.free)
    except ValidationError as error:
        # What is not read in full may be priced apart: tools, plugins, further choices, a cap that is none.
        return Refused(f"a free chat is read in full, and capped at {MAX_FREE_TOKENS} tokens: {scrub(str(error), 120)}")
    return Allowed("post_free", free_chat=True, cap=body.cap)


def _in_path(target: str, chat_path: str) -> str | None:
    """Give the model that a chat's path holds, or an empty text where it holds none; None where it is no such path."""
    if ID not in chat_path:
        return "" if target == chat_path else None
    before, _, behind = chat_path.partition(ID)
    held = target.removeprefix(before).removesuffix(behind)
    model = unquote(held)
    # There is one way to write a model into a path, and no path that climbs.
    is_one = f"{before}{held}{behind}" == target and quote(model, safe="") == held
    return model if is_one and model.strip(".") else None


def _may_bill(path: str, chat_path: str) -> bool:
    """Tell whether a server that reads paths loosely may take a path for a chat's, the row's or any other."""
    loose, chat = _loosely(path), _loosely(chat_path.partition("?")[0])
    before, _, behind = chat.partition(ID)
    is_chat = loose == chat if ID not in chat else loose.startswith(before) and loose.endswith(behind)
    return is_chat or loose.endswith(BILLING)


def _loosely(path: str) -> str:
    """Read a path as the most careless server would: decoded again and again, climbed, without parameters or case."""
    for _ in range(MAX_ESCAPES):
        path = unquote(path)
    plain = re.sub(r";[^/]*", "", path.replace("\\", "/"))
    return re.sub("/+", "/", normpath(re.sub("/+", "/", plain))).rstrip("/").casefold() if plain else ""


def _fits(path: str, pattern: str) -> bool:
    """Tell whether a path is one that a pattern allows; an id may have slashes, and never dots that climb."""
    if "{id}" not in pattern:
        return path == pattern
    plain = f"{unquote(path)}/".replace("\\", "/")
    if "/../" in plain or "/./" in plain or "//" in plain or "%" in unquote(path) or not plain.isprintable():
        return False
    parts = (re.escape(part) for part in pattern.split("{id}"))
    return re.fullmatch("[^?#]+".join(parts), path) is not None
