"""How values are written into the state: instants that sort as text, and text that SQLite can hold."""

from __future__ import annotations

from datetime import UTC, datetime

from contracts.text.scrub import scrub


def instant(at: datetime) -> str:
    """Write an instant in UTC."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def plain(text: str) -> str:
    """Show half characters, which neither JSON nor SQLite can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return scrub(text, 8 * len(text))
    return text
