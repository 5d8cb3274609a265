"""Whose answer a body is, by members that no other API's answers have, where nobody knows what was asked."""

from __future__ import annotations

import re

LOOKED_AT_BYTES = 64 * 1024  # of a body; what tells an answer apart stands in its first event
# Tried in this order: an output item of the Responses API has the type of a whole message of the Messages API. Inside a
# text a quote is escaped, so that no text of an answer looks like a member. Completions have chunks as chats do, which
# some servers name so, and are told apart by their path alone.
_MARKS = (
    ("openai-chat", rb'"choices"\s*:|"object"\s*:\s*"chat\.completion'),
    ("openai-responses", rb'"object"\s*:\s*"response"|"type"\s*:\s*"response\.'),
    ("anthropic-messages", rb'"type"\s*:\s*"message(?:_start)?"'),
    ("cohere", rb'"type"\s*:\s*"message-start"'),
    ("gemini", rb'"(?:candidates|promptFeedback|usageMetadata|supportedGenerationMethods)"\s*:'),
    ("ollama", rb'"created_at"\s*:\s*"[^"]*"[^\n]*"done"\s*:\s*(?:true|false)'),
)


def by_answer(body: bytes) -> str | None:
    """Name the dialect of which this is the beginning of an answer; None where nothing tells."""
    head = body[:LOOKED_AT_BYTES]
    return next((name for name, mark in _MARKS if re.search(mark, head)), None)
