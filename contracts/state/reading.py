"""Opening a state file to look into it alone: it may lie on a read-only disk, or be another user's.

Nothing is made, changed or brought to this version. SQLite reads a file that is being written by what lies beside it
(`-wal`, and the index `-shm`), which are there as long as somebody writes and are folded in when the last one closes
the file. Where they are folded in, SQLite could read the file only by making them anew; so it is told that the file is
immutable. That nobody does write it is not known, but seen: a file that is not as it was before is an error.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from typing import NamedTuple

from contracts.state.errors import StateError, refuse_older
from contracts.state.file import BUSY_S, check

BESIDE = ("-wal", "-journal")  # changes that are not in the file yet


class Seen(NamedTuple):
    """A file as it was at an instant: another write of it differs in one of these."""

    inode: int
    bytes: int
    modified_ns: int
    changed_ns: int


def connect(path: str) -> tuple[sqlite3.Connection, Seen | None]:
    """Open a state file to read it, and tell how it looked where nobody is to write it meanwhile.

    Raises:
        StateError: where there is none, it cannot be read, is no state of this program, or is of another version.
    """
    try:
        was = _seen(path)
        pending = [path + end for end in BESIDE if _bytes(path + end)]
        connection = sqlite3.connect(_uri(path, immutable=not pending), timeout=BUSY_S, isolation_level=None, uri=True)
        try:
            check(connection, path)
            refuse_older(path, connection.execute("PRAGMA user_version").fetchone()[0])
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        rest = f"; {pending[0]} holds changes that only who may write here can read" if pending else ""
        raise StateError(f"{path}: the state cannot be read: {error}{rest}") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise StateError(f"{path}: the state cannot be read: {why}") from error
    return connection, None if pending else was


def refuse_changed(path: str, was: Seen | None) -> None:
    """Raise StateError where a file is not as it was: what was read of it may be of two states."""
    try:
        same = was is None or _seen(path) == was
    except OSError:
        same = False
    if not same:
        raise StateError(f"{path}: the state cannot be read: another run wrote it at the same time; try again")


def _seen(path: str) -> Seen:
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        raise StateError(f"{path}: the state cannot be read: expected a file, found something else")
    return Seen(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _bytes(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def _uri(path: str, *, immutable: bool) -> str:
    from urllib.parse import quote

    return f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro{'&immutable=1' if immutable else ''}"
