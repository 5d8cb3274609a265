"""How values are written into the state: instants that sort as text, text that every database can hold, and JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import MsgspecError, Struct, json, structs

from contracts.facts import Listing
from contracts.text.scrub import scrub


def instant(at: datetime) -> str:
    """Write an instant in UTC."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def read_instant(text: str) -> datetime:
    """Read an instant. Raises ValueError or TypeError for what is none."""
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def plain(text: str) -> str:
    """Show half characters, which no database can hold, and NUL, which PostgreSQL cannot."""
    return scrub(text, 8 * len(text)) if "\0" in text else whole(text)


def whole(text: str) -> str:
    """Show half characters, which JSON cannot hold; NUL it can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return scrub(text, 8 * len(text))
    return text


def encoded(value: Struct) -> bytes:
    """Write a value as JSON, also where a provider sent half a character or a number without end."""
    try:
        return json.encode(value)
    except (UnicodeError, OverflowError, ValueError):
        from msgspec import to_builtins

        return json.encode(_clean(to_builtins(value)))


def read_listing(data: Any) -> Listing | None:
    """Read a listing, None for what this version cannot read."""
    try:
        return json.decode(data, type=Listing)
    except (MsgspecError, ValueError, TypeError):
        return None


def storable(listing: Listing) -> Listing:
    """Give a listing as it will be read again, so that what cannot be written is no change at the next poll."""
    if all(whole(model.id) is model.id for model in listing.models):
        return listing
    return structs.replace(listing, models=tuple(structs.replace(m, id=whole(m.id)) for m in listing.models))


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return whole(value)
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(v) for v in value]
    return value
