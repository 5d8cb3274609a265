"""The day's purse: what all canaries with one state may cost on a day, whoever sends them."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from contracts.errors import SpendRefused
from contracts.state.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.state.canaries import Canaries

ZERO = Decimal(0)


class Held(NamedTuple):
    """What is held back for one question, and since when; `booked` where the state knows of it."""

    usd: Decimal
    at: datetime
    booked: bool


def utc_now() -> datetime:
    """Tell the time."""
    return datetime.now(UTC)


class Purse:
    """The purse of one run: the state's, or none where nothing is remembered and no limit is set."""

    def __init__(
        self,
        provider: str,
        state: Canaries | None,
        limit_usd: Decimal | None,
        complain: Callable[[str], None],
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Open it. Nothing is taken yet."""
        self._provider, self._state, self._limit_usd = provider, state, limit_usd
        self._complain, self._now = complain, now

    def hold(self, usd: Decimal) -> Held:
        """Hold back the most that a question can cost.

        Raises:
            SpendRefused: where the day's limit does not cover it, or nobody can tell because the state fails.
        """
        at = self._now()
        if self._state is None:
            if self._limit_usd is not None:
                raise SpendRefused("not sent, the day's budget is kept in the state, which cannot be used")
            return Held(usd, at, booked=False)
        try:
            is_left = self._state.reserve(self._provider, at, usd, self._limit_usd)
        except StateError as error:
            if self._limit_usd is not None:
                raise SpendRefused(f"not sent, the day's budget cannot be kept: {error}") from error
            self._lose(error)
            return Held(usd, at, booked=False)
        if not is_left:
            raise SpendRefused(f"not sent, it may cost {usd:f} USD, which is not left of the day's {self._limit_usd}")
        return Held(usd, at, booked=True)

    def settle(self, held: Held, cost_usd: Decimal) -> None:
        """Put the cost in the place of what was held back; where the state fails, all of that stays spent."""
        if not held.booked or self._state is None:
            return
        try:
            self._state.settle(self._provider, held.at, held.usd, cost_usd)
        except StateError as error:
            self._lose(error)

    def _lose(self, error: StateError) -> None:
        self._complain(f"{error}; what canaries cost is not remembered")
        self._state = None
