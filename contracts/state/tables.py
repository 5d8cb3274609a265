"""The tables, and how one version becomes the next. A newer file than this program knows is refused, never touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.state.errors import StateError

if TYPE_CHECKING:
    import sqlite3

APPLICATION_ID = 0x6C6C6D63  # "llmc": SQLite's place for whose file this is

# Each migration is one transaction; `user_version` counts those that were applied. Listings and evidence have row ids,
# so that an index counts them without reading what they hold.
MIGRATIONS = (
    (
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY, started_at TEXT NOT NULL, ended_at TEXT NOT NULL, exit_status INTEGER NOT NULL,
            gets INTEGER NOT NULL, posts_free INTEGER NOT NULL, posts_paid INTEGER NOT NULL, refused INTEGER NOT NULL,
            spend_usd TEXT NOT NULL)""",
        "CREATE TABLE listings (provider TEXT PRIMARY KEY, at TEXT NOT NULL, listing BLOB NOT NULL)",
        """CREATE TABLE evidence (
            provider TEXT NOT NULL, kind TEXT NOT NULL, model TEXT NOT NULL, at TEXT NOT NULL, source TEXT NOT NULL,
            ref TEXT NOT NULL, facts BLOB NOT NULL, PRIMARY KEY (provider, kind, model))""",
        """CREATE TABLE free_chats (
            provider TEXT NOT NULL, day TEXT NOT NULL, chats INTEGER NOT NULL, PRIMARY KEY (provider, day))
            WITHOUT ROWID""",
        """CREATE TABLE changes (
            id INTEGER PRIMARY KEY, provider TEXT NOT NULL, at TEXT NOT NULL, model TEXT NOT NULL,
            member TEXT NOT NULL, was TEXT, now TEXT)""",
        "CREATE INDEX changes_by_provider ON changes (provider, id)",
        f"PRAGMA application_id = {APPLICATION_ID}",
    ),
    (
        # What was never violated has no row here. `recent` is the last three changes, as pairs of instant and poll.
        """CREATE TABLE sightings (
            provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL, violated INTEGER NOT NULL,
            first_seen TEXT NOT NULL, last_seen TEXT NOT NULL, count INTEGER NOT NULL,
            began_at TEXT NOT NULL, polls INTEGER NOT NULL, poll INTEGER NOT NULL, judged_at TEXT NOT NULL,
            recent TEXT NOT NULL, source TEXT NOT NULL, ref TEXT NOT NULL, PRIMARY KEY (provider, model, contract))
            WITHOUT ROWID""",
        """CREATE TABLE transitions (
            id INTEGER PRIMARY KEY, provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL,
            at TEXT NOT NULL, outcome TEXT NOT NULL, ref TEXT NOT NULL)""",
        "CREATE INDEX transitions_by_provider ON transitions (provider, id)",
        """CREATE TABLE signatures (
            provider TEXT NOT NULL, model TEXT NOT NULL, signature TEXT NOT NULL, began_at TEXT NOT NULL,
            window_at TEXT NOT NULL, last_at TEXT NOT NULL, sightings INTEGER NOT NULL,
            PRIMARY KEY (provider, model, signature)) WITHOUT ROWID""",
    ),
)

# How much is kept at most, whatever a provider says and however long nobody tidies up.
RUNS = 10_000  # a year of hourly runs
CHANGES = 5_000  # of a provider: five catalogues renamed whole
EVIDENCE = 5_000  # of a provider: some answers of each of a thousand models
SIGHTINGS = 20_000  # of a provider: each contract of a thousand models
TRANSITIONS = 20_000  # of a provider: one contract that flaps every half hour for a year
SIGNATURES = 5_000  # of a provider: five of each of a thousand models
DAYS = 400  # of a provider: free chats of more than a year

# Each with its limit as ?1.
TIDY = (
    ("DELETE FROM runs WHERE id <= (SELECT max(id) FROM runs) - ?1", RUNS),
    (
        """DELETE FROM evidence WHERE rowid IN (
            SELECT rowid FROM (
                SELECT rowid, row_number() OVER (PARTITION BY provider ORDER BY at DESC) AS place FROM evidence
                WHERE provider IN (SELECT provider FROM evidence GROUP BY provider HAVING count(*) > ?1))
            WHERE place > ?1)""",
        EVIDENCE,
    ),
    (
        """DELETE FROM free_chats WHERE (provider, day) IN (
            SELECT provider, day FROM (
                SELECT provider, day, row_number() OVER (PARTITION BY provider ORDER BY day DESC) AS place
                FROM free_chats)
            WHERE place > ?1)""",
        DAYS,
    ),
)
TIDY_SIGHTINGS = """DELETE FROM sightings WHERE provider = ?1 AND (model, contract) IN (
    SELECT model, contract FROM sightings WHERE provider = ?1 ORDER BY judged_at DESC LIMIT -1 OFFSET ?2)"""
TIDY_TRANSITIONS = """DELETE FROM transitions WHERE provider = ?1 AND id <= (
    SELECT id FROM transitions WHERE provider = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)"""
TIDY_SIGNATURES = """DELETE FROM signatures WHERE provider = ?1 AND (model, signature) IN (
    SELECT model, signature FROM signatures WHERE provider = ?1 ORDER BY last_at DESC LIMIT -1 OFFSET ?2)"""
TIDY_CHANGES = """DELETE FROM changes WHERE provider = ?1 AND id <= (
    SELECT id FROM changes WHERE provider = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)"""
PRUNE = (
    "DELETE FROM runs WHERE ended_at < ?1",
    "DELETE FROM changes WHERE at < ?1",
    "DELETE FROM evidence WHERE at < ?1",
    "DELETE FROM free_chats WHERE day < substr(?1, 1, 10)",
    "DELETE FROM sightings WHERE judged_at < ?1",
    "DELETE FROM transitions WHERE at < ?1",
    "DELETE FROM signatures WHERE last_at < ?1",
)


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
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (owner,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    finally:
        if own and connection.in_transaction:
            connection.execute("ROLLBACK")
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StateError(f"{path}: expected a state of contracts, found a database of another program")
    if version > len(MIGRATIONS):
        raise StateError(
            f"{path}: expected a state of version {len(MIGRATIONS)} or older, found {version}; "
            "a newer contracts wrote it"
        )


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a file to this version.

    Raises:
        StateError: as `check`, where another program was quicker.
        sqlite3.Error: where the file cannot be read or written.
    """
    if connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        check(connection, path)
        (version,) = connection.execute("PRAGMA user_version").fetchone()  # another run may have been quicker
        for number in range(version, len(MIGRATIONS)):
            for statement in MIGRATIONS[number]:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk ends one by itself
            connection.execute("ROLLBACK")
        raise
