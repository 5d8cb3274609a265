"""How dialect `openai-completions` asks: a tiny streamed completion, and one without a key."""

from __future__ import annotations

import msgspec

from contracts.dialects import openai_chat_ask
from contracts.dialects.openai_chat_ask import PROMPT

credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


def chat_path(model: str) -> str:
    """Give the path below the base URL, whatever the model."""
    del model
    return "/completions"


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed completion."""
    options = {"include_usage": True}
    body = {"model": model, "prompt": PROMPT, "stream": True, "stream_options": options, "max_tokens": cap}
    return msgspec.json.encode(body)


def probe(model: str) -> bytes:
    """Give the body of a completion that is asked for without a key."""
    return msgspec.json.encode({"model": model, "prompt": "ping", "max_tokens": 1})
