"""State in one SQLite file: every change is one transaction, so that a run may be killed at any moment."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from contracts.state.errors import StateError
from contracts.state.file import connect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.state.connection import Rows


class SqliteConnection:
    """One open state file."""

    def __init__(self, path: str) -> None:
        """Open the file, make it where there is none, and bring it to this version.

        Raises:
            StateError: where it cannot be opened, is no state of this program, or is newer than this program.
        """
        self.where = path
        self._connection = connect(path)

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
        """Write all of it or nothing; nobody else writes meanwhile."""
        self.write("BEGIN IMMEDIATE")
        try:
            yield
            self.write("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk ends one by itself
                self.write("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the file."""
        with suppress(sqlite3.Error):
            self._connection.close()
