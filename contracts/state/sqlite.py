"""State in one SQLite file: every change is one transaction, so that a run may be killed at any moment.

Times are kept as UTC in ISO 8601, which sorts as text.
"""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec import DecodeError, ValidationError, json

from contracts.facts import Facts, Listing
from contracts.model import Evidence, Source
from contracts.state.changes import compare
from contracts.state.errors import StateError
from contracts.state.tables import migrate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from decimal import Decimal

    from contracts.facts import Change

NAME = "state.db"
BUSY_S = 5.0  # how long a run waits for another that is writing; a write takes milliseconds


def default_path(environ: Mapping[str, str]) -> str | None:
    """Tell where the state is: `$STATE_DIRECTORY` (systemd's), else below `$XDG_STATE_HOME` or `~/.local/state`."""
    given = environ.get("STATE_DIRECTORY", "").split(":")[0]
    if os.path.isabs(given):
        return os.path.join(given, NAME)
    home = environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(home):
        return os.path.join(home, "contracts", NAME)
    user = environ.get("HOME", "")
    return os.path.join(user, ".local", "state", "contracts", NAME) if os.path.isabs(user) else None


class SqliteState:
    """One open state file. Every method may raise StateError, after which the run goes on without it."""

    def __init__(self, path: str) -> None:
        """Open the file, make it where there is none, and bring it to this version.

        Raises:
            StateError: where it cannot be opened, is no SQLite file, or is newer than this program.
        """
        self._path = path
        try:
            os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = NORMAL")
                migrate(self._connection, path)
            except BaseException:
                self._connection.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise StateError(f"{path}: the state cannot be used: {error}") from error

    def kept(self, provider: str) -> list[Evidence]:
        """Give the evidence that is kept of a provider; an entry that this version cannot read is not there."""
        rows = self._all(
            "SELECT at, source, ref, facts FROM evidence WHERE provider = ? ORDER BY kind, model", provider
        )
        found = []
        for at, source, ref, facts in rows:
            try:
                decoded = json.decode(facts, type=Facts)
                found.append(Evidence(facts=decoded, source=Source(source), ref=ref, at=datetime.fromisoformat(at)))
            except (DecodeError, ValidationError, ValueError):
                continue
        return found

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence in place of what is kept of the same kind and model, unless that is newer."""
        facts = evidence.facts
        asked = facts.asked.model if facts.asked else None
        kind = f"{facts.kind} {'error' if facts.status >= 400 else 'answer'}"  # noqa: PLR2004 - RFC 9110, 15.5
        at = _text(evidence.at or datetime.now(UTC))
        self._do(
            """INSERT INTO evidence (provider, kind, model, at, source, ref, facts) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (provider, kind, model) DO UPDATE SET at = excluded.at, source = excluded.source,
               ref = excluded.ref, facts = excluded.facts WHERE excluded.at >= evidence.at""",
            provider, kind, asked or facts.about or "", at, evidence.source.value, evidence.ref, json.encode(facts),
        )  # fmt: skip

    def last_listing(self, provider: str) -> Listing | None:
        """Give the listing of the last poll, None where there was none or this version cannot read it."""
        rows = self._all("SELECT listing FROM listings WHERE provider = ?", provider)
        try:
            return json.decode(rows[0][0], type=Listing) if rows else None
        except (DecodeError, ValidationError):
            return None

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing in place of the last one and give what changed, None where there was none.

        Reading, comparing and writing are one transaction: of two runs at once only one learns a change.
        """
        self._do("BEGIN IMMEDIATE")
        try:
            was = self.last_listing(provider)
            changes = None if was is None else compare(was, listing)
            self._do(
                """INSERT INTO listings (provider, at, listing) VALUES (?, ?, ?)
                   ON CONFLICT (provider) DO UPDATE SET at = excluded.at, listing = excluded.listing""",
                provider, _text(at), json.encode(listing),
            )  # fmt: skip
            for change in changes or ():
                self._do(
                    "INSERT INTO changes (provider, at, model, member, was, now) VALUES (?, ?, ?, ?, ?, ?)",
                    provider, _text(at), change.model, change.member, change.was, change.now,
                )  # fmt: skip
            self._do("COMMIT")
        except BaseException:
            self._roll_back()
            raise
        return changes

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a provider on a day, `2026-11-30` in UTC."""
        rows = self._all("SELECT chats FROM free_chats WHERE provider = ? AND day = ?", provider, day)
        return int(rows[0][0]) if rows else 0

    def record_free_chats(self, provider: str, day: str, chats: int) -> None:
        """Add free chats to a day's count."""
        self._do(
            """INSERT INTO free_chats (provider, day, chats) VALUES (?, ?, ?)
               ON CONFLICT (provider, day) DO UPDATE SET chats = free_chats.chats + excluded.chats""",
            provider, day, chats,
        )  # fmt: skip

    def record_run(
        self, started_at: datetime, ended_at: datetime, exit_status: int, requests: Sequence[int], spend_usd: Decimal
    ) -> None:
        """Book a run; `requests` are gets, free posts, paid posts and refusals."""
        gets, posts_free, posts_paid, refused = requests
        self._do(
            """INSERT INTO runs (started_at, ended_at, exit_status, gets, posts_free, posts_paid, refused, spend_usd)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            _text(started_at), _text(ended_at), exit_status, gets, posts_free, posts_paid, refused, str(spend_usd),
        )  # fmt: skip

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _all(self, statement: str, *values: object) -> list[tuple[str, ...]]:
        """Read rows."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StateError(f"{self._path}: the state cannot be read: {error}") from error

    def _do(self, statement: str, *values: object) -> None:
        """Write."""
        try:
            self._connection.execute(statement, values)
        except sqlite3.Error as error:
            raise StateError(f"{self._path}: the state cannot be written: {error}") from error

    def _roll_back(self) -> None:
        """Give up a transaction; one that a full disk already ended is given up too."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _text(at: datetime) -> str:
    """Write an instant in UTC."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
