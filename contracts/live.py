"""A live run: plan → gather → judge → remember. The providers themselves are asked, and no request can spend."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from contracts import dialects, waivers
from contracts.ending import Outcomes, finish
from contracts.errors import EvidenceError
from contracts.evidence import keys, lookups, plan, proxies, reading, tls
from contracts.evidence.asker import Line
from contracts.evidence.gather import Gathering
from contracts.evidence.guard import SpendGuard
from contracts.evidence.ledger import Ledger
from contracts.evidence.limits import Bounds
from contracts.evidence.memory import Forgetful
from contracts.evidence.transport import PER_HOST, Wire, has_http2
from contracts.judge import judge
from contracts.report import Requests, write_note
from contracts.run import models_to_judge, rows_of, selected

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping, Sequence

    from contracts.config.catalogue import BoundContract, Catalogue
    from contracts.evidence.gather import Found
    from contracts.evidence.memory import Memory
    from contracts.listed import Change
    from contracts.model import Evidence, Finding, Provider, StaleWaiver
    from contracts.report import Note, Report
    from contracts.run import Progress, Ready, Step
    from contracts.settings import Settings

JOBS = 64  # providers side by side where --jobs does not say; each has at most four connections
INTERRUPTED = 130
TOO_LATE = "deadline: the time was up before this provider's turn came"
COLLECT_AFTER = 200_000  # objects of a few hundred bytes; a listing of 1,000 models has some thousand
GRACE_S = 0.5  # what a task that was cancelled may take to end


class Subject:
    """One provider of a run: its row, the contracts that bind it, and what was found."""

    def __init__(self, row: Provider, bound: Sequence[BoundContract], models: tuple[str, ...]) -> None:
        """Hold a provider of which nothing is known yet."""
        self.row, self.bound, self.models = row, bound, models
        self.found: Found | None = None
        self.secrets: tuple[keys.Key, ...] = ()


def check(  # noqa: PLR0913 - what a run may be handed
    settings: Settings,
    *,
    memory: Memory | None = None,
    environ: Mapping[str, str] = os.environ,
    bounds: Bounds | None = None,
    ready: Ready = lambda _: None,
    progress: Progress = lambda *_: None,
) -> tuple[Report, int]:
    """Ask providers what they show for nothing, judge it, and give the report with the exit status.

    Args:
        settings: what the run was asked to do; `timeout_s` bounds it as a whole.
        memory: what earlier runs saw; None remembers nothing.
        environ: holds keys, proxies and CA bundles.
        bounds: limits on what arrives.
        ready: is told the catalogue, before anybody is asked.
        progress: as `contracts.run.check` says.

    Raises:
        ConfigError: for a bad YAML file, an unknown name, or a CA bundle that cannot be read.
    """
    started_at = datetime.now(UTC)
    catalogue, rows = rows_of(settings, ready)
    subjects = [
        Subject(row, selected(settings, catalogue, catalogue.bound(row)), models_to_judge(row, settings))
        for row in rows
    ]
    memory = memory or Forgetful()
    run = Run(settings, catalogue, memory, environ, bounds or Bounds(), started_at)
    run.progress = lambda name, step: progress(name, step, len(subjects))
    with _fewer_collections():
        interrupted = lookups.run(run.gather(subjects))
    findings: list[Finding] = []
    notes: list[Note] = []
    stale: list[StaleWaiver] = []
    beyond: set[tuple[str | None, str]] = set()
    texts = {c.id: c.note for c in catalogue.contracts.values()}
    told = memory.see_all({s.row.name: run.judge(s) for s in subjects}, started_at, complete=is_whole(settings))
    for subject in subjects:
        found = told[subject.row.name]
        findings += found
        stale += waivers.stale(subject.row.name, subject.row.waivers, found, settings.models)
        notes.append(write_note(subject.row.name, found, texts, replay=False))
        beyond |= run.beyond(subject)
    totals = run.ledger.totals
    requests = Requests(get=totals.get, post_free=totals.post_free, post_paid=totals.post_paid, refused=totals.refused)
    outcomes = Outcomes(findings, notes, stale, requests, totals.spend_usd, frozenset(beyond))
    report, status = finish(started_at, outcomes, settings)
    status = INTERRUPTED if interrupted else status
    polled = {name: sorted({finding.contract for finding in found}) for name, found in told.items()}
    memory.record_run(started_at, datetime.now(UTC), status, requests_of(requests), totals.spend_usd, polled)
    return report, status


def is_whole(settings: Settings) -> bool:
    """Tell whether all contracts and models of the providers are judged, so that what is not named is gone."""
    return not (settings.contracts or settings.exclude or settings.models)


def requests_of(requests: Requests) -> tuple[int, int, int, int]:
    """Give the counts of a run in the order in which a memory books them."""
    return requests.get, requests.post_free, requests.post_paid, requests.refused


class Run:
    """What the providers of one run share."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a run has
        self,
        settings: Settings,
        catalogue: Catalogue,
        memory: Memory,
        environ: Mapping[str, str],
        bounds: Bounds,
        now: datetime,
    ) -> None:
        """Prepare a run that starts now."""
        self._settings, self._catalogue, self._memory = settings, catalogue, memory
        self._environ, self._bounds, self._now = environ, bounds, now
        self._context: ssl.SSLContext | None = None
        self.ledger = Ledger()
        self.progress: Callable[[str, Step], None] = lambda *_: None

    async def gather(self, subjects: Sequence[Subject]) -> bool:
        """Gather the evidence of all providers side by side; tells whether the run was interrupted."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.timeout_s
        day = f"{self._now:%Y-%m-%d}"
        left = {s.row.name: s.row.free_chats_per_day - self._memory.free_chats_today(s.row.name, day) for s in subjects}
        self.ledger = Ledger(free_chats=left)
        urls = [s.row.base_url or "" for s in subjects]
        if any(url.startswith("https:") for url in urls) or any(
            name.lower().endswith("_proxy") for name in self._environ
        ):
            self._context = tls.context(self._environ, http2=has_http2())
        room = asyncio.Semaphore(self._settings.jobs or JOBS)
        stopping = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(number, _stop, loop, number, stopping)
            except (NotImplementedError, RuntimeError, ValueError):  # another thread, or no Unix: nothing to hand over
                break
        tasks = [loop.create_task(self._gather_one(s, deadline, room)) for s in subjects]
        waiter = loop.create_task(stopping.wait())
        everything = loop.create_task(_all(tasks))
        try:
            await asyncio.wait((everything, waiter), return_when=asyncio.FIRST_COMPLETED)
            if not stopping.is_set():
                await everything
        finally:
            waiter.cancel()
            everything.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=GRACE_S)
        return stopping.is_set()

    async def _gather_one(self, subject: Subject, deadline: float, room: asyncio.Semaphore) -> None:
        row = subject.row
        plan_ = plan.plan(row, subject.bound, subject.models, self._memory.kept(row.name), self._now)
        key, no_key = (None, "") if row.api_key is None else keys.find(row.api_key, self._environ)
        subject.secrets = () if key is None else (key,)
        asking = dialects.load_asking(row.dialect)
        trouble: str | None = None
        try:
            proxy = proxies.proxy_for(row.base_url or "", self._environ)
            wire = Wire(row.base_url or "", self._context, proxy)
        except EvidenceError as error:
            wire, trouble = Wire("", self._context), str(error)
        line = self._line(row, wire, key, deadline)
        gathering = Gathering(row, plan_, line, asking, self._memory, self._now, no_key)
        subject.found = gathering.found
        if trouble is not None:
            gathering.found.fail(plan.NEEDS, trouble)
            return
        try:
            async with asyncio.timeout_at(deadline):
                await room.acquire()
        except TimeoutError:
            gathering.found.fail(plan.NEEDS, TOO_LATE)
            return
        try:
            self.progress(row.name, "asking")
            if asyncio.get_running_loop().time() < deadline:
                await gathering.run()
            else:
                gathering.found.fail(plan.NEEDS, TOO_LATE)
        finally:
            self.progress(row.name, "done")
            room.release()
            await line.guard.aclose()

    def _line(self, row: Provider, wire: Wire, key: keys.Key | None, deadline: float) -> Line:
        """Make the guarded line to one provider."""
        asking = dialects.load_asking(row.dialect)
        tables = self._catalogue.tables(row.dialect, row)
        return Line(
            guard=SpendGuard(wire, plan.rules(row, asking), self.ledger),
            reader=reading.Reader(dialects.load(row.dialect), tables, self._bounds),
            headers=asking.headers() if asking else (),
            credentials=asking.credentials(key.reveal()) if asking and key else (),
            keys=() if key is None else (key,),
            deadline=deadline,
            retries=self._settings.retries,
            room=asyncio.Semaphore(PER_HOST),
        )

    def judge(self, subject: Subject) -> list[Finding]:
        """Judge one provider by what was found."""
        found, row = subject.found, subject.row
        evidence = [] if found is None else found.all()
        listing = next((e.facts.listing for e in evidence if e.facts.kind == "listing"), None)
        judged = []
        # A change is told once. A run that does not judge changes must not be the one that learns of them.
        tells_changes = any(b.contract.check.get("kind") == "drift" for b in subject.bound)
        for one in evidence:
            changes = self._changes(row, one) if tells_changes and one.facts.kind == "listing" else None
            judged.append(structs.replace(one, facts=structs.replace(one.facts, catalogue=listing, changes=changes)))
        findings = judge(
            subject.bound,
            judged,
            provider=row.name,
            models=subject.models,
            waivers=row.waivers,
            today=self._now.date(),
            complete=True,
            lacking={} if found is None else found.lacking,
            unserved={} if found is None else found.unserved,
        )
        return keys.hidden(findings, subject.secrets)

    def _changes(self, row: Provider, evidence: Evidence) -> tuple[Change, ...]:
        """Remember a listing that was read in full, and give what changed since the last; a first changes nothing."""
        facts = evidence.facts
        if facts.listing is None or facts.limits or facts.json_faults:
            return ()
        return self._memory.remember_listing(row.name, facts.listing, evidence.at or self._now) or ()

    @staticmethod
    def beyond(subject: Subject) -> set[tuple[str | None, str]]:
        """Give the contracts that no source in use can show of a provider."""
        needs = set() if subject.found is None else subject.found.beyond
        return {(subject.row.name, b.contract.id) for b in subject.bound if b.contract.needs in needs}


@contextmanager
def _fewer_collections() -> Iterator[None]:
    """Let listings be read without the garbage collector looking through all of them every few hundred models."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


async def _all(tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)


def _stop(loop: asyncio.AbstractEventLoop, number: int, stopping: asyncio.Event) -> None:
    """End the run with what is known; the next signal ends the program at once."""
    loop.remove_signal_handler(number)
    stopping.set()
