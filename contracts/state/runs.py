"""Runs as rows: when they were, what they sent and spent, and whom they polled. The caller holds the transaction."""

from __future__ import annotations

import zlib
from decimal import Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING

from msgspec import MsgspecError, Struct, json

from contracts.state.written import instant, read_instant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from contracts.state.connection import Connection

EXACT = Context(prec=200)  # digits; the usual 28 would round a sum of small prices
Roster = dict[str, tuple[str, ...]]  # the contracts that were polled, by provider


class _Written(Struct, frozen=True):
    """A roster as it is written: most providers have the same contracts, which are named once."""

    contracts: list[tuple[str, ...]]
    providers: dict[str, int]


def record(  # noqa: PLR0913, PLR0917 - what a run came to
    connection: Connection,
    started_at: datetime,
    ended_at: datetime,
    exit_status: int,
    requests: Sequence[int],
    spend_usd: Decimal,
    roster: Mapping[str, Sequence[str]] | None,
) -> None:
    """Book a run; without a roster it is no poll of anybody."""
    gets, posts_free, posts_paid, refused = requests
    connection.write(
        """INSERT INTO runs (started_at, ended_at, exit_status, gets, posts_free, posts_paid, refused, spend_usd,
           roster) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        instant(started_at), instant(ended_at), exit_status, gets, posts_free, posts_paid, refused, str(spend_usd),
        _roster_id(connection, roster) if roster else None,
    )  # fmt: skip


def _roster_id(connection: Connection, roster: Mapping[str, Sequence[str]]) -> int | None:
    """Give the number of a roster, which is written if it is new."""
    places: dict[tuple[str, ...], int] = {}
    providers = {name: places.setdefault(tuple(roster[name]), len(places)) for name in sorted(roster)}
    data = json.encode(_Written(list(places), providers))
    # No index of PostgreSQL takes a text as long as this; a digest of few bits names few candidates.
    digest = zlib.crc32(data)
    text = data.decode()
    for is_written in (False, True):
        if is_written:
            connection.write("INSERT INTO rosters (digest, roster) VALUES (?, ?)", digest, text)
        for number, held in connection.read("SELECT id, roster FROM rosters WHERE digest = ?", digest):
            if held == text:
                return int(number)
    return None


def rosters(connection: Connection) -> dict[int, Roster]:
    """Read all rosters; one that this version cannot read names nobody."""
    return {int(number): read_roster(text) for number, text in connection.read("SELECT id, roster FROM rosters")}


def read_roster(text: str) -> Roster:
    """Read one roster."""
    try:
        written = json.decode(text, type=_Written)
        return {name: written.contracts[place] for name, place in written.providers.items()}
    except (MsgspecError, IndexError, UnicodeError):
        return {}


def last_polls(connection: Connection, providers: Iterable[str]) -> dict[str, datetime]:
    """Tell when the poll of each provider began that was booked last; one that was never polled is not named."""
    wanted = set(providers)
    found: dict[str, datetime] = {}
    # In the order in which they were booked: a clock that was set back dates a later poll earlier.
    for at, text in connection.read(
        """SELECT runs.started_at, rosters.roster FROM runs JOIN rosters ON rosters.id = runs.roster
           WHERE runs.id IN (SELECT max(id) FROM runs WHERE roster IS NOT NULL GROUP BY roster) ORDER BY runs.id"""
    ):
        try:
            found |= dict.fromkeys(read_roster(text).keys() & wanted, read_instant(at))
        except (ValueError, TypeError):
            continue
    return found


def add_spend(connection: Connection, provider: str, at: datetime, usd: Decimal) -> None:
    """Add to what a provider may have cost, to the last digit."""
    rows = connection.read("SELECT usd FROM spend WHERE provider = ?", provider)
    total = EXACT.add(usd, amount(rows[0][0]) if rows else Decimal(0))
    connection.write(
        """INSERT INTO spend (provider, since, last_at, usd) VALUES (?, ?, ?, ?)
           ON CONFLICT (provider) DO UPDATE SET last_at = excluded.last_at, usd = excluded.usd""",
        provider, instant(at), instant(at), str(total),
    )  # fmt: skip


def spend(connection: Connection) -> dict[str, Decimal]:
    """Tell what each provider may have cost; one that is not named cost nothing."""
    rows = connection.read("SELECT provider, usd FROM spend ORDER BY provider")
    return {str(provider): amount(usd) for provider, usd in rows}


def amount(text: str) -> Decimal:
    """Read an amount as it was written; what is none counts as nothing."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal(0)
