"""The cohere SDK: chat, v2."""

from __future__ import annotations

from typing import Any

from tests.oracles.sdks import MESSAGES, Sdks
from tests.oracles.told import Notes


def cohere(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`v2.chat`, or `v2.chat_stream`."""
    if stream:
        for event in sdks.cohere.chat_stream(model=sdks.model, messages=MESSAGES):
            _cohere_event(notes, event)
        return
    answer = sdks.cohere.chat(model=sdks.model, messages=MESSAGES)
    for part in answer.message.content or ():
        notes.part(part.dict())
    notes.reasoning += answer.message.tool_plan or ""
    for call in answer.message.tool_calls or ():
        notes.call(notes.next_call(), call.function.name, call.function.arguments)
    _cohere_end(notes, answer)


def _cohere_event(notes: Notes, event: Any) -> None:
    match event.type:
        case "content-start" | "content-delta":
            content = event.delta.message.content
            notes.text(getattr(content, "text", None) or "")
            notes.reasoning += getattr(content, "thinking", None) or ""
        case "tool-plan-delta":
            notes.reasoning += event.delta.message.tool_plan
        case "tool-call-start" | "tool-call-delta":
            function = event.delta.message.tool_calls.function
            notes.call(event.index, getattr(function, "name", None), function.arguments)
        case "message-end":
            _cohere_end(notes, event.delta)


def _cohere_end(notes: Notes, end: Any) -> None:
    if end.finish_reason:
        notes.finishes.append(end.finish_reason)
    error = getattr(end, "error", None)
    if error:
        notes.errors.append(error)
    if end.usage and end.usage.tokens:
        notes.usage = (end.usage.tokens.input_tokens, end.usage.tokens.output_tokens)
