"""What a run remembers of earlier runs, as far as gathering evidence needs it.

`contracts.state` keeps it in a database; `Forgetful` keeps it for one run, where there is no state.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import date, datetime

    from contracts.facts import Listing
    from contracts.model import Evidence
    from contracts.report import Report


class Memory(Protocol):
    """What earlier runs saw. No method raises: what cannot be remembered is told by the implementation, once."""

    def kept(self, provider: str) -> list[Evidence]:
        """Give kept evidence, the latest last. Its age is for the caller to judge by `at`."""

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence for later runs."""

    def last_listing(self, provider: str) -> Listing | None:
        """Give the listing of the last poll that read one in full; None where there was none."""

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> None:
        """Remember a listing that was read in full."""

    def free_chats_today(self, provider: str, day: date) -> int:
        """Tell how many free chats were sent to a provider on a day (UTC)."""

    def record_free_chats(self, provider: str, day: date, count: int) -> None:
        """Add free chats to a day's count. Called before they are sent, so that a crash cannot hide one."""

    def record_run(self, report: Report) -> None:
        """Remember a finished run with its findings and its spend."""


class Forgetful:
    """A memory that lasts as long as the object."""

    def __init__(self) -> None:
        """Start with nothing seen."""
        self._kept: dict[str, list[Evidence]] = {}
        self._listings: dict[str, Listing] = {}
        self._free_chats: Counter[tuple[str, date]] = Counter()
        self.runs: list[Report] = []

    def kept(self, provider: str) -> list[Evidence]:
        """Give kept evidence, the latest last."""
        return list(self._kept.get(provider, ()))

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence."""
        self._kept.setdefault(provider, []).append(evidence)

    def last_listing(self, provider: str) -> Listing | None:
        """Give the last listing that was remembered."""
        return self._listings.get(provider)

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> None:
        """Remember a listing."""
        del at
        self._listings[provider] = listing

    def free_chats_today(self, provider: str, day: date) -> int:
        """Tell how many free chats were recorded for a day."""
        return self._free_chats[provider, day]

    def record_free_chats(self, provider: str, day: date, count: int) -> None:
        """Add free chats to a day's count."""
        self._free_chats[provider, day] += count

    def record_run(self, report: Report) -> None:
        """Keep the report."""
        self.runs.append(report)
