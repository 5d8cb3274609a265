"""Degraded output at poll time: what real traffic showed, whose it is, and what to do about it.

Loud and not corrective: nothing is tripped unless the caller says so.
"""

from __future__ import annotations

import random
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from contracts.breaker.decide import decide
from contracts.breaker.observed import count, observed, span
from contracts.breaker.rate import Limits
from contracts.degraded import ours
from contracts.degraded.telling import tell

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from contracts.breaker.observed import Row
    from contracts.degraded.told import Degraded

WINDOW_S = 3600.0


class Question(Struct, frozen=True, kw_only=True):
    """How to judge: the window in which rates are compared, in seconds up to a day, and what it takes to trip."""

    window_s: float = WINDOW_S
    limits: Limits = Limits()


def of_table(url: str, question: Question, now: datetime, *, apply: bool) -> Degraded:
    """Judge what a router wrote into its table, and with `apply` write down there what was decided.

    Raises:
        ConfigError: for a URL, a table or a column that is none.
        TableError: where the table cannot be read or written now.
    """
    from contracts.verifications.place import parse
    from contracts.verifications.store import Verifications

    table = Verifications(parse(url), now)
    try:
        known = table.read(span(now, question.window_s), now, question.window_s, to_write=apply)
        # Two routers that trip at once must not ask again at once; the core draws nothing itself.
        decisions = decide(known.tallies, known.memories, now, lambda _: random.random(), question.limits)  # noqa: S311
        if apply:
            decisions = table.apply(decisions, known, now)
    finally:
        table.close()
    applied = sum(one.skip_reason is None for one in decisions) if apply else None
    found = tell(known.tallies, decisions, now, window_s=question.window_s)
    return structs.replace(found, applied=applied, models_apart=known.apart, decisions_from=known.remembered.read_from)


def of_rows(rows: Iterable[Row], question: Question, now: datetime) -> Degraded:
    """Judge answers that were handed over one by one; nothing is remembered of earlier decisions."""
    tallies = count(rows, span(now, question.window_s))
    decisions = decide(tallies, {}, now, lambda _: 0.0, question.limits)
    return tell(tallies, decisions, now, window_s=question.window_s)


def of_file(path: str, question: Question, now: datetime, odd: Callable[[str], None]) -> Degraded:
    """Judge what taps wrote down (`contracts.observations`).

    Raises:
        ConfigError: where there is no file, or it cannot be read.
    """
    from contracts.observations import read

    over = span(now, question.window_s)
    spoilt: list[Row] = []

    def rows() -> Iterator[Row]:
        for one in read(path, over.from_at, odd):
            sent = observed(one.at, one.provider, one.model or "", one.verification, one.count)
            if ours.is_ours(one):
                spoilt.append(sent)
                sent = observed(one.at, one.provider, one.model or "", ours.came(one), one.count)
            yield sent

    tallies = count(rows(), over)
    decisions = decide(tallies, {}, now, lambda _: 0.0, question.limits)
    return tell(tallies, decisions, now, window_s=question.window_s, spoilt=count(spoilt, over))
