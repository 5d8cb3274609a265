"""Notes in a provider's row of the router's own database, SQLite or PostgreSQL: `URL?table=…&key=…&note=…`.

The table is the router's. It is never made or altered; only the columns that the sink names are written, of the row
whose key is the provider's name, all rows in one transaction, and nothing where only the time has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractContextManager

import msgspec

from contracts.errors import ConfigError
from contracts.report import Note, encode
from contracts.sinks.notes import Lost
from contracts.sinks.row_note_table import Database, Names, Table, Target, named, shown
from contracts.text.scrub import scrub

__all__ = ["Target", "check", "parse", "write"]

MOST_LINE = 4000  # characters; a line tells a contract in some 80
MEMBERS = ("note", "status", "json")

Change = tuple[str, dict[str, str | None]]


def parse(sink: str) -> Target:
    """Read a sink; nothing is opened and nobody is asked.

    Raises:
        ConfigError: for what is missing, doubled or unknown in it.
    """
    if sink.lower().startswith("sqlite:"):
        from contracts.sinks import row_note_sqlite

        return row_note_sqlite.parse(sink)
    from contracts.sinks import row_note_postgres

    return row_note_postgres.parse(sink)


def check(sink: str) -> None:
    """Refuse a sink that is none, or that this installation cannot write to.

    Raises:
        ConfigError: saying what was expected, never with a password.
    """
    target = parse(sink)
    if target.scheme != "sqlite":
        from contracts.sinks import row_note_postgres

        row_note_postgres.check(target)


def write(sink: str, notes: Sequence[Note], remembered: AbstractSet[str] = frozenset()) -> list[Lost]:
    """Write notes into the rows of their providers, and give those that found no place.

    A note without a line clears what stands there, unless something could not be judged and earlier polls of the
    provider are not `remembered`: it may be violated still.
    """
    target = parse(sink)
    if not notes:
        return []
    # Two runs at once take their rows in the same order, so that neither waits for the other for ever.
    notes = sorted(notes, key=lambda note: note.provider)
    try:
        with _opened(target) as database:
            names = _names(database.table(target.names.table), target.names)
            # The first look locks nobody out, and is the last where nothing has changed.
            for writing in (False, True):
                with database.transaction(writing=writing):
                    lost, changes = _compare(database, target, names, notes, remembered, lock=writing)
                    if writing:
                        for change in changes:
                            _update(database, names, change)
                if not changes:
                    break
    except ConfigError as error:
        return [Lost(note, f"{target.shown}: {error}") for note in notes]
    return lost


class _Quoted(msgspec.Struct, frozen=True):
    """Names as the catalogue of the database spells them, quoted; `members` are of the note, by column."""

    table: str
    key: str
    members: dict[str, str]
    required: frozenset[str]


def _opened(target: Target) -> AbstractContextManager[Database]:
    if target.scheme == "sqlite":
        from contracts.sinks import row_note_sqlite

        return row_note_sqlite.opened(target)
    from contracts.sinks import row_note_postgres

    return row_note_postgres.opened(target)


def _names(table: Table, names: Names) -> _Quoted:
    """Look names up among those of the catalogue: a column that is not there would be taken for a text by SQLite."""
    what = f"column of {shown(table.name)}"
    known = [column.name for column in table.columns]
    wanted = ((member, getattr(names, member)) for member in MEMBERS)
    return _Quoted(
        table=table.quoted,
        key=table.quote(named(what, names.key, known)),
        members={table.quote(named(what, name, known)): member for member, name in wanted if name is not None},
        required=frozenset(table.quote(column.name) for column in table.columns if column.required),
    )


def _compare(  # noqa: PLR0913 - where, what, and how it is looked at
    database: Database,
    target: Target,
    names: _Quoted,
    notes: Sequence[Note],
    remembered: AbstractSet[str],
    *,
    lock: bool,
) -> tuple[list[Lost], list[Change]]:
    """Give the notes that have no row, and by provider what differs from what its row holds."""
    lost: list[Lost] = []
    changes: list[Change] = []
    columns = ", ".join(map(database.as_text, names.members))
    select = f"SELECT {columns} FROM {names.table} WHERE {names.key} = {database.mark} LIMIT 2"  # noqa: S608 quoted
    for note in notes:
        rows = database.read(select + (database.lock if lock else ""), (_storable(note.provider),))
        if len(rows) != 1:
            found = "none" if not rows else "more than one"
            where = f"{shown(target.names.table)} with {target.names.key} = {shown(note.provider)}"
            lost.append(Lost(note, f"{target.shown}: expected one row of {where}, found {found}"))
            continue
        values = _changed(names, rows[0], note, is_open=note.status == "unknown" and note.provider not in remembered)
        if values:
            changes.append((note.provider, values))
    return lost, changes


def _changed(names: _Quoted, row: Sequence[object], note: Note, *, is_open: bool) -> dict[str, str | None]:
    values: dict[str, str | None] = {}
    for (column, member), was in zip(names.members.items(), row, strict=True):
        now = _value(note, member)
        if member == "note" and not now:
            if not was or is_open:
                continue
            now = "" if column in names.required else None
        if not _same(member, was, now):
            values[column] = now
    return values


def _update(database: Database, names: _Quoted, change: Change) -> None:
    provider, values = change
    written = ", ".join(f"{column} = {database.mark}" for column in values)
    statement = f"UPDATE {names.table} SET {written} WHERE {names.key} = {database.mark}"  # noqa: S608 quoted
    done = database.write(statement, (*values.values(), _storable(provider)))
    if done != 1:
        raise ConfigError(f"expected to write one row, that of {shown(provider)}, found {done}")


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


def _storable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
