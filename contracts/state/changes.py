"""What changed between two listings of one provider.

Prices are compared as decimals, so that `0.0000020` and `2e-6` are one price; prices that all moved by a factor of a
thousand or a million are one change of unit. A member that no entry had and most have now was not changed by anybody:
the listing, or the row that reads it, began to tell. Where most had it and none has it now, that is one change.
"""

from __future__ import annotations

from collections import Counter
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from contracts.listed import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.facts import Listing
    from contracts.listed import Model

EVERY = "every model"  # stands for the id where a change is one of the whole listing
PLAIN = ("chat", "context_tokens", "output_tokens", "quantization", "deprecated", "replacement")
SPARSE = ("deprecated", "replacement")  # few entries have one, so each that appears is news
FACTORS = (Decimal(1000), Decimal(1_000_000))
NEARLY = Decimal("1e-6")  # relative: a listing that computes prices as doubles is off by less
MAX_CHANGES = 1000  # a catalogue that was renamed whole says nothing more in its ten thousandth line
MAX_DIGITS = 40  # a price that is longer is no price
NO_TRAPS = Context(prec=50, traps=[])  # 1e999999999 is a decimal too; what comes of it is NaN, not an exception


def compare(was: Listing, now: Listing) -> tuple[Change, ...]:
    """Tell every change, in order of model id; ids that came or went have the member `listed`.

    Where either listing is one page of more, or could not be read in part, what is missing from it is no change.
    """
    before, after = {m.id: m for m in was.models}, {m.id: m for m in now.models}
    partial = was.more or now.more or is_broken(was) or is_broken(now)
    changed = [(before[i], after[i]) for i in sorted(before.keys() & after.keys()) if before[i] != after[i]]
    changes = list(_of_members(changed, len(before.keys() & after.keys()), before, after))
    if not partial:
        changes += _came_and_went(before, after)
    changes.sort(key=lambda c: (c.model != EVERY, c.model))
    return tuple(changes[:MAX_CHANGES])


def is_of_another(was: Listing, now: Listing) -> bool:
    """Tell whether a listing came from another base URL; of one that an older version kept, that is not known."""
    return was.base_url is not None and was.base_url != now.base_url


def is_broken(listing: Listing) -> bool:
    """Tell whether entries may be missing because the listing could not be read (models.shape judges that)."""
    return any(fault.kind in ("no-list", "no-id", "too-many") for fault in listing.faults)


def _came_and_went(before: dict[str, Model], after: dict[str, Model]) -> Iterator[Change]:
    """Tell which ids came or went; a listing that was emptied or filled is one change."""
    if bool(before) != bool(after):
        yield Change(model=EVERY, member="listed", was="listed" if before else None, now="listed" if after else None)
        return
    for model in before.keys() - after.keys():
        yield Change(model=model, member="listed", was="listed", now=None)
    for model in after.keys() - before.keys():
        yield Change(model=model, member="listed", was=None, now="listed")


def _of_members(
    changed: list[tuple[Model, Model]], common: int, before: dict[str, Model], after: dict[str, Model]
) -> Iterator[Change]:
    """Tell what changed of models that stand in both listings."""
    begun: set[str] = set()
    ended: set[str] = set()
    if len(changed) > max(1, common // 2):
        begun, ended = _began(before, after, common), _began(after, before, common)
    for member in sorted(ended):
        yield Change(model=EVERY, member=member, was="told", now=None)
    for old, new in changed:
        for change in _of_model(old, new):
            if not (change.was is None and change.member in begun) and not (
                change.now is None and change.member in ended
            ):
                yield change


def _began(before: dict[str, Model], after: dict[str, Model], common: int) -> set[str]:
    """Give the members that no entry had and most of the entries in both listings have."""
    had = {name for model in before.values() for name in _members(model, free_too=True)}
    has = Counter(n for i, model in after.items() if i in before for n in _members(model, free_too="prices" not in had))
    return {name for name, count in has.items() if name not in had and count > max(1, common // 2)}


def _members(model: Model, *, free_too: bool) -> Iterator[str]:
    """Name the members that an entry has; a component of a price that is not zero only where it is asked for."""
    for member in PLAIN:
        if member not in SPARSE and getattr(model, member) is not None:
            yield member
    if model.parameters:
        yield "parameters"
    if model.prices:
        yield "prices"
    for name, amount in model.prices:
        # A component that costs something and was not there is a new cost, however many models have it.
        if free_too or _decimal(amount) == 0:
            yield f"price {name}"


def _of_model(old: Model, new: Model) -> Iterator[Change]:
    """Tell what changed of one model."""
    for member in PLAIN:
        was, now = getattr(old, member), getattr(new, member)
        if was != now:
            yield Change(model=old.id, member=member, was=_shown(was), now=_shown(now))
    gone, come = sorted({*old.parameters} - {*new.parameters}), sorted({*new.parameters} - {*old.parameters})
    if gone or come:
        yield Change(model=old.id, member="parameters", was=", ".join(gone) or None, now=", ".join(come) or None)
    yield from _prices(old, new)


def _prices(old: Model, new: Model) -> Iterator[Change]:
    """Tell which components of a price changed."""
    before, after = dict(old.prices), dict(new.prices)
    names = [n for n in sorted({*before, *after}) if not _same_price(before.get(n), after.get(n))]
    factors = {_factor(before.get(n), after.get(n)) for n in names}
    if len(names) > 1 and len(factors) == 1 and None not in factors:
        name = names[0]
        yield Change(model=old.id, member="price unit", was=f"{name} {before[name]}", now=f"{name} {after[name]}")
        return
    for name in names:
        yield Change(model=old.id, member=f"price {name}", was=before.get(name), now=after.get(name))


def _decimal(text: str | None) -> Decimal | None:
    """Read a price, None for what is no finite number."""
    value = NO_TRAPS.create_decimal(text) if text is not None and len(text) <= MAX_DIGITS else None
    return value if value is not None and value.is_finite() else None


def _same_price(was: str | None, now: str | None) -> bool:
    """Tell whether two prices are one amount."""
    old, new = _decimal(was), _decimal(now)
    return was == now or (old is not None and old == new)


def _factor(was: str | None, now: str | None) -> Decimal | None:
    """Give the factor between two units that a price moved by, negative for the way down, None for any other move."""
    old, new = _decimal(was), _decimal(now)
    if not old or not new:
        return None
    for factor in FACTORS:
        for low, high, sign in ((old, new, 1), (new, old, -1)):
            ratio = NO_TRAPS.divide(high, low)
            if ratio.is_finite() and abs(NO_TRAPS.subtract(ratio, factor)) <= factor * NEARLY:
                return sign * factor
    return None


def _shown(value: object) -> str | None:
    """Show a member's value."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
