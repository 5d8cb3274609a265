"""Writes dialect `openai-chat`: Chat Completions, with what OpenRouter adds to a listing.

The forms are those of the pages that `library/dialects/openai-chat.yaml` and the row `openrouter` cite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Reply, Says, Usage
from contracts.testing.writers import CREATED, GONE, Route, Sent, Wants, whole_number

NAME = "openai-chat"
BASE = "/v1"
NDJSON = False
SENTINEL: bytes | None = b"[DONE]"
KEYED = True
PREFIX = "(?:/api|/openai(?:/deployments/[^/]+)?)?(?:/v1)?"  # as OpenRouter, Azure and Bedrock have it too
CATALOGUE = (
    Route("listing", "GET", f"{PREFIX}/models"),
    Route("endpoints", "GET", f"{PREFIX}/models/(?P<model>.+)/endpoints"),
    Route("other", "GET", f"{PREFIX}/models/(?P<model>.+)"),
)
ROUTES: tuple[Route, ...] = (Route("chat", "POST", f"{PREFIX}/chat/completions"), *CATALOGUE)
CAPS = ("max_completion_tokens", "max_tokens")

REPLY_ID = "chatcmpl-"
ID, ITEMS = "id", "data"
HEAD: Mapping[str, Any] = {"object": "list"}
TAIL: Mapping[str, Any] = {}
COMPONENTS = ("prompt", "completion", "request", "image", "web_search", "internal_reasoning", "input_cache_read")
PARAMETERS = ["max_tokens", "temperature", "tools"]
NOT_FOR_CHAT: Mapping[str, Any] = {
    "architecture": {"modality": "text->embeddings", "output_modalities": ["embeddings"]}
}
DEPRECATED: Mapping[str, Any] = {
    "deprecation_date": GONE,
    "expiration_date": GONE,
    "replacement": "loopback/successeur",
}

LACKS: Mapping[str, str] = {
    "object-arguments": "arguments are a text",
    "ndjson": "a stream is server-sent events",
    "blocks": "nothing stands around a piece of text",
}
BREAKS: Mapping[str, tuple[str, ...]] = {}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for."""
    del path, query
    options = value.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    model = value.get("model")
    cap = next((c for name in CAPS if (c := whole_number(value.get(name))) is not None), None)
    return Wants(model if isinstance(model, str) else None, value.get("stream") is True, usage, cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream: one choice, of which each event sends a delta."""
    for say in says:
        match say.what:
            case "start":
                yield Sent("start", chunk(reply, {"role": "assistant", "content": ""}))
            case "thought":
                yield Sent("thought", chunk(reply, {"reasoning_content": say.piece}))
            case "text":
                yield Sent("text", chunk(reply, {"content": say.piece}))
            case "call" | "arguments":
                opens = say.what == "call"
                index = {} if say.index is None else {"index": say.index}
                named = {} if say.name is None else {"name": say.name}
                told = {} if say.id is None else {"id": say.id}
                kind = {"type": "function"} if opens else {}
                call = {**index, **told, **kind, "function": {**named, "arguments": say.piece}}
                yield Sent(say.what, chunk(reply, {"tool_calls": [call]}))
            case "finish":
                yield Sent("finish", chunk(reply, {}, say.reason))
            case "usage" if say.usage is not None:
                yield Sent("usage", {**chunk(reply, {}), "choices": [], "usage": counts(say.usage)})


def chunk(reply: Reply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Give one event with one choice."""
    return {
        "id": reply.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": reply.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def counts(usage: Usage) -> dict[str, Any]:
    """Word the counts."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
    }


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    message: dict[str, Any] = {"role": "assistant", "content": "".join(reply.pieces) or None}
    if reply.reasoning:
        message["reasoning_content"] = "".join(reply.reasoning)
    if reply.calls:
        message["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": "".join(c.pieces)}}
            for c in reply.calls
        ]
    return {
        "id": reply.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": reply.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": counts(reply.usage),
    }


def said(value: Any) -> str:
    """Read the text of one event."""
    choices = value.get("choices")
    return (choices[0]["delta"].get("content") or "") if choices else ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    about = {"message": message, "code": 502, "metadata": {"provider_name": "amont"}}
    return Sent("error", {**chunk(reply, {}), "error": about, "choices": []})


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    kind = "invalid_request_error" if status < 500 else "server_error"  # noqa: PLR2004 - RFC 9110, 5xx
    return {"error": {"message": message, "type": kind, "param": None, "code": None, **members}}


def prices(per_token: str) -> dict[str, str]:
    """Give every component of a price; only tokens cost anything."""
    return {name: per_token if name in ("prompt", "completion") else "0" for name in COMPONENTS}


CHANGED: Mapping[str, Any] = {"pricing": prices("0.000002"), "context_length": 65_536}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    return {
        "id": model,
        "object": "model",
        "created": CREATED,
        "owned_by": "loopback",
        "name": f"Model {model}",
        "context_length": 131_072,
        "architecture": {
            "modality": "text->text",
            "input_modalities": ["text"],
            "output_modalities": ["text"],
        },
        "pricing": prices(per_token),
        "top_provider": {"context_length": 131_072, "max_completion_tokens": 8192, "is_moderated": False},
        "supported_parameters": PARAMETERS,
    }


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model and its endpoints."""
    return {"data": {"id": model, "name": f"Model {model}", "endpoints": endpoints}}
