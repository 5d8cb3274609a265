"""Writes dialect `gemini`: generateContent and streamGenerateContent of the Gemini API.

The forms are those of the pages that `library/dialects/gemini.yaml` cites. Errors:
https://ai.google.dev/gemini-api/docs/troubleshooting, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Call, Reply, Says, Usage
from contracts.testing.writers import Route, Sent, Wants, whole_number

NAME = "gemini"
BASE = "/v1beta"
NDJSON = False
SENTINEL: bytes | None = None
KEYED = True
# The path of Vertex AI names a project and a place.
MODELS = "/v1(?:beta1?)?(?:/projects/[^/]+/locations/[^/]+/publishers/google)?/models"
STREAM = ":streamGenerateContent"
ROUTES: tuple[Route, ...] = (
    Route("chat", "POST", f"{MODELS}/(?P<model>.+):(?:generateContent|streamGenerateContent)"),
    Route("listing", "GET", MODELS),
    Route("other", "GET", f"{MODELS}/(?P<model>.+)"),
)
FINISH = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"}
ERRORS = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}

REPLY_ID = "r"
ID, ITEMS = "name", "models"
HEAD: Mapping[str, Any] = {}
TAIL: Mapping[str, Any] = {}
NOT_FOR_CHAT: Mapping[str, Any] = {"supportedGenerationMethods": ["embedContent"]}
DEPRECATED: Mapping[str, Any] = {}
CHANGED: Mapping[str, Any] = {"inputTokenLimit": 65_536}

LACKS: Mapping[str, str] = {
    "text-arguments": "arguments are an object",
    "comment": "no server is known to send one, and the official client takes it for JSON",
    "ndjson": "a stream is server-sent events",
    "sentinel": "the end of the connection is the end of a stream",
    "close": "the end of the connection is the end of a stream",
    "finish-for-calls": "calls end with the same reason as text",
    "usage-apart": "usage rides on every event, unasked",
    "call-index": "calls have no index",
    "call-deltas": "a call is sent in one piece",
    "delta": "a piece of an answer is sent as a whole answer is",
    "choice-error": "a candidate has no place for an error",
    "created": "an answer does not say when it was made",
    "model-required": "that an answer names its model is not promised",
    "prompt-filter": "no server is known to send one",
    "prices": "the listing has no prices",
    "deprecation": "the listing does not say when a model ends",
    "endpoints": "nothing is said of the endpoints of a model",
    "slash": "the name of a model is one segment of a path",
    "start": "nothing is sent before the first piece of text",
    "blocks": "nothing stands around a piece of text",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "call-without-name": ("reply.tool-calls", "reply.schema"),
    "content-as-list": ("reply.schema", "reply.not-empty"),
    "length-too-short": ("sse.framing", "reply.finish"),
    "listing-without-ids": ("models.shape",),
    "not-for-chat": ("models.resolve",),
}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for; the path says which model, and whether in a stream."""
    config = value.get("generationConfig")
    cap = whole_number(config.get("maxOutputTokens")) if isinstance(config, dict) else None
    return Wants(stream=path.endswith(STREAM) and query.get("alt") == "sse", cap=cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream, whose events are answers with a piece of the text each."""
    opened = Call(id="", name="", pieces=[])
    for say in says:
        match say.what:
            case "thought":
                yield Sent("thought", chunk(reply, [{"text": say.piece, "thought": True}], None, begun(say.usage)))
            case "text":
                yield Sent("text", chunk(reply, [{"text": say.piece}], None, begun(say.usage)))
            case "call":
                opened = Call(id=say.id or "", name=say.name or "", pieces=[])
            case "arguments":
                opened.pieces.append(say.piece)
            case "called":
                yield Sent("call", chunk(reply, [called(opened)], None, begun(say.usage)))
            case "finish":
                yield Sent("finish", chunk(reply, [{"text": ""}], say.reason, counts(say.usage) if say.usage else None))


def chunk(
    reply: Reply, parts: list[dict[str, Any]], reason: str | None, usage: dict[str, Any] | None
) -> dict[str, Any]:
    """Give one answer, or one event with a piece of it."""
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}}
    if reason is not None:
        candidate["finishReason"] = FINISH.get(reason, reason)
    counted = {} if usage is None else {"usageMetadata": usage}
    named = {"modelVersion": reply.model, "responseId": reply.id}
    return {"candidates": [{**candidate, "index": 0}], **counted, **named}


def called(call: Call) -> dict[str, Any]:
    """Give the part that is a call."""
    named = {"name": call.name} if call.name else {}
    return {"functionCall": {"id": call.id, **named, "args": call.arguments}}


def begun(usage: Usage | None) -> dict[str, Any] | None:
    """Word the counts while the answer goes on: those of the answer are not known yet."""
    return None if usage is None else {"promptTokenCount": usage.input_tokens, "totalTokenCount": usage.input_tokens}


def counts(usage: Usage) -> dict[str, Any]:
    """Word the counts."""
    return {
        "promptTokenCount": usage.input_tokens,
        "candidatesTokenCount": usage.output_tokens,
        "totalTokenCount": usage.total_tokens,
    }


def whole(reply: Reply, path: str) -> Any:
    """Write the answer that is not streamed as events; a stream that is not asked for as such is a list."""
    thought = [{"text": "".join(reply.reasoning), "thought": True}] if reply.reasoning else []
    text = [{"text": "".join(reply.pieces)}] if reply.pieces else []
    parts: list[dict[str, Any]] = [*thought, *text, *(called(call) for call in reply.calls)]
    answer = chunk(reply, parts, reply.finish, counts(reply.usage))
    return [answer] if path.endswith(STREAM) else answer


def said(value: Any) -> str:
    """Read the text of one event."""
    parts = (p for c in value.get("candidates") or [] for p in c["content"]["parts"] if not p.get("thought"))
    return "".join(part.get("text") or "" for part in parts)


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    del reply
    return Sent("error", error(503, message, {}))


def error(status: int, message: str, members: Mapping[str, Any]) -> dict[str, Any]:
    """Write the body of an error."""
    del members
    return {"error": {"code": status, "message": message, "status": ERRORS.get(status, "INVALID_ARGUMENT")}}


def entry(model: str, per_token: str) -> dict[str, Any]:
    """Write what a listing says of one model."""
    del per_token
    return {
        "name": f"models/{model}",
        "version": "001",
        "displayName": f"Model {model}",
        "inputTokenLimit": 131_072,
        "outputTokenLimit": 8192,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def about(model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
    """Write what is said of one model."""
    del endpoints
    return entry(model, "")
