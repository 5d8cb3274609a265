"""When a signature has been seen often enough to be worth a word: at once where it is new, else at a count.

Novelty or count, never mere presence: one damaged answer may be a stray, and what was seen yesterday is no news.
"""

from __future__ import annotations

from datetime import datetime, timedelta

DAY = timedelta(hours=24)
SECOND = 2  # at which sighting a signature warns that nobody saw for a day: one may be a stray


def is_novel(last_at: datetime | None, at: datetime) -> bool:
    """Tell whether a signature seen now is new: nobody saw it in the 24 hours before."""
    return last_at is None or at - last_at > DAY


def limit_of(*, novel: bool, familiar_at: int) -> int:
    """Give the sighting that is worth a warning. `familiar_at` is the configured count, 2 or more."""
    return SECOND if novel else familiar_at
