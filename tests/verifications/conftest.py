"""A router's table in every shape that is known, in both databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from contracts.verifications.place import parse
from contracts.verifications.store import Verifications

SQLITE = """CREATE TABLE verifications (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, verdict TEXT NOT NULL, detail TEXT,
    model_attributable INTEGER NOT NULL DEFAULT 0, applied_at {at}, provider TEXT NOT NULL, model TEXT NOT NULL,
    score REAL)"""
POSTGRES = """CREATE TABLE verifications (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind TEXT NOT NULL,
    verdict TEXT NOT NULL, detail TEXT, model_attributable {flag} NOT NULL, applied_at {at}, provider TEXT NOT NULL,
    model VARCHAR(200) NOT NULL, score REAL)"""

# A server that tells the time of another place must not matter.
FAR = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone TO ''Asia/Tokyo''', current_database()); END $$"
# How the router itself would write noon of 2026-11-30, so that the way to tell the time is learnt from a row.
SHAPES: dict[str, tuple[str, str, Any]] = {
    "sqlite-iso": ("TEXT NOT NULL", "", "2026-11-27T12:00:00.000000+00:00"),
    "sqlite-z": ("TEXT NOT NULL", "", "2026-11-27T12:00:00Z"),
    "sqlite-current": ("TEXT DEFAULT CURRENT_TIMESTAMP", "", None),
    "sqlite-real": ("REAL NOT NULL", "", 1_795_780_800.5),
    "sqlite-seconds": ("INTEGER NOT NULL", "", 1_795_780_800),
    "sqlite-ms": ("INTEGER NOT NULL", "", 1_795_780_800_000),
    "postgres-tz": ("TIMESTAMPTZ NOT NULL", "BOOLEAN", None),
    "postgres-naive": ("TIMESTAMP(3) NOT NULL", "INTEGER", None),
    "postgres-text": ("TEXT NOT NULL", "SMALLINT", "2026-11-27 12:00:00.000000"),
    "postgres-double": ("DOUBLE PRECISION NOT NULL", "BOOLEAN", 1_795_780_800.5),
}


class Router(NamedTuple):
    """A router's database: the URL of its table, and a way to talk to it as the router does."""

    url: str
    run: Callable[..., list[Any]]
    shape: str

    def open(self) -> Verifications:
        """Open the table as this program does."""
        return Verifications(parse(self.url))


def sqlite_router(path: Path, *statements: str, query: str = "", shape: str = "") -> Router:
    """A router with a SQLite file."""

    def run(statement: str, *values: Any) -> list[Any]:
        with closing(sqlite3.connect(path)) as connection, connection:
            return connection.execute(statement, values).fetchall()

    for statement in statements:
        run(statement)
    return Router(f"sqlite:///{quote(str(path))}{query}", run, shape)


def postgres_router(address: str, *statements: str, query: str = "", shape: str = "") -> Router:
    """A router with a PostgreSQL database."""
    import psycopg

    def run(statement: str, *values: Any) -> list[Any]:
        with psycopg.connect(address, autocommit=True) as connection:
            written = statement.replace("?", "%s") if values else statement
            cursor = connection.execute(written.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    for statement in statements:
        run(statement)
    return Router(f"{address}{query}", run, shape)


@pytest.fixture(params=SHAPES)
def router(request: pytest.FixtureRequest, tmp_path: Path) -> Router:
    """A router's database in each shape."""
    shape: str = request.param
    at, flag, sample = SHAPES[shape]
    if shape.startswith("sqlite"):
        made = sqlite_router(tmp_path / "router größe?#%.db", SQLITE.format(at=at), shape=shape)
    else:
        address = request.getfixturevalue("postgres_url")
        made = postgres_router(address, FAR, POSTGRES.format(at=at, flag=flag), shape=shape)
    if sample is not None:
        no = "false" if flag == "BOOLEAN" else "0"
        made.run(
            "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)"  # noqa: S608
            f" VALUES ('client_outcome', 'ok', '', {no}, ?, 'größe', 'b')",
            sample,
        )
    return made
