"""Writes dialect `openai-completions`, the legacy Completions API.

The forms are those of the page that `library/dialects/openai-completions.yaml` cites.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from contracts.testing.reply import Reply, Says
from contracts.testing.writers import CREATED, Route, Sent, openai_chat

NAME = "openai-completions"
BASE, NDJSON, SENTINEL, KEYED = openai_chat.BASE, openai_chat.NDJSON, openai_chat.SENTINEL, openai_chat.KEYED
ROUTES: tuple[Route, ...] = (Route("chat", "POST", f"{openai_chat.PREFIX}/completions"), *openai_chat.CATALOGUE)
REPLY_ID = "cmpl-"
ID, ITEMS, HEAD, TAIL = openai_chat.ID, openai_chat.ITEMS, openai_chat.HEAD, openai_chat.TAIL
NOT_FOR_CHAT, DEPRECATED, CHANGED = openai_chat.NOT_FOR_CHAT, openai_chat.DEPRECATED, openai_chat.CHANGED
wants, error, entry, about = openai_chat.wants, openai_chat.error, openai_chat.entry, openai_chat.about

LACKS: Mapping[str, str] = {
    **openai_chat.LACKS,
    "tools": "the API has no tools",
    "finish-for-calls": "the API has no tools",
    "reasoning": "the API has no reasoning",
    "delta": "a piece of text is sent as a whole text is",
    "choice-error": "a choice has no place for an error",
    "prompt-filter": "no server is known to send one",
    "start": "nothing is sent before the first piece of text",
}
BREAKS: Mapping[str, tuple[str, ...]] = {
    "content-as-list": ("reply.schema", "reply.not-empty"),
}


def events(reply: Reply, says: Says) -> Iterator[Sent]:
    """Write a stream: one choice, of which each event sends a piece of text."""
    for say in says:
        if say.what == "text":
            yield Sent("text", completion(reply, say.piece, None))
        elif say.what == "finish":
            yield Sent("finish", completion(reply, "", say.reason))
        elif say.what == "usage" and say.usage is not None:
            usage = openai_chat.counts(say.usage)
            yield Sent("usage", {**completion(reply, "", None), "choices": [], "usage": usage})


def completion(reply: Reply, text: str, finish: str | None) -> dict[str, Any]:
    """Give one event or answer with one choice; they have one shape."""
    return {
        "id": reply.id,
        "object": "text_completion",
        "created": CREATED,
        "model": reply.model,
        "choices": [{"text": text, "index": 0, "logprobs": None, "finish_reason": finish}],
    }


def whole(reply: Reply, path: str) -> dict[str, Any]:
    """Write the answer that is not streamed."""
    del path
    answer = completion(reply, "".join(reply.pieces), reply.finish)
    return {**answer, "usage": openai_chat.counts(reply.usage)}


def said(value: Any) -> str:
    """Read the text of one event."""
    choices = value.get("choices")
    return (choices[0].get("text") or "") if choices else ""


def failure(reply: Reply, message: str) -> Sent:
    """Write the event by which a stream fails."""
    del reply
    return Sent("error", error(500, message, {}))
