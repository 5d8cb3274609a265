"""How dialect `openai-responses` asks: a tiny streamed response, and one without a key."""

from __future__ import annotations

import msgspec

from contracts.dialects import openai_chat_ask
from contracts.dialects.openai_chat_ask import PROMPT

MIN_CAP = 16  # the API refuses a lower max_output_tokens

credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


def chat_path(model: str) -> str:
    """Give the path below the base URL, whatever the model."""
    del model
    return "/responses"


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed response, which the provider need not keep."""
    body = {"model": model, "input": PROMPT, "stream": True, "max_output_tokens": max(cap, MIN_CAP), "store": False}
    return msgspec.json.encode(body)


def probe(model: str) -> bytes:
    """Give the body of a request that is sent without a key."""
    return msgspec.json.encode({"model": model, "input": "ping", "max_output_tokens": MIN_CAP, "store": False})
