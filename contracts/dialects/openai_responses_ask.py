"""How dialect `openai-responses` asks: a tiny streamed response, and one without a key."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from contracts.dialects import openai_chat_ask
from contracts.dialects.canaries import DECLARED, FUNCTION, Calls, same_path
from contracts.dialects.free import Cap, Temperature, one_path
from contracts.dialects.openai_chat_ask import PROMPT

CHAT = "/responses"
CALLS: Calls = "forced"
MIN_CAP = 16  # the API refuses a lower max_output_tokens

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)
credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


class FreeChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the body of a free response may hold; an earlier one that it goes on from would be read anew."""

    model: str
    input: str
    max_output_tokens: Cap
    stream: bool = False
    store: bool = False
    temperature: Temperature | None = None

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return self.max_output_tokens


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed response, which the provider need not keep."""
    body = {"model": model, "input": PROMPT, "stream": True, "max_output_tokens": max(cap, MIN_CAP), "store": False}
    return msgspec.json.encode(body)


def probe(model: str) -> bytes:
    """Give the body of a request that is sent without a key."""
    return msgspec.json.encode({"model": model, "input": "ping", "max_output_tokens": MIN_CAP, "store": False})


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a response that asks for an echo."""
    body: dict[str, Any] = {"model": model, "input": prompt, "stream": stream, "store": False}
    body["max_output_tokens"] = max(cap, MIN_CAP)
    if call:
        tool = {"type": "function", **DECLARED, "strict": False}
        body |= {"tools": [tool], "tool_choice": {"type": "function", "name": FUNCTION}}
    return msgspec.json.encode(body)
