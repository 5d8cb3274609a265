"""What stands in a state, read and written past the program, in either database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from contracts.state.opening import open_state
from contracts.state.store import State

OPEN: list[State] = []  # psycopg wants every session closed, which the fixture `path` does at the end of a test


def opened(where: str, now: datetime | None = None) -> State:
    """Open a state, at an instant where one is given."""
    state = open_state(where) if now is None else open_state(where, lambda: now)
    OPEN.append(state)
    return state


def execute(where: str, statement: str, rows: Iterable[Sequence[object]] = ((),)) -> list[tuple[Any, ...]]:
    """Run a statement with each row of values, and give the rows that the last one returned."""
    if "://" not in where:
        with closing(sqlite3.connect(where)) as file:
            cursor = file.cursor()
            for row in rows:
                cursor.execute(statement, row)
            found = cursor.fetchall()
            file.commit()
            return found
    import psycopg

    with psycopg.connect(where, options="-c search_path=contracts") as server, server.cursor() as session:
        session.executemany(statement.replace("?", "%s").encode(), rows, returning=True)
        found = []
        while True:
            found = session.fetchall() if session.description else []
            if not session.nextset():
                return found


def held(where: str) -> bytes:
    """Give all that a state holds: its files whole, or every value of every table."""
    if "://" not in where:
        return b"".join(file.read_bytes() for file in sorted(Path(where).parent.iterdir()))
    tables = execute(where, "SELECT tablename FROM pg_tables WHERE schemaname = 'contracts'")
    values = [v for (name,) in tables for row in execute(where, f"SELECT * FROM {name}") for v in row]  # noqa: S608 - names of ours
    return b"\n".join(value if isinstance(value, bytes) else str(value).encode() for value in values)
