"""Writes dialect `ollama`, the native chat API: one JSON object a line.

The forms are those of the pages that `library/dialects/ollama.yaml` and the row `ollama` cite. Errors:
https://docs.ollama.com/api/errors.md, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Call, Reply, Says, Usage
from contracts.testing.writers import CREATED_AT, Route, Sent, Wants, whole_number

NAME = "ollama"
BASE = "/api"
NDJSON = True
SENTINEL: bytes | None = None
KEYED = False  # a server of one's own; the cloud asks for one
ROUTES: tuple[Route, ...] = (
    Route("chat", "POST", "/api/chat"),
    Route("listing", "GET", "/api/tags"),
    Route("endpoints", "POST", "/api/show"),
)
FINISH = {"stop": "stop", "length": "length", "tool_calls": "stop"}
DETAILS = {"format": "gguf", "family": "loopback", "parameter_size": "8B", "quantization_level": "Q4_K_M"}

REPLY_ID = ""
ID, ITEMS = "name", "models"
HEAD: Mapping[str, Any] = {}
TAIL: Mapping[str, Any] = {}
NOT_FOR_CHAT: Mapping[str, Any] = {}
DEPRECATED: Mapping[str, Any] = {}
CHANGED: Mapping[str, Any] = {"details": {**DETAILS, "quantization_level": "Q2_K"}}

LACKS: Mapping[str, str] = {
    "sse": "a stream is lines of JSON, which are UTF-8 by definition",
    "text-arguments": "arguments are an object",
    "sentinel": "what ends a stream is a line",
    "id": "an answer has no id",
    "finish-apart": "what ends a stream is the end of the answer too, and needs no reason",
    "finish-for-calls": "calls end with the same reason as text",
    "usage-apart": "usage rides on the last line, unasked",
    "usage-total": "no total is sent",
    "call-index": "calls need no index",
    "call-deltas": "a call is sent in one piece",
    "choices": "an answer has no choices",
    "choice-error": "an answer has no choices",
    "delta": "a piece of an answer is sent as a whole answer is",
    "created": "created_at is a text",
    "prompt-filter": "no server is known to send one",
    "key": "a server of one's own asks for no key",
    "error-object": "an error is a text",
    "prices": "the listing has no prices",
    "chat-flag": "the listing does not say what a model can do",
    "deprecation": "the listing does not say when a model ends",
    "pages": "the listing comes whole",
    "blocks": "nothing stands around a piece of text",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "error-labelled-stream": ("reply.error",),
    "line-200mb": ("reply.json",),
    "call-without-name": ("reply.tool-calls", "reply.schema"),
    "chunk-cut": ("reply.json", "sse.done"),
    "content-as-list": ("reply.schema", "reply.not-empty"),
    "done-missing": ("sse.done", "reply.finish"),
    "done-twice": ("sse.done", "reply.finish", "reply.usage"),
    "error-status": ("http.status",),
    "finish-twice": ("reply.finish", "reply.usage", "sse.done"),
    "honest": (),
    "length-too-short": ("reply.json", "sse.done"),
    "lines-cut-short": ("reply.json", "sse.done"),
    "listing-without-ids": ("models.shape",),
    "reset-mid-event": ("reply.json", "sse.done"),
    "text-after-finish": ("sse.done",),
}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for; a stream is what one gets without asking."""
    del path, query
    model, options = value.get("model"), value.get("options")
    cap = whole_number(options.get("num_predict")) if isinstance(options, dict) else None
    model = model.removesuffix(":latest") if isinstance(model, str) else None  # the tag that needs not be named
    return Wants(model=model, stream=value.get("stream") is not False, cap=cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream, whose lines are answers with a piece of the text each."""
    opened = Call(id="", name="", pieces=[])
    for say in says:
        match say.what:
            case "thought":
                yield Sent("thought", line(reply, {"content": "", "thinking": say.piece}))
            case "text":
                yield Sent("text", line(reply, {"content": say.piece}))
            case "call":
                opened = Call(id=say.id or "", name=say.name or "", pieces=[])
            case "arguments":
                opened.pieces.append(say.piece)
            case "called":
                yield Sent("call", line(reply, {"content": "", "tool_calls": [called(opened)]}))
            case "finish":
                yield Sent("finish", {**line(reply, {"content": ""}), **ended(say.reason, say.usage)}, closes=True)


def line(reply: Reply, message: dict[str, Any]) -> dict[str, Any]:
    """Give one line."""
    told = {"role": "assistant", **message}
    return {"model": reply.model, "created_at": CREATED_AT, "message": told, "done": False}


def ended(reason: str | None, usage: Usage | None) -> dict[str, Any]:
    """Give the members that the last line has beyond the others."""
    why = {} if reason is None else {"done_reason": FINISH.get(reason, reason)}
    counted = {} if usage is None else {"prompt_eval_count": usage.input_tokens, "eval_count": usage.output_tokens}
    return {"done": True, **why, "total_duration": 5, **counted}


def called(call: Call) -> dict[str, Any]:
    """Give a call."""
    named = {"name": call.name} if call.name else {}
    return {"function": {**named, "arguments": call.arguments}}


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    thought = {"thinking": "".join(reply.reasoning)} if reply.reasoning else {}
    calls = {"tool_calls": [called(call) for call in reply.calls]} if reply.calls else {}
    message = {"content": "".join(reply.pieces), **thought, **calls}
    return {**line(reply, message), **ended(reply.finish, reply.usage)}


def said(value: Any) -> str:
    """Read the text of one line."""
    return (value.get("message") or {}).get("content") or ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the line by which a stream fails."""
    del reply
    return Sent("error", error(500, message, {}))


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    del status, members
    return {"error": message}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    del per_token
    name = f"{model}:latest"
    return {"name": name, "model": name, "modified_at": CREATED_AT, "size": 5, "digest": "ab", "details": DETAILS}


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model alone: what it can do."""
    capabilities = ["completion", "tools"] if endpoints else ["embedding"]
    return {"details": DETAILS, "model_info": {"general.basename": model}, "capabilities": capabilities}
