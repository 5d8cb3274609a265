"""What changed between two listings of one provider.

Prices are compared as decimals, so that `0.0000020` and `2e-6` are one price; a price that moved by a factor of a
thousand or a million in every component is a change of unit, and is told as one.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from contracts.facts import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.facts import Listing, Model

PLAIN = ("context_tokens", "output_tokens", "quantization", "deprecated", "replacement", "chat")
FACTORS = (Decimal(1000), Decimal(1_000_000))
MAX_CHANGES = 1000  # a catalogue that was renamed whole says nothing more in its ten thousandth line


def compare(was: Listing, now: Listing) -> tuple[Change, ...]:
    """Tell every change, in order of model id; ids that came or went have the member `listed`.

    Where either listing is one page of more, what is missing from it may be on another page and is no change.
    """
    before, after = {m.id: m for m in was.models}, {m.id: m for m in now.models}
    partial = was.more or now.more
    changes: list[Change] = []
    for model in sorted({*before, *after}):
        old, new = before.get(model), after.get(model)
        if old is None or new is None:
            if not partial:
                words = ("listed", None) if new is None else (None, "listed")
                changes.append(Change(model=model, member="listed", was=words[0], now=words[1]))
        elif old != new:
            changes += _changed(old, new)
        if len(changes) >= MAX_CHANGES:
            break
    return tuple(changes[:MAX_CHANGES])


def _changed(old: Model, new: Model) -> Iterator[Change]:
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
    ratios = {_ratio(before[n], after[n]) for n in names if n in before and n in after}
    factor = next(iter(ratios)) if len(ratios) == 1 and {*names} <= {*before} & {*after} else None
    if len(names) > 1 and factor is not None and (factor in FACTORS or 1 / factor in FACTORS):
        shown = f"× {factor.normalize():f}" if factor > 1 else f"÷ {(1 / factor).normalize():f}"
        yield Change(model=old.id, member="price unit", was=f"{names[0]} {before[names[0]]}", now=shown)
        return
    for name in names:
        yield Change(model=old.id, member=f"price {name}", was=before.get(name), now=after.get(name))


def _decimal(text: str | None) -> Decimal | None:
    """Read a price, None for what is no finite number."""
    try:
        value = Decimal(text) if text is not None and len(text) <= 40 else None  # noqa: PLR2004 - no price is longer
    except InvalidOperation:
        return None
    return value if value is not None and value.is_finite() else None


def _same_price(was: str | None, now: str | None) -> bool:
    """Tell whether two prices are one amount."""
    old, new = _decimal(was), _decimal(now)
    return was == now or (old is not None and old == new)


def _ratio(was: str, now: str) -> Decimal | None:
    """Give how many times a price became what it was, None where that cannot be said."""
    old, new = _decimal(was), _decimal(now)
    return new / old if old and new else None


def _shown(value: object) -> str | None:
    """Show a member's value."""
    return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
