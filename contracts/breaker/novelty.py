"""When a signature has been seen often enough to be worth a word: at once where it is new, else at a count.

Novelty or count, never mere presence: one damaged answer may be a stray, and what was seen yesterday is no news.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec import Struct, structs

DAY = timedelta(hours=24)
SECOND = 2  # at which sighting a signature warns that nobody saw for a day: one may be a stray


class Signature(Struct, frozen=True, kw_only=True):
    """How often one signature, such as a kind of mangled text, was seen.

    `began_at` is when it appeared after a day without it, `window_at` when the day began in which `sightings` are
    counted, `last_at` when it was seen last.
    """

    began_at: datetime
    window_at: datetime
    last_at: datetime
    sightings: int


def is_novel(last_at: datetime | None, at: datetime) -> bool:
    """Tell whether a signature seen now is new: nobody saw it in the 24 hours before."""
    return last_at is None or at - last_at > DAY


def limit_of(*, novel: bool, familiar_at: int) -> int:
    """Give the sighting that is worth a warning. `familiar_at` is the configured count, 2 or more."""
    return SECOND if novel else familiar_at


def count(was: Signature | None, sightings: int, at: datetime, *, familiar_at: int) -> tuple[Signature, bool]:
    """Count sightings of a signature, and tell whether they are worth a warning now.

    One that was not seen in the last 24 hours warns at its second sighting, and that for its first 24 hours; one that
    is familiar warns once a day, at the configured count.

    Args:
        was: what is known; None where it was never seen.
        sightings: how many there were, one or more.
        at: when.
        familiar_at: the configured count; 2 or more.
    """
    if was is None or is_novel(was.last_at, at):
        fresh = Signature(began_at=at, window_at=at, last_at=at, sightings=sightings)
        return fresh, sightings >= SECOND
    at = max(at, was.last_at)  # a clock that was set back
    # Its first day is one window, however often it is seen; each later window begins with a sighting.
    is_next = at - was.window_at > DAY
    before = 0 if is_next else was.sightings
    window_at = at if is_next else was.window_at
    now = structs.replace(was, window_at=window_at, last_at=at, sightings=before + sightings)
    limit = limit_of(novel=window_at == was.began_at, familiar_at=familiar_at)
    return now, before < limit <= now.sightings
