"""A router's table in PostgreSQL, by psycopg 3."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg

from contracts.databases.names import quoted
from contracts.databases.postgres import connect, said
from contracts.verifications.catalogue import Column, named
from contracts.verifications.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.verifications.catalogue import Rows
    from contracts.verifications.place import Place

LIMITS_MS = {"lock_timeout": 5_000, "statement_timeout": 600_000}  # a large table is read to its beginning in less
TABLES = """SELECT c.oid, n.nspname, c.relname, pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND left(n.nspname, 3) <> 'pg_'
    ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname, c.relname"""
COLUMNS = """SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
    pg_get_expr(d.adbin, d.adrelid), a.attidentity <> ''
    FROM pg_catalog.pg_attribute a
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    WHERE a.attrelid = ? AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum"""


class PostgresDatabase:
    """One session."""

    def __init__(self, place: Place) -> None:
        """Connect. Raises TableError."""
        self.shown, self._place = place.shown, place
        try:
            self._connection = connect(place.where)
            for name, limit_ms in LIMITS_MS.items():
                self.read("SELECT set_config(?, ?, false) WHERE current_setting(?) = '0'", (name, str(limit_ms), name))
        except (psycopg.Error, UnicodeError) as error:
            raise self._failed(error) from None

    def columns(self, table: str) -> tuple[str, tuple[Column, ...]]:
        """Look a table up, by its name alone where the search path finds it or with its schema before a dot.

        Raises ConfigError and TableError.
        """
        known = {
            spelt: (oid, f"{quoted(schema)}.{quoted(name)}")
            for oid, schema, name, visible in reversed(self.read(TABLES))
            for spelt in (f"{schema}.{name}", *([name] if visible else ()))
        }
        plain = [spelt for spelt in known if "." not in spelt]
        oid, found = known[named(self.shown, "table", table, [*plain, *(s for s in known if "." in s)])]
        return found, tuple(
            Column(
                name=column, declared=declared, default=default or "",
                needed=notnull and default is None and not is_identity,
            )
            for column, declared, notnull, default, is_identity in self.read(COLUMNS, (oid,))
        )  # fmt: skip

    @staticmethod
    def head(text: str) -> str:
        """Read what of a text stands before a colon."""
        return f"split_part({text}, ':', 1)"

    @staticmethod
    def begins(text: str, pattern: str) -> str:
        """Write the condition that a text begins as a pattern."""
        return f"{text} ~ '^{pattern}'"

    @staticmethod
    def unindexed(column: str) -> str:
        """Write a column as it stands: the planner knows what is faster."""
        return column

    @staticmethod
    def later(table: str) -> str:
        """Write no condition: nothing here tells when a row was inserted."""
        del table
        return ""

    def read(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Read rows. Raises TableError."""
        try:
            return self._connection.execute(translated(statement), values).fetchall()
        except (psycopg.Error, UnicodeError) as error:
            raise self._failed(error) from None

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write rows. Raises TableError."""
        try:
            with self._connection.cursor() as cursor:
                cursor.executemany(translated(statement), rows)
        except (psycopg.Error, UnicodeError) as error:
            raise self._failed(error) from None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """See in all of a block what stood there when it began. Raises TableError."""
        try:
            with self._connection.transaction():
                self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                yield
        except psycopg.Error as error:
            raise self._failed(error) from None

    @contextmanager
    def writing(self, alone: str = "") -> Iterator[None]:
        """Write all of a block or nothing of it; a router writes on meanwhile. Raises TableError."""
        try:
            with self._connection.transaction():
                # Each statement has to see what was committed while the lock was waited for.
                self._connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
                if alone:
                    self.read("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", (f"contracts {alone}",))
                yield
        except psycopg.Error as error:
            raise self._failed(error) from None

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def _failed(self, error: Exception) -> TableError:
        return TableError(f"{self.shown}: {said(error, self._place.secrets)}")


def translated(statement: str) -> bytes:
    """Write a statement as psycopg reads it: what is quoted may hold a question mark, and a percent sign is its own."""
    parts = statement.replace("%", "%%").split('"')
    parts[::2] = [part.replace("?", "%s") for part in parts[::2]]
    return '"'.join(parts).encode()
