"""How dialect `openai-completions` asks: a tiny streamed completion, and one without a key."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from contracts.dialects import openai_chat_ask
from contracts.dialects.canaries import Calls, same_path
from contracts.dialects.free import Cap, StreamOptions, Temperature, one_path
from contracts.dialects.openai_chat_ask import PROMPT

CHAT = "/completions"
CALLS: Calls = "none"

chat_path = one_path(CHAT)
canary_path = same_path(CHAT)
credentials = openai_chat_ask.credentials
headers = openai_chat_ask.headers


class FreeChat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All that the body of a free completion may hold: of one prompt, as a list of them makes as many answers."""

    model: str
    prompt: str
    max_tokens: Cap
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Temperature | None = None

    @property
    def cap(self) -> int:
        """The most tokens that it may come to."""
        return self.max_tokens


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny streamed completion."""
    options = {"include_usage": True}
    body = {"model": model, "prompt": PROMPT, "stream": True, "stream_options": options, "max_tokens": cap}
    return msgspec.json.encode(body)


def probe(model: str) -> bytes:
    """Give the body of a completion that is asked for without a key."""
    return msgspec.json.encode({"model": model, "prompt": "ping", "max_tokens": 1})


def canary(model: str, prompt: str, cap: int, *, stream: bool, call: bool) -> bytes:
    """Give the body of a completion that asks for an echo; there are no calls."""
    del call
    options = {"stream_options": {"include_usage": True}} if stream else {}
    return msgspec.json.encode({"model": model, "prompt": prompt, "stream": stream, **options, "max_tokens": cap})
