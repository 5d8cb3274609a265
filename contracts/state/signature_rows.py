"""Counted signatures as rows. The caller holds the transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.state import tables
from contracts.state.sightings import Signature, count
from contracts.state.written import instant, plain, read_instant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contracts.state.connection import Connection


def count_signature(  # noqa: PLR0913 - what is counted, of whom, and when
    connection: Connection,
    subject: tuple[str, str],
    signature: str,
    sightings: int,
    at: datetime,
    *,
    familiar_at: int,
) -> bool:
    """Count sightings of a signature of a provider and model, and tell whether they are worth a warning now."""
    key = (subject[0], plain(subject[1]), plain(signature))
    rows = connection.read(
        """SELECT began_at, window_at, last_at, sightings FROM signatures
           WHERE provider = ? AND model = ? AND signature = ?""",
        *key,
    )
    now, is_due = count(_signature(rows[0]) if rows else None, sightings, at, familiar_at=familiar_at)
    connection.write(
        """INSERT INTO signatures (provider, model, signature, began_at, window_at, last_at, sightings)
           VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider, model, signature) DO UPDATE SET
           began_at = excluded.began_at, window_at = excluded.window_at, last_at = excluded.last_at,
           sightings = excluded.sightings""",
        *key, instant(now.began_at), instant(now.window_at), instant(now.last_at), now.sightings,
    )  # fmt: skip
    if not rows:
        connection.write(tables.TIDY_SIGNATURES, subject[0], subject[0], tables.SIGNATURES)
    return is_due


def _signature(row: Sequence[Any]) -> Signature | None:
    try:
        began, window, last = (read_instant(text) for text in row[:3])
        return Signature(began_at=began, window_at=window, last_at=last, sightings=int(row[3]))
    except (ValueError, TypeError):
        return None
