"""What a run remembers of earlier runs, as far as gathering evidence needs it.

`contracts.state` keeps it in a database; `Forgetful` keeps it for one run, where there is no state.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

from contracts.state.changes import compare
from contracts.wire.status import is_error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from decimal import Decimal

    from contracts.facts import Listing
    from contracts.listed import Change
    from contracts.model import Evidence, Finding


class Memory(Protocol):
    """What earlier runs saw. Every method may raise StateError, after which a run goes on without memory."""

    def kept(self, provider: str) -> list[Evidence]:
        """Give kept evidence. Its age is for the caller to judge by `at`."""

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence in place of what is kept of the same kind and model."""

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing in place of the last one and give what changed, None where there was none."""

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a provider on a day, `2026-11-30` in UTC."""

    def take_free_chat(self, provider: str, day: str, limit: int) -> bool:
        """Count one more free chat on a day, unless there were `limit` of them.

        Called before it is sent, so that a crash cannot hide one, and in one step, so that of two runs one gets it.
        """

    def see_all(
        self, polled: Mapping[str, Sequence[Finding]], at: datetime, *, complete: bool = False
    ) -> Mapping[str, list[Finding]]:
        """Remember what a run came to, all or nothing, and give the findings with what is new about each.

        `at` is when the run began, `complete` whether every contract and model of these providers was judged.
        """

    def record_run(  # noqa: PLR0913, PLR0917 - what a run came to
        self,
        started_at: datetime,
        ended_at: datetime,
        exit_status: int,
        requests: Sequence[int],
        spend_usd: Decimal,
        roster: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Book a run.

        `requests` are gets, free posts, paid posts and refusals, `roster` the contracts that were polled by provider.
        """

    def record_spend(self, provider: str, at: datetime, spend_usd: Decimal) -> None:
        """Add to what a provider may have cost."""


class Forgetful:
    """A memory that lasts as long as the object."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._kept: dict[str, dict[tuple[str, bool, str | None], Evidence]] = {}
        self._listings: dict[str, Listing] = {}
        self._free_chats: Counter[tuple[str, str]] = Counter()

    def kept(self, provider: str) -> list[Evidence]:
        """Give kept evidence."""
        return list(self._kept.get(provider, {}).values())

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence."""
        facts = evidence.facts
        asked = facts.asked.model if facts.asked else facts.about
        failed = is_error(facts.status)
        self._kept.setdefault(provider, {})[facts.kind, failed, asked] = evidence

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing and give what changed."""
        del at
        was = self._listings.get(provider)
        self._listings[provider] = listing
        return None if was is None else compare(was, listing)

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a day."""
        return self._free_chats[provider, day]

    def take_free_chat(self, provider: str, day: str, limit: int) -> bool:
        """Count one more free chat on a day, unless there were `limit` of them."""
        if self._free_chats[provider, day] >= limit:
            return False
        self._free_chats[provider, day] += 1
        return True

    def see_all(
        self, polled: Mapping[str, Sequence[Finding]], at: datetime, *, complete: bool = False
    ) -> Mapping[str, list[Finding]]:
        """Give findings as they are: who remembers nothing cannot tell what is new."""
        del at, complete
        return {name: list(findings) for name, findings in polled.items()}

    def record_run(  # noqa: PLR0913, PLR0917 - what a run came to
        self,
        started_at: datetime,
        ended_at: datetime,
        exit_status: int,
        requests: Sequence[int],
        spend_usd: Decimal,
        roster: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Book a run: nobody will ask."""

    def record_spend(self, provider: str, at: datetime, spend_usd: Decimal) -> None:
        """Add to what a provider may have cost: nobody will ask."""
