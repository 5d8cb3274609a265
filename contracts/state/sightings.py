"""What is new about a finding.

Pure: the state hands in what it holds and writes what comes out. A waiver is no cure, so a waived finding counts as
violated here; what could not be judged changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from contracts.breaker.novelty import DAY
from contracts.model import Novelty, Outcome

if TYPE_CHECKING:
    from contracts.model import Finding

CHANGES = 3  # there, gone, and there again: two would call every fault that was fixed flapping
POLLS = 10  # for polls so far apart that a day holds no three of them

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
