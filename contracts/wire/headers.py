"""Headers as Facts keep them: in order, bounded, and without what may be a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contracts.model import Headers

MAX_HEADERS = 100
MAX_HEADER_CHARS = 512
SECRET_HEADERS = ("authorization", "cookie", "set-cookie", "x-api-key", "api-key", "proxy-authorization")


def safe_headers(headers: Headers) -> Headers:
    """Keep headers in order, bounded and without what may be a secret."""
    return tuple(
        (name[:64], "***" if name.lower() in SECRET_HEADERS else value[:MAX_HEADER_CHARS])
        for name, value in headers[:MAX_HEADERS]
    )
