"""Opening a state file: its permissions, whose it is, and how it comes to this version."""

from __future__ import annotations

import os
import sqlite3
import stat
import time

from contracts.state import tables
from contracts.state.errors import StateError, refuse_newer

BUSY_S = 5.0  # how long a run waits for another that is writing; a write takes milliseconds
PAUSE_S = 0.02
SMALLEST_BYTES = 512  # the smallest page of SQLite, which takes what is shorter for empty and writes over it


def connect(path: str) -> sqlite3.Connection:
    """Open a state file, make it where there is none, and bring it to this version.

    Raises:
        StateError: where it cannot be written, is no state of this program, or is newer than this program. What
            stands there is then as it was.
    """
    try:
        _make(path)
        connection = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    except (OSError, ValueError, sqlite3.Error) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StateError(f"{path}: the state cannot be used: {why}") from error
    return connection


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    """Bring a file to this version. SQLite does not wait where two begin a new file at once, so this does."""
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            check(connection, path)
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")  # runs read while one writes
            connection.execute("PRAGMA synchronous = NORMAL")
            migrate(connection, path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(PAUSE_S)
        else:
            return


def _make(path: str) -> None:
    """Make the file, for its owner's eyes alone: an error that a provider sent may quote what it should not."""
    folder = os.path.dirname(path) or "."
    os.makedirs(folder, mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        # Not opened here: closing it would release the locks that SQLite holds on it in this process.
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise StateError(f"{path}: the state cannot be used: expected a file, found something else") from None
        if 0 < found.st_size < SMALLEST_BYTES:
            raise StateError(f"{path}: the state cannot be used: file is not a database") from None
    # SQLite opens what it may only read, and fails at the first write, in the middle of a run.
    kept = unwritable(path)
    if kept is not None:
        raise StateError(f"{path}: the state cannot be used: {kept} is read-only")


def unwritable(path: str) -> str | None:
    """Name what this process may not write of a state file and its folder, None where it may write both."""
    return next((needed for needed in (path, os.path.dirname(path) or ".") if not _may_write(needed)), None)


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def check(connection: sqlite3.Connection, path: str) -> None:
    """See whose file this is, by reading alone.

    Raises:
        StateError: for a database of another program, and for one that a newer version of this one wrote.
        sqlite3.Error: where it is no database, or cannot be read.
    """
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")  # or another run could make the tables between two of these lines
    try:
        (held,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    finally:
        if own and connection.in_transaction:
            connection.execute("ROLLBACK")
    if owner != tables.APPLICATION_ID and (owner or version or held):
        raise StateError(f"{path}: expected a state of contracts, found a database of another program")
    refuse_newer(path, version)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a file to this version.

    Raises:
        StateError: as `check`, where another program was quicker.
        sqlite3.Error: where the file cannot be read or written.
    """
    if connection.execute("PRAGMA user_version").fetchone() == (len(tables.MIGRATIONS),):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        check(connection, path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()  # another run may have been quicker
        for number in range(version, len(tables.MIGRATIONS)):
            for statement in tables.MIGRATIONS[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk ends one by itself
            connection.execute("ROLLBACK")
        raise
