"""How dialect `openai-chat` asks: a tiny streamed chat, and a chat without a key."""

from __future__ import annotations

import msgspec

# ASCII itself, so that damage in the answer cannot have been done on the way there, and an answer that cannot be.
PROMPT = "Write good morning in French, German, Chinese and Russian, an emoji after each, and nothing else"


def chat_path(model: str) -> str:
    """Give the path below the base URL, whatever the model."""
    del model
    return "/chat/completions"


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
