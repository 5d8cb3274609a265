"""What a run remembers of earlier runs, as far as gathering evidence needs it.

`contracts.state` keeps it in a database; `Forgetful` keeps it for one run, where there is no state.
"""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from contracts.state.changes import compare
from contracts.wire.status import is_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import timedelta
    from decimal import Decimal

    from contracts.facts import Listing
    from contracts.listed import Change
    from contracts.model import Evidence, Finding
    from contracts.state.answer import Answer, Key, Share


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
        self,
        polled: Mapping[str, Sequence[Finding]],
        at: datetime,
        *,
        complete: bool = False,
        shared: Mapping[str, Share] | None = None,
    ) -> Mapping[str, list[Finding]]:
        """Remember what a run came to, all or nothing, and give the findings with what is new about each.

        `at` is when the run began, `complete` whether every contract and model of these providers was judged, `shared`
        says by provider as what other runs may take the answer.
        """

    def together(self) -> AbstractContextManager[None]:
        """Keep all that is learnt within a block, or nothing of it, however the block ends."""

    def now(self) -> datetime:
        """Tell the time, by one clock for all that share the memory."""

    def answers(self, keys: Iterable[Key], every: timedelta) -> Mapping[Key, Answer]:
        """Give what other runs came to, if it is younger than an interval."""

    def claim(self, key: Key, every: timedelta) -> Answer | bool:
        """Give another run's answer, else tell whether it is for this run to ask: False where another does."""

    def freed(self, keys: Iterable[Key]) -> Iterable[Key]:
        """Tell which of these nobody asks now."""

    def release(self, keys: Iterable[Key]) -> None:
        """Let other runs have what this one had claimed."""

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

    def last_polls(self, providers: Iterable[str]) -> Mapping[str, datetime]:
        """Tell when each provider was polled last, by the clock of `now`; one that never was is not named."""

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
        self,
        polled: Mapping[str, Sequence[Finding]],
        at: datetime,
        *,
        complete: bool = False,
        shared: Mapping[str, Share] | None = None,
    ) -> Mapping[str, list[Finding]]:
        """Give findings as they are: who remembers nothing cannot tell what is new."""
        del at, complete, shared
        return {name: list(findings) for name, findings in polled.items()}

    def together(self) -> AbstractContextManager[None]:
        """Nothing outlives the run anyway."""
        return nullcontext()

    def now(self) -> datetime:
        """Tell the time of this host."""
        return datetime.now(UTC)

    def answers(self, keys: Iterable[Key], every: timedelta) -> Mapping[Key, Answer]:
        """Give none: nobody else is known."""
        del keys, every
        return {}

    def claim(self, key: Key, every: timedelta) -> Answer | bool:
        """Let this run ask."""
        del key, every
        return True

    def freed(self, keys: Iterable[Key]) -> Iterable[Key]:
        """Give all: nobody else is known."""
        return keys

    def release(self, keys: Iterable[Key]) -> None:
        """Nobody waits."""

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

    def last_polls(self, providers: Iterable[str]) -> Mapping[str, datetime]:
        """Name none: no earlier run is known."""
        del providers
        return {}

    def record_spend(self, provider: str, at: datetime, spend_usd: Decimal) -> None:
        """Add to what a provider may have cost: nobody will ask."""
