"""How dialect `ollama` asks: a tiny streamed chat, and a chat without a key. The base URL ends in `/api`."""

from __future__ import annotations

import msgspec

from contracts.dialects import openai_chat_ask
from contracts.dialects.openai_chat_ask import PROMPT

credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


def chat_path(model: str) -> str:
    """Give the path below the base URL, whatever the model."""
    del model
    return "/chat"


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny chat, which is streamed unless one asks for something else."""
    return _body(model, PROMPT, cap)


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    return _body(model, "ping", 1)


def _body(model: str, text: str, cap: int) -> bytes:
    messages = [{"role": "user", "content": text}]
    return msgspec.json.encode({"model": model, "messages": messages, "options": {"num_predict": cap}})
