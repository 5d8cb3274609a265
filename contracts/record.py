"""Record a provider: ask it what it shows for nothing, or within a budget, and keep the answers as cassettes."""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections import Counter
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import Struct

from contracts import captures, dialects
from contracts.captures import folder as folders
from contracts.captures import scrubbing, secrets, timing, vcr_write
from contracts.config import catalogue as catalogues
from contracts.errors import CaptureError, ConfigError, EvidenceError, SpendRefused
from contracts.evidence import keys, lookups, plan, proxies, reading, tls
from contracts.evidence.asker import Line, ask
from contracts.evidence.budget import BudgetGuard
from contracts.evidence.gather import Gathering
from contracts.evidence.ledger import Ledger, Totals
from contracts.evidence.limits import Bounds
from contracts.evidence.memory import Forgetful
from contracts.evidence.rules import MAX_FREE_TOKENS, PROBE_MODEL, probe_model
from contracts.evidence.tape import Take, Tape, decoded
from contracts.evidence.transport import PER_HOST, Wire
from contracts.model import Exchange, Request
from contracts.run import CASSETTES, config_path
from contracts.settings import Shared
from contracts.text.scrub import scrub
from contracts.wire import content_coding as coding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from contracts.config.catalogue import Catalogue
    from contracts.evidence.memory import Memory
    from contracts.model import Provider

BY = "contracts record"
NAMES = ("models", "endpoints", "chat-stream", "keyless")
REFUSED = (401, 403)


class RecordSettings(Struct, frozen=True, kw_only=True):
    """What `contracts record` was asked to do.

    Attributes:
        provider: the name of a row.
        config: the providers file, or None to look for it in the usual places.
        folder: where the provider's folder is; None is `cassettes` beside the providers file.
        force: overwrite what is there.
        max_spend_usd: budget for chats on the row's models; 0 asks only what is free.
        timeout_s: limit for all of it, in seconds.
    """

    provider: str
    config: str | None = None
    folder: str | None = None
    force: bool = False
    max_spend_usd: Decimal = Decimal(0)
    timeout_s: float = 60.0


class Recorded(Struct, frozen=True, kw_only=True):
    """What was written, what was removed before (in words, by file), and why something is not there."""

    files: tuple[str, ...]
    removed: tuple[tuple[str, str, int], ...]
    missing: tuple[str, ...]
    totals: Totals


def record(
    settings: RecordSettings, *, memory: Memory | None = None, environ: Mapping[str, str] = os.environ
) -> Recorded:
    """Ask, scrub, and write cassettes: all of them or none.

    Raises:
        ConfigError: for a bad YAML file, an unknown name, or files that are there or cannot be written.
        EvidenceError: where the provider gave nothing that may be kept.
    """
    started_at = datetime.now(UTC)
    path = config_path(Shared(config=settings.config))
    catalogue = catalogues.load(path)
    row = catalogue.provider(settings.provider)
    if row.base_url is None:
        raise ConfigError(f"{path}: expected a base_url in provider '{row.name}', found none")
    folder = os.path.join(settings.folder or os.path.join(os.path.dirname(path), CASSETTES), row.name)
    if not settings.force:
        folders.refuse_overwriting(folder, [f"{name}.yaml" for name in NAMES])
    session = Session(settings, catalogue, row, memory or Forgetful(), environ)
    try:
        lookups.run(session.gather(started_at))
    finally:
        session.book(started_at)
    tracks = session.tracks()
    if not tracks:
        raise EvidenceError(f"{row.name}: nothing to record: " + "; ".join(session.missing), "read")
    synthetic = is_loopback(row.base_url)
    files: dict[str, bytes] = {}
    for name, exchanges in tracks.items():
        files[f"{name}.yaml"] = vcr_write.cassette(exchanges, started_at, by=BY, synthetic=synthetic)
        files[f"{name}{captures.TIMING}"] = timing.written(exchanges)
    if not settings.force:
        folders.refuse_overwriting(folder, files)
    folders.write(folder, files, lambda staged: _check(staged, tracks, session.secrets))
    return Recorded(
        files=tuple(os.path.join(folder, name) for name in files),
        removed=tuple((name, what, count) for (name, what), count in sorted(session.removed.items())),
        missing=tuple(session.missing),
        totals=session.ledger.totals,
    )


class Session:
    """One recording: the line to the provider, and what came over it."""

    def __init__(
        self,
        settings: RecordSettings,
        catalogue: Catalogue,
        row: Provider,
        memory: Memory,
        environ: Mapping[str, str],
    ) -> None:
        """Prepare; nothing is sent yet."""
        self._settings, self._catalogue, self._row = settings, catalogue, row
        self._memory, self._environ = memory, environ
        self._takes: list[Take] = []
        self.ledger = Ledger()
        self.removed: Counter[tuple[str, str]] = Counter()
        self.missing: list[str] = []
        key, self._no_key = (None, "") if row.api_key is None else keys.find(row.api_key, environ)
        self._key = key
        # Also the keys of other rows: an answer may quote what another program sent by mistake.
        named = {r.api_key for r in catalogue.providers.values() if r.api_key}
        self.secrets = tuple(k.reveal() for k, _ in (keys.find(n, environ) for n in sorted(named)) if k is not None)

    def book(self, at: datetime) -> None:
        """Remember what the provider may have cost, also where nothing came of it."""
        if self.ledger.totals.spend_usd:
            self._memory.record_spend(self._row.name, at, self.ledger.totals.spend_usd)

    async def gather(self, now: datetime) -> None:
        """Ask what the plan has, and within a budget every model of the row."""
        row, loop = self._row, asyncio.get_running_loop()
        assert row.base_url is not None  # noqa: S101 - `record` refuses such a row
        day = f"{now:%Y-%m-%d}"
        left = row.free_chats_per_day - self._memory.free_chats_today(row.name, day)
        self.ledger = Ledger(self._settings.max_spend_usd, {row.name: left})
        asking = dialects.load_asking(row.dialect)
        proxy = proxies.proxy_for(row.base_url, self._environ)
        tape = Tape(Wire(row.base_url, tls.context(self._environ, http2=True), proxy))
        guard = BudgetGuard(tape, plan.rules(row, asking), self.ledger)
        line = Line(
            guard=guard,
            reader=reading.Reader(dialects.load(row.dialect), self._catalogue.tables(row.dialect, row), Bounds()),
            headers=asking.headers() if asking else (),
            credentials=keys.headers(self._key, row.auth, asking),
            keys=() if self._key is None else (self._key,),
            deadline=loop.time() + self._settings.timeout_s,
            retries=0,
            room=asyncio.Semaphore(PER_HOST),
        )
        endpoints = row.models if row.endpoint else ()
        everything = plan.Plan(kept=(), listing=True, models=endpoints, probe=True, chat=True, chats=row.models)
        gathering = Gathering(row, everything, line, asking, self._memory, now, self._no_key)
        try:
            await gathering.run()
            self._takes = tape.takes
            self._tell_missing(gathering.found.lacking)
            if self._settings.max_spend_usd and asking is not None:
                guard.listings = gathering.found.pages.listings()
                await self._within_budget(line, asking)
        finally:
            await guard.aclose()

    async def _within_budget(self, line: Line, asking: dialects.Asking) -> None:
        """Ask for a chat with each model that was not chatted with."""
        for model in self._row.models:
            body = asking.free_chat(model, MAX_FREE_TOKENS)
            if all(take.body != body for take in self._takes):
                try:
                    await ask(line, plan.chat(self._row, asking, model, MAX_FREE_TOKENS))
                except (EvidenceError, SpendRefused) as error:
                    self.missing.append(f"chat-stream: {model}: {error}")

    def _tell_missing(self, lacking: Mapping[str, str]) -> None:
        for name, need in (
            ("models", "listing"),
            ("endpoints", "model"),
            ("chat-stream", "chat"),
            ("keyless", "error"),
        ):
            if need in lacking and not (name == "endpoints" and not self._row.endpoint):
                self.missing.append(f"{name}: {lacking[need]}")

    def tracks(self) -> dict[str, list[Exchange]]:
        """Give what may be kept, by the name of its cassette."""
        found: dict[str, list[Exchange]] = {}
        for take in self._takes:
            name = self._name(take)
            exchange = self._exchange(take, name)
            if exchange is None:
                continue
            clean = scrubbing.cleaned(exchange, self.secrets)
            for what, count in clean.removed.items():
                self.removed[name, what] += count
            if clean.exchange is not None:
                found.setdefault(name, []).append(clean.exchange)
        told = [m for m in self.missing if m.partition(":")[0] not in found or m.startswith("chat-stream: ")]
        self.missing = [m for m in told if not (m.startswith("chat-stream: ") and "was answered with status 2" in m)]
        return {name: found[name] for name in NAMES if name in found}

    def _name(self, take: Take) -> str:
        """Name the cassette that an answer belongs in."""
        if take.method == "POST" and (PROBE_MODEL.encode() in take.body or f"/{probe_model('{id}')}:" in take.url):
            return "keyless"
        path = urlsplit(take.url).path
        if "path" in self._row.listing and path == urlsplit(plan.listing_url(self._row)).path:
            return "models"
        return "endpoints" if take.method == "GET" or not self._is_chat(take) else "chat-stream"

    def _is_chat(self, take: Take) -> bool:
        return dialects.load(self._row.dialect).kind("POST", urlsplit(take.url).path) == "chat"

    def _exchange(self, take: Take, name: str) -> Exchange | None:
        """Make an exchange of what was taken, without its content coding; None, and why, where it may not be kept."""
        body, arrivals_ms, fault = decoded(take, Bounds())
        why = None
        if take.status in REFUSED and name != "keyless":
            why = f"it is about the key (status {take.status})"
        elif 300 <= take.status < 400:  # noqa: PLR2004 - RFC 9110, 15.4
            why = f"it leads elsewhere (status {take.status})"
        elif take.ended.value == "unknown":
            why = "it was not read to its end"
        elif fault is not None and fault.kind != "not-coded":
            why = fault.detail  # what cannot be decoded cannot be looked into either
        if why is not None:
            self.missing.append(f"{name}: {take.method} {scrub(urlsplit(take.url).path, 120)}: not kept, {why}")
            return None
        # The body is kept as a reader decodes it, so that it can be searched; its old coding and length are gone.
        gone = ("content-encoding", "content-length") if coding.declared(take.headers) and fault is None else ()
        return Exchange(
            request=Request(
                method=take.method,
                url=take.url,
                headers=take.request_headers,
                body=take.body,
                keyless=name == "keyless",
            ),
            status=take.status,
            headers=tuple((n, v) for n, v in take.headers if n.lower() not in gone),
            body=body,
            ref=name,
            ended=take.ended,
            arrivals_ms=arrivals_ms,
        )


def is_loopback(url: str) -> bool:
    """Tell whether a URL leads to this machine, where our own hostile provider listens."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _check(folder: str, tracks: Mapping[str, list[Exchange]], known: Iterable[str]) -> None:
    """See that what was written reads as it was meant, and holds no key that is known.

    Raises:
        CaptureError: where it does not.
    """
    ways = secrets.literals(known)
    for name, exchanges in tracks.items():
        path = os.path.join(folder, f"{name}.yaml")
        read = captures.read(path)
        same = [
            (a.body, a.status, a.request.body, a.ended) == (b.body, b.status, b.request.body, b.ended)
            for a, b in zip(read, exchanges, strict=True)
        ]
        with open(path, "rb") as file:
            text = file.read().decode("latin-1")
        if not all(same):
            raise CaptureError(f"{path}: expected what was recorded, found other bytes")
        if any(way in text for way in ways):
            raise CaptureError(f"{path}: expected no key, found one in the file as it would be written")
