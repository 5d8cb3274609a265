"""What both kinds of database have in common: the names that a sink gives, and how they are found in a catalogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol
from urllib.parse import parse_qsl

from msgspec import Struct

from contracts.databases.names import find
from contracts.errors import ConfigError
from contracts.text.scrub import scrub

PARTS = ("table", "key", "note", "status", "json")
NEEDED = PARTS[:3]


class Names(Struct, frozen=True, kw_only=True):
    """A table, and the columns of it that are read (`key`) and written (the others)."""

    table: str
    key: str
    note: str
    status: str | None = None
    json: str | None = None


class Target(Struct, frozen=True, kw_only=True):
    """A database and the names in it; `shown` is what errors call it, without user or password.

    `path` is SQLite's file, `address` PostgreSQL's URL without what is ours; `secrets` is what no error may hold.
    """

    scheme: str
    shown: str
    names: Names
    path: str = ""
    address: str = ""
    secrets: tuple[str, ...] = ()


class Column(Struct, frozen=True):
    """A column that can be written; `required` is one that may not be NULL."""

    name: str
    required: bool


class Table(Struct, frozen=True):
    """A table as the catalogue has it; `quote` writes a name so that it is only a name."""

    name: str
    quoted: str
    columns: tuple[Column, ...]
    quote: Callable[[str], str]


class Database(Protocol):
    """An open database. Every method raises ConfigError with what the database said."""

    mark: str  # what stands for a value
    lock: str  # what at the end of a SELECT keeps others from its rows

    def table(self, name: str) -> Table:
        """Look a table up in the catalogue."""

    def as_text(self, column: str) -> str:
        """Read a quoted column as text."""

    def transaction(self, *, writing: bool) -> AbstractContextManager[None]:
        """Do all of it or nothing."""

    def read(self, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        """Read rows."""

    def write(self, statement: str, values: Sequence[object]) -> int:
        """Write, and give how many rows that changed."""


def names_of(query: str) -> Names:
    """Read our parameters of a query.

    Raises:
        ConfigError: for one that is missing, doubled or empty, or a column that is named twice. Its values are not in
            the message, as a password may have slipped into them.
    """
    pairs = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name in PARTS]
    given = dict(pairs)
    columns = [value for name, value in given.items() if name != "table"]
    wrong = [
        *(f"no {name}" for name in NEEDED if name not in given),
        *(f"{name} twice" for name in given if [other for other, _ in pairs].count(name) > 1),
        *(f"an empty {name}" for name, value in given.items() if not value.strip() or "\0" in value),
    ]
    if len({column.lower() for column in columns}) < len(columns):
        wrong.append("one column for two of them")
    if wrong:
        raise ConfigError(
            f"expected table, key and note, and if wanted status and json, once each and each column another, "
            f"found {', '.join(wrong)}"
        )
    return Names(**given)


def named(what: str, name: str, known: Sequence[str]) -> str:
    """Give a name as the database spells it: as it is written, else as ASCII would tell it apart.

    Raises:
        ConfigError: listing what there is.
    """
    found = find(name, known)
    if found is None:
        raise ConfigError(f"expected the {what} {shown(name)} to write notes to, found {some(known)}")
    return found


def some(names: Sequence[str]) -> str:
    """List names for people."""
    return ", ".join(map(shown, names)) or "none"


def shown(name: str) -> str:
    """Quote a name for people."""
    return f"'{scrub(name)}'"
