"""How dialect `gemini` asks: a tiny streamed chat, and a chat without a key. The model stands in the path.

The rules of spend know a chat by its one path and by the model in its body, so they refuse these requests on a row that
can be billed; a live run says so.
"""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from contracts.dialects import openai_chat_ask
from contracts.dialects.openai_chat_ask import PROMPT

headers = openai_chat_ask.headers


def chat_path(model: str) -> str:
    """Give the path of a model's streamed chat below the base URL, with the query that makes it an event stream."""
    return f"/models/{quote(model.removeprefix('models/'), safe='/-._~')}:streamGenerateContent?alt=sse"


def free_chat(model: str, cap: int) -> bytes:
    """Give the body of a tiny chat."""
    del model
    return _body(PROMPT, cap)


def probe(model: str) -> bytes:
    """Give the body of a chat that is sent without a key."""
    del model
    return _body("ping", 1)


def credentials(key: str) -> tuple[tuple[str, str], ...]:
    """Give the header that carries a key; in the query it would end up in logs."""
    return (("x-goog-api-key", key),)


def _body(text: str, cap: int) -> bytes:
    contents = [{"role": "user", "parts": [{"text": text}]}]
    return msgspec.json.encode({"contents": contents, "generationConfig": {"maxOutputTokens": cap}})
