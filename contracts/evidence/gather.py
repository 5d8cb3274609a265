"""Gather the evidence of one provider, as its plan says, and say of whatever is missing why it is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.errors import EvidenceError, SpendRefused
from contracts.evidence import pages as paging
from contracts.evidence import plan as plans
from contracts.evidence.asker import Line, Question, ask
from contracts.evidence.prices import prove
from contracts.evidence.rules import MAX_FREE_TOKENS
from contracts.facts import Fault, Listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from contracts.dialects import Asking
    from contracts.evidence.memory import Memory
    from contracts.evidence.plan import Plan
    from contracts.model import Evidence, Provider

UNAUTHORIZED = (401, 403)
UNFINISHED = "interrupted"


class Found:
    """What was gathered of one provider so far; it may be judged at any moment.

    `lacking` says by need why there is no evidence for it, `beyond` holds the needs that no source in use can serve:
    the row allows no chat, say. `unserved` says by model why what serves it could not be learnt.
    """

    def __init__(self, plan: Plan) -> None:
        """Start with kept evidence, and nothing asked."""
        self.kept = plan.kept
        self.evidence: list[Evidence] = []
        self.pages = paging.Pages()
        self.served: dict[str, Listing] = {}
        self.lacking: dict[str, str] = dict.fromkeys(plans.NEEDS, UNFINISHED)
        self.unserved: dict[str, str] = dict.fromkeys(plan.models, UNFINISHED)
        self.beyond: set[str] = set()

    def serve(self, needs: tuple[str, ...]) -> None:
        """Note that needs have their evidence."""
        for need in needs:
            self.lacking.pop(need, None)

    def fail(self, needs: tuple[str, ...], reason: str, *, beyond: bool = False) -> None:
        """Note why some needs have no evidence."""
        self.lacking.update(dict.fromkeys(needs, reason))
        if beyond:
            self.beyond.update(needs)

    def all(self) -> list[Evidence]:
        """Give all evidence: of earlier runs, the listing as one, and the rest in the order of its arrival."""
        listing = self.pages.evidence()
        return [*self.kept, *(() if listing is None else (listing,)), *self.evidence]


class Gathering:
    """Gathers the evidence of one provider."""

    def __init__(  # noqa: PLR0913, PLR0917 - a provider, its plan, and what both share with the run
        self, row: Provider, plan: Plan, line: Line, asking: Asking | None, memory: Memory, now: datetime, no_key: str
    ) -> None:
        """Prepare. `no_key` says why there is no key, and is empty where there is one or none is needed."""
        self._row, self._plan, self._line, self._asking = row, plan, line, asking
        self._memory, self._now, self._no_key = memory, now, no_key
        self.found = Found(plan)

    async def run(self) -> None:
        """Ask all that the plan has."""
        if self._row.base_url is None:
            self.found.fail(plans.NEEDS, "the row has no base_url")
            return
        async with asyncio.TaskGroup() as together:
            together.create_task(self._probe())
            together.create_task(self._catalogue_then_chat())

    async def _catalogue_then_chat(self) -> None:
        """Ask for what is listed; the chat rests on it, and on nothing else."""
        async with asyncio.TaskGroup() as together:
            if self._plan.listing:
                together.create_task(self._listing())
            for model in self._plan.models:
                together.create_task(self._endpoints(model))
        await self._chat()

    async def _listing(self) -> None:
        needs = (*plans.LISTING_NEEDS,)
        if "path" not in self._row.listing:
            self.found.fail(needs, "the row names no model listing", beyond=True)
            return
        pages = self.found.pages
        try:
            await paging.gather(self._line, plans.listing(self._row), pages)
        except (EvidenceError, SpendRefused) as error:
            self.found.fail(needs, f"{error} (model listing)")
            return
        except asyncio.CancelledError:
            pages.stopped = Fault(kind="interrupted", detail=UNFINISHED)
            raise
        if pages.odd is not None:
            self.found.evidence.append(_as_other(pages.odd))
        refused = self._refused(pages.read[0])
        if refused is not None:
            self.found.evidence.append(_as_other(pages.read.pop(), keyless=bool(self._no_key)))
            self.found.fail(needs, f"the model listing {refused}")
            return
        self.found.serve(needs)

    async def _endpoints(self, model: str) -> None:
        try:
            evidence = await ask(self._line, plans.endpoints(self._row, model))
        except (EvidenceError, SpendRefused) as error:
            self._unserved(model, str(error))
            return
        refused = self._refused(evidence)
        if refused is not None:
            self.found.evidence.append(_as_other(evidence, keyless=bool(self._no_key)))
            self._unserved(model, f"the endpoints of {model} {refused}")
            return
        del self.found.unserved[model]
        if evidence.facts.listing is not None:
            self.found.served[model] = evidence.facts.listing
        self.found.evidence.append(evidence)

    def _unserved(self, model: str, reason: str) -> None:
        self.found.fail(("model",), reason)
        self.found.unserved[model] = reason

    async def _probe(self) -> None:
        needs = ("error",)
        if self._row.api_key is None:
            reason = "the row declares no key, so nothing is asked without one"
            self.found.fail(needs, reason, beyond=True)
        elif self._asking is None:
            reason = f"nothing can be asked in the dialect {self._row.dialect} yet"
            self.found.fail(needs, reason, beyond=True)
        elif self._plan.probe:
            evidence = await self._try(plans.probe(self._row, self._asking), needs)
            if evidence is not None:
                self.found.fail(needs, f"the chat without a key was answered with status {evidence.facts.status}")
                self._keep(evidence)

    async def _chat(self) -> None:
        """Send the one chat that costs nothing, if there is one."""
        if not self._plan.chat:
            return
        needs = plans.CHAT_NEEDS
        model = self._choose()
        if model is None or self._asking is None:
            return
        day = f"{self._now:%Y-%m-%d}"
        used = self._memory.free_chats_today(self._row.name, day)
        if used >= self._row.free_chats_per_day:
            self.found.fail(needs, "today's free chats are used up", beyond=True)
            return
        question = plans.chat(self._row, self._asking, model, MAX_FREE_TOKENS)
        evidence = await self._try(question, needs, lambda: self._take_free_chat(day))
        if evidence is not None:
            said = f"the free chat on {model} was answered with status {evidence.facts.status}"
            self.found.fail(needs, said)
            self._keep(evidence)

    def _take_free_chat(self, day: str) -> None:
        """Count a free chat before it is sent. Raises SpendRefused where another run was quicker."""
        if not self._memory.take_free_chat(self._row.name, day, self._row.free_chats_per_day):
            raise SpendRefused("today's free chats are used up")

    def _choose(self) -> str | None:
        """Choose the model of the free chat, or say why there is none."""
        row, found, needs = self._row, self.found, plans.CHAT_NEEDS
        if self._asking is None:
            found.fail(needs, f"nothing can be asked in the dialect {row.dialect} yet", beyond=True)
        elif row.free_chats_per_day == 0:
            found.fail(needs, "the row allows no free chats", beyond=True)
        elif self._no_key:
            found.fail(needs, self._no_key)
        else:
            listed = self._listed()
            model = next((m for m in self._plan.chats if self._is_free(m, listed)), None)
            if model is not None:
                return model
            if row.billing != "none" and not found.pages.listings():
                reason = "the model listing could not be read, so nothing proves a model to be free"
                reason = reason if found.pages.read else found.lacking["listing"]
                found.fail(needs, reason, beyond="listing" in found.beyond)
            else:
                found.fail(needs, "no allowed model is free in every component of its price", beyond=True)
        return None

    def _listed(self) -> dict[str, list[Listing]]:
        """Give by allowed model what each page says of it, an empty list where no page does."""
        listed: dict[str, list[Listing]] = {model: [] for model in self._plan.chats}
        pages = self.found.pages.listings()
        if self.found.pages.stopped is not None or any(page.faults for page in pages):
            return listed  # where an id may hide, none is proven
        for page in pages:
            for entry in page.models:
                for name in (entry.id, *entry.aliases):
                    if name in listed:
                        listed[name].append(structs.replace(page, models=(entry,)))
        return listed

    def _is_free(self, model: str, listed: Mapping[str, list[Listing]]) -> bool:
        said = listed[model]
        if any(entry.chat is False for page in said for entry in page.models):
            return False
        if self._row.billing == "none":
            return True
        if not said:
            return False
        if self._row.endpoint.get("prices"):
            if model not in self.found.served:
                return False
            said = [*said, self.found.served[model]]
        query = self._line.reader.tables.listing
        proof = prove(model, said, query.prefix, query.suffix)
        if proof is not None:
            self._line.guard.proofs[model] = proof
        return proof is not None

    async def _try(
        self, question: Question, needs: tuple[str, ...], before: Callable[[], None] | None = None
    ) -> Evidence | None:
        try:
            if before is not None:
                before()
            return await ask(self._line, question)
        except (EvidenceError, SpendRefused) as error:
            self.found.fail(needs, str(error))
            return None

    def _refused(self, evidence: Evidence) -> str | None:
        """Say that an answer is only about the key, in words that name its variable."""
        status, variable = evidence.facts.status, self._row.api_key
        if status not in UNAUTHORIZED or variable is None:
            return None
        if self._no_key:
            return f"needs a key, and {self._no_key} (status {status})"
        return f"refuses the key in {variable} (status {status})"

    def _keep(self, evidence: Evidence) -> None:
        self.found.evidence.append(evidence)
        # What our own limits or deadline cut says too little to speak for a provider later.
        if not evidence.facts.limits:
            self._memory.keep(self._row.name, evidence)


def _as_other(evidence: Evidence, *, keyless: bool = False) -> Evidence:
    """Take an answer for what it is: no listing, and perhaps one to a request that had no key to send."""
    facts = structs.replace(evidence.facts, kind="other", keyless=keyless or evidence.facts.keyless)
    return structs.replace(evidence, facts=facts)
