"""How dialect `anthropic-messages` asks: a tiny streamed chat, and a chat without a key."""

from __future__ import annotations

from typing import Any

import msgspec

from contracts.dialects.canaries import DESCRIPTION, FUNCTION, PARAMETERS, Calls, same_path
from contracts.dialects.free import FreeMessages, one_path
from contracts.dialects.openai_chat_ask import PROMPT

VERSION = "2023-06-01"  # https://docs.anthropic.com/en/api/versioning, read 2026-11-30: every request has to name it
CHAT = "/messages"
CALLS: Calls = "forced"
FreeChat = FreeMessages

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed chat."""
    messages = [{"role": "user", "content": PROMPT}]
    return msgspec.json.encode({"model": model, "messages": messages, "stream": True, "max_tokens": cap})


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    return msgspec.json.encode({"model": model, "messages": [{"role": "user", "content": "ping"}], "max_tokens": 1})


def credentials(key: str) -> tuple[tuple[str, str], ...]:
    """Give the header that carries a key."""
    return (("x-api-key", key),)


def headers() -> tuple[tuple[str, str], ...]:
    """Give the header that every request has to carry."""
    return (("anthropic-version", VERSION),)


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a message that asks for an echo."""
    messages = [{"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": stream, "max_tokens": cap}
    if call:
        tool = {"name": FUNCTION, "description": DESCRIPTION, "input_schema": PARAMETERS}
        body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": FUNCTION}}
    return msgspec.json.encode(body)
