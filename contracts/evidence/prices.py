"""Prices as listings write them, and the proof that a model costs nothing.

A proof rests on one listing of one run and covers every component that the listing names. Anything that is not
exactly zero, or cannot be read as a number, is no proof: a price of `-1` means "varies", a missing one means nothing.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.facts import Listing
    from contracts.listed import Model

REQUIRED = (("prompt", "completion"), ("input", "output"))  # one of these pairs has to be there
MAX_DIGITS = 40  # a price that is longer is no price


class ZeroPrice(Struct, frozen=True, kw_only=True):
    """The proof that this run's listings price a model at zero in every component."""

    model: str
    components: tuple[str, ...]


def amount(text: str) -> Decimal | None:
    """Read a price exactly; None for what is no finite number."""
    if len(text) > MAX_DIGITS or not text.isascii():
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def proves_zero(model: Model) -> ZeroPrice | None:
    """Prove that an entry of a listing costs nothing, or give None."""
    names = tuple(name for name, _ in model.prices)
    if not any(all(name in names for name in pair) for pair in REQUIRED):
        return None
    # All pairs and no mapping of them: a name that stands twice must not hide an amount.
    amounts = [amount(text) for _, text in model.prices]
    # -0 equals 0 for a Decimal; its sign says that somebody computed it, so it is refused with the negatives.
    if any(value is None or value != 0 or value.is_signed() for value in amounts):
        return None
    return ZeroPrice(model=model.id, components=names)


def prove(model: str, pages: Iterable[Listing], prefix: str = "", suffix: str = "") -> ZeroPrice | None:
    """Prove from all that this run read of a model (pages of a listing, its own endpoints) that it costs nothing.

    Every entry of the model has to prove it, also one that lists it as its alias. A listing with any fault proves
    nothing: its reader keeps the first entry of a repeated id, takes another member for an id that is missing, and
    stops at a number of entries. `prefix` and `suffix` are parts of an id that a request may leave out: with and
    without them it is one model.
    """
    short = model.removeprefix(prefix).removesuffix(suffix)
    names = {model, short, f"{prefix}{short}", f"{short}{suffix}", f"{prefix}{short}{suffix}"}
    entries: list[Model] = []
    for page in pages:
        if page.faults:
            return None
        entries += [e for e in page.models if not names.isdisjoint((e.id, *e.aliases))]
    proofs = [proves_zero(entry) for entry in entries]
    return next((p for p in proofs if p is not None and p.model in names), None) if all(proofs) else None
