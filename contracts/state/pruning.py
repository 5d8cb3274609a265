"""Dropping what is old. The caller holds the transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.state import tables
from contracts.state.runs import rosters
from contracts.state.written import instant

if TYPE_CHECKING:
    from datetime import datetime

    from contracts.state.connection import Connection


def prune(connection: Connection, before: datetime) -> int:
    """Drop what was learnt before an instant, and give how many rows that were.

    What holds now stays, of providers that were polled since: a timeline then begins with it.
    """
    at = instant(before)
    dropped = sum(connection.write(statement, at) for statement in tables.PRUNE)
    dropped += connection.write(tables.PRUNE_DAYS, at[:10])
    dropped += connection.write(tables.TIDY_ROSTERS)
    polled = {name for roster in rosters(connection).values() for name in roster}
    for (provider,) in connection.read("SELECT DISTINCT provider FROM states WHERE since < ?", at):
        if provider not in polled:
            dropped += connection.write("DELETE FROM states WHERE provider = ? AND since < ?", provider, at)
    return dropped
