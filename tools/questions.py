"""What the hostile provider is asked in each dialect, so that its answer shows a scenario."""

from __future__ import annotations

import json
from typing import Any

from contracts.model import Headers, Request
from contracts.testing.listing import models_of
from contracts.testing.writers import load

MODEL = "loopback/libre"
UNKNOWN = "contracts/no-such-model"
PROMPT = "Bonjour, ça va?"
KEY = "sk-loopback-é-0123456789"
_MESSAGES = [{"role": "user", "content": PROMPT}]
_CATALOGUE = {"listing": "/v1/models", "endpoints": f"/v1/models/{MODEL}/endpoints"}
# By dialect: the paths of a chat, a listing and a model's endpoints, the body of a chat, and what asks for a stream.
_OPENAI_STREAM: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
PATHS: dict[str, dict[str, str]] = {
    "anthropic-messages": {"chat": "/v1/messages", "listing": "/v1/models"},
    "cohere": {"chat": "/v2/chat", "listing": "/v1/models"},
    "gemini": {"chat": "/v1beta/models/{model}:generateContent", "listing": "/v1beta/models"},
    "ollama": {"chat": "/api/chat", "listing": "/api/tags", "endpoints": "/api/show"},
    "openai-chat": {"chat": "/v1/chat/completions", **_CATALOGUE},
    "openai-completions": {"chat": "/v1/completions", **_CATALOGUE},
    "openai-responses": {"chat": "/v1/responses", **_CATALOGUE},
}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic-messages": {"messages": _MESSAGES, "max_tokens": 1024},
    "cohere": {"messages": _MESSAGES},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": PROMPT}]}]},
    "ollama": {"messages": _MESSAGES, "stream": False},
    "openai-chat": {"messages": _MESSAGES},
    "openai-completions": {"prompt": PROMPT},
    "openai-responses": {"input": PROMPT},
}
STREAMED: dict[str, dict[str, Any]] = {
    "gemini": {},
    "openai-chat": _OPENAI_STREAM,
    "openai-completions": _OPENAI_STREAM,
}


def model_of(dialect: str) -> str:
    """Name the model that is asked, which is the free one."""
    return next(iter(models_of(load(dialect))))


def ask(shown: str, dialect: str = "openai-chat", **changes: Any) -> Request:
    """Give the request whose answer shows a scenario: a chat streamed or not, without a key, a listing, endpoints."""
    headers: Headers = (("Host", "loopback"), ("Authorization", f"Bearer {KEY}"))
    paths = PATHS[dialect]
    if shown in ("listing", "endpoints"):
        url = changes.get("url", paths[shown])
        if dialect == "ollama" and shown == "endpoints":
            return Request(
                method="POST", url=url, headers=headers, body=json.dumps({"model": model_of(dialect)}).encode()
            )
        return Request(method="GET", url=url, headers=headers)
    model = changes.pop("model", UNKNOWN if shown == "keyless" else model_of(dialect))
    asked = {"model": model, **BODIES[dialect]}
    url = paths["chat"]
    if shown == "stream":
        asked |= STREAMED.get(dialect, {"stream": True})
    if dialect == "gemini":
        del asked["model"]
        url = url.format(model=model)
        url = url.replace(":generate", ":streamGenerate") + "?alt=sse" if shown == "stream" else url
    is_keyless = shown == "keyless"
    return Request(
        method="POST",
        url=url,
        headers=headers[:1] if is_keyless else headers,
        body=json.dumps({**asked, **changes}).encode(),
        keyless=is_keyless,
    )
