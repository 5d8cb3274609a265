"""The schema of a chunk and of a completion as types: the fast test that nearly every event passes.

Where it fails, the published JSON Schema lists what is wrong; a test holds the two equal. Members that nobody judges
stay untyped.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

# Seconds since 1970, up to the last of the year 9999: clients make a date of it, and those of .NET refuse an instant
# beyond that, such as one in milliseconds.
Instant = Annotated[int, Meta(ge=0, le=253_402_300_799)]
Role = Literal["assistant", "developer", "system", "tool", "user"]


class Delta(Struct, gc=False):
    """`choices[].delta`."""

    content: str | None = None
    role: Role | None = None
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] | None = None


class ChunkChoice(Struct, gc=False):
    """`choices[]` of a chunk."""

    index: int
    delta: Delta
    finish_reason: str | None = None
    logprobs: dict[str, Any] | None = None


class Chunk(Struct, gc=False):
    """One event of a stream."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: Instant
    model: str
    choices: list[ChunkChoice]
    system_fingerprint: str | None = None
    service_tier: str | None = None


class Message(Struct, gc=False):
    """`choices[].message`."""

    role: Literal["assistant"]
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] | None = None


class CompletionChoice(Struct, gc=False):
    """`choices[]` of a completion."""

    index: int
    message: Message
    finish_reason: str | None = None
    logprobs: dict[str, Any] | None = None


class Completion(Struct, gc=False):
    """An answer that was not streamed."""

    id: str
    object: Literal["chat.completion"]
    created: Instant
    model: str
    choices: list[CompletionChoice]
    system_fingerprint: str | None = None
    service_tier: str | None = None
