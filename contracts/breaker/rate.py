"""Rates of few calls, compared without being fooled by how few they are.

The bounds are Wilson's score interval: E. B. Wilson, "Probable inference, the law of succession, and statistical
inference", JASA 22 (1927), 209-212. Unlike the usual interval it holds for rates near 0 and for a handful of calls.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True):
    """What it takes to trip, and for how long.

    Attributes:
        familiar_at: at how many sightings within a day a signature trips that was there the day before; 2 or more.
        min_calls: judged calls of a model below which its rate is not worth a word.
        min_faults: the same of its faults.
        min_rate: a lower bound below this is no reason to do without a model, however good the others are.
        alone_rate: the lower bound that it takes where no other model can be compared with.
        min_others: judged calls of all other models together below which they are no comparison.
        z: of the bounds, in standard deviations; both bounds have to be apart.
        cooldown_s: how long a first trip lasts, in seconds.
        longest_s: how long any trip lasts at most, without jitter.
        jitter: by what share a trip may last longer, so that routers do not ask again all at once.
        throttle_s: how long a 429 counts.
        forgiven_s: how long after it was closed a trip makes the next one longer.
    """

    familiar_at: int = 20
    min_calls: int = 20
    min_faults: int = 5
    min_rate: float = 0.1
    alone_rate: float = 0.5
    min_others: int = 10
    z: float = 2.576
    cooldown_s: float = 300.0
    longest_s: float = 14_400.0
    jitter: float = 0.25
    throttle_s: float = 60.0
    forgiven_s: float = 86_400.0


class Rate(NamedTuple):
    """How many calls could be judged, and how many of them were faulty."""

    faults: int = 0
    calls: int = 0

    @property
    def share(self) -> float | None:
        """The rate, None of no calls."""
        return self.faults / self.calls if self.calls else None

    def less(self, other: Rate) -> Rate:
        """Take others' calls out of all."""
        return Rate(self.faults - other.faults, self.calls - other.calls)


class Compared(NamedTuple):
    """Whether a rate stands out, the bound that it has to pass, and in words why or why not."""

    is_worse: bool
    bound: float
    why: str


def bounds(rate: Rate, z: float) -> tuple[float, float]:
    """Give the lower and upper bound of the rate behind so many faults in so many calls; 0 and 1 of no calls."""
    faults, calls = rate
    if calls <= 0:
        return 0.0, 1.0
    share, square = faults / calls, z * z
    middle = share + square / (2 * calls)
    reach = z * sqrt(share * (1 - share) / calls + square / (4 * calls * calls))
    scale = 1 + square / calls
    return max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)


def compare(own: Rate, others: Rate, limits: Limits) -> Compared:
    """Compare a model with all other models of the same window.

    Where all others are as bad, the cause is not this model, and it is told so.
    """
    if own.faults == 0:
        return Compared(is_worse=False, bound=0.0, why=f"no fault in {_calls(own.calls)}")
    said = f"{own.faults} of {_calls(own.calls)}"
    if own.calls < limits.min_calls or own.faults < limits.min_faults:
        need = f"{limits.min_faults} faults in {limits.min_calls} calls"
        return Compared(is_worse=False, bound=0.0, why=f"{said}, and a rate takes {need}")
    lower, _ = bounds(own, limits.z)
    if others.calls < limits.min_others:
        bound, among = limits.alone_rate, f"with {_calls(others.calls)} of other models to compare with"
    else:
        bound = max(bounds(others, limits.z)[1], limits.min_rate)
        among = f"where other models had {others.faults} of {others.calls}"
    is_worse = lower > bound
    passed = "above" if is_worse else "not above"
    return Compared(is_worse, bound, f"{said} {among}: at least {lower:.1%}, {passed} {bound:.1%}")


def _calls(number: int) -> str:
    return f"{number} judged call{'' if number == 1 else 's'}"
