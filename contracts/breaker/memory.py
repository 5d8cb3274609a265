"""What the breaker remembers of a key: its last decision, and how an instant ends a trip."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.breaker.novelty import DAY
from contracts.breaker.tally import Key, Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.breaker.rate import Limits

By = Literal["novelty", "count", "rate", "probe", "clean", "throttle", "time"]


class State(StrEnum):
    """What a key is in. `throttled` is no fault: it asked for less, and time alone ends it."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half-open"
    THROTTLED = "throttled"


class Memory(Struct, frozen=True, kw_only=True):
    """The last decision on a key, and what was answered since.

    Attributes:
        state: that was decided.
        at: when.
        until: when a trip or a throttle ends; None where nothing ends.
        attempt: how many trips followed each other closely, this one included.
        signature: that tripped it.
        since: the first answer that counts again after it was closed.
        after: what came since `counts_from`, of the provider and, for a model's key, of that model.
    """

    state: State
    at: datetime
    until: datetime | None = None
    attempt: int = 0
    signature: str = ""
    since: datetime | None = None
    after: tuple[Tally, ...] = ()

    @property
    def counts_from(self) -> datetime:
        """Answers before this instant say nothing any more of what was decided."""
        if self.state is State.OPEN:
            return self.until or self.at
        if self.state is State.HALF_OPEN:
            # Nothing showed anything until it was written down; a day before, for what came into the table late.
            return max(self.until or self.at, self.at - DAY)
        return self.since or self.at


class Decision(Struct, frozen=True, kw_only=True):
    """What is decided on one key, and why; a key that stays as it was has a `skip_reason` that says so.

    Attributes:
        provider: its name.
        model: None where all of a provider is meant.
        state: from now on.
        was: until now.
        by: what changed it; None where nothing did.
        signature: what it was about, empty where there was no fault.
        count: sightings of it, or faults, that the decision rests on.
        calls: judged calls among which they were.
        baseline: sightings in the 24 hours before the day.
        bound: of a rate, what its lower bound had to pass.
        until: when it ends by itself.
        attempt: how many trips followed each other closely.
        since: the first answer that counts again.
        why: in words.
        skip_reason: why nothing was done; None where something was.
    """

    provider: str
    model: str | None
    state: State
    was: State
    by: By | None = None
    signature: str = ""
    count: int = 0
    calls: int = 0
    baseline: int = 0
    bound: float | None = None
    until: datetime | None = None
    attempt: int = 0
    since: datetime | None = None
    why: str = ""
    skip_reason: str | None = None

    @property
    def key(self) -> Key:
        """Whom it is on."""
        return Key(self.provider, self.model)


def state_at(memory: Memory | None, now: datetime) -> State:
    """Give the state that a key is in at an instant: a trip whose time is over waits for a probe."""
    if memory is None:
        return State.CLOSED
    is_over = memory.until is None or now >= memory.until
    match memory.state:
        case State.OPEN:
            return State.HALF_OPEN if is_over else State.OPEN
        case State.THROTTLED:
            return State.CLOSED if is_over else State.THROTTLED
        case _:
            return memory.state


def standing(memories: Mapping[Key, Memory], provider: str, model: str, now: datetime) -> State:
    """Give the state that a request is met by: the worse of the provider's and the model's, each on its own grounds."""
    found = [state_at(memories.get(key), now) for key in (Key(provider, None), Key(provider, model))]
    order = (State.OPEN, State.HALF_OPEN, State.THROTTLED, State.CLOSED)
    return min(found, key=order.index)


def cooldown(attempt: int, jitter: float, limits: Limits) -> timedelta:
    """Give how long a trip lasts: twice as long each time, up to a limit, and a little longer by chance.

    Args:
        attempt: counted from 1.
        jitter: between 0 and 1, drawn by the caller.
        limits: hold the times.
    """
    seconds = limits.cooldown_s
    for _ in range(attempt - 1):
        if seconds >= limits.longest_s:
            break
        seconds *= 2
    return timedelta(seconds=min(seconds, limits.longest_s) * (1 + limits.jitter * min(max(jitter, 0.0), 1.0)))
