"""How much of an answer is read at most. A limit that is reached is told, and reading stops there."""

from __future__ import annotations

from typing import NamedTuple


class Bounds(NamedTuple):
    """Limits on what arrives. Sizes in bytes.

    What comes before a body (headers) and is beyond its limit leaves no answer to judge; a body beyond its limit is
    judged as far as it was read, and whatever depends on the rest is `unknown`.
    """

    headers: int = 100  # OpenAI sends 35
    header_bytes: int = 64 * 1024  # the commonest limit of servers and clients for all headers together
    listing_bytes: int = 64 * 1024 * 1024  # decoded; 100,000 models with prices have 60 MiB
    stream_bytes: int = 16 * 1024 * 1024  # decoded; the reply to a free chat has 20 KiB
    error_bytes: int = 1024 * 1024  # decoded; the longest edge page seen has 60 KiB
    events: int = 200_000  # a stream of 64 tokens has 70
    pages: int = 100
    redirects: int = 3
