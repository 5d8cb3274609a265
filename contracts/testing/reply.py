"""What the provider says in a chat, from the words down to framed events.

The honest text is hostile: accents composed and combining, CJK, right-to-left letters, an emoji of three
joined by ZWJ, and deltas that begin with a combining mark or in the middle of the emoji, as tokens do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

PIECES = (
    "Déjà vu — ",
    "naïve cafe",
    "\u0301s, man",
    "\u0303ana: ",
    "日本語、",
    "中文、한국어 ",
    "Ωμέγα, Привет, שלום ",
    "\U0001f469",
    "\u200d\U0001f467",
    "\u200d\U0001f680 “fin”",
)
TEXT = "".join(PIECES)
CREATED = 1_790_000_000  # a fixed instant, so that the same question gives the same bytes
LINE_END = b"\r\n"  # legal, and a cut between the two bytes catches readers that split at "\n\n"
DONE = b"[DONE]"
MIDDLE = 3  # an event that is neither the first nor near the end

Chunks = Iterator[dict[str, Any]]


class Call(msgspec.Struct, kw_only=True):
    """One tool call; `pieces` is its arguments as they are streamed."""

    id: str
    name: str
    pieces: list[str]


class Reply(msgspec.Struct, kw_only=True):
    """What is said: scenarios change it before it becomes events or one answer."""

    id: str
    model: str
    pieces: list[str]
    reasoning: list[str] = []
    calls: list[Call] = []
    finish: str = "stop"
    usage: dict[str, Any]


def honest(model: str | None, turn: int, cap: int | None) -> Reply:
    """Say the text, or as much of it as the request's cap of tokens allows."""
    pieces = list(PIECES if cap is None else PIECES[:cap])
    usage = {"prompt_tokens": 9, "completion_tokens": len(pieces), "total_tokens": 9 + len(pieces)}
    finish = "stop" if len(pieces) == len(PIECES) else "length"
    return Reply(id=f"chatcmpl-{turn}", model=model or "", pieces=pieces, finish=finish, usage=usage)


def two_calls(reply: Reply) -> None:
    """Make the reply two tool calls and no text."""
    reply.pieces, reply.finish = [], "tool_calls"
    reply.calls = [
        Call(id="call_a", name="weather", pieces=['{"city":', ' "São Paulo"}']),
        Call(id="call_b", name="weather", pieces=['{"city":', ' "東京"}']),
    ]


def chunks(reply: Reply, *, with_usage: bool) -> Chunks:
    """Give the events of a stream: role, text, calls, finish, and usage where it was asked for."""
    yield chunk(reply, {"role": "assistant", "content": ""})
    for piece in reply.reasoning:
        yield chunk(reply, {"reasoning_content": piece})
    for piece in reply.pieces:
        yield chunk(reply, {"content": piece})
    for index, call in enumerate(reply.calls):
        function = {"name": call.name, "arguments": ""}
        yield call_delta(reply, {"index": index, "id": call.id, "type": "function", "function": function})
        for piece in call.pieces:
            yield call_delta(reply, {"index": index, "function": {"arguments": piece}})
    yield chunk(reply, {}, reply.finish)
    if with_usage:
        yield {**chunk(reply, {}), "choices": [], "usage": reply.usage}


def chunk(reply: Reply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Give one event with one choice."""
    return {
        "id": reply.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": reply.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def call_delta(reply: Reply, call: dict[str, Any]) -> dict[str, Any]:
    """Give one event with a piece of a tool call."""
    return chunk(reply, {"tool_calls": [call]})


def completion(reply: Reply) -> dict[str, Any]:
    """Give the answer that is not streamed."""
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
        "usage": reply.usage,
    }


def documents(events: Chunks) -> Iterator[bytes]:
    """Give the JSON texts of a stream and its close."""
    for event in events:
        yield msgspec.json.encode(event)
    yield DONE


def blocks(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Frame JSON texts as server-sent events, behind a comment, which is legal and ends a client's patience later."""
    yield b": processing" + LINE_END + LINE_END
    for text in texts:
        yield framed(text)


def framed(text: bytes) -> bytes:
    """Frame one event."""
    return b"data: " + text + LINE_END + LINE_END


def delta_of(event: dict[str, Any]) -> dict[str, Any]:
    """Give the delta of the only choice of an event; empty where it has none."""
    choices = event.get("choices")
    return choices[0]["delta"] if choices else {}


def each(change: Callable[[dict[str, Any]], None], events: Chunks) -> Chunks:
    """Change every event in place."""
    for event in events:
        change(event)
        yield event


def text_of(body: bytes) -> str:
    """Give the text of a streamed answer as a reader gets it who decodes UTF-8 and nothing else.

    For tests of what a router passes on: compare it with `provider.text`. Raises UnicodeDecodeError for other bytes and
    ValueError for data that is no JSON.
    """
    said = []
    for line in body.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data and data != DONE.decode():
            said.append(delta_of(msgspec.json.decode(data)).get("content") or "")
    return "".join(said)
