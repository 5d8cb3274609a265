"""Writes dialect `openai-responses`: the Responses API.

Source: https://developers.openai.com/api/reference/resources/responses/streaming-events, read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Call, Reply, Say, Says, Usage
from contracts.testing.writers import CREATED, Route, Sent, Wants, openai_chat, whole_number

NAME = "openai-responses"
BASE, NDJSON, KEYED = openai_chat.BASE, openai_chat.NDJSON, openai_chat.KEYED
SENTINEL: bytes | None = None
ROUTES: tuple[Route, ...] = (Route("chat", "POST", f"{openai_chat.PREFIX}/responses"), *openai_chat.CATALOGUE)
REPLY_ID = "resp_"
ID, ITEMS, HEAD, TAIL = openai_chat.ID, openai_chat.ITEMS, openai_chat.HEAD, openai_chat.TAIL
NOT_FOR_CHAT, DEPRECATED, CHANGED = openai_chat.NOT_FOR_CHAT, openai_chat.DEPRECATED, openai_chat.CHANGED
error, entry, about = openai_chat.error, openai_chat.entry, openai_chat.about
STATUS = {"stop": "completed", "tool_calls": "completed", "length": "incomplete"}

LACKS: Mapping[str, str] = {
    "object-arguments": "arguments are a text",
    "ndjson": "a stream is server-sent events",
    "sentinel": "what ends a stream is an event",
    "finish-apart": "what ends a stream is the end of the answer too",
    "finish-for-calls": "calls end with the same status as text",
    "usage-apart": "usage rides on the event that ends the stream, unasked",
    "call-deltas": "only what opens a call has room for its id",
    "choices": "an answer has no choices",
    "choice-error": "an answer has no choices",
    "created": "created_at may be a fraction",
    "prompt-filter": "no server is known to send one",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "blocks-not-closed": (),  # some servers leave them out
    "call-arguments-object": ("reply.schema",),
    "call-index-missing": ("reply.tool-calls", "reply.schema"),
    "done-missing": ("sse.done", "reply.finish"),
    "done-twice": ("sse.done", "reply.finish", "reply.usage"),
    "finish-twice": ("reply.finish", "reply.usage", "sse.done"),
    "length-too-short": ("sse.framing", "reply.finish", "sse.done"),
    "message-for-delta": ("reply.error",),
    "text-after-finish": ("sse.done",),
}
# Of a thought and a text: the id of the item, the event that adds to it, and which part of it that is.
IDS = {"thought": "rs_1", "text": "msg_1"}
DELTAS = {"thought": "response.reasoning_summary_text.delta", "text": "response.output_text.delta"}
PARTS = {"thought": {"summary_index": 0}, "text": {"content_index": 0}}
PART_EVENTS = {"thought": "response.reasoning_summary_part", "text": "response.content_part"}


def wants(value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
    """Read what a chat asks for."""
    del path, query
    model = value.get("model")
    cap = whole_number(value.get("max_output_tokens"))
    model = model if isinstance(model, str) else None
    return Wants(model=model, stream=value.get("stream") is True, cap=cap)


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream whose events are numbered: items that are opened, told in pieces and closed."""
    for number, sent in enumerate(_events(reply, says)):
        kind, *rest = sent.value.items()
        yield sent._replace(value=dict([kind, ("sequence_number", number), *rest]))


def _events(reply: Reply, says: Says) -> Iterator[Sent]:
    for name in ("response.created", "response.in_progress"):
        yield frame(name, "start", response=response(reply, "in_progress", []))
    opened: str | None = None  # whether a thought or a text is being told
    told: list[str] = []
    before = 0  # how many items came that are no calls
    for say in says:
        if opened and say.what != opened:
            yield from _closed(opened, before - 1, "".join(told))
            opened, told = None, []
        if say.what in DELTAS:
            if not opened:
                opened, before = say.what, before + 1
                yield from _opened(opened, before - 1)
            told.append(say.piece)
            event, place = DELTAS[say.what], place_of(say.what, before - 1)
            yield frame(event, say.what, **place, delta=say.piece)
        elif say.what in ("call", "arguments", "called"):
            yield from _call(reply, say, {} if say.index is None else {"output_index": before + say.index})
        elif say.what == "finish":
            yield _end(reply, say)
    if opened:
        yield from _closed(opened, before - 1, "".join(told))


def _opened(kind: str, at: int) -> Iterator[Sent]:
    """Open an item and its only part."""
    yield frame("response.output_item.added", "open", output_index=at, item=item(kind, None))
    place = place_of(kind, at)
    yield frame(f"{PART_EVENTS[kind]}.added", "open", **place, part=part(kind, ""))


def _closed(kind: str, at: int, text: str) -> Iterator[Sent]:
    """Say the whole of an item once more, and close it and its part."""
    place = place_of(kind, at)
    yield frame(DELTAS[kind].replace(".delta", ".done"), "shut", **place, text=text)
    yield frame(f"{PART_EVENTS[kind]}.done", "shut", **place, part=part(kind, text))
    yield frame("response.output_item.done", "shut", output_index=at, item=item(kind, text))


def _call(reply: Reply, say: Say, place: dict[str, Any]) -> Iterator[Sent]:
    """Write what is said of a call."""
    call = reply.calls[say.number]
    within: dict[str, Any] = {"item_id": f"fc_{call.id}", **place}
    if say.what == "call":
        opening = {k: v for k, v in function(call, "in_progress", "").items() if k != "name" or say.name}
        yield frame("response.output_item.added", "call", **place, item=opening)
    elif say.what == "arguments":
        yield frame("response.function_call_arguments.delta", "arguments", **within, delta=say.piece)
    else:
        whole_text = "".join(call.pieces)
        yield frame("response.function_call_arguments.done", "shut", **within, arguments=whole_text)
        yield frame("response.output_item.done", "shut", **place, item=function(call, "completed", whole_text))


def _end(reply: Reply, say: Say) -> Sent:
    """Write the event that ends the answer and the stream."""
    status = STATUS.get(say.reason or "", say.reason or "")
    name = "response.incomplete" if status == "incomplete" else "response.completed"
    return frame(name, "finish", closes=True, response=response(reply, status, items(reply), say.usage))


def frame(name: str, what: str = "frame", *, closes: bool = False, **members: Any) -> Sent:
    """Give an event, whose name stands in it too."""
    return Sent(what, {"type": name, **members}, name, closes)


def place_of(kind: str, at: int) -> dict[str, Any]:
    """Say which part of which item an event is about."""
    return {"item_id": IDS[kind], "output_index": at, **PARTS[kind]}


def part(kind: str, text: str) -> dict[str, Any]:
    """Give a part of an item."""
    beside: dict[str, Any] = {} if kind == "thought" else {"annotations": []}
    return {"type": "summary_text" if kind == "thought" else "output_text", "text": text, **beside}


def item(kind: str, text: str | None) -> dict[str, Any]:
    """Give an item of text or thought; None is one that has just begun."""
    parts = [] if text is None else [part(kind, text)]
    if kind == "thought":
        return {"type": "reasoning", "id": IDS[kind], "summary": parts}
    status = "in_progress" if text is None else "completed"
    return {"type": "message", "id": IDS[kind], "status": status, "role": "assistant", "content": parts}


def function(call: Call, status: str, arguments: str) -> dict[str, Any]:
    """Give an item that is a call."""
    named = {"call_id": call.id, "name": call.name, "arguments": arguments}
    return {"type": "function_call", "id": f"fc_{call.id}", **named, "status": status}


def items(reply: Reply) -> list[dict[str, Any]]:
    """Give all items as they stand at the end."""
    told = [item("thought", "".join(reply.reasoning))] if reply.reasoning else []
    told += [item("text", "".join(reply.pieces))] if reply.pieces else []
    return told + [function(call, "completed", "".join(call.pieces)) for call in reply.calls]


def response(reply: Reply, status: str, output: list[dict[str, Any]], usage: Usage | None = None) -> dict[str, Any]:
    """Give a response as it stands."""
    return {
        "id": reply.id,
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
        "model": reply.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage and counts(usage),
    }


def counts(usage: Usage) -> dict[str, Any]:
    """Word the counts."""
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.total_tokens,
    }


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    return response(reply, STATUS.get(reply.finish, reply.finish), items(reply), reply.usage)


def said(value: Any) -> str:
    """Read the text of one event."""
    return value["delta"] if value.get("type") == DELTAS["text"] else ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    del reply
    return frame("error", "error", code="server_error", message=message, param=None)
