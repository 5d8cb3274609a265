"""A router's table in SQLite. The file is never made, and nobody is locked out by reading."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import quote as escaped

from contracts.databases.names import quoted
from contracts.errors import ConfigError
from contracts.text.scrub import scrub
from contracts.verifications.catalogue import Column, named
from contracts.verifications.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.verifications.catalogue import Rows
    from contracts.verifications.place import Place

BUSY_S = 5.0  # how long to wait for the router to end what it writes


class SqliteDatabase:
    """One open file."""

    def __init__(self, place: Place) -> None:
        """Open a file that is there.

        Raises:
            ConfigError: where there is none.
            TableError: where it cannot be opened.
        """
        self.shown = place.shown
        if not os.path.isfile(place.where):
            raise ConfigError(f"{place.shown}: expected a router's database, found none")
        try:
            # rw: a database that is not there is not made.
            path = f"file:{escaped(os.path.abspath(place.where))}?mode=rw"
            self._connection = sqlite3.connect(path, uri=True, timeout=BUSY_S, isolation_level=None)
            # One row that another program wrote without care is no reason to judge none.
            self._connection.text_factory = lambda data: data.decode("utf-8", "backslashreplace")
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def columns(self, table: str) -> tuple[str, tuple[Column, ...]]:
        """Look a table up: its name, quoted, and its columns. Raises ConfigError and TableError."""
        tables = [name for (name,) in self.read("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
        name = named(self.shown, "table", table, [name for name in tables if not name.lower().startswith("sqlite_")])
        found = self.read('SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)', (name,))
        return quoted(name), tuple(
            Column(
                name=column,
                declared=declared or "",
                # A whole number that is the primary key counts itself.
                needed=bool(notnull) and default is None and not (pk and "int" in (declared or "").lower()),
                default=default or "",
            )
            for column, declared, notnull, default, pk, hidden in found
            if hidden == 0  # what is computed cannot be written
        )

    @staticmethod
    def head(text: str) -> str:
        """Read what of a text stands before a colon."""
        return f"substr({text}, 1, instr({text} || ':', ':') - 1)"

    @staticmethod
    def begins(text: str, pattern: str) -> str:
        """Write the condition that a text begins as a pattern."""
        return f"{text} GLOB '{pattern}*'"

    @staticmethod
    def unindexed(column: str) -> str:
        """Write a column so that the table is read in its own order."""
        return f"+{column}"

    def later(self, table: str) -> str:
        """Write a condition that holds of every row that is inserted from now on without a number given to it."""
        try:
            ((last,),) = self.read(f"SELECT max(rowid) FROM {table}")  # noqa: S608 - quoted, from the catalogue
        except TableError:  # a table WITHOUT ROWID
            return ""
        return f"rowid > {last}" if isinstance(last, int) else ""

    def read(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Read rows. Raises TableError."""
        try:
            with closing(self._connection.execute(statement, values)) as cursor:
                return cursor.fetchall()
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise self._failed(error) from error

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write rows. Raises TableError."""
        try:
            self._connection.executemany(statement, rows)
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            raise self._failed(error) from error

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See in all of a block what stood there when it began. Raises TableError."""
        self.read("BEGIN")
        try:
            yield
        finally:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, alone: str = "") -> Iterator[None]:
        """Write all of a block or nothing of it; nobody else writes anything meanwhile. Raises TableError."""
        del alone  # SQLite has one writer
        self.read("BEGIN IMMEDIATE")
        try:
            yield
            self.read("COMMIT")
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _failed(self, error: Exception) -> TableError:
        return TableError(f"{self.shown}: {scrub(str(error), 500)}")
