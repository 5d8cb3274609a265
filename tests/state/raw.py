"""What stands in a state, read and written past the program, in either database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import datetime
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


def table(where: str, name: str, order: str = "id") -> list[dict[str, Any]]:
    """Give the rows of a table by the names of their columns."""
    names = columns(where, name)
    return [
        dict(zip(names, row, strict=True))
        for row in execute(where, f"SELECT {', '.join(names)} FROM {name} ORDER BY {order}")  # noqa: S608 - names of the test's own
    ]


def columns(where: str, name: str) -> list[str]:
    """Name the columns of a table."""
    if "://" not in where:
        return [str(row[1]) for row in execute(where, f"PRAGMA table_info({name})")]
    statement = "SELECT column_name FROM information_schema.columns WHERE table_schema = 'contracts' AND table_name = ?"
    return [str(row[0]) for row in execute(where, f"{statement} ORDER BY ordinal_position", [(name,)])]
