"""A router's table in a SQLite file: `sqlite:///FILE?…`, with a fourth slash for an absolute path."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from contracts.databases.names import folded, quoted
from contracts.errors import ConfigError
from contracts.sinks.row_note_table import PARTS, Column, Table, Target, named, names_of, some

BUSY_S = 5.0  # how long to wait for the router to end what it writes


def parse(sink: str) -> Target:
    """Read a sink.

    Raises:
        ConfigError: for what is missing, doubled or unknown in it.
    """
    wrong = f"--note {sink}: expected sqlite:///FILE?table=…&key=…&note=…, with a fourth slash for an absolute path"
    if not sink.lower().startswith("sqlite:///"):  # two slashes name a host, which may be none that can be taken apart
        raise ConfigError(wrong)
    parts = urlsplit(sink)
    path = unquote(parts.path)[1:]
    if not path or parts.fragment or "\0" in path:
        raise ConfigError(wrong)
    unknown = [name for name, _ in parse_qsl(parts.query, keep_blank_values=True) if name not in PARTS]
    if unknown:
        raise ConfigError(f"--note {sink}: expected only {', '.join(PARTS)}, found {some(unknown)}")
    try:
        return Target(scheme="sqlite", shown=path, names=names_of(parts.query), path=path)
    except ConfigError as error:
        raise ConfigError(f"--note {sink}: {error}") from None


@contextmanager
def opened(target: Target) -> Iterator[Router]:
    """Open a router's file.

    Raises:
        ConfigError: where there is none, or with what SQLite says; none is made.
    """
    if not os.path.isfile(target.path):
        raise ConfigError("expected a database to write notes to, found none")
    with _told():
        # rw: a database that is not there is not made.
        connection = sqlite3.connect(
            f"file:{quote(os.path.abspath(target.path))}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None
        )
    with closing(connection):
        yield Router(connection)


class Router:
    """One open file of a router."""

    mark = "?"
    lock = ""  # the transaction itself keeps others away

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Use a connection that begins no transaction by itself."""
        self._connection = connection

    def table(self, name: str) -> Table:
        """Look a table up; a view is none, and a computed column cannot be written."""
        tables = [str(row[0]) for row in self.read("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
        found = named("table", name, [known for known in tables if not folded(known).startswith("sqlite_")])
        columns = self.read('SELECT name, "notnull", hidden FROM pragma_table_xinfo(?)', (found,))
        return Table(
            found,
            quoted(found),
            tuple(Column(str(column), bool(required)) for column, required, hidden in columns if hidden == 0),
            quoted,
        )

    @staticmethod
    def as_text(column: str) -> str:
        """Read a column as it is: SQLite's own type of a value says what it is."""
        return column

    @contextmanager
    def transaction(self, *, writing: bool) -> Iterator[None]:
        """Do all of it or nothing; one that writes waits for others to end theirs."""
        with _told():
            self._connection.execute(f"BEGIN {'IMMEDIATE' if writing else 'DEFERRED'}")
        try:
            yield
            with _told():
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                with _told():
                    self._connection.execute("ROLLBACK")
            raise

    def read(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Read rows."""
        with _told():
            return self._connection.execute(statement, values).fetchall()

    def write(self, statement: str, values: Sequence[object]) -> int:
        """Write, and give how many rows that changed."""
        with _told():
            return self._connection.execute(statement, values).rowcount


@contextmanager
def _told() -> Iterator[None]:
    """Tell what SQLite says in an error of ours."""
    try:
        yield
    except (sqlite3.Error, ValueError, OverflowError) as error:
        raise ConfigError(f"{error}") from error
