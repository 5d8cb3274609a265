"""Answers one by one, as a tap hands them over, counted as a database counts them in a router's table."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.breaker.novelty import DAY
from contracts.breaker.tally import Tally
from contracts.text.verdict import ASCII_ONLY, CALL, EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.text.verdict import Verification

# Details that are counted apart. Whatever else stands there may be different in each row.
FEW = (EMPTY, "malformed tool call", "unreadable events", CALL, ASCII_ONLY)
STATUS = "status "
LONGEST = 80  # characters of a signature


class Row(Struct, frozen=True, kw_only=True):
    """One answer of one provider's model: a row of the table, without the rest of it.

    `at` is when it was judged, with a time zone; `detail` as `Verification` has it; `answers` how many this stands for.
    """

    at: datetime
    provider: str
    model: str
    verdict: str
    detail: str = ""
    model_attributable: bool = False
    answers: int = 1


class Span(Struct, frozen=True, kw_only=True):
    """What is counted: up to `until`, and from when on what belongs to the window, the day and all of it.

    An instant belongs to what begins with it and not to what ends with it.
    """

    window_at: datetime
    day_at: datetime
    from_at: datetime
    until: datetime


def span(now: datetime, window_s: float) -> Span:
    """Give the span of a poll: a window, the day that it ends, and the day before, with which novelty is told."""
    # What is written down in this second counts: some tables know no smaller time.
    return Span(
        window_at=now - timedelta(seconds=window_s), day_at=now - DAY, from_at=now - 2 * DAY,
        until=now + timedelta(seconds=1),
    )  # fmt: skip


def since(at: datetime, now: datetime, window_s: float) -> Span:
    """Give the span of what came since an instant; all of it counts as the day."""
    return Span(
        window_at=max(at, now - timedelta(seconds=window_s)), day_at=at, from_at=at,
        until=now + timedelta(seconds=1),
    )  # fmt: skip


def observed(at: datetime, provider: str, model: str, seen: Verification, answers: int = 1) -> Row:
    """Make the row of an answer that was judged, or of several that came to the same."""
    return Row(
        at=at,
        provider=provider,
        model=model,
        verdict=seen.verdict,
        detail=seen.detail,
        model_attributable=seen.model_attributable,
        answers=answers,
    )


def signature_of(verdict: str, detail: str) -> str:
    """Give what of a detail is counted apart: the signature of mangled text, a status, or one of few."""
    if verdict == "mangled":
        return detail.partition(":")[0][:LONGEST]
    if detail in FEW or (detail.startswith(STATUS) and len(detail) == len(STATUS) + 3):
        return detail
    return ""


class _Sum:
    """One tally while it is counted."""

    __slots__ = ("before", "before_last_at", "day", "first_at", "last_at", "window")

    def __init__(self) -> None:
        self.day = self.window = self.before = 0
        self.first_at: datetime | None = None
        self.last_at: datetime | None = None
        self.before_last_at: datetime | None = None

    def add(self, at: datetime, answers: int, over: Span) -> None:
        if at < over.day_at:
            self.before += answers
            self.before_last_at = at if self.before_last_at is None else max(self.before_last_at, at)
            return
        self.day += answers
        self.window += answers if at >= over.window_at else 0
        self.first_at = at if self.first_at is None else min(self.first_at, at)
        self.last_at = at if self.last_at is None else max(self.last_at, at)


def count(observations: Iterable[Row], over: Span) -> list[Tally]:
    """Count observations in any order; what lies outside of the span is not there."""
    sums: dict[tuple[str, str, str, str, bool], _Sum] = {}
    for one in observations:
        if not over.from_at <= one.at < over.until:
            continue
        key = (one.provider, one.model, one.verdict, signature_of(one.verdict, one.detail), one.model_attributable)
        found = sums.get(key)
        if found is None:
            found = sums[key] = _Sum()
        found.add(one.at, one.answers, over)
    return [
        Tally(
            provider=provider, model=model, verdict=verdict, signature=signature, attributable=attributable,
            day=found.day, window=found.window, before=found.before, first_at=found.first_at, last_at=found.last_at,
            before_last_at=found.before_last_at,
        )
        for (provider, model, verdict, signature, attributable), found in sums.items()
    ]  # fmt: skip
