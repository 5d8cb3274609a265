"""A live run: plan → gather → judge → remember. The providers themselves are asked, and no request can spend."""

from __future__ import annotations

import asyncio
import os
import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import structs

from contracts import dialects, waivers
from contracts.ending import Outcomes, finish
from contracts.errors import EvidenceError
from contracts.evidence import keys, lookups, observed, plan, proxies, reading, stopping, tls, turns
from contracts.evidence.asker import Line
from contracts.evidence.garbage import fewer_collections
from contracts.evidence.gather import Gathering
from contracts.evidence.guard import SpendGuard
from contracts.evidence.ledger import Ledger, Totals
from contracts.evidence.limits import Bounds
from contracts.evidence.memory import Forgetful
from contracts.evidence.subject import Subject
from contracts.evidence.telling import Telling
from contracts.evidence.transport import PER_HOST, Wire, has_http2
from contracts.judge import answered, judge
from contracts.report import Requests, SharedPoll, write_note
from contracts.run import models_to_judge, rows_of, selected

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping, Sequence

    from contracts.config.catalogue import Catalogue
    from contracts.evidence.memory import Memory
    from contracts.listed import Change
    from contracts.model import Evidence, Finding, Provider
    from contracts.report import Report
    from contracts.run import Progress, Ready, Step, Tell
    from contracts.settings import Settings

JOBS = 64  # providers side by side where --jobs does not say; each has at most four connections
INTERRUPTED = 130
TOO_LATE = "deadline: the time was up before this provider's turn came"
LEFT = "deadline: the time was up while another run asked this provider"
GRACE_S = 0.5  # what a task that was cancelled may take to end


def check(  # noqa: PLR0913 - what a run may be handed
    settings: Settings,
    *,
    memory: Memory | None = None,
    environ: Mapping[str, str] = os.environ,
    bounds: Bounds | None = None,
    ready: Ready = lambda _: None,
    progress: Progress = lambda *_: None,
    warn: Tell = lambda _: None,
) -> tuple[Report, int]:
    """Ask providers what they show for nothing, judge it, and give the report with the exit status.

    Args:
        settings: what the run was asked to do; `timeout_s` bounds it as a whole.
        memory: what earlier runs saw; None remembers nothing.
        environ: holds keys, proxies and CA bundles.
        bounds: limits on what arrives.
        ready: is told the catalogue, before anybody is asked.
        progress: as `contracts.run.check` says.
        warn: is told of lines in a file of observations that are none.

    Raises:
        ConfigError: for a bad YAML file, an unknown name, or a CA bundle that cannot be read.
    """
    started_at = datetime.now(UTC)
    catalogue, rows = rows_of(settings, ready)
    memory = memory or Forgetful()
    files = () if settings.observed is None else (settings.observed,)
    seen = observed.gather(files, rows, memory.last_polls, started_at, warn)
    subjects = [
        Subject(
            row,
            selected(settings, catalogue, catalogue.bound(row)),
            models_to_judge(row, settings),
            seen.get(row.name, ()),
        )
        for row in rows
    ]
    began_at = memory.now()
    run = Run(settings, catalogue, memory, environ, bounds or Bounds(), started_at, began_at)
    run.progress = lambda name, step: progress(name, step, len(subjects))
    with fewer_collections():
        interrupted = lookups.run(run.gather(subjects))
    run.telling.rest(subjects)
    outcomes = _outcomes(run.ledger.totals, subjects, settings, {c.id: c.note for c in catalogue.contracts.values()})
    report, status = finish(started_at, outcomes, settings)
    status = INTERRUPTED if interrupted else status
    polled = {s.row.name: sorted({finding.contract for finding in s.told}) for s in subjects if s.is_polled}
    requests = structs.astuple(outcomes.requests)
    memory.record_run(began_at, memory.now(), status, requests, outcomes.spend_usd, polled)
    return report, status


def _outcomes(totals: Totals, subjects: Sequence[Subject], settings: Settings, texts: Mapping[str, str]) -> Outcomes:
    """Put together what a run came to; `texts` are the notes of contracts by their ids."""
    return Outcomes(
        [finding for s in subjects for finding in s.told],
        [write_note(s.row.name, s.told, texts, replay=False) for s in subjects],
        [
            one
            for s in subjects
            for one in waivers.stale(s.row.name, s.row.waivers, s.told, settings.models, answered(s.evidence))
        ],
        Requests(get=totals.get, post_free=totals.post_free, post_paid=totals.post_paid, refused=totals.refused),
        totals.spend_usd,
        frozenset((s.row.name, contract) for s in subjects for contract in s.beyond),
        [SharedPoll(provider=s.row.name, polled_at=s.answer.polled_at) for s in subjects if s.answer is not None],
    )


def is_whole(settings: Settings) -> bool:
    """Tell whether all contracts and models of the providers are judged, so that what is not named is gone."""
    return not (settings.contracts or settings.exclude or settings.models)


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
        began_at: datetime,
    ) -> None:
        """Prepare a run that starts now, which is `began_at` by the clock of the memory."""
        self._settings, self._catalogue, self._memory = settings, catalogue, memory
        self._environ, self._bounds, self._now = environ, bounds, now
        self._context: ssl.SSLContext | None = None
        self._every = turns.interval(settings.every_s, settings.state)
        self._turns = turns.Turns(memory, self._every, fresh=settings.fresh)
        self.telling = Telling(memory, self.judge, began_at, complete=is_whole(settings))
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
        stop = stopping.on_signal(loop)
        tasks = [loop.create_task(self._gather_one(s, deadline, room)) for s in self._unanswered(subjects)]
        waiter = loop.create_task(stop.wait())
        telling = loop.create_task(self.telling.soon(subjects))
        everything = loop.create_task(_all(tasks))
        try:
            await asyncio.wait((everything, waiter, telling), return_when=asyncio.FIRST_COMPLETED)
            if telling.done():
                await telling
            if not stop.is_set():
                await everything
        finally:
            for task in (waiter, telling, everything, *tasks):
                task.cancel()
            await asyncio.wait((waiter, *tasks), timeout=GRACE_S)
        return stop.is_set()

    def _unanswered(self, subjects: Sequence[Subject]) -> list[Subject]:
        """Give the providers that no other run has just asked."""
        if self._every is None:
            return list(subjects)
        for one in subjects:
            has_key = one.row.api_key is not None and keys.find(one.row.api_key, self._environ)[0] is not None
            one.key = turns.key_of(one, self._now.date(), has_key=has_key)
        answers = self._turns.answered([one.key for one in subjects if one.key is not None])
        for one in subjects:
            if one.key in answers:
                one.take(answers[one.key])
                self.progress(one.row.name, "asking")
                self.progress(one.row.name, "done")
        left = [one for one in subjects if one.answer is None]
        random.shuffle(left)  # so that runs that start together share the work
        return left

    async def _gather_one(self, subject: Subject, deadline: float, room: asyncio.Semaphore) -> None:
        row = subject.row
        key, no_key = (None, "") if row.api_key is None else keys.find(row.api_key, self._environ)
        subject.secrets = () if key is None else (key,)
        trouble: str | None = None
        try:
            proxy = proxies.proxy_for(row.base_url or "", self._environ)
            wire = Wire(row.base_url or "", self._context, proxy)
        except EvidenceError as error:
            wire, trouble = Wire("", self._context), str(error)
        line = self._line(row, wire, key, deadline)
        gathering = self._gathering(subject, line, no_key)
        if trouble is not None:
            gathering.found.fail(plan.NEEDS, trouble)
            return
        try:
            async with asyncio.timeout_at(deadline):
                answer = await self._turns.take(subject.key, room)
        except TimeoutError:
            gathering.found.fail(plan.NEEDS, LEFT if self._turns.is_held(subject.key) else TOO_LATE)
            return
        if answer is not None:
            subject.take(answer)
            self.progress(row.name, "asking")
            self.progress(row.name, "done")
            return
        try:
            await self._ask(subject, line, no_key, deadline)
        finally:
            self.progress(row.name, "done")
            room.release()
            await line.guard.aclose()

    async def _ask(self, subject: Subject, line: Line, no_key: str, deadline: float) -> None:
        """Ask a provider whose turn it is."""
        self.progress(subject.row.name, "asking")
        subject.polled_at = None if subject.key is None else self._memory.now()
        gathering = self._gathering(subject, line, no_key)  # another run may have kept something meanwhile
        clock = asyncio.get_running_loop().time
        if clock() < deadline:
            await gathering.run()
        else:
            gathering.found.fail(plan.NEEDS, TOO_LATE)
        subject.is_whole = clock() < deadline
        self.telling.heard()

    def _gathering(self, subject: Subject, line: Line, no_key: str) -> Gathering:
        """Plan what to ask, by what is kept of a provider."""
        row = subject.row
        plan_ = plan.plan(
            row, subject.bound, subject.models, [*subject.observed, *self._memory.kept(row.name)], self._now
        )
        gathering = Gathering(row, plan_, line, dialects.load_asking(row.dialect), self._memory, self._now, no_key)
        subject.found = gathering.found
        return gathering

    def _line(self, row: Provider, wire: Wire, key: keys.Key | None, deadline: float) -> Line:
        """Make the guarded line to one provider."""
        asking = dialects.load_asking(row.dialect)
        tables = self._catalogue.tables(row.dialect, row)
        return Line(
            guard=SpendGuard(wire, plan.rules(row, asking), self.ledger),
            reader=reading.Reader(dialects.load(row.dialect), tables, self._bounds),
            headers=asking.headers() if asking else (),
            credentials=keys.headers(key, row.auth, asking),
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
        listing = structs.replace(facts.listing, base_url=row.base_url)
        return self._memory.remember_listing(row.name, listing, evidence.at or self._now) or ()


async def _all(tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks)
