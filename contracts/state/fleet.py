"""Several runs, one state: of all that ask the same of a provider, one polls it and the others take its answer.

What a poll came to is kept for the interval in which nobody need ask again. It is shared by those alone that would have
come to the same: a digest of the row, of its contracts and of what the run was asked to judge is part of its key. Who
polls holds an advisory lock of PostgreSQL, which ends with its session however that ends. A state in a file needs no
such lock, as one run at a time has the file.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import MsgspecError, json

from contracts.state import tables
from contracts.state.address import is_postgres
from contracts.state.answer import Answer, Key
from contracts.state.written import encoded, instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from contracts.model import Finding
    from contracts.state.answer import Share
    from contracts.state.connection import Connection

LOCKS = 0x6C6C6D66  # "llmf": the first of the two numbers of each of these locks, which says whose they are
AHEAD = timedelta(minutes=1)  # what is dated further ahead was written before the server's clock was set back
AT_ONCE = 200  # providers of one statement; no database takes less than 900 values


def now(connection: Connection, host: datetime) -> datetime:
    """Tell the time: that of the server, as clocks of hosts differ; of a file, that of this host."""
    if not is_postgres(connection.where):
        return host
    ((at,),) = connection.read("SELECT clock_timestamp()")
    found: datetime = at
    return found


def answers(connection: Connection, keys: Iterable[Key], every: timedelta, at: datetime) -> dict[Key, Answer]:
    """Give the answers that are younger than the interval; one that this version cannot read is not there."""
    found: dict[Key, Answer] = {}
    wanted = set(keys)
    for names in _some(sorted({key.provider for key in wanted})):
        marks = ", ".join("?" * len(names))
        rows = connection.read(
            "SELECT provider, digest, answer FROM answers WHERE polled_at > ? AND polled_at <= ? "  # noqa: S608 - marks
            f"AND provider IN ({marks})",
            instant(at - every), instant(at + AHEAD), *names,
        )  # fmt: skip
        for provider, digest, data in rows:
            key = Key(str(provider), str(digest))
            if key in wanted:
                try:
                    found[key] = json.decode(data, type=Answer)
                except (MsgspecError, ValueError, TypeError):
                    continue
    return found


def claim(connection: Connection, key: Key, every: timedelta, at: datetime) -> Answer | bool:
    """Give the answer there is, else True where it is for this run to poll, and False where another run does.

    Args:
        connection: of this run; it holds the lock until `release`, or until it ends.
        key: what is asked.
        every: how old an answer may be.
        at: the time, as `now` tells it.
    """
    found = answers(connection, (key,), every, at).get(key)
    if found is not None:
        return found
    if not _lock(connection, key):
        return False
    # Who had the lock may have answered in between.
    found = answers(connection, (key,), every, at).get(key)
    if found is None:
        return True
    release(connection, (key,))
    return found


def freed(connection: Connection, keys: Iterable[Key]) -> set[Key]:
    """Tell which of these nobody polls now, so that they are answered, or worth another claim."""
    wanted = list(keys)
    if not is_postgres(connection.where):
        return set(wanted)
    held = connection.read(
        """SELECT objid::bigint FROM pg_catalog.pg_locks WHERE locktype = ? AND classid::bigint = ? AND objsubid = 2
           AND granted AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())""",
        "advisory", LOCKS,
    )  # fmt: skip
    numbers = {int(number) for (number,) in held}
    return {key for key in wanted if _number(key) % 2**32 not in numbers}


def release(connection: Connection, keys: Iterable[Key]) -> None:
    """Let others poll."""
    if is_postgres(connection.where):
        connection.many("SELECT pg_advisory_unlock(?, ?)", [(LOCKS, _number(key)) for key in keys])


def publish(connection: Connection, given: Mapping[Share, Sequence[Finding]]) -> None:
    """Write answers for others to take. The caller holds the transaction in which the state learns the same."""
    connection.many(
        """INSERT INTO answers (provider, digest, polled_at, answer) VALUES (?, ?, ?, ?)
           ON CONFLICT (provider, digest) DO UPDATE SET polled_at = excluded.polled_at, answer = excluded.answer""",
        [
            (
                *share.key,
                instant(share.polled_at),
                encoded(Answer(polled_at=share.polled_at, findings=tuple(findings), beyond=share.beyond)),
            )
            for share, findings in given.items()
        ],
    )
    connection.many(tables.TIDY_ANSWERS, [(share.key.provider, share.key.provider, tables.ANSWERS) for share in given])


def _lock(connection: Connection, key: Key) -> bool:
    if not is_postgres(connection.where):
        return True
    ((taken,),) = connection.read("SELECT pg_try_advisory_lock(?, ?)", LOCKS, _number(key))
    return bool(taken)


def _number(key: Key) -> int:
    """The second number of a lock. Two keys of one number keep each other waiting, and are answered all the same."""
    import hashlib

    text = f"{key.provider}\n{key.digest}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:4], "big", signed=True)


def _some(names: Sequence[str]) -> Iterator[Sequence[str]]:
    for first in range(0, len(names), AT_ONCE):
        yield names[first : first + AT_ONCE]
