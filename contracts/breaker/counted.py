"""Tallies put together by whom they speak of, each read once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from contracts.breaker.rate import Rate
from contracts.breaker.tally import Key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from contracts.breaker.tally import Tally


class Sign(NamedTuple):
    """One signature of damage at a provider, and the models that showed it."""

    name: str
    day: int
    before: int
    first_at: datetime | None
    last_before_at: datetime | None
    models: tuple[str, ...]


class Counted(NamedTuple):
    """All tallies.

    Attributes:
        by_model: the tallies of each provider's model.
        models: the keys of each provider's models.
        signs: the signatures of damage by provider, the commonest first.
        rates: faulty and judged calls in the window, by provider and model.
        total: the same of all.
    """

    by_model: Mapping[Key, tuple[Tally, ...]]
    models: Mapping[str, tuple[Key, ...]]
    signs: Mapping[str, tuple[Sign, ...]]
    rates: Mapping[Key, Rate]
    total: Rate


def put_together(tallies: Iterable[Tally]) -> Counted:
    """Put tallies together."""
    by_model: defaultdict[Key, list[Tally]] = defaultdict(list)
    damage: defaultdict[tuple[str, str], list[Tally]] = defaultdict(list)
    for tally in tallies:
        by_model[Key(tally.provider, tally.model)].append(tally)
        if tally.arm == "encoding":
            damage[tally.provider, tally.name].append(tally)
    rates = {key: rate_of(group) for key, group in by_model.items()}
    models: defaultdict[str, list[Key]] = defaultdict(list)
    for key in by_model:
        models[key.provider].append(key)
    signs: defaultdict[str, list[Sign]] = defaultdict(list)
    for (provider, name), group in damage.items():
        signs[provider].append(_sign(name, group))
    return Counted(
        by_model={key: tuple(group) for key, group in by_model.items()},
        models={provider: tuple(keys) for provider, keys in models.items()},
        signs={provider: tuple(sorted(found, key=lambda s: (-s.day, s.name))) for provider, found in signs.items()},
        rates=rates,
        total=Rate(sum(rate.faults for rate in rates.values()), sum(rate.calls for rate in rates.values())),
    )


def rate_of(tallies: Iterable[Tally]) -> Rate:
    """Count the faults of content and the calls that could be judged for them, in the window.

    Damaged text is neither: it is not empty, and whether it loops is not known.
    """
    faults = calls = 0
    for tally in tallies:
        if tally.arm == "content":
            faults += tally.window
            calls += tally.window
        elif tally.is_clean:
            calls += tally.window
    return Rate(faults, calls)


def _sign(name: str, group: list[Tally]) -> Sign:
    return Sign(
        name=name,
        day=sum(tally.day for tally in group),
        before=sum(tally.before for tally in group),
        first_at=min((tally.first_at for tally in group if tally.first_at), default=None),
        last_before_at=max((tally.before_last_at for tally in group if tally.before_last_at), default=None),
        models=tuple(sorted({tally.model for tally in group if tally.day})),
    )
