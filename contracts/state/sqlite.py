"""State in one SQLite file: every change is one transaction, so that a run may be killed at any moment."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from contracts.state.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.state.connection import Rows
    from contracts.state.reading import Seen


class SqliteConnection:
    """One open state file."""

    def __init__(self, path: str, connection: sqlite3.Connection, seen: Seen | None = None) -> None:
        """Use a file that `file.connect` opened, or `reading.connect`, which tells how it looked."""
        self.where = path
        self._is_within = False  # a transaction
        self._connection, self._seen = connection, seen

    def read(self, statement: str, *values: object) -> Rows:
        """Read rows."""
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise StateError(f"{self.where}: the state cannot be read: {error}") from error

    def write(self, statement: str, *values: object) -> int:
        """Write, and give how many rows that changed."""
        try:
            return self._connection.execute(statement, values).rowcount
        except sqlite3.Error as error:
            raise StateError(f"{self.where}: the state cannot be written: {error}") from error

    def many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write the same with each row of values."""
        try:
            self._connection.executemany(statement, rows)
        except sqlite3.Error as error:
            raise StateError(f"{self.where}: the state cannot be written: {error}") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of it or nothing; nobody else writes meanwhile. One within another is part of it."""
        if self._is_within:
            yield
            return
        self.write("BEGIN IMMEDIATE")
        self._is_within = True
        try:
            yield
            self.write("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk ends one by itself
                self.write("ROLLBACK")
            raise
        finally:
            self._is_within = False

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read as if at one instant; others may write meanwhile."""
        self.read("BEGIN")
        try:
            yield
        except StateError:
            self._refuse_changed()
            raise
        finally:
            if self._connection.in_transaction:
                self.read("ROLLBACK")
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        if self._seen is not None:
            from contracts.state import reading

            reading.refuse_changed(self.where, self._seen)

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self._connection.close()
