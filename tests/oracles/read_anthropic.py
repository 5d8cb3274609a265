"""The anthropic SDK: messages."""

from __future__ import annotations

from typing import Any

from tests.oracles.sdks import MESSAGES, Sdks
from tests.oracles.told import Notes


def anthropic_messages(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`messages.create`, event by event where it is streamed."""
    answer = sdks.anthropic.messages.create(model=sdks.model, messages=MESSAGES, max_tokens=64, stream=stream)
    if not stream:
        _message(notes, answer)
        return
    for event in answer:
        _messages_event(notes, event)


def anthropic_messages_stream(sdks: Sdks, notes: Notes, _stream: bool, _: str) -> None:
    """`messages.stream`, which puts the events together; what it put together at last is read."""
    with sdks.anthropic.messages.stream(model=sdks.model, messages=MESSAGES, max_tokens=64) as stream:
        answer = stream.get_final_message()
    _message(notes, answer)


def _messages_event(notes: Notes, event: Any) -> None:
    match event.type:
        case "message_start":
            _message(notes, event.message)
        case "content_block_start" if event.content_block.type == "tool_use":
            notes.call(event.index, event.content_block.name, None)
        case "content_block_start" if event.content_block.type == "text":
            notes.text(event.content_block.text)
        case "content_block_delta" if event.delta.type == "text_delta":
            notes.text(event.delta.text)
        case "content_block_delta" if event.delta.type == "thinking_delta":
            notes.reasoning += event.delta.thinking
        case "content_block_delta" if event.delta.type == "input_json_delta" and event.index in notes.open_calls:
            notes.call(event.index, None, event.delta.partial_json)
        case "message_delta":
            if event.delta.stop_reason:
                notes.finishes.append(event.delta.stop_reason)
            if event.usage:
                before = notes.usage or (None, None)
                given = event.usage.input_tokens
                notes.usage = (before[0] if given is None else given, event.usage.output_tokens)


def _message(notes: Notes, message: Any) -> None:
    for block in message.content:
        if block.type == "text":
            notes.text(block.text)
        elif block.type == "thinking":
            notes.reasoning += block.thinking
        elif block.type == "tool_use":
            notes.call(notes.next_call(), block.name, block.input)
    if message.stop_reason:
        notes.finishes.append(message.stop_reason)
    if message.usage:
        notes.usage = (message.usage.input_tokens, message.usage.output_tokens)
