"""Writes dialect `cohere`: the Chat API v2.

The forms are those of the pages that `library/dialects/cohere.yaml` cites. Errors:
https://docs.cohere.com/reference/check-api-key.md, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Call, Reply, Say, Says, Usage
from contracts.testing.writers import Route, Sent, Wants, whole_number

NAME = "cohere"
BASE = ""
NDJSON = False
SENTINEL: bytes | None = b"[DONE]"
KEYED = True
ROUTES: tuple[Route, ...] = (
    Route("chat", "POST", "/v2/chat"),
    Route("listing", "GET", "/v1/models"),
    Route("other", "GET", "/v1/models/(?P<model>.+)"),
)
FINISH = {"stop": "COMPLETE", "length": "MAX_TOKENS", "tool_calls": "TOOL_CALL"}

REPLY_ID = "c14c80c3-"
ID, ITEMS = "name", "models"
HEAD: Mapping[str, Any] = {}
TAIL: Mapping[str, Any] = {}
NOT_FOR_CHAT: Mapping[str, Any] = {"endpoints": ["embed"]}
DEPRECATED: Mapping[str, Any] = {}
CHANGED: Mapping[str, Any] = {"context_length": 65_536}

LACKS: Mapping[str, str] = {
    "object-arguments": "arguments are a text",
    "ndjson": "a stream is server-sent events",
    "usage-apart": "usage rides on the event that ends the answer, unasked",
    "usage-total": "no total is sent",
    "choices": "an answer has no choices",
    "choice-error": "an answer has no choices",
    "model": "an answer does not name its model",
    "model-required": "an answer does not name its model",
    "content-type": "what a piece of text is made of is not promised",
    "created": "an answer does not say when it was made",
    "prompt-filter": "no server is known to send one",
    "prices": "the listing has no prices",
    "deprecation": "the listing does not say when a model ends",
    "endpoints": "nothing is said of the endpoints of a model",
    "id-everywhere": "only what begins an answer names its id",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "begins-anew": ("reply.id", "reply.schema"),
    "call-index-missing": ("reply.tool-calls", "reply.schema"),
    "error-status": ("http.status",),
    "finish-twice": ("reply.finish", "reply.usage", "sse.done"),
    "length-too-short": ("sse.framing", "reply.finish", "sse.done"),
    "listing-without-ids": ("models.shape",),
    "message-for-delta": ("reply.schema", "reply.finish", "reply.not-empty"),
    "not-for-chat": ("models.resolve",),
    "text-after-finish": ("sse.done",),
}
# What a block of content is by what is said in it; whatever else is said ends it.
BLOCKS = {"thought": "thinking", "text": "text"}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for."""
    del path, query
    model = value.get("model")
    cap = whole_number(value.get("max_tokens"))
    model = model if isinstance(model, str) else None
    return Wants(model=model, stream=value.get("stream") is True, cap=cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream: content and calls, each opened and closed, between what begins and what ends the message."""
    opened: str | None = None
    at = -1
    for say in says:
        kind = BLOCKS.get(say.what)
        if opened and kind != opened:
            yield frame("content-end", "shut", index=at)
            opened = None
        if kind and not opened:
            opened, at = kind, at + 1
            yield frame("content-start", "open", index=at, delta=within(content={"type": kind, kind: ""}))
        if kind:
            yield frame("content-delta", say.what, index=at, delta=within(content={kind: say.piece}))
        else:
            yield from _written(reply, say)
    if opened:
        yield frame("content-end", "shut", index=at)


def _written(reply: Reply, say: Say) -> Iterator[Sent]:
    """Write what is said outside of content."""
    number: dict[str, Any] = {} if say.index is None else {"index": say.index}
    told = {} if say.id is None else {"id": say.id}
    named = {} if say.name is None else {"name": say.name}
    match say.what:
        case "start":
            message = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
            start = frame("message-start", "start", delta={"message": message})
            yield start._replace(value={"id": reply.id, **start.value})
        case "call":
            call = {**told, "type": "function", "function": {**named, "arguments": ""}}
            yield frame("tool-call-start", "call", **number, delta=within(tool_calls=call))
        case "arguments":
            call = {**told, "function": {"arguments": say.piece}}
            yield frame("tool-call-delta", "arguments", **number, delta=within(tool_calls=call))
        case "called":
            yield frame("tool-call-end", "shut", **number)
        case "finish":
            usage = {} if say.usage is None else {"usage": counts(say.usage)}
            ended = {"finish_reason": FINISH.get(say.reason or "", say.reason), **usage}
            yield frame("message-end", "finish", delta=ended)


def frame(name: str, what: str = "frame", **members: Any) -> Sent:
    """Give an event, whose name stands in it too."""
    return Sent(what, {"type": name, **members}, name)


def within(**members: Any) -> dict[str, Any]:
    """Give a piece of the message."""
    return {"message": members}


def counts(usage: Usage) -> dict[str, Any]:
    """Word the counts."""
    tokens = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {"billed_units": tokens, "tokens": tokens}


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    content = [{"type": "thinking", "thinking": "".join(reply.reasoning)}] if reply.reasoning else []
    content += [{"type": "text", "text": "".join(reply.pieces)}] if reply.pieces else []
    calls = {"tool_calls": [function(call) for call in reply.calls]} if reply.calls else {}
    message = {"role": "assistant", **({"content": content} if content else {}), **calls}
    finish = FINISH.get(reply.finish, reply.finish)
    return {"id": reply.id, "finish_reason": finish, "message": message, "usage": counts(reply.usage)}


def function(call: Call) -> dict[str, Any]:
    """Give a call in one piece."""
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": "".join(call.pieces)}}


def said(value: Any) -> str:
    """Read the text of one event."""
    return value["delta"]["message"]["content"].get("text") or "" if value.get("type") == "content-delta" else ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    del reply
    return Sent("error", error(500, message, {}))


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    del status, members
    return {"id": "c14c80c3-0", "message": message}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    del per_token
    return {"name": model, "endpoints": ["chat", "generate"], "context_length": 131_072, "features": ["tools"]}


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model."""
    del endpoints
    return entry(model, "")
