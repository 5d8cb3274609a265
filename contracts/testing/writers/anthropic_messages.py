"""Writes dialect `anthropic-messages`: the Messages API.

The forms are those of the pages that `library/dialects/anthropic-messages.yaml` cites. Errors:
https://docs.claude.com/en/api/errors, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Reply, Say, Says
from contracts.testing.writers import CREATED_AT, Route, Sent, Wants, whole_number

NAME = "anthropic-messages"
BASE = "/v1"
NDJSON = False
SENTINEL: bytes | None = None
KEYED = True
ROUTES: tuple[Route, ...] = (
    Route("chat", "POST", "/v1/messages"),
    Route("listing", "GET", "/v1/models"),
    Route("other", "GET", "/v1/models/(?P<model>.+)"),
)
FINISH = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}
ERRORS = {
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
}

REPLY_ID = "msg_"
ID, ITEMS = "id", "data"
HEAD: Mapping[str, Any] = {}
TAIL: Mapping[str, Any] = {"has_more": False, "first_id": None, "last_id": None}
NOT_FOR_CHAT: Mapping[str, Any] = {}
DEPRECATED: Mapping[str, Any] = {"deprecated_at": "2027-01-31T00:00:00Z"}
CHANGED: Mapping[str, Any] = {"max_input_tokens": 65_536}

LACKS: Mapping[str, str] = {
    "object-arguments": "arguments are streamed as a text",
    "ndjson": "a stream is server-sent events",
    "sentinel": "what ends a stream is an event",
    "usage-apart": "usage rides on message_start and message_delta, unasked",
    "usage-total": "no total is sent",
    "call-deltas": "only what opens a block has room for the id of a call",
    "choices": "an answer has no choices",
    "choice-error": "an answer has no choices",
    "created": "an answer does not say when it was made",
    "prompt-filter": "no server is known to send one",
    "prices": "the listing has no prices",
    "chat-flag": "every model that is listed can chat",
    "endpoints": "nothing is said of the endpoints of a model",
    "id-everywhere": "only what begins an answer names its id",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "begins-anew": ("reply.id", "reply.schema"),
    "call-arguments-empty": (),
    "call-arguments-object": ("reply.schema",),
    "call-index-missing": ("reply.tool-calls", "reply.schema"),
    "call-without-name": ("reply.tool-calls", "reply.schema"),
    "content-as-list": ("reply.schema", "reply.not-empty"),
    "done-early": ("sse.done", "reply.schema"),
    "length-too-short": ("sse.framing", "reply.finish", "sse.done"),
    "listing-without-ids": ("models.shape",),
    "message-for-delta": ("reply.schema", "reply.finish", "reply.not-empty"),
}
# What a block is by what is said in it; whatever else is said ends it.
BLOCKS = {"thought": "thinking", "text": "text", "call": "tool_use", "arguments": "tool_use"}
EMPTY = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {}}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for."""
    del path, query
    model = value.get("model")
    cap = whole_number(value.get("max_tokens"))
    model = model if isinstance(model, str) else None
    return Wants(model=model, stream=value.get("stream") is True, cap=cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream: blocks of content, each opened and closed, between what opens and what ends the message."""
    opened: str | None = None  # the kind of the block that is open
    blocks, calls = 0, 0  # how many were opened, and how many of these are calls
    number: dict[str, Any] = {}  # the index of the block that is open, as it is sent
    for say in says:
        kind = BLOCKS.get(say.what)
        if opened and (kind != opened or say.what == "call"):
            yield frame("content_block_stop", "shut", **{"index": blocks - 1, **number})
            opened = None
        if kind and not opened:
            opened, number = kind, {"index": blocks}
            if kind == "tool_use":
                # Blocks are numbered throughout, calls by themselves.
                number = {} if say.index is None else {"index": blocks - calls + say.index}
            blocks, calls = blocks + 1, calls + (kind == "tool_use")
            if say.what != "call":
                yield frame("content_block_start", "open", **number, content_block={"type": kind, **EMPTY[kind]})
        yield from _written(reply, say, number)
    if opened:
        yield frame("content_block_stop", "shut", **{"index": blocks - 1, **number})
    yield frame("message_stop", closes=True)


def _written(reply: Reply, say: Say, number: dict[str, Any]) -> Iterator[Sent]:
    """Write what is said inside a block or beside all blocks."""
    match say.what:
        case "start":
            usage = {} if say.usage is None else {"usage": {"input_tokens": say.usage.input_tokens, "output_tokens": 1}}
            yield frame("message_start", "start", message={**message(reply, [], None), **usage})
            yield frame("ping")
        case "thought":
            yield delta("thought", number, "thinking_delta", thinking=say.piece)
        case "text":
            yield delta("text", number, "text_delta", text=say.piece)
        case "call":
            named = {} if say.name is None else {"name": say.name}
            tool: dict[str, Any] = {"type": "tool_use", "id": say.id, **named, "input": {}}
            yield frame("content_block_start", "call", **number, content_block=tool)
        case "arguments":
            yield delta("arguments", number, "input_json_delta", partial_json=say.piece)
        case "finish":
            counted: dict[str, Any] = {} if say.usage is None else {"usage": {"output_tokens": say.usage.output_tokens}}
            ended = {"stop_reason": FINISH.get(say.reason or "", say.reason), "stop_sequence": None}
            yield frame("message_delta", "finish", delta=ended, **counted)


def frame(name: str, what: str = "frame", *, closes: bool = False, **members: Any) -> Sent:
    """Give an event, whose name stands in it too."""
    return Sent(what, {"type": name, **members}, name, closes)


def delta(what: str, number: dict[str, Any], kind: str, **members: Any) -> Sent:
    """Give an event with a piece of a block."""
    return frame("content_block_delta", what, **number, delta={"type": kind, **members})


def message(reply: Reply, content: list[dict[str, Any]], reason: str | None) -> dict[str, Any]:
    """Give a message without its counts."""
    return {
        "id": reply.id,
        "type": "message",
        "role": "assistant",
        "model": reply.model,
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
    }


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        content.append({"type": "thinking", "thinking": "".join(reply.reasoning), "signature": "EqoB"})
    if reply.pieces:
        content.append({"type": "text", "text": "".join(reply.pieces)})
    content += [{"type": "tool_use", "id": c.id, "name": c.name, "input": c.arguments} for c in reply.calls]
    usage = {"input_tokens": reply.usage.input_tokens, "output_tokens": reply.usage.output_tokens}
    return {**message(reply, content, FINISH.get(reply.finish, reply.finish)), "usage": usage}


def said(value: Any) -> str:
    """Read the text of one event."""
    return value["delta"].get("text") or "" if value.get("type") == "content_block_delta" else ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    del reply
    return Sent("error", error(503, message, {}), "error")


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    del members
    return {"type": "error", "error": {"type": ERRORS.get(status, "invalid_request_error"), "message": message}}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    del per_token
    limits = {"max_input_tokens": 131_072, "max_tokens": 8192}
    return {"type": "model", "id": model, "display_name": f"Model {model}", "created_at": CREATED_AT, **limits}


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model."""
    del endpoints
    return entry(model, "")
