"""What the body of a free chat may hold, as closed types: each dialect's `FreeChat` is made of these.

The spend guard reads a body by them. A member that they do not name (tools, web search, further choices, routing, a
tier of service) may be priced apart, and a part of a message that is not text may be too, so that neither is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from msgspec import Meta, Struct

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_TOKENS = 64  # the cap of a free chat: enough for one sentence

Cap = Annotated[int, Meta(ge=1, le=MAX_TOKENS)]
Temperature = Annotated[float, Meta(ge=0, le=2)]


def one_path(path: str) -> Callable[[str], str]:
    """Give the function that tells the path of a chat where it is the same for every model."""
    return lambda _: path


class FreeBody(Protocol):
    """What every dialect's `FreeChat` tells."""

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""


class Message(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One message, of text alone."""

    role: Literal["user"]
    content: str


class StreamOptions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a stream reports its usage."""

    include_usage: bool = False


class FreeMessages(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A chat of messages that one member caps, as several dialects have it."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: Cap
    stream: bool = False
    temperature: Temperature | None = None

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return self.max_tokens
