"""A router's table in PostgreSQL: `postgresql://USER@HOST/DATABASE?table=…&key=…&note=…`, by psycopg 3."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from contracts.databases import postgres
from contracts.databases.names import folded, quoted
from contracts.errors import ConfigError
from contracts.sinks.row_note_table import PARTS, Column, Table, Target, names_of, shown, some

if TYPE_CHECKING:
    import psycopg

FORM = "postgresql://USER@HOST/DATABASE?table=…&key=…&note=…"
LIMITS_MS = {"lock_timeout": 5000, "statement_timeout": 10_000}  # the first: for the router to end what it writes

# Whoever set a limit in the URL's options, or for the user, knows better.
LIMIT = "SELECT set_config(%s, %s, true) WHERE current_setting(%s) = '0'"
TABLES = """SELECT c.oid, n.nspname, c.relname, pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%%'
    ORDER BY n.nspname, c.relname"""
# What is computed, or counted by the database itself, cannot be written.
COLUMNS = """SELECT attname, attnotnull FROM pg_catalog.pg_attribute
    WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity <> 'a'
    ORDER BY attnum"""


def parse(sink: str) -> Target:
    """Read a sink, without psycopg.

    Raises:
        ConfigError: for what is missing, doubled or ambiguous in it; it shows nothing that may be a password.
    """
    scheme = sink.partition(":")[0]
    hidden = f"--note {scheme}:…"
    try:
        address = postgres.read(sink, PARTS)
    except ValueError:
        raise ConfigError(f"{hidden}: expected {FORM}, found a host that is none") from None
    if address is None:
        raise ConfigError(f"{hidden}: expected {FORM}, with @ : / ? # and % of a password written as %40 and the like")
    try:
        names = names_of(urlsplit(sink).query)
    except ConfigError as error:
        raise ConfigError(f"{hidden}: {error}") from None
    return Target(
        scheme=scheme.lower(), shown=address.shown, names=names, address=address.where, secrets=address.secrets
    )


def check(target: Target) -> None:
    """See that psycopg is there and libpq knows every parameter, before anything is judged.

    Raises:
        ConfigError: saying what to install, or what libpq does not take.
    """
    try:
        _see(target)
    except ConfigError as error:
        raise ConfigError(f"--note {target.shown}?…: {error}") from None


def _see(target: Target) -> None:
    try:
        from psycopg import conninfo
    except ImportError:
        raise ConfigError("notes to PostgreSQL need psycopg: pip install 'provider-contracts[postgres]'") from None
    with _told(target):
        conninfo.conninfo_to_dict(target.address)


@contextmanager
def opened(target: Target) -> Iterator[Router]:
    """Connect to a router's database.

    Raises:
        ConfigError: with what libpq or the server says, without any password.
    """
    _see(target)
    with _told(target):
        connection = postgres.connect(target.address)
    try:
        yield Router(connection, target)
    finally:
        connection.close()


class Router:
    """One open database of a router."""

    mark = "%s"
    lock = " FOR UPDATE"

    def __init__(self, connection: psycopg.Connection, target: Target) -> None:
        """Use a connection that begins no transaction by itself."""
        self._connection, self._target = connection, target

    def table(self, name: str) -> Table:
        """Look a table up, by its name alone where the search path finds it or with its schema before a dot."""
        rows = self.read(TABLES)
        found = {
            (oid, f"{_quoted(str(schema))}.{_quoted(str(table))}", spelt)
            for oid, schema, table, visible in rows
            for spelt in (f"{schema}.{table}", *([str(table)] if visible else ()))
        }
        fits = {one for one in found if one[2] == name} or {one for one in found if one[2] == folded(name)}
        if len({oid for oid, _, _ in fits}) != 1:
            known = [str(table) if visible else f"{schema}.{table}" for _, schema, table, visible in rows]
            several = f"several: {some(sorted(quoted for _, quoted, _ in fits))}" if fits else some(known)
            raise ConfigError(f"expected the table {shown(name)} to write notes to, found {several}")
        oid, quoted, spelt = fits.pop()
        columns = tuple(Column(str(column), bool(required)) for column, required in self.read(COLUMNS, (oid,)))
        return Table(spelt, quoted, columns, _quoted)

    @staticmethod
    def as_text(column: str) -> str:
        """Read a column as text, whatever its type: a jsonb is a document, and so is a text."""
        return f"{column}::text"

    @contextmanager
    def transaction(self, *, writing: bool) -> Iterator[None]:
        """Do all of it or nothing, and wait for the router only so long."""
        with _told(self._target), self._connection.transaction():
            if not writing:
                self._connection.execute("SET TRANSACTION READ ONLY")
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
            for name, limit_ms in LIMITS_MS.items():
                self._connection.execute(LIMIT, (name, str(limit_ms), name))
            yield

    def read(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Read rows."""
        with _told(self._target):
            return self._connection.execute(statement.encode(), values).fetchall()

    def write(self, statement: str, values: Sequence[object]) -> int:
        """Write, and give how many rows that changed."""
        with _told(self._target):
            return self._connection.execute(statement.encode(), values).rowcount


@contextmanager
def _told(target: Target) -> Iterator[None]:
    """Tell what libpq or the server says in an error of ours."""
    from psycopg import Error

    try:
        yield
    except (Error, UnicodeError) as error:
        raise ConfigError(postgres.said(error, target.secrets)) from None


def _quoted(name: str) -> str:
    return quoted(name).replace("%", "%%")  # psycopg reads a percent sign as its own
