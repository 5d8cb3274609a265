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

    from contracts.verifications.place import Place

FIXED = ("kind", "verdict", "detail", "model_attributable", "applied_at")
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

    `head` is what of the detail stands before a colon; `refusal` says why nothing can be written, empty where it can.
    """

    name: str
    kind: str
    verdict: str
    detail: str
    head: str
    attributable: str
    at: str
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

    def read(self, statement: str, values: Sequence[object] = ()) -> Rows:
        """Read rows."""

    def write(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write the same with each row of values, all of them or none."""

    def reading(self) -> AbstractContextManager[None]:
        """See in all of a block what stood there when it began."""

    def close(self) -> None:
        """Close it."""


def look_up(database: Database, place: Place) -> Table:
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
    ((sample,),) = database.read(f"SELECT max({quoted(at)}) FROM {table}")  # noqa: S608 - quoted, from the catalogue
    where = f"{database.shown}: {shown(place.table)}.{at}"
    return Table(
        name=table,
        kind=quoted(kind),
        verdict=quoted(verdict),
        detail=quoted(detail),
        head=database.head(f"COALESCE(CAST({quoted(detail)} AS TEXT), '')"),
        attributable=quoted(attributable),
        at=quoted(at),
        provider=quoted(provider),
        model=quoted(model),
        is_boolean=by_name[attributable].declared.lower() == "boolean",
        clock=learn(where, sample, by_name[at].declared, by_name[at].default),
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
