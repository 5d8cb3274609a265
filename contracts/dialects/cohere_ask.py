"""How dialect `cohere` asks: a tiny streamed chat, and a chat without a key. The base URL is without a version."""

from __future__ import annotations

from typing import Any

import msgspec

from contracts.dialects import openai_chat_ask
from contracts.dialects.canaries import DECLARED, Calls, same_path
from contracts.dialects.free import FreeMessages, one_path
from contracts.dialects.openai_chat_ask import PROMPT

CALLS: Calls = "forced"
CHAT = "/v2/chat"  # the listing is at another version
FreeChat = FreeMessages

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)
credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers
probe = openai_chat_ask.probe  # the members that it has are the same here


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed chat."""
    messages = [{"role": "user", "content": PROMPT}]
    return msgspec.json.encode({"model": model, "messages": messages, "stream": True, "max_tokens": cap})


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a chat that asks for an echo; some call is required, and there is one function."""
    messages = [{"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": stream, "max_tokens": cap}
    if call:
        body |= {"tools": [{"type": "function", "function": DECLARED}], "tool_choice": "REQUIRED"}
    return msgspec.json.encode(body)
