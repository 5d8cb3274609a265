"""What this run's listing says of models: which cost nothing, which do not chat, and what bounds the price of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.evidence.prices import prove
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.dialects import ListingQuery
    from contracts.evidence.gather import Found
    from contracts.evidence.prices import ZeroPrice
    from contracts.facts import Listing
    from contracts.listed import Model
    from contracts.model import Provider


def why_unread(found: Found) -> str | None:
    """Say why the listing of a row that has one tells nothing; None where it tells something."""
    if "listing" in found.lacking:
        return None if "listing" in found.beyond else found.lacking["listing"]
    if found.pages.stopped is not None:
        return found.pages.stopped.detail
    faults = [fault for page in found.pages.listings() for fault in page.faults]
    if faults:
        return f"the model listing is not in order, so it proves no price: {faults[0].detail}"
    if found.pages.listings():
        return None
    status = found.pages.read[0].facts.status
    return "the model listing " + ("cannot be read" if is_success(status) else f"was answered with status {status}")


class Prices:
    """The prices of one provider in one run."""

    def __init__(self, row: Provider, query: ListingQuery, prices: Mapping[str, Model], found: Found | None) -> None:
        """Read what was gathered, None where nothing was asked; `prices` are those that the user told."""
        self._row, self._query, self._told = row, query, prices
        self._pages: list[Listing] = []
        self._served: Mapping[str, Listing] = {}
        if found is not None:
            self._served = found.served
            # Where an entry may hide, none proves or bounds anything.
            if found.pages.stopped is None and not any(page.faults for page in found.pages.listings()):
                self._pages = found.pages.listings()

    def proof(self, model: str) -> ZeroPrice | None:
        """Prove that a model costs nothing; None where it may."""
        if model in self._told or self.is_no_chat(model):
            return None
        if self._row.endpoint.get("prices") and model not in self._served:
            return None
        if not self._listed(model):
            return None
        return prove(model, self._said(model), self._query.prefix, self._query.suffix)

    def entries(self, model: str) -> Sequence[Model]:
        """Give all that bounds the price of a model: what the user told, else all that is listed of it."""
        if model in self._told:
            return (self._told[model],)
        if self._row.endpoint.get("prices") and model not in self._served:
            return ()
        served = self._served[model].models if model in self._served else ()
        return (*self._listed(model), *served)

    def is_no_chat(self, model: str) -> bool:
        """Tell whether the listing says that a model does not chat."""
        return any(entry.chat is False for entry in self._listed(model))

    def _said(self, model: str) -> list[Listing]:
        served = [self._served[model]] if model in self._served else []
        return [*self._pages, *served]

    def _listed(self, model: str) -> list[Model]:
        """Give every entry of a model, under any of its names."""
        prefix, suffix = self._query.prefix, self._query.suffix
        short = model.removeprefix(prefix).removesuffix(suffix)
        names = {model, short, f"{prefix}{short}", f"{short}{suffix}", f"{prefix}{short}{suffix}"}
        return [e for page in self._pages for e in page.models if not names.isdisjoint((e.id, *e.aliases))]
