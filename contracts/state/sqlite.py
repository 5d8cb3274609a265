"""State in one SQLite file: every change is one transaction, so that a run may be killed at any moment.

Times are kept as UTC in ISO 8601, which sorts as text.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from msgspec import MsgspecError, json, structs

from contracts.facts import Facts, Listing
from contracts.model import Evidence, Source
from contracts.state import sighting_rows, tables
from contracts.state.changes import compare, is_broken
from contracts.state.errors import StateError
from contracts.state.file import connect
from contracts.state.place import default_path, place
from contracts.state.written import instant, plain
from contracts.wire.status import is_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from decimal import Decimal

    from contracts.listed import Change
    from contracts.model import Finding

__all__ = ["SqliteState", "default_path", "place"]

SKEW = timedelta(days=1)  # what is dated further ahead than this was kept by a clock that was wrong


def _utc_now() -> datetime:
    return datetime.now(UTC)


class SqliteState:
    """One open state file. Every method may raise StateError, after which the run goes on without it."""

    def __init__(self, path: str, now: Callable[[], datetime] = _utc_now) -> None:
        """Open the file, make it where there is none, and bring it to this version.

        Raises:
            StateError: where it cannot be opened, is no state of this program, or is newer than this program.
        """
        self._path, self._now = path, now
        self._connection = connect(path)

    def kept(self, provider: str) -> list[Evidence]:
        """Give the evidence that is kept of a provider.

        An entry that this version cannot read, or that a clock of the far future dated, is not there.
        """
        rows = self._all(
            "SELECT at, source, ref, facts FROM evidence WHERE provider = ? AND at <= ? ORDER BY kind, model",
            provider, instant(self._now() + SKEW),
        )  # fmt: skip
        found = []
        for at, source, ref, facts in rows:
            try:
                decoded = json.decode(facts, type=Facts)
                found.append(Evidence(facts=decoded, source=Source(source), ref=ref, at=datetime.fromisoformat(at)))
            except (MsgspecError, ValueError, TypeError):
                continue
        return found

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence in place of what is kept of the same kind and model, unless that is newer.

        What was said of the last poll is left out, so that a change is told once, and so is the listing beside it.
        """
        facts = structs.replace(evidence.facts, catalogue=None)
        if facts.changes:
            facts = structs.replace(facts, changes=())
        asked = facts.asked.model if facts.asked else None
        kind = f"{facts.kind} {'error' if is_error(facts.status) else 'answer'}"
        self._do(
            """INSERT INTO evidence (provider, kind, model, at, source, ref, facts) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (provider, kind, model) DO UPDATE SET at = excluded.at, source = excluded.source,
               ref = excluded.ref, facts = excluded.facts WHERE excluded.at >= evidence.at OR evidence.at > ?""",
            provider, kind, plain(asked or facts.about or ""), instant(evidence.at or self._now()),
            evidence.source.value, plain(evidence.ref), _encoded(facts), instant(self._now() + SKEW),
        )  # fmt: skip

    def last_listing(self, provider: str) -> Listing | None:
        """Give the listing of the last poll, None where there was none or this version cannot read it."""
        rows = self._all("SELECT listing FROM listings WHERE provider = ?", provider)
        return _listing(rows[0][0]) if rows else None

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing in place of the last one and give what changed, None where there was none.

        Reading, comparing and writing are one transaction: of two runs at once only one learns a change. A listing
        that could not be read, or that was fetched before the one that is kept, teaches nothing and is not kept.
        """
        listing = _storable(listing)
        if is_broken(listing) and not listing.models:
            return ()
        data = _encoded(listing)
        self._do("BEGIN IMMEDIATE")
        try:
            rows = self._all("SELECT at, listing FROM listings WHERE provider = ?", provider)
            # Only what lies in the past is later for certain; else the clock was set back since.
            if rows and instant(at) < str(rows[0][0]) <= instant(self._now()):
                self._roll_back()
                return ()
            same = bool(rows) and rows[0][1] == data
            was = _listing(rows[0][1]) if rows and not same else None
            changes = () if same else None if was is None else compare(was, listing)
            self._remember(provider, instant(at), None if same else data, changes or ())
            self._do("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return changes

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a provider on a day, `2026-11-30` in UTC."""
        rows = self._all("SELECT chats FROM free_chats WHERE provider = ? AND day = ?", provider, day)
        return int(rows[0][0]) if rows and isinstance(rows[0][0], int) else 0

    def record_free_chats(self, provider: str, day: str, chats: int) -> None:
        """Add free chats to a day's count."""
        self._do(
            """INSERT INTO free_chats (provider, day, chats) VALUES (?, ?, ?)
               ON CONFLICT (provider, day) DO UPDATE SET chats = free_chats.chats + excluded.chats""",
            provider, day, chats,
        )  # fmt: skip

    def take_free_chat(self, provider: str, day: str, limit: int) -> bool:
        """Count one more free chat on a day, unless there were `limit` of them; of two runs at once one gets it."""
        if limit <= 0:
            return False
        return self._do(
            """INSERT INTO free_chats (provider, day, chats) VALUES (?, ?, 1)
               ON CONFLICT (provider, day) DO UPDATE SET chats = free_chats.chats + 1 WHERE free_chats.chats < ?""",
            provider, day, limit,
        ) > 0  # fmt: skip

    def record_run(
        self, started_at: datetime, ended_at: datetime, exit_status: int, requests: Sequence[int], spend_usd: Decimal
    ) -> None:
        """Book a run, and drop what is beyond the limits on what is kept.

        Args:
            started_at: when it began.
            ended_at: when it ended.
            exit_status: what it came to.
            requests: gets, free posts, paid posts and refusals.
            spend_usd: what it may have cost.
        """
        gets, posts_free, posts_paid, refused = requests
        self._do(
            """INSERT INTO runs (started_at, ended_at, exit_status, gets, posts_free, posts_paid, refused, spend_usd)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            instant(started_at), instant(ended_at), exit_status, gets, posts_free, posts_paid, refused, str(spend_usd),
        )  # fmt: skip
        for statement, limit in tables.TIDY:
            self._do(statement, limit)

    def see(self, provider: str, findings: Sequence[Finding], at: datetime) -> list[Finding]:
        """Remember what a poll of a provider came to, and give its findings with what is new about each."""
        with self._transaction():
            return sighting_rows.see_all(self._all, self._do, provider, findings, at)

    def count_signature(  # noqa: PLR0913, PLR0917 - what is counted, of whom, and when
        self, provider: str, model: str, signature: str, sightings: int, at: datetime, familiar_at: int
    ) -> bool:
        """Count sightings of a signature, and tell whether they are worth a warning (`sightings.count`)."""
        with self._transaction():
            return sighting_rows.count_signature(
                self._all, self._do, (provider, model), signature, sightings, at, familiar_at=familiar_at
            )

    def prune(self, before: datetime) -> None:
        """Drop what was learnt before an instant; the last listings stay, and so does what was judged since."""
        with self._transaction():
            for statement in tables.PRUNE:
                self._do(statement, instant(before))

    def close(self) -> None:
        """Close the file; what was not written by now is said already."""
        with suppress(sqlite3.Error):
            self._connection.close()

    def _remember(self, provider: str, at: str, data: bytes | None, changes: Sequence[Change]) -> None:
        """Write a listing and what changed; None is the same listing as before, seen at another time."""
        if data is None:
            self._do("UPDATE listings SET at = ? WHERE provider = ?", at, provider)
            return
        self._do(
            """INSERT INTO listings (provider, at, listing) VALUES (?, ?, ?)
               ON CONFLICT (provider) DO UPDATE SET at = excluded.at, listing = excluded.listing""",
            provider, at, data,
        )  # fmt: skip
        for change in changes:
            self._do(
                "INSERT INTO changes (provider, at, model, member, was, now) VALUES (?, ?, ?, ?, ?, ?)",
                provider, at, change.model, change.member, change.was, change.now,
            )  # fmt: skip
        if changes:
            self._do(tables.TIDY_CHANGES, provider, tables.CHANGES)

    def _all(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Read rows."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StateError(f"{self._path}: the state cannot be read: {error}") from error

    def _do(self, statement: str, *values: object) -> int:
        """Write, and give how many rows that changed."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise StateError(f"{self._path}: the state cannot be written: {error}") from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Write all of it or nothing; nobody else writes meanwhile."""
        self._do("BEGIN IMMEDIATE")
        try:
            yield
            self._do("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        """Give up a transaction; one that a full disk already ended is given up too."""
        if self._connection.in_transaction:
            self._do("ROLLBACK")


def _listing(data: Any) -> Listing | None:
    try:
        return json.decode(data, type=Listing)
    except (MsgspecError, ValueError, TypeError):
        return None


def _encoded(value: Facts | Listing) -> bytes:
    """Write a value as JSON, also where a provider sent half a character or a number without end."""
    try:
        return json.encode(value)
    except (UnicodeError, OverflowError, ValueError):
        from msgspec import to_builtins

        return json.encode(_clean(to_builtins(value)))


def _storable(listing: Listing) -> Listing:
    """Give a listing as it will be read again, so that what cannot be written is no change at the next poll."""
    if all(plain(model.id) is model.id for model in listing.models):
        return listing
    return structs.replace(listing, models=tuple(structs.replace(m, id=plain(m.id)) for m in listing.models))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value
