"""Parts that two or more formats share: instants, base64, header values, and the body of a request."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.model import Headers

# RFC 9110, 5.6.7: the preferred form of an HTTP date. The obsolete two are not worth reading.
_HTTP_DATE = re.compile(r"[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) (?:GMT|UTC|\+0000)\Z")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_BODILESS = ("GET", "HEAD", "OPTIONS", "TRACE")


def instant(value: object) -> datetime | None:
    """Read an instant as captures write it: ISO 8601, an HTTP date, or a YAML timestamp; None for all else.

    An instant without a zone is taken as UTC. When a capture was taken decides no verdict, so an odd one is no error.
    """
    try:
        if isinstance(value, str):
            value = _http_date(value) if value[3:4] == "," else datetime.fromisoformat(value)
        if not isinstance(value, datetime):
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _http_date(text: str) -> datetime | None:
    match = _HTTP_DATE.match(text)
    if match is None or match[2] not in _MONTHS:
        return None
    day, year, hour, minute, second = (int(match[group]) for group in (1, 3, 4, 5, 6))
    # 60 is a legal second in this form, and no second of a datetime.
    return datetime(year, _MONTHS.index(match[2]) + 1, day, hour, minute, tzinfo=UTC) + timedelta(seconds=second)


def unbase64(text: str) -> bytes:
    """Decode base64 that may be folded into lines. Raises ValueError: a capture that was damaged is no evidence."""
    from binascii import a2b_base64

    return a2b_base64("".join(text.split()), strict_mode=True)


def values(headers: Headers, name: str) -> list[str]:
    """All values of one header, in order. `name` is in lower case."""
    return [value for key, value in headers if key.lower() == name]


def text_bytes(text: str) -> bytes:
    """Turn text of a capture back into bytes. A lone surrogate keeps its three bytes, for a check to find."""
    return text.encode("utf-8", "surrogatepass")


def nothing_sent(method: str) -> bytes | None:
    """Body of a request of which a capture shows none: empty where the method has none, else not known."""
    return b"" if method.upper() in _BODILESS else None
