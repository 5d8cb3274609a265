"""Sightings and signatures as rows. The caller holds the transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import MsgspecError, json

from contracts.model import Outcome
from contracts.state import tables
from contracts.state.sightings import Sighting, Signature, count, see, tell
from contracts.state.written import instant, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contracts.model import Finding
    from contracts.state.sightings import Change

    Read = Callable[..., list[tuple[Any, ...]]]

NAMES = (
    "violated", "first_seen", "last_seen", "count", "began_at", "polls", "poll", "judged_at", "recent", "source", "ref",
)  # fmt: skip
SELECT = f"SELECT model, contract, {', '.join(NAMES)} FROM sightings WHERE provider = ?"  # noqa: S608 constants
UPSERT = f"""INSERT INTO sightings (provider, model, contract, {", ".join(NAMES)})
    VALUES ({", ".join("?" * (3 + len(NAMES)))}) ON CONFLICT (provider, model, contract) DO UPDATE SET
    {", ".join(f"{name} = excluded.{name}" for name in NAMES)}"""  # noqa: S608 constants


class Write(Protocol):
    """Runs a statement with its values and gives how many rows that changed."""

    def __call__(self, statement: str, *values: object) -> int:
        """Write."""


def see_all(read: Read, write: Write, provider: str, findings: Sequence[Finding], at: datetime) -> list[Finding]:
    """Remember what one poll of a provider came to, and put what is new into its findings."""
    known = {(model, contract): _sighting(row) for model, contract, *row in read(SELECT, provider)}
    is_first = not known and not read("SELECT 1 FROM runs LIMIT 1")
    of_models = [key for key, was in known.items() if key[0] and was is not None and was.violated]
    keys = [(plain(finding.model or ""), finding.contract) for finding in findings]
    told, has_changed = [], False
    for finding, own in zip(findings, keys, strict=True):
        key = own
        if of_models and not own[0] and finding.outcome in (Outcome.HOLDS, Outcome.UNKNOWN):
            key = _answered(own, known, [of for of in of_models if of not in keys])
        was = known.get(key)
        now, novelty = see(was, finding, at)
        told.append(tell(finding, now, novelty, is_first=is_first))
        if now is None or now is was:
            continue
        _write(write, provider, key, now)
        if was is None or was.violated != now.violated:
            has_changed = True
            write(
                "INSERT INTO transitions (provider, model, contract, at, outcome, ref) VALUES (?, ?, ?, ?, ?, ?)",
                provider, *key, instant(at), "violated" if now.violated else "holds",
                plain(finding.evidence.ref if finding.evidence else ""),
            )  # fmt: skip
    if has_changed:
        write(tables.TIDY_SIGHTINGS, provider, tables.SIGHTINGS)
        write(tables.TIDY_TRANSITIONS, provider, tables.TRANSITIONS)
    return told


def _answered(
    own: tuple[str, str], known: Mapping[tuple[str, str], Sighting | None], of_models: Sequence[tuple[str, str]]
) -> tuple[str, str]:
    """Give the violation that a finding on the provider answers: its own, else one by a model."""
    was = known.get(own)
    if was is not None and was.violated:
        return own
    return next((key for key in of_models if key[1] == own[1]), own)


def count_signature(  # noqa: PLR0913, PLR0917 - what is counted, of whom, and when
    read: Read,
    write: Write,
    subject: tuple[str, str],
    signature: str,
    sightings: int,
    at: datetime,
    *,
    familiar_at: int,
) -> bool:
    """Count sightings of a signature of a provider and model, and tell whether they are worth a warning now."""
    key = (subject[0], plain(subject[1]), plain(signature))
    rows = read(
        """SELECT began_at, window_at, last_at, sightings FROM signatures
           WHERE provider = ? AND model = ? AND signature = ?""",
        *key,
    )
    now, is_due = count(_signature(rows[0]) if rows else None, sightings, at, familiar_at=familiar_at)
    write(
        """INSERT INTO signatures (provider, model, signature, began_at, window_at, last_at, sightings)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider, model, signature) DO UPDATE SET
           began_at = excluded.began_at, window_at = excluded.window_at, last_at = excluded.last_at,
           sightings = excluded.sightings""",
        *key, instant(now.began_at), instant(now.window_at), instant(now.last_at), now.sightings,
    )  # fmt: skip
    if not rows:
        write(tables.TIDY_SIGNATURES, subject[0], tables.SIGNATURES)
    return is_due


def _write(write: Write, provider: str, key: tuple[str, str], now: Sighting) -> None:
    write(
        UPSERT, provider, *key, int(now.violated), instant(now.first_seen), instant(now.last_seen), now.count,
        instant(now.began_at), now.polls, now.poll, instant(now.judged_at),
        json.encode([(instant(when), poll) for when, poll in now.recent]).decode(), now.source, plain(now.ref),
    )  # fmt: skip


def _sighting(row: Sequence[Any]) -> Sighting | None:
    """Read a row, None for one that this version cannot read."""
    violated, first, last, seen, began, polls, poll, judged, recent, source, ref = row
    try:
        changes: list[Change] = json.decode(recent, type=list[tuple[datetime, int]])
        return Sighting(
            violated=bool(violated), first_seen=_instant(first), last_seen=_instant(last), count=int(seen),
            began_at=_instant(began), polls=int(polls), poll=int(poll), judged_at=_instant(judged),
            recent=tuple(changes), source=str(source), ref=str(ref),
        ) if changes else None  # fmt: skip
    except (MsgspecError, ValueError, TypeError):
        return None


def _signature(row: Sequence[Any]) -> Signature | None:
    try:
        began, window, last = (_instant(text) for text in row[:3])
        return Signature(began_at=began, window_at=window, last_at=last, sightings=int(row[3]))
    except (ValueError, TypeError):
        return None


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
