"""What is well formed and still no good: contracts that cannot fail, waivers that have expired or hit nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from contracts.config.binding import BoundContract
from contracts.config.catalogue import Catalogue
from contracts.config.rows import Layer, Resolved
from contracts.config.words import did_you_mean, show
from contracts.config.yaml_loader import Document
from contracts.model import Contract


def row_warnings(catalogue: Catalogue, row: Resolved, today: date) -> Iterator[str]:
    """Warn of what a row of a good providers file says in vain."""
    for layer in row.layers:
        yield from _waivers(catalogue, row, layer, today)
        yield from _models(layer)
        variable = layer.row.get("api_key")
        if variable is not None and variable != variable.upper():
            at = layer.document.at((*layer.path, "api_key"))
            yield f"{at}: expected a variable's name in capitals, such as ACME_API_KEY, found {show(variable)}"
    yield from _pending(row.layers[-1], today)
    for bound in catalogue.bound(row.provider):
        why = _cannot_fail(bound)
        if why is not None:
            yield f"{_where_set(row, bound)}: {bound.contract.id} cannot fail: {why}"


def contract_warnings(contract: Contract, document: Document, bound: BoundContract) -> Iterator[str]:
    """Warn of a contract that cannot fail, or that has nothing to tell a provider's row."""
    if not contract.note.strip():
        yield f"{document.at(('note',))}: expected a note for the provider's row, found none"
    why = _cannot_fail(bound)
    if why is not None:
        yield f"{document.at(('check',))}: {contract.id} cannot fail: {why}"


def _cannot_fail(bound: BoundContract) -> str | None:
    """Ask the check module itself; one that does not say can fail."""
    ask: Callable[[Any], object] | None = getattr(bound.check_module, "cannot_fail", None)
    why = None if ask is None else ask(bound.params)
    return f"{why}" if why is not None else None


def _where_set(row: Resolved, bound: BoundContract) -> str:
    for layer in row.layers[::-1]:
        if bound.contract.id in (layer.row.get("contracts") or {}):
            return layer.document.at_key((*layer.path, "contracts", bound.contract.id))
    layer = row.layers[-1]
    return layer.document.at_key(layer.path)


def _waivers(catalogue: Catalogue, row: Resolved, layer: Layer, today: date) -> Iterator[str]:
    for number, waiver in enumerate(layer.row.get("waivers") or ()):
        path = (*layer.path, "waivers", number)
        until = date.fromisoformat(waiver["until"])
        if until < today:
            yield f"{layer.document.at((*path, 'until'))}: the waiver of {waiver['contract']} expired on {until}"
        if waiver["contract"] not in catalogue.contracts:
            near = did_you_mean(waiver["contract"], catalogue.contracts)
            yield f"{layer.document.at((*path, 'contract'))}: a waiver of no contract: {show(waiver['contract'])}{near}"
        model = waiver.get("model")
        if model is not None and model not in row.provider.models:
            near = did_you_mean(model, row.provider.models)
            yield f"{layer.document.at((*path, 'model'))}: a waiver for no model of the row: {show(model)}{near}"


def _pending(layer: Layer, today: date) -> Iterator[str]:
    """Of the row itself: what another that it extends is pending for is not its own."""
    pending = layer.row.get("pending")
    if pending is not None and date.fromisoformat(pending["until"]) < today:
        at = layer.document.at((*layer.path, "pending", "until"))
        yield f"{at}: the row was pending until {pending['until']}, and now has to be judged"


def _models(layer: Layer) -> Iterator[str]:
    models = layer.row.get("models")
    seen: set[str] = set()
    for number, model in enumerate(models if isinstance(models, list) else ()):
        if model in seen:
            at = layer.document.at((*layer.path, "models", number))
            yield f"{at}: expected each model once, found {show(model)} again"
        seen.add(model)
