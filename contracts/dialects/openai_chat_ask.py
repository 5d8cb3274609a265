"""How dialect `openai-chat` asks: a tiny streamed chat, and a chat without a key."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from contracts.dialects.canaries import DECLARED, FUNCTION, Calls, same_path
from contracts.dialects.free import Cap, Message, StreamOptions, Temperature, one_path

# ASCII itself, so that damage in the answer cannot have been done on the way there, and an answer that cannot be.
PROMPT = "Write good morning in French, German, Chinese and Russian, an emoji after each, and nothing else"
CHAT = "/chat/completions"
CALLS: Calls = "forced"

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)


class FreeChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the body of a free chat may hold; of two caps a server takes one, so both have to be low."""

    model: str
    messages: tuple[Message, ...]
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Temperature | None = None
    max_tokens: Cap | None = None
    max_completion_tokens: Cap | None = None

    def __post_init__(self) -> None:
        """Raise ValueError where nothing caps the chat."""
        if self.max_tokens is None and self.max_completion_tokens is None:
            raise ValueError("Object missing required field `max_tokens`")

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return max(self.max_tokens or 0, self.max_completion_tokens or 0)


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed chat."""
    return msgspec.json.encode(
        {
            "model": model,
            "messages": [{"role": "user", "content": PROMPT}],
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": cap,
        }
    )


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    return msgspec.json.encode({"model": model, "messages": [{"role": "user", "content": "ping"}], "max_tokens": 1})


def credentials(key: str) -> tuple[tuple[str, str], ...]:
    """Give the header that carries a key."""
    return (("Authorization", f"Bearer {key}"),)


def headers() -> tuple[tuple[str, str], ...]:
    """Give headers that every request has to carry: none."""
    return ()


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a chat that asks for an echo."""
    messages = [{"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": stream, "max_tokens": cap}
    if stream:
        body["stream_options"] = {"include_usage": True}
    if call:
        choice = {"type": "function", "function": {"name": FUNCTION}}
        body |= {"tools": [{"type": "function", "function": DECLARED}], "tool_choice": choice}
    return msgspec.json.encode(body)
