"""The tables, how one version becomes the next, and how much is kept at most.

Statements are those of SQLite that PostgreSQL takes too, but for the types of columns, which `contracts.state.postgres`
writes its own way. Instants are UTC in ISO 8601, which sorts as text.
"""

from __future__ import annotations

APPLICATION_ID = 0x6C6C6D63  # "llmc": SQLite's place for whose file this is

# Each migration is one transaction; the database counts those that were applied. Listings and evidence have row ids in
# SQLite, so that an index counts them without reading what they hold.
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
    (
        # What each contract came to last, and since when. A first outcome that is no violation has this row alone.
        """CREATE TABLE states (
            provider TEXT NOT NULL, model TEXT NOT NULL, contract TEXT NOT NULL, outcome TEXT NOT NULL,
            since TEXT NOT NULL, PRIMARY KEY (provider, model, contract)) WITHOUT ROWID""",
        # A transition also says what ended with it, so that older ones can be dropped without a gap.
        "ALTER TABLE transitions ADD COLUMN was TEXT",
        "ALTER TABLE transitions ADD COLUMN was_at TEXT",
        # Which contracts of which providers a run polled: nearly always the same, and kept once.
        "CREATE TABLE rosters (id INTEGER PRIMARY KEY, digest INTEGER NOT NULL, roster TEXT NOT NULL)",
        "CREATE INDEX rosters_by_digest ON rosters (digest)",
        "ALTER TABLE runs ADD COLUMN roster INTEGER",
        # What a provider may have cost; one without a row cost nothing.
        "CREATE TABLE spend (provider TEXT PRIMARY KEY, since TEXT NOT NULL, last_at TEXT NOT NULL, usd TEXT NOT NULL)",
        """UPDATE transitions SET
            was = (SELECT before.outcome FROM transitions AS before WHERE before.provider = transitions.provider
                AND before.model = transitions.model AND before.contract = transitions.contract
                AND before.id < transitions.id ORDER BY before.id DESC LIMIT 1),
            was_at = (SELECT before.at FROM transitions AS before WHERE before.provider = transitions.provider
                AND before.model = transitions.model AND before.contract = transitions.contract
                AND before.id < transitions.id ORDER BY before.id DESC LIMIT 1)""",
        """INSERT INTO states (provider, model, contract, outcome, since)
            SELECT provider, model, contract, CASE violated WHEN 0 THEN 'holds' ELSE 'violated' END,
                coalesce((SELECT max(transitions.at) FROM transitions WHERE transitions.provider = sightings.provider
                    AND transitions.model = sightings.model AND transitions.contract = sightings.contract),
                    CASE violated WHEN 0 THEN judged_at ELSE began_at END)
            FROM sightings""",
    ),
    (
        # What a poll came to, for other runs that ask the same: `digest` is of all that it depends on.
        """CREATE TABLE answers (
            provider TEXT NOT NULL, digest TEXT NOT NULL, polled_at TEXT NOT NULL, answer BLOB NOT NULL,
            PRIMARY KEY (provider, digest))""",
    ),
    # Signatures are counted from what routers wrote down of each answer, which needs no second count.
    ("DROP TABLE signatures",),
    (
        # When a canary of a model was begun last, and what canaries cost on a day, with what is held back for answers.
        """CREATE TABLE canaries (
            provider TEXT NOT NULL, model TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (provider, model))""",
        "CREATE TABLE canary_days (day TEXT PRIMARY KEY, usd TEXT NOT NULL)",
    ),
    (
        # What was repaired so long ago that only another violation is news: most of what an old state holds, and no
        # poll need read it.
        "ALTER TABLE sightings ADD COLUMN settled INTEGER NOT NULL DEFAULT 0",
        "CREATE INDEX sightings_unsettled ON sightings (provider) WHERE settled = 0",
    ),
)

# How much is kept at most, whatever a provider says and however long nobody tidies up.
RUNS = 10_000  # a year of hourly runs
CHANGES = 5_000  # of a provider: five catalogues renamed whole
EVIDENCE = 5_000  # of a provider: some answers of each of a thousand models
SIGHTINGS = 20_000  # of a provider: each contract of a thousand models
STATES = 20_000  # of a provider: likewise
TRANSITIONS = 5_000  # of a provider: each of 22 contracts changes its outcome 227 times; about 1 MB
ANSWERS = 20  # of a provider: rows and selections that differ between hosts
DAYS = 400  # of a provider: free chats of more than a year; also of canaries
CANARIES = 5_000  # of a provider: more models than any has

# Each with its limit.
TIDY = (
    ("DELETE FROM runs WHERE id <= (SELECT max(id) FROM runs) - ?", RUNS),
    (
        """DELETE FROM evidence WHERE (provider, kind, model) IN (
            SELECT provider, kind, model FROM (
                SELECT provider, kind, model, row_number() OVER (PARTITION BY provider ORDER BY at DESC) AS place
                FROM evidence) AS placed
            WHERE place > ?)""",
        EVIDENCE,
    ),
    (
        """DELETE FROM free_chats WHERE (provider, day) IN (
            SELECT provider, day FROM (
                SELECT provider, day, row_number() OVER (PARTITION BY provider ORDER BY day DESC) AS place
                FROM free_chats) AS placed
            WHERE place > ?)""",
        DAYS,
    ),
)
TIDY_ROSTERS = "DELETE FROM rosters WHERE id NOT IN (SELECT roster FROM runs WHERE roster IS NOT NULL)"
_REST = "LIMIT 1000000000 OFFSET ?"  # what stands behind the first; the two databases write "all" differently
# Each with the provider, the provider again, and the limit.
TIDY_SIGHTINGS = f"""DELETE FROM sightings WHERE provider = ? AND (model, contract) IN (
    SELECT model, contract FROM sightings WHERE provider = ? ORDER BY judged_at DESC {_REST})"""  # noqa: S608 constants
TIDY_STATES = f"""DELETE FROM states WHERE provider = ? AND (model, contract) IN (
    SELECT model, contract FROM states WHERE provider = ? ORDER BY since DESC {_REST})"""  # noqa: S608 constants
TIDY_TRANSITIONS = """DELETE FROM transitions WHERE provider = ? AND id <= (
    SELECT id FROM transitions WHERE provider = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"""
TIDY_ANSWERS = f"""DELETE FROM answers WHERE provider = ? AND digest IN (
    SELECT digest FROM answers WHERE provider = ? ORDER BY polled_at DESC {_REST})"""  # noqa: S608 constants
TIDY_CANARIES = f"""DELETE FROM canaries WHERE provider = ? AND model IN (
    SELECT model FROM canaries WHERE provider = ? ORDER BY at DESC {_REST})"""  # noqa: S608 constants
TIDY_CANARY_DAYS = f"""DELETE FROM canary_days WHERE day IN (
    SELECT day FROM canary_days ORDER BY day DESC {_REST})"""  # noqa: S608 constants
TIDY_CHANGES = """DELETE FROM changes WHERE provider = ? AND id <= (
    SELECT id FROM changes WHERE provider = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"""
# What was learnt before an instant. States stay: they are what holds now.
PRUNE = (
    "DELETE FROM runs WHERE ended_at < ?",
    "DELETE FROM changes WHERE at < ?",
    "DELETE FROM evidence WHERE at < ?",
    "DELETE FROM sightings WHERE judged_at < ?",
    "DELETE FROM transitions WHERE at < ?",
    "DELETE FROM answers WHERE polled_at < ?",
)
PRUNE_DAYS = "DELETE FROM free_chats WHERE day < ?"
