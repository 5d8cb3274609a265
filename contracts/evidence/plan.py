"""What to ask of one provider: each thing once, however many contracts need it. Pure: the network comes after."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

from contracts import dialects
from contracts.evidence.asker import Question
from contracts.evidence.keys import shown
from contracts.evidence.rules import RowRules, probe_model
from contracts.model import Source
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from contracts.dialects import Asking
    from contracts.judge import Bound
    from contracts.model import Evidence, Provider

CHAT_NEEDS = ("chat", "chat-stream", "timing")
LISTING_NEEDS = ("listing", "answer", "polls")
NEEDS = (*CHAT_NEEDS, *LISTING_NEEDS, "model", "error")


class Plan(Struct, frozen=True, kw_only=True):
    """What to ask of one provider. `kept` is the evidence of earlier runs that still speaks for it.

    `models` are those whose endpoints are asked for, `chats` those that one chat may be with.
    """

    kept: tuple[Evidence, ...]
    listing: bool
    models: tuple[str, ...]
    probe: bool
    chat: bool
    chats: tuple[str, ...] = ()


def plan(row: Provider, bound: Iterable[Bound], models: Sequence[str], kept: Iterable[Evidence], now: datetime) -> Plan:
    """Decide what to ask, and what kept evidence makes needless.

    Args:
        row: the provider.
        bound: the contracts that are judged.
        models: the ids that are judged, all of which the row allows.
        kept: what earlier runs kept, of any age, and what taps saw.
        now: the instant of this run.
    """
    bound = list(bound)
    needs = {item.contract.needs for item in bound}
    fresh = tuple(e for e in kept if speaks(e, row, models, now))
    # A chat that was refused yesterday says nothing of today.
    fresh = tuple(e for e in fresh if e.facts.keyless or is_success(e.facts.status) or e.source is Source.OBSERVED)
    chats = [e for e in fresh if is_success(e.facts.status)]
    errors = [e for e in fresh if e.facts.keyless]
    by_model = any(hasattr(item.check_module, "judge_model") for item in bound)
    chat = not needs.isdisjoint(CHAT_NEEDS) and not chats
    return Plan(
        kept=fresh,
        # A chat needs the proof that it is free, which only this run's listing gives.
        listing=chat or by_model or not needs.isdisjoint(LISTING_NEEDS),
        # The price of a free chat is also what its endpoints say.
        models=tuple(models) if row.endpoint and (chat or by_model or "model" in needs) else (),
        probe="error" in needs and not errors,
        chat=chat,
        chats=tuple(models),
    )


def speaks(evidence: Evidence, row: Provider, models: Sequence[str], now: datetime) -> bool:
    """Tell whether kept evidence still speaks for a row: young enough, of the same host, and of a model in question."""
    age = None if evidence.at is None else now - evidence.at
    if age is None or not timedelta(0) <= age <= timedelta(seconds=row.evidence_max_age_s):
        return False
    asking = dialects.load_asking(row.dialect)
    if asking is None or evidence.facts.kind != "chat":
        return False
    asked = evidence.facts.asked.model if evidence.facts.asked else None
    path = asking.chat_path(probe_model(asking.CHAT) if evidence.facts.keyless else asked or "")
    # A path may hold a model by another spelling than the row's: gemini's `models/…`.
    in_path = "{id}" in asking.CHAT and path in {asking.chat_path(model) for model in models}
    if not (evidence.facts.keyless or asked is None or asked in models or in_path):
        return False
    # A router may ask at another URL than the row's.
    return evidence.source is Source.OBSERVED or evidence.ref == f"POST {shown(f'{row.base_url}{path}')}"


def rules(row: Provider, asking: Asking | None) -> RowRules:
    """Say what a row permits."""
    base = row.base_url or ""
    root = urlsplit(base).path
    catalogue: list[tuple[str, str]] = []
    if "path" in row.listing:
        catalogue.append(("GET", urlsplit(listing_url(row)).path))
    if row.endpoint:
        catalogue.append((row.endpoint["method"], root + row.endpoint["path"]))
    return RowRules(
        provider=row.name,
        base_url=base,
        catalogue=tuple(catalogue),
        chat_path=root + (asking.CHAT if asking else "/"),
        declares_key=row.api_key is not None,
        bills=row.billing != "none",
        free=asking.FreeChat if asking else None,
    )


def listing(row: Provider) -> Question:
    """Ask for the first page of the listing."""
    return Question(kind="listing", url=listing_url(row))


def listing_url(row: Provider) -> str:
    """Give the URL of a row's listing. A path of `/../…` climbs from the base URL, and never off its host."""
    base, path = row.base_url or "", str(row.listing["path"])
    return urljoin(f"{base}/", f".{path}") if path.startswith("/../") else f"{base}{path}"


def page(first: Question, following: Iterable[tuple[str, str]]) -> Question:
    """Ask for another page, with these parameters in the query."""
    query = "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in following)
    return Question(kind="listing", url=f"{first.url}{'&' if '?' in first.url else '?'}{query}")


def endpoints(row: Provider, model: str) -> Question:
    """Ask what serves a model."""
    method = row.endpoint["method"]
    path = row.endpoint["path"].replace("{id}", quote(model, safe="/:@!$,-._~"))
    body = None
    if method == "POST":
        import msgspec

        body = msgspec.json.encode({"model": model})
    return Question(kind="model", url=f"{row.base_url}{path}", method=method, body=body, about=model)


def probe(row: Provider, asking: Asking) -> Question:
    """Ask for a chat without a key, with a model that does not exist."""
    model = probe_model(asking.CHAT)
    url = f"{row.base_url}{asking.chat_path(model)}"
    return Question(kind="chat", url=url, method="POST", body=asking.probe(model), keyless=True)


def chat(row: Provider, asking: Asking, model: str, cap: int) -> Question:
    """Ask for a tiny streamed chat."""
    url = f"{row.base_url}{asking.chat_path(model)}"
    return Question(kind="chat", url=url, method="POST", body=asking.free_chat(model, cap))
