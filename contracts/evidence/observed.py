"""What a router's taps saw, as evidence: no traffic and no spend.

What ended since the last poll speaks; where there was nothing since, the newest of each kind that is young enough. Of
answers that came to the same, one is judged.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.checks import counted
from contracts.model import Evidence, Source
from contracts.observations import read
from contracts.observations.kinds import kind_of
from contracts.wire import content_coding
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from contracts.facts import Facts
    from contracts.model import Provider
    from contracts.observations import Observation

AHEAD = timedelta(minutes=5)  # what is dated further ahead was written by a clock that is wrong
KINDS = 2_000  # of one provider, the newest; each is judged by every contract


def gather(
    paths: Sequence[str],
    rows: Iterable[Provider],
    polled: Callable[[Iterable[str]], Mapping[str, datetime]],
    now: datetime,
    odd: Callable[[str], None],
) -> dict[str, list[Evidence]]:
    """Read files of observations and give the evidence of each provider.

    Args:
        paths: of the files.
        rows: the providers; what was seen of others is left alone.
        polled: tells of names when each was polled last, where that is known.
        now: the instant of this run.
        odd: is told of lines that are no observations.

    Raises:
        ConfigError: where a file cannot be read.
    """
    if not paths:
        return {}
    known = {row.name: row for row in rows}
    oldest = max((row.evidence_max_age_s for row in known.values()), default=0)
    seen: dict[str, dict[object, tuple[Observation, int, str]]] = {name: {} for name in known}
    for path in paths:
        for one in read(path, now - timedelta(seconds=oldest), odd):
            if one.provider in known and speaks(one, known[one.provider], now):
                _add(seen[one.provider], one, path)
    last = polled([name for name, found in seen.items() if found])
    return {name: _evidence(found, last.get(name)) for name, found in seen.items() if found}


def speaks(one: Observation, row: Provider, now: datetime) -> bool:
    """Tell whether what was seen speaks for a row now: young enough, of its dialect, and a chat that was seen whole."""
    age = now - one.at
    is_young = -AHEAD <= age <= timedelta(seconds=row.evidence_max_age_s)
    is_of = one.facts.dialect == row.dialect and one.facts.kind == "chat"
    return is_young and is_of and _was_seen_whole(one.facts)


def _was_seen_whole(facts: Facts) -> bool:
    """Tell whether a client that left, or that asked for a coding which no tap reads, kept none of it back."""
    fault = None if facts.coding is None else facts.coding.fault
    if fault is not None and fault.kind == "not-asked":
        return False
    if facts.ended != "unknown":
        return True
    reply = facts.reply
    if reply is None:
        return bool(facts.errors)
    return reply.close.count > 0 if reply.streamed else not reply.unread


def _add(found: dict[object, tuple[Observation, int, str]], one: Observation, path: str) -> None:
    kind = kind_of(one)
    _, count, _ = found.pop(kind, (one, 0, path))  # popped, so that the newest kinds are the last
    found[kind] = (one, count + one.count, path)
    if len(found) > KINDS:
        del found[next(iter(found))]


def _evidence(found: Mapping[object, tuple[Observation, int, str]], polled_at: datetime | None) -> list[Evidence]:
    entries = list(found.values())
    fresh = [entry for entry in entries if polled_at is None or entry[0].at > polled_at]
    if not any(is_success(one.facts.status) for one, _, _ in fresh):
        fresh = _newest(entries) + [entry for entry in fresh if not is_success(entry[0].facts.status)]
    return [
        Evidence(
            facts=_limited(one.facts), source=Source.OBSERVED, ref=f"{path} ({counted(count, 'answer')})", at=one.at
        )
        for one, count, path in fresh
    ]


def _limited(facts: Facts) -> Facts:
    """Say of a body that broke within its coding, as of one that was asked for by a poll, that its end is not known."""
    spoilt = None if facts.coding is None else content_coding.undecodable(facts.coding.fault)
    return facts if spoilt is None else structs.replace(facts, limits=(*facts.limits, spoilt))


def _newest(entries: Iterable[tuple[Observation, int, str]]) -> list[tuple[Observation, int, str]]:
    """Give the newest success of each model, streamed and not."""
    newest: dict[tuple[str | None, bool], tuple[Observation, int, str]] = {}
    for entry in sorted(entries, key=lambda entry: entry[0].at):
        facts = entry[0].facts
        if is_success(facts.status):
            newest[entry[0].model, facts.framing is not None] = entry
    return list(newest.values())
