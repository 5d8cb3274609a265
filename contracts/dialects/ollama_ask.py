"""How dialect `ollama` asks: a tiny streamed chat, and a chat without a key. The base URL ends in `/api`."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from contracts.dialects import openai_chat_ask
from contracts.dialects.canaries import DECLARED, Calls, same_path
from contracts.dialects.free import Cap, Message, Temperature, one_path
from contracts.dialects.openai_chat_ask import PROMPT

CHAT = "/chat"
CALLS: Calls = "offered"  # no call can be forced

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)
credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


class Options(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for the sampling; a cap of -1 or -2 stands for none."""

    num_predict: Cap
    temperature: Temperature | None = None


class FreeChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the body of a free chat may hold."""

    model: str
    messages: tuple[Message, ...]
    options: Options
    stream: bool = True

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return self.options.num_predict


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny chat, which is streamed unless one asks for something else."""
    return _body(model, PROMPT, cap)


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    return _body(model, "ping", 1)


def _body(model: str, text: str, cap: int) -> bytes:
    messages = [{"role": "user", "content": text}]
    return msgspec.json.encode({"model": model, "messages": messages, "options": {"num_predict": cap}})


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a chat that asks for an echo."""
    messages = [{"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": stream, "options": {"num_predict": cap}}
    if call:
        body["tools"] = [{"type": "function", "function": DECLARED}]
    return msgspec.json.encode(body)
