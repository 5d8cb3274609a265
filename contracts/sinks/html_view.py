"""What the page shows: every provider with its lines, every contract, and what changed last.

What a page holds is bounded, whatever a state holds, and the page says what it left out.
"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from contracts.model import Outcome, Severity
from contracts.sinks.html_values import Counts, Moved, Page, Promise, Row, Shown, Steady, Strip
from contracts.state.stretches import ORDER, rank, stretches, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from contracts.model import Contract
    from contracts.state.stretches import Stretch
    from contracts.state.timeline import Line, Timeline

MAX_PROVIDERS = 1000
MAX_ROWS = 400  # of a provider, worst first: 22 contracts, and models that are not in order
MAX_CHANGES = 200  # newest first: more is read by nobody, and each provider's timeline has them all
NEVER = "not judged"

_SEVERITY = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


def view(  # noqa: PLR0913 - all by name
    timelines: Sequence[Timeline],
    contracts: Mapping[str, Contract],
    *,
    rows: Iterable[str] | None,
    made_at: datetime,
    version: str,
    polls: int,
) -> Page:
    """Make the page of what a state holds.

    Args:
        timelines: of the providers, in any order.
        contracts: those that the configuration has, by id.
        rows: names in the providers file; None where there is none, so that nobody is called missing from it.
        made_at: the instant of the page.
        version: of this program.
        polls: how many polls were asked for.
    """
    ids = _ids(timelines, contracts)
    names = None if rows is None else frozenset(rows)
    shown = [
        _provider(t, ids, contracts, place=place, is_row=names is None or t.provider in names)
        for place, t in enumerate(sorted(timelines, key=attrgetter("provider")))
    ]
    shown.sort(key=lambda one: (rank(one.outcome), _severity_rank(one.severity), -_violated(one), one.name))
    kept = shown[:MAX_PROVIDERS]
    places = {one.name: one.place for one in kept}
    moved = sorted(_moved(timelines, places), key=lambda m: (m.at, m.provider), reverse=True)
    return Page(
        made_at=made_at,
        version=version,
        polls=polls,
        counts=_counted(None if one.outcome == NEVER else one.outcome for one in shown),
        providers=tuple(kept),
        promises=tuple(_promise(i, place, contracts.get(i), kept) for place, i in enumerate(ids)),
        moved=tuple(moved[:MAX_CHANGES]),
        moved_left_out=max(0, len(moved) - MAX_CHANGES),
        providers_left_out=len(shown) - len(kept),
    )


def drawn(strip: Iterable[Stretch], polls: int) -> Strip:
    """Make a strip of stretches."""
    found = tuple((one.outcome, one.begin, one.end) for one in strip)
    return Strip(polls, found, told(found, polls))


def told(strip: Iterable[tuple[str, int, int]], polls: int) -> str:
    """Say a strip in words, worst first, for those who do not see it."""
    counts: Counter[str] = Counter()
    for outcome, begin, end in strip:
        counts[outcome] += end - begin
    parts = [f"{outcome} at {counts[outcome]}" for outcome in ORDER if counts[outcome]]
    return f"{', '.join(parts) or NEVER} of {polls} poll{'' if polls == 1 else 's'}"


def _ids(timelines: Iterable[Timeline], contracts: Mapping[str, Contract]) -> list[str]:
    return sorted({*contracts, *(line.contract for t in timelines for line in t.lines)})


def _severity_rank(severity: str) -> int:
    return _SEVERITY.get(Severity(severity), len(_SEVERITY)) if severity else len(_SEVERITY)


def _violated(one: Shown) -> int:
    return dict(one.counts).get("violated", 0)


def _counted(outcomes: Iterable[str | None]) -> Counts:
    """Count outcomes, worst first, only those that occur; what is not judged comes last."""
    counts = Counter(outcomes)
    pairs = [(outcome, counts[outcome]) for outcome in ORDER if counts[outcome]]
    return (*pairs, (NEVER, counts[None])) if counts[None] else tuple(pairs)


def _provider(
    timeline: Timeline, ids: Sequence[str], contracts: Mapping[str, Contract], *, place: int, is_row: bool
) -> Shown:
    polls = timeline.polls
    strips = [stretches(line, polls) for line in timeline.lines]
    rows = [_row(line, strip, len(polls), contracts) for line, strip in zip(timeline.lines, strips, strict=True)]
    rows.sort(key=lambda r: (rank(r.outcome), _severity_rank(r.severity), -r.changes, r.contract, r.model or ""))
    now: dict[str, str] = {}
    for row in rows:
        now.setdefault(row.contract, row.outcome)
    moving = [row for row in rows if not _is_steady(row)]
    steady = [row for row in rows if _is_steady(row)]
    outcome, severity = (rows[0].outcome, rows[0].severity) if rows else (NEVER, "")
    kept = moving[:MAX_ROWS]
    return Shown(
        place=place,
        name=timeline.provider,
        outcome=outcome,
        severity=severity,
        is_row=is_row,
        polls=polls,
        counts=_counted(row.outcome for row in rows),
        cells=tuple(now.get(i) for i in ids),
        strip=drawn(worst(strips, len(polls)), len(polls)),
        rows=tuple(kept),
        steady=tuple(_steady(steady[: MAX_ROWS - len(kept)])),
        steady_count=len(steady),
        left_out=max(0, len(rows) - MAX_ROWS),
    )


def _row(line: Line, strip: Sequence[Stretch], polls: int, contracts: Mapping[str, Contract]) -> Row:
    contract = contracts.get(line.contract)
    last = line.changes[-1] if line.changes else None
    return Row(
        contract=line.contract,
        model=line.model,
        outcome=NEVER if last is None else last.outcome,
        severity="" if contract is None else contract.severity.value,
        since=None if last is None else last.at,
        changes=max(0, len(line.changes) - 1),
        count=line.count,
        strip=drawn(strip, polls),
    )


def _is_steady(row: Row) -> bool:
    return not row.changes and row.outcome in (Outcome.HOLDS, Outcome.NOT_APPLICABLE)


def _steady(rows: Iterable[Row]) -> Iterator[Steady]:
    """Tell what never changed by what it came to and since when, so that lines judged together are told together."""
    together: dict[tuple[str, datetime], list[str]] = {}
    for row in rows:
        if row.since is not None:
            name = row.contract if row.model is None else f"{row.contract} [{row.model}]"
            together.setdefault((row.outcome, row.since), []).append(name)
    for (outcome, since), names in sorted(together.items(), key=lambda one: (rank(one[0][0]), one[0][1])):
        yield Steady(outcome, since, tuple(names))


def _moved(timelines: Iterable[Timeline], places: Mapping[str, int]) -> Iterable[Moved]:
    """Give every change at a poll shown. The first judgement of all is none, unless it is a violation."""
    for timeline in timelines:
        if timeline.provider not in places:
            continue
        for line in timeline.lines:
            pairs = zip([None, *(c.outcome for c in line.changes)], line.changes, strict=False)
            for was, change in islice(pairs, 0 if _begins_badly(line, timeline) else 1, None):
                yield Moved(
                    at=change.at, place=places[timeline.provider], provider=timeline.provider,
                    contract=line.contract, model=line.model, was=was, now=change.outcome,
                )  # fmt: skip


def _begins_badly(line: Line, timeline: Timeline) -> bool:
    first = line.changes[0] if line.changes else None
    return bool(first and timeline.polls and first.at >= timeline.polls[0] and first.outcome == Outcome.VIOLATED)


def _promise(contract_id: str, place: int, contract: Contract | None, providers: Sequence[Shown]) -> Promise:
    return Promise(
        id=contract_id,
        contract=contract,
        counts=_counted(one.cells[place] for one in providers),
        not_in_order=tuple(
            (one.place, one.name, outcome)
            for one in providers
            if (outcome := one.cells[place]) in (Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.WAIVED)
        ),
    )
