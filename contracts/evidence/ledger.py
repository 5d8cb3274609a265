"""The ledger of a run: what was sent, what was refused and what it may have cost, in exact decimals.

Money and free chats are reserved before a request is sent and settled after it, so that no interleaving of
requests can pass a limit. All methods are synchronous and touch only this object: under asyncio nothing can run
between a test and its reservation.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

ZERO = Decimal(0)


class Totals(Struct, frozen=True, kw_only=True):
    """What a ledger came to; the members of the report."""

    get: int
    post_free: int
    post_paid: int
    refused: int
    spend_usd: Decimal


class Reservation(Struct, frozen=True, kw_only=True):
    """An amount that is held back for a request that is under way."""

    number: int
    amount_usd: Decimal


class Ledger:
    """Counts requests and money for all providers of a run."""

    def __init__(self, budget_usd: Decimal = ZERO, free_chats: Mapping[str, int] | None = None) -> None:
        """Start with a budget for paid requests and, by provider, the free chats that are left for today.

        Raises:
            ValueError: for a budget that is negative or no finite number.
        """
        if not budget_usd.is_finite() or budget_usd < 0:
            raise ValueError(f"expected a budget of zero or more, found {budget_usd}")
        self._budget_usd = budget_usd
        self._free_left = Counter(free_chats or {})
        self._spent_usd = ZERO
        self._held: dict[int, Decimal] = {}
        self._reservations = 0
        self._counts: Counter[str] = Counter()
        self.free_chats_used: Counter[str] = Counter()

    def sent(self, kind: str) -> None:
        """Count a request that was sent: get, post_free or post_paid."""
        self._counts[kind] += 1

    def refused(self) -> None:
        """Count a request that was held back."""
        self._counts["refused"] += 1

    def take_free_chat(self, provider: str) -> bool:
        """Take one of today's free chats of a provider, if one is left. It is not given back, whatever comes of it."""
        if self._free_left[provider] <= 0:
            return False
        self._free_left[provider] -= 1
        self.free_chats_used[provider] += 1
        return True

    def reserve(self, amount_usd: Decimal) -> Reservation | None:
        """Hold back the most that a request can cost; None where the budget does not cover it."""
        if not amount_usd.is_finite() or amount_usd < 0:
            return None
        if self._spent_usd + sum(self._held.values(), ZERO) + amount_usd > self._budget_usd:
            return None
        self._reservations += 1
        self._held[self._reservations] = amount_usd
        return Reservation(number=self._reservations, amount_usd=amount_usd)

    def settle(self, reservation: Reservation, cost_usd: Decimal | None) -> None:
        """Replace a reservation by what the request cost; None, or what is no price, counts the whole reservation.

        A cost above the reservation is booked as it is: the money is gone, and the budget refuses what comes next.
        """
        held = self._held.pop(reservation.number, None)
        if held is None:
            return
        known = cost_usd is not None and cost_usd.is_finite() and cost_usd >= 0
        self._spent_usd += cost_usd if known and cost_usd is not None else held

    @property
    def totals(self) -> Totals:
        """What it came to so far; what is still held back counts as spent."""
        return Totals(
            get=self._counts["get"],
            post_free=self._counts["post_free"],
            post_paid=self._counts["post_paid"],
            refused=self._counts["refused"],
            spend_usd=self._spent_usd + sum(self._held.values(), ZERO),
        )
