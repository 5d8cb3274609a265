"""Opening a state: a file for SQLite, the address of a database for PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.state.address import is_address, is_postgres, redacted
from contracts.state.errors import StateError
from contracts.state.store import State, utc_now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from contracts.state.connection import Connection


def open_state(where: str, now: Callable[[], datetime] = utc_now) -> State:
    """Open a state, make it where there is none, and bring it to this version.

    Args:
        where: a path, or an address such as `postgresql://user@host/database`.
        now: tells the time.

    Raises:
        StateError: where it cannot be used, is no state of this program, or is newer than this program.
    """
    return State(connect(where), now)


def connect(where: str) -> Connection:
    """Connect to a state's database. Raises StateError."""
    shown = redacted(where)
    if is_postgres(where):
        try:
            from contracts.state.postgres import PostgresConnection
        except ImportError as error:
            raise StateError(
                f"{shown}: the state cannot be used: PostgreSQL needs psycopg, which is not installed; "
                "pip install 'provider-contracts[postgres]'"
            ) from error
        return PostgresConnection(where)
    if is_address(where):
        raise StateError(f"{shown}: the state cannot be used: expected a path or an address postgresql://…")
    try:
        from contracts.state.sqlite import SqliteConnection
    except ImportError as error:
        raise StateError(f"{where}: the state cannot be used: this Python comes without SQLite") from error
    return SqliteConnection(where)
