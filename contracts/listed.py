"""What listings say of models, and what changed of that between two polls."""

from __future__ import annotations

from msgspec import Struct


class Model(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a listing. `chat` is None where the listing does not say.

    `prices` are (component, amount as the listing writes it) in order of component; limits are in tokens.
    """

    id: str
    chat: bool | None = None
    aliases: tuple[str, ...] = ()
    deprecated: str | None = None
    replacement: str | None = None
    prices: tuple[tuple[str, str], ...] = ()
    context_tokens: int | None = None
    output_tokens: int | None = None
    quantization: str | None = None
    parameters: tuple[str, ...] = ()


class Change(Struct, frozen=True, kw_only=True):
    """What changed of a listed model since the last poll: a member with what it was and is, None for absent."""

    model: str
    member: str
    was: str | None
    now: str | None
