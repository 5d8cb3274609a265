"""Notes in a provider's row of the router's own database: `sqlite:///FILE?table=…&key=…&note=…[&status=…][&json=…]`.

The table is the router's. It is never made or altered; only the columns that the sink names are written, of the row
whose key is the provider's name, all rows in one transaction, and nothing where only the time has changed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import msgspec
from msgspec import Struct

from contracts.errors import ConfigError
from contracts.report import Note, encode
from contracts.sinks.notes import Lost
from contracts.text.scrub import scrub

BUSY_S = 5.0  # how long to wait for the router to end what it writes
MOST_LINE = 4000  # characters; a line tells a contract in some 80
PARTS = ("table", "key", "note", "status", "json")
NEEDED = PARTS[:3]


class Target(Struct, frozen=True, kw_only=True):
    """A file, a table, and the columns of it that are read (`key`) and written (the others)."""

    path: str
    table: str
    key: str
    note: str
    status: str | None = None
    json: str | None = None


class _Columns(Struct, frozen=True):
    """Names as the catalogue of the database spells them, quoted; `members` are of the note, by column."""

    table: str
    key: str
    members: dict[str, str]
    required: frozenset[str]


def parse(sink: str) -> Target:
    """Read a sink.

    Raises:
        ConfigError: for what is missing, doubled or unknown in it.
    """
    parts = urlsplit(sink)
    path = unquote(parts.path)[1:]
    if not sink.lower().startswith("sqlite:///") or not path or parts.fragment or "\0" in path:
        raise ConfigError(
            f"--note {sink}: expected sqlite:///FILE?table=…&key=…&note=…, with a fourth slash for an absolute path"
        )
    named = parse_qsl(parts.query, keep_blank_values=True)
    given = dict(named)
    wrong = [name for name in given if name not in PARTS]
    missing = [name for name in NEEDED if name not in given]
    empty = [name for name, value in given.items() if not value.strip() or "\0" in value]
    columns = [value.lower() for name, value in given.items() if name != "table"]
    if wrong or missing or empty or len(given) < len(named) or len(set(columns)) < len(columns):
        raise ConfigError(
            f"--note {sink}: expected table, key and note, and if wanted status and json, once each and each column "
            f"another, found {', '.join(f'{name}={value}' for name, value in named) or 'none of them'}"
        )
    return Target(path=path, **given)


def write(sink: str, notes: Sequence[Note], remembered: AbstractSet[str] = frozenset()) -> list[Lost]:
    """Write notes into the rows of their providers, and give those that found no place.

    A note without a line clears what stands there, unless something could not be judged and earlier polls of the
    provider are not `remembered`: it may be violated still.
    """
    target = parse(sink)
    if not notes:
        return []
    try:
        with closing(_connect(target.path)) as connection:
            columns = _columns(connection, target)
            # The first look locks nobody out, and is the last where nothing has changed.
            for mode in ("DEFERRED", "IMMEDIATE"):
                with _transaction(connection, mode):
                    lost, changes = _compare(connection, target, columns, notes, remembered)
                    if mode == "IMMEDIATE":
                        for provider, values in changes:
                            _update(connection, columns, provider, values)
                if not changes:
                    break
    except (sqlite3.Error, ConfigError, ValueError, OverflowError) as error:
        return [Lost(note, f"{target.path}: {error}") for note in notes]
    return lost


def _connect(path: str) -> sqlite3.Connection:
    if not os.path.isfile(path):
        raise ConfigError("expected a database to write notes to, found none")
    # rw: a database that is not there is not made.
    return sqlite3.connect(
        f"file:{quote(os.path.abspath(path))}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None
    )


@contextmanager
def _transaction(connection: sqlite3.Connection, mode: str) -> Iterator[None]:
    connection.execute(f"BEGIN {mode}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _columns(connection: sqlite3.Connection, target: Target) -> _Columns:
    """Look names up in the catalogue: a column that is not there would be taken for a text by SQLite."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
    table = _named("table", target.table, [name for name in tables if not name.lower().startswith("sqlite_")])
    found = connection.execute('SELECT name, "notnull", hidden FROM pragma_table_xinfo(?)', (table,)).fetchall()
    names = [name for name, _, hidden in found if hidden == 0]  # those that are computed cannot be written
    what = f"column of {_shown(table)}"
    members = {
        _quoted(_named(what, column, names)): member
        for member, column in (("note", target.note), ("status", target.status), ("json", target.json))
        if column is not None
    }
    return _Columns(
        table=_quoted(table),
        key=_quoted(_named(what, target.key, names)),
        members=members,
        required=frozenset(_quoted(name) for name, notnull, _ in found if notnull),
    )


def _compare(
    connection: sqlite3.Connection,
    target: Target,
    columns: _Columns,
    notes: Sequence[Note],
    remembered: AbstractSet[str],
) -> tuple[list[Lost], list[tuple[str, dict[str, str | None]]]]:
    """Give the notes that have no row, and by provider what differs from what its row holds."""
    lost: list[Lost] = []
    changes: list[tuple[str, dict[str, str | None]]] = []
    select = f"SELECT {', '.join(columns.members)} FROM {columns.table} WHERE {columns.key} = ? LIMIT 2"  # noqa: S608 quoted
    for note in notes:
        rows = connection.execute(select, (_storable(note.provider),)).fetchall()
        if len(rows) != 1:
            found = "none" if not rows else "more than one"
            where = f"{_shown(target.table)} with {target.key} = {_shown(note.provider)}"
            lost.append(Lost(note, f"{target.path}: expected one row of {where}, found {found}"))
            continue
        values: dict[str, str | None] = {}
        for (column, member), was in zip(columns.members.items(), rows[0], strict=True):
            now = _value(note, member)
            is_open = note.status == "unknown" and note.provider not in remembered
            if member == "note" and not now:
                if not was or is_open:
                    continue
                now = "" if column in columns.required else None
            if not _same(member, was, now):
                values[column] = now
        if values:
            changes.append((note.provider, values))
    return lost, changes


def _update(connection: sqlite3.Connection, columns: _Columns, provider: str, values: dict[str, str | None]) -> None:
    written = ", ".join(f"{column} = ?" for column in values)
    statement = f"UPDATE {columns.table} SET {written} WHERE {columns.key} = ?"  # noqa: S608 quoted
    done = connection.execute(statement, (*values.values(), _storable(provider)))
    if done.rowcount != 1:
        raise ConfigError(f"expected to write one row, that of {_shown(provider)}, found {done.rowcount}")


def _value(note: Note, member: str) -> str | None:
    match member:
        case "note":
            return scrub(note.line, MOST_LINE)
        case "status":
            return note.status
        case _:
            return encode(note).decode()


def _same(member: str, was: object, now: str | None) -> bool:
    """Tell whether two values say the same, apart from the time."""
    return was == now or (
        member == "json" and isinstance(was, str) and now is not None and _timeless(was) == _timeless(now)
    )


def _timeless(document: str) -> object:
    try:
        value = msgspec.json.decode(document)
    except (msgspec.DecodeError, RecursionError):
        return None
    return {**value, "at": None} if isinstance(value, dict) else None


def _named(what: str, name: str, names: Sequence[str]) -> str:
    """Give a name as the database spells it."""
    # SQLite tells names apart as ASCII does, and so does this.
    for known in names:
        if _folded(known) == _folded(name):
            return known
    raise ConfigError(
        f"expected the {what} {_shown(name)} to write notes to, found {', '.join(map(_shown, names)) or 'none'}"
    )


def _folded(name: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in name)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _shown(name: str) -> str:
    return f"'{scrub(name)}'"
