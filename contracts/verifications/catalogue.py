"""The table as the database's own catalogue has it: names are found there and quoted, never taken from a URL as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

from contracts.databases.names import find, quoted
from contracts.errors import ConfigError
from contracts.text.scrub import scrub
from contracts.verifications.clock import Clock, learn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from contracts.verifications.place import Place

FIXED = ("kind", "verdict", "detail", "model_attributable", "applied_at")
SAMPLE = 1000  # newest rows from which the way to write instants is learnt
Rows = list[tuple[Any, ...]]


class Column(Struct, frozen=True, kw_only=True):
    """A column that can be written.

    `needed`: a row without a value for it is refused. `default` is how the catalogue has it, empty for none.
    """

    name: str
    declared: str
    needed: bool
    default: str = ""


class Table(Struct, frozen=True, kw_only=True):
    """The columns that are used, quoted.

    `head` is what of the detail stands before a colon; `is_instant` holds of rows whose instant is one, where a column
    of texts may hold anything; `refusal` says why nothing can be written, empty where it can.
    """

    name: str
    kind: str
    verdict: str
    detail: str
    head: str
    attributable: str
    at: str
    is_instant: str
    provider: str
    model: str
    is_boolean: bool
    clock: Clock
    refusal: str = ""


class Database(Protocol):
    """An open database. Statements have `?` for each value, and every method raises TableError or ConfigError."""

    shown: str

    def columns(self, table: str) -> tuple[str, tuple[Column, ...]]:
        """Look a table up: its name, quoted, and its columns."""

    def head(self, text: str) -> str:
        """Read what of a text stands before a colon."""

    def begins(self, text: str, pattern: str) -> str:
        """Write the condition that a text begins as a pattern of signs and sets of signs in brackets."""

    def unindexed(self, column: str) -> str:
        """Write a column so that it is read in the order of the table, where that is faster than by an index."""

    def later(self, table: str) -> str:
        """Write a condition that holds of the rows that are inserted from now on; empty where there is none."""

    def read(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Read rows."""

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write the same with each row of values."""

    def reading(self) -> AbstractContextManager[None]:
        """See in all of a block what stood there when it began."""

    def writing(self, alone: str = "") -> AbstractContextManager[None]:
        """Write all of a block or nothing of it, and let no other block of the same name begin before its end."""

    def close(self) -> None:
        """Close it."""


def look_up(database: Database, place: Place, now: datetime) -> Table:
    """Find the table and its columns, and how it tells the time.

    Raises:
        ConfigError: for what is not there, saying what is.
    """
    table, columns = database.columns(place.table)
    names = [column.name for column in columns]
    what = f"column of {shown(place.table)}"
    kind, verdict, detail, attributable, at, provider, model = (
        named(database.shown, what, name, names) for name in (*FIXED, place.provider, place.model)
    )
    by_name = {column.name: column for column in columns}
    used = (kind, verdict, detail, attributable, at, provider, model)
    others = [column.name for column in columns if column.needed and column.name not in used]

    def newest(before: object | None) -> list[object]:
        only = f"{quoted(at)} IS NOT NULL" if before is None else f"{quoted(at)} < ?"
        statement = f"SELECT {quoted(at)} FROM {table} WHERE {only} ORDER BY 1 DESC LIMIT {SAMPLE}"  # noqa: S608
        return [value for (value,) in database.read(statement, () if before is None else (before,))]

    where = f"{database.shown}: {shown(place.table)}.{at}"
    clock = learn(where, newest, by_name[at].declared, by_name[at].default, now)
    return Table(
        name=table,
        kind=quoted(kind),
        verdict=quoted(verdict),
        detail=quoted(detail),
        head=database.head(f"COALESCE(CAST({quoted(detail)} AS TEXT), '')"),
        attributable=quoted(attributable),
        at=quoted(at),
        is_instant=database.begins(quoted(at), clock.pattern) if clock.pattern else "",
        provider=quoted(provider),
        model=quoted(model),
        is_boolean=by_name[attributable].declared.lower() == "boolean",
        clock=clock,
        refusal=f"{shown(place.table)} needs a value for {some(others)} in every row" if others else "",
    )


def named(where: str, what: str, name: str, known: Sequence[str]) -> str:
    """Give a name as the database spells it: as it is written, else as ASCII would tell it apart.

    Raises:
        ConfigError: listing what there is.
    """
    found = find(name, known)
    if found is None:
        raise ConfigError(f"{where}: expected the {what} {shown(name)}, found {some(known)}")
    return found


def shown(name: str) -> str:
    """Quote a name for people."""
    return f"'{scrub(name, 100)}'"


def some(names: Sequence[str]) -> str:
    """List names for people."""
    return ", ".join(map(shown, names[:50])) or "none"
