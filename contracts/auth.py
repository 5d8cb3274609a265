"""How a provider wants its key."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Auth(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a key goes if not where the dialect has it: in which header, and behind which word.

    The headers are those that the spend guard lets through with a free chat.
    """

    header: Literal["Authorization", "api-key", "x-api-key", "x-goog-api-key"]
    scheme: (
        Annotated[
            str,
            Meta(
                pattern=r"^[A-Za-z][A-Za-z0-9-]{0,31}(?!\n)$",
                description="the word before the key, such as Bearer or Api-Key",
            ),
        ]
        | None
    ) = None
