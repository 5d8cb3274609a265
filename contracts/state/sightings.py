"""What is new about a finding, and when a signature has been seen often enough to be worth a word.

Pure: the state hands in what it holds and writes what comes out. A waiver is no cure, so a waived finding counts as
violated here; what could not be judged changes nothing.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from contracts.model import Novelty, Outcome

if TYPE_CHECKING:
    from contracts.model import Finding

DAY = timedelta(hours=24)
CHANGES = 3  # there, gone, and there again: two would call every fault that was fixed flapping
POLLS = 10  # for polls so far apart that a day holds no three of them
SECOND = 2  # at which sighting a signature warns that nobody saw for a day: one may be a stray

Change = tuple[datetime, int]  # when, and at which poll


class Sighting(Struct, frozen=True, kw_only=True):
    """What is known of one contract of a provider (and model) that was violated at least once.

    Attributes:
        violated: what it came to when it was last judged.
        first_seen: when it was violated for the first time.
        last_seen: when it was violated last.
        count: how many polls saw it violated, all told.
        began_at: when the last violation began.
        polls: how many polls saw that violation.
        poll: number of the last poll that was counted.
        judged_at: when it was last judged.
        recent: the last three changes, oldest first; the first violation is one.
        source: of the evidence of the last violation.
        ref: of the same.
    """

    violated: bool
    first_seen: datetime
    last_seen: datetime
    count: int
    began_at: datetime
    polls: int
    poll: int
    judged_at: datetime
    recent: tuple[Change, ...]
    source: str
    ref: str


def see(was: Sighting | None, finding: Finding, at: datetime) -> tuple[Sighting | None, Novelty | None]:
    """Add what one poll came to; give the sighting as it is now, and what is new.

    Args:
        was: what is known; None where it was never violated.
        finding: of one contract and model.
        at: the instant of the poll. A clock that was set back makes no sighting older than it was.
    """
    if finding.outcome in (Outcome.VIOLATED, Outcome.WAIVED):
        now = _violated(was, finding, at)
        return now, _told(now, at) or Novelty(
            state="new" if now.polls == 1 else "ongoing", since=now.began_at, polls=now.polls
        )
    if was is None:
        return None, None
    if finding.outcome is Outcome.HOLDS:
        return _held(was, at)
    if was.violated and finding.outcome is Outcome.UNKNOWN:
        return was, Novelty(state="ongoing", since=was.began_at, polls=was.polls)
    return was, None


def tell(finding: Finding, now: Sighting | None, novelty: Novelty | None, *, is_first: bool) -> Finding:
    """Put what is new into a finding; `new` stays None where nothing was judged, or holds and was never looked at."""
    if finding.outcome in (Outcome.VIOLATED, Outcome.WAIVED):
        return structs.replace(finding, new=now is not None and now.polls == 1, novelty=novelty)
    return structs.replace(
        finding, new=False if finding.outcome is Outcome.HOLDS and not is_first else None, novelty=novelty
    )


def is_flapping(recent: tuple[Change, ...], poll: int, at: datetime) -> bool:
    """Tell whether the last three changes lie within 24 hours or 10 polls. A change of the future is as far away."""
    if len(recent) < CHANGES:
        return False
    when, number = recent[-CHANGES]
    return abs(at - when) <= DAY or poll - number < POLLS


def _violated(was: Sighting | None, finding: Finding, at: datetime) -> Sighting:
    ref = finding.evidence
    source, name = ("", "") if ref is None else (ref.source.value, ref.ref)
    if was is None:
        return Sighting(
            violated=True, first_seen=at, last_seen=at, count=1, began_at=at, polls=1, poll=1, judged_at=at,
            recent=((at, 1),), source=source, ref=name,
        )  # fmt: skip
    poll = was.poll + 1
    return structs.replace(
        was,
        violated=True,
        last_seen=max(at, was.last_seen),
        count=was.count + 1,
        began_at=was.began_at if was.violated else at,
        polls=was.polls + 1 if was.violated else 1,
        poll=poll,
        judged_at=max(at, was.judged_at),
        recent=was.recent if was.violated else _changed(was.recent, at, poll),
        source=source,
        ref=name,
    )


def _held(was: Sighting, at: datetime) -> tuple[Sighting, Novelty | None]:
    poll = was.poll + 1
    if not was.violated and was.poll - was.recent[-1][1] >= POLLS and not is_flapping(was.recent, poll, at):
        return was, None  # what stays in order is not written down: its last change is out of reach, however far
    recent = _changed(was.recent, at, poll) if was.violated else was.recent
    now = structs.replace(was, violated=False, poll=poll, judged_at=max(at, was.judged_at), recent=recent)
    fixed = Novelty(state="fixed", since=was.began_at, polls=was.polls) if was.violated else None
    return now, _told(now, at) or fixed


def _changed(recent: tuple[Change, ...], at: datetime, poll: int) -> tuple[Change, ...]:
    return (*recent, (at, poll))[-CHANGES:]


def _told(now: Sighting, at: datetime) -> Novelty | None:
    if not is_flapping(now.recent, now.poll, at):
        return None
    since, poll = now.recent[-CHANGES]
    return Novelty(state="flapping", since=since, polls=now.poll - poll + 1)


class Signature(Struct, frozen=True, kw_only=True):
    """How often one signature, such as a kind of mangled text, was seen.

    `began_at` is when it appeared after a day without it, `window_at` when the day began in which `sightings` are
    counted, `last_at` when it was seen last.
    """

    began_at: datetime
    window_at: datetime
    last_at: datetime
    sightings: int


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
    if was is None or at - was.last_at > DAY:
        fresh = Signature(began_at=at, window_at=at, last_at=at, sightings=sightings)
        return fresh, sightings >= SECOND
    at = max(at, was.last_at)  # a clock that was set back
    # Its first day is one window, however often it is seen; each later window begins with a sighting.
    is_next = at - was.window_at > DAY
    before = 0 if is_next else was.sightings
    window_at = at if is_next else was.window_at
    now = structs.replace(was, window_at=window_at, last_at=at, sightings=before + sightings)
    limit = SECOND if window_at == was.began_at else familiar_at
    return now, before < limit <= now.sightings
