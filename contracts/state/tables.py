"""The tables, and how one version becomes the next. A newer file than this program knows is refused, never touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.state.errors import StateError

if TYPE_CHECKING:
    import sqlite3

# Each migration is one transaction; `user_version` counts those that were applied.
MIGRATIONS = (
    (
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT NOT NULL, exit_status INTEGER NOT NULL,
            gets INTEGER NOT NULL, posts_free INTEGER NOT NULL, posts_paid INTEGER NOT NULL, refused INTEGER NOT NULL,
            spend_usd TEXT NOT NULL)""",
        """CREATE TABLE listings (
            provider TEXT PRIMARY KEY, at TEXT NOT NULL, listing BLOB NOT NULL) WITHOUT ROWID""",
        """CREATE TABLE evidence (
            provider TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, at TEXT NOT NULL, source TEXT NOT NULL,
            ref TEXT NOT NULL, facts BLOB NOT NULL, PRIMARY KEY (provider, kind, model)) WITHOUT ROWID""",
        """CREATE TABLE free_chats (
            provider TEXT NOT NULL, day TEXT NOT NULL, chats INTEGER NOT NULL, PRIMARY KEY (provider, day))
            WITHOUT ROWID""",
        """CREATE TABLE changes (
            id INTEGER PRIMARY KEY, provider TEXT NOT NULL, at TEXT NOT NULL, model TEXT NOT NULL,
            member TEXT NOT NULL, was TEXT, now TEXT)""",
        "CREATE INDEX changes_by_provider ON changes (provider, at)",
    ),
)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a file to this version.

    Raises:
        StateError: for a file that a newer version of this program wrote.
        sqlite3.Error: where the file cannot be read or written.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == len(MIGRATIONS):
        return
    if version > len(MIGRATIONS):
        raise StateError(
            f"{path}: expected a state of version {len(MIGRATIONS)} or older, found {version}; "
            "a newer contracts wrote it"
        )
    connection.execute("BEGIN IMMEDIATE")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()  # another run may have been quicker
        for number in range(version, len(MIGRATIONS)):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
