"""What polls came to, as rows: violations that were seen, current outcomes and their changes.

All providers of a run are read at once and written at once, by the caller's transaction.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from msgspec import MsgspecError, json

from contracts.model import Outcome
from contracts.state import tables
from contracts.state.outcomes import changed
from contracts.state.sightings import Sighting, see, tell
from contracts.state.written import instant, plain, read_instant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.model import Finding
    from contracts.state.connection import Connection
    from contracts.state.outcomes import Key
    from contracts.state.sightings import Change

NAMES = (
    "violated", "first_seen", "last_seen", "count", "began_at", "polls", "poll", "judged_at", "recent", "source", "ref",
    "settled",
)  # fmt: skip
SIGHTINGS = f"SELECT provider, model, contract, {', '.join(NAMES)} FROM sightings"  # noqa: S608 constants
UPSERT = f"""INSERT INTO sightings (provider, model, contract, {", ".join(NAMES)})
    VALUES ({", ".join("?" * (3 + len(NAMES)))}) ON CONFLICT (provider, model, contract) DO UPDATE SET
    {", ".join(f"{name} = excluded.{name}" for name in NAMES)}"""  # noqa: S608 constants
SETTLE = "UPDATE sightings SET settled = 1 WHERE provider = ? AND model = ? AND contract = ?"
STATES = "SELECT provider, model, contract, outcome, since FROM states"
SET_STATE = """INSERT INTO states (provider, model, contract, outcome, since) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (provider, model, contract) DO UPDATE SET outcome = excluded.outcome, since = excluded.since"""
TRANSITION = """INSERT INTO transitions (provider, model, contract, at, outcome, ref, was, was_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
AT_ONCE = 500  # names in one statement; the oldest SQLite in use takes 999 values
VIOLATIONS = (Outcome.VIOLATED, Outcome.WAIVED)


def of_providers(
    connection: Connection, statement: str, providers: Sequence[str], more: str = ""
) -> list[tuple[Any, ...]]:
    """Read the rows of these providers, of which more may be asked."""
    rows = []
    for first in range(0, len(providers), AT_ONCE):
        some = providers[first : first + AT_ONCE]
        rows += connection.read(f"{statement} WHERE provider IN ({', '.join('?' * len(some))}){more}", *some)
    return rows


class Seeing:
    """Adds what one run saw to what is known, and writes it all at the end."""

    def __init__(self, connection: Connection, polled: Mapping[str, Sequence[Finding]], at: datetime) -> None:
        """Read what is known of providers that are polled at an instant, as far as their findings need it."""
        providers = list(polled)
        self._connection, self._at, self._written_at = connection, at, instant(at)
        self._sightings: dict[str, dict[Key, Sighting | None]] = {}
        self._states: dict[str, dict[Key, tuple[str, str]]] = {name: {} for name in providers}
        self._learn(of_providers(connection, SIGHTINGS, providers, " AND settled = 0"))
        again = [name for name, findings in polled.items() if self._has_news(name, findings)]
        if again:
            self._learn(of_providers(connection, SIGHTINGS, again, " AND settled <> 0"))
        for provider, model, contract, outcome, since in of_providers(connection, STATES, providers):
            self._states[provider][model, contract] = outcome, since
        self._has_runs = bool(connection.read("SELECT 1 FROM runs LIMIT 1"))
        self._seen: list[tuple[object, ...]] = []
        self._transitions: list[tuple[object, ...]] = []
        self._set: list[tuple[object, ...]] = []
        self._settle: list[tuple[str, str, str]] = []
        self._tidy: list[tuple[str, str, int]] = []

    def _learn(self, rows: Sequence[tuple[Any, ...]]) -> None:
        for provider, model, contract, *row in rows:
            self._sightings.setdefault(provider, {})[model, contract] = _sighting(row[:-1])

    def _has_news(self, provider: str, findings: Sequence[Finding]) -> bool:
        """Tell whether a violation is none of those that are known to be unsettled, so that it may be a settled one."""
        known = self._sightings.get(provider, {})
        return any(f.outcome in VIOLATIONS and _key(f) not in known for f in findings)

    def see(self, provider: str, findings: Sequence[Finding], *, complete: bool) -> list[Finding]:
        """Put what is new into the findings of a provider."""
        known = self._sightings.get(provider, {})
        is_first = not known and not self._states[provider] and not self._has_runs
        of_models = [key for key, was in known.items() if key[0] and was is not None and was.violated]
        keys = [_key(finding) for finding in findings]
        told, added = [], 0
        for finding, own in zip(findings, keys, strict=True):
            key = own
            if of_models and not own[0] and finding.outcome in (Outcome.HOLDS, Outcome.UNKNOWN):
                key = _answered(own, known, [of for of in of_models if of not in keys])
            was = known.get(key)
            now, novelty = see(was, finding, self._at)
            told.append(tell(finding, now, novelty, is_first=is_first))
            if now is not None and now is not was:
                self._seen.append(_row(provider, key, now))
                added += key not in known
            elif was is not None and not was.violated and finding.outcome is Outcome.HOLDS:
                self._settle.append((provider, *key))
        if added:
            self._tidy.append((tables.TIDY_SIGHTINGS, provider, tables.SIGHTINGS))
        self._change(provider, dict(zip(keys, findings, strict=True)), complete=complete)
        return told

    def _change(self, provider: str, told: Mapping[Key, Finding], *, complete: bool) -> None:
        """Note which outcomes changed."""
        known = self._states[provider]
        added = transitions = 0
        for key, (outcome, finding) in changed(known, told, complete=complete).items():
            was, since = known.get(key, (None, None))
            self._set.append((provider, *key, outcome, self._written_at))
            added += was is None
            if was is None and outcome not in VIOLATIONS:
                continue
            transitions += 1
            ref = plain(finding.evidence.ref) if finding is not None and finding.evidence else ""
            self._transitions.append((provider, *key, self._written_at, outcome, ref, was, since))
        if added and added + len(known) > tables.STATES:
            self._tidy.append((tables.TIDY_STATES, provider, tables.STATES))
        if transitions:
            self._tidy.append((tables.TIDY_TRANSITIONS, provider, tables.TRANSITIONS))

    def write(self) -> None:
        """Write what was seen."""
        for statement, rows in (
            (UPSERT, self._seen),
            (SETTLE, self._settle),
            (SET_STATE, self._set),
            (TRANSITION, self._transitions),
        ):
            if rows:
                self._connection.many(statement, rows)
        for statement, provider, limit in self._tidy:
            self._connection.write(statement, provider, provider, limit)


def _key(finding: Finding) -> Key:
    return (plain(finding.model) if finding.model else "", finding.contract)


def _answered(own: Key, known: Mapping[Key, Sighting | None], of_models: Sequence[Key]) -> Key:
    """Give the violation that a finding on the provider answers: its own, else one by a model."""
    was = known.get(own)
    if was is not None and was.violated:
        return own
    return next((key for key in of_models if key[1] == own[1]), own)


def _row(provider: str, key: Key, now: Sighting) -> tuple[object, ...]:
    return (
        provider, *key, int(now.violated), instant(now.first_seen), instant(now.last_seen), now.count,
        instant(now.began_at), now.polls, now.poll, instant(now.judged_at),
        json.encode([(instant(when), poll) for when, poll in now.recent]).decode(), now.source, plain(now.ref), 0,
    )  # fmt: skip


def _sighting(row: Sequence[Any]) -> Sighting | None:
    """Read a row, None for one that this version cannot read."""
    violated, first, last, seen, began, polls, poll, judged, recent, source, ref = row
    try:
        changes: list[Change] = json.decode(recent, type=list[tuple[datetime, int]])
        return Sighting(
            violated=bool(violated), first_seen=read_instant(first), last_seen=read_instant(last), count=int(seen),
            began_at=read_instant(began), polls=int(polls), poll=int(poll), judged_at=read_instant(judged),
            recent=tuple(changes), source=str(source), ref=str(ref),
        ) if changes else None  # fmt: skip
    except (MsgspecError, ValueError, TypeError):
        return None
