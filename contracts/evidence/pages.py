"""A listing over all its pages, read as one; whoever pages for ever is left after a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from contracts.errors import EvidenceError
from contracts.evidence import plan
from contracts.evidence.asker import Line, Question, ask
from contracts.facts import Fault, Listing
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.listed import Model
    from contracts.model import Evidence


class Pages:
    """The pages that were read so far. `stopped` says why there are no more although the listing goes on."""

    def __init__(self) -> None:
        """Start with none."""
        self.read: list[Evidence] = []
        self.stopped: Fault | None = None
        self.odd: Evidence | None = None

    def listings(self) -> list[Listing]:
        """Give what each page listed, where every page was read in full and without a fault."""
        whole = all(not e.facts.limits and not e.facts.json_faults for e in self.read)
        found = [e.facts.listing for e in self.read if e.facts.listing is not None]
        return found if whole and len(found) == len(self.read) else []

    def evidence(self) -> Evidence | None:
        """Give all pages as one piece of evidence; what is judged but the listing is the first page's."""
        if not self.read:
            return None
        first = self.read[0]
        limits = first.facts.limits if self.stopped is None else (*first.facts.limits, self.stopped)
        listing = first.facts.listing
        if listing is not None and (len(self.read) > 1 or self.stopped is not None):
            listing = joined(self.listings(), more=self.stopped is not None)
        return structs.replace(first, facts=structs.replace(first.facts, listing=listing, limits=limits))


async def gather(line: Line, first: Question, pages: Pages) -> None:
    """Read a listing page by page into `pages`, so that what was read is there whatever happens next.

    Raises:
        EvidenceError: where there is not even a first page.
    """
    question, asked, ids, size = first, {first.url}, set[str](), 0
    bounds = line.reader.bounds
    while True:
        try:
            evidence = await ask(line, question)
        except EvidenceError as error:
            if not pages.read:
                raise
            pages.stopped = Fault(kind="page", detail=f"page {len(pages.read) + 1} of the listing: {error}")
            return
        facts = evidence.facts
        if pages.read and (not is_success(facts.status) or facts.listing is None or facts.limits or facts.json_faults):
            detail = f"page {len(pages.read) + 1} of the listing cannot be read (status {facts.status})"
            pages.stopped, pages.odd = Fault(kind="page", detail=detail), evidence
            return
        pages.read.append(evidence)
        listing = facts.listing
        if listing is None or not listing.more or not listing.next:
            return
        size += facts.body.bytes
        news = {m.id for m in listing.models} - ids
        ids |= news
        question = plan.page(first, listing.next)
        pages.stopped = _stopped(len(pages.read), size, bounds.pages, bounds.listing_bytes)
        if not news or question.url in asked:
            if len(pages.read) > 1 and not news:
                pages.read.pop()  # a page that was read before, so that no id is listed twice for it
            detail = "the listing says that there is more, and its next page leads to nothing new"
            pages.stopped = Fault(kind="pages", detail=detail)
        if pages.stopped is not None:
            return
        asked.add(question.url)


def _stopped(pages: int, size: int, most_pages: int, most_bytes: int) -> Fault | None:
    if pages >= most_pages:
        return Fault(kind="pages", detail=f"the listing goes on after {pages} pages")
    if size > most_bytes:
        return Fault(kind="body-too-large", detail=f"the listing is longer than {most_bytes} bytes over its pages")
    return None


def joined(pages: Sequence[Listing], *, more: bool) -> Listing:
    """Join the pages of a listing; an id that stands on two pages is listed twice."""
    models: dict[str, Model] = {}
    faults: dict[str, Fault] = {}
    repeated = 0
    for listing in pages:
        for fault in listing.faults:
            known = faults.get(fault.kind)
            faults[fault.kind] = structs.replace(known, count=known.count + fault.count) if known else fault
        for model in listing.models:
            if model.id in models:
                repeated += 1
            models.setdefault(model.id, model)
    if repeated and "duplicate-id" not in faults:
        faults["duplicate-id"] = Fault(kind="duplicate-id", detail="ids stand on several pages", count=repeated)
    last = pages[-1].more if pages else False
    return Listing(models=tuple(models.values()), faults=tuple(faults.values()), more=more or last)
