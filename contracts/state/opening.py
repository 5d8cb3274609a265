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


def open_to_read(where: str) -> State:
    """Open a state to look into it alone, which needs no right to write.

    Raises:
        StateError: where there is none, it cannot be read, is no state of this program, or is of another version; a
            file that may be written is brought to this one.
    """
    return State(connect(where, reads=True))


def connect(where: str, *, reads: bool = False) -> Connection:
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
        return PostgresConnection(where, reads=reads)
    if is_address(where):
        raise StateError(f"{shown}: the state cannot be used: expected a path or an address postgresql://…")
    try:
        from contracts.state import file
        from contracts.state.sqlite import SqliteConnection
    except ImportError as error:
        raise StateError(f"{where}: the state cannot be used: this Python comes without SQLite") from error
    if reads and file.unwritable(where) is not None:
        from contracts.state import reading

        return SqliteConnection(where, *reading.connect(where))
    return SqliteConnection(where, file.connect(where))
