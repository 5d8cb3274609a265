"""The openai SDK: chat completions, legacy completions and responses."""

from __future__ import annotations

from typing import Any

from tests.oracles.sdks import ASKED, MESSAGES, Sdks
from tests.oracles.told import Notes


def openai_chat(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`chat.completions.create`, chunk by chunk where it is streamed."""
    answer = sdks.openai.chat.completions.create(model=sdks.model, messages=MESSAGES, stream=stream)
    for chunk in answer if stream else [answer]:
        for choice in chunk.choices:
            said = choice.delta if stream else choice.message
            _openai_message(notes, choice.index, said)
            if choice.finish_reason:
                notes.finishes.append(choice.finish_reason)
        _openai_usage(notes, chunk)


def openai_chat_stream(sdks: Sdks, notes: Notes, _stream: bool, _: str) -> None:
    """`chat.completions.stream`, which puts the chunks together; what it put together at last is read."""
    with sdks.openai.chat.completions.stream(model=sdks.model, messages=MESSAGES) as stream:
        answer = stream.get_final_completion()
    for choice in answer.choices:
        _openai_message(notes, choice.index, choice.message)
        if choice.finish_reason:
            notes.finishes.append(choice.finish_reason)
    _openai_usage(notes, answer)


def _openai_message(notes: Notes, index: int, said: Any) -> None:
    if isinstance(said.content, list):  # no type of the SDK allows it, and it lets it through
        for part in said.content:
            notes.part(part, index)
    elif said.content:
        notes.text(said.content, index)
    # What the SDK has no name for it hands on as it came.
    notes.reasoning += getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None) or ""
    notes.refusal += said.refusal or ""
    for position, call in enumerate(said.tool_calls or ()):
        key = (index, getattr(call, "index", position))
        custom = getattr(call, "custom", None)
        if custom is None:
            notes.call(key, call.function.name, call.function.arguments)
        elif isinstance(custom, dict):  # in a stream, for which the SDK has no type of it
            notes.call(key, custom.get("name"), custom.get("input"))
        else:
            notes.call(key, custom.name, custom.input)


def _openai_usage(notes: Notes, answer: Any) -> None:
    if answer.usage:
        notes.usage = (answer.usage.prompt_tokens, answer.usage.completion_tokens)


def openai_completions(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`completions.create`, the legacy API."""
    answer = sdks.openai.completions.create(model=sdks.model, prompt=ASKED, stream=stream)
    for chunk in answer if stream else [answer]:
        for choice in chunk.choices:
            notes.text(choice.text, choice.index)
            if choice.finish_reason:
                notes.finishes.append(choice.finish_reason)
        _openai_usage(notes, chunk)


def openai_responses(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`responses.create`, event by event where it is streamed."""
    answer = sdks.openai.responses.create(model=sdks.model, input=ASKED, stream=stream)
    if not stream:
        _response(notes, answer, fresh=True)
        return
    for event in answer:
        _responses_event(notes, event)


def _responses_event(notes: Notes, event: Any) -> None:
    match event.type:
        case "response.output_text.delta":
            notes.text(event.delta)
        case "response.refusal.delta":
            notes.refusal += event.delta
        case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta":
            notes.reasoning += event.delta
        case "response.output_item.added" if event.item.type == "function_call":
            notes.call(event.output_index, event.item.name, event.item.arguments)
        case "response.output_item.added" if event.item.type == "custom_tool_call":
            notes.call(event.output_index, event.item.name, event.item.input)
        case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
            notes.call(event.output_index, None, event.delta)
        case "response.function_call_arguments.done":
            notes.arguments_at_last(event.output_index, event.arguments)
        case "response.completed" | "response.incomplete" | "response.failed":
            _response(notes, event.response, fresh=not notes.has_output)
        case "error":
            notes.errors.append(event.message)


def openai_responses_stream(sdks: Sdks, notes: Notes, _stream: bool, _: str) -> None:
    """`responses.stream`, which puts the events together; what it put together at last is read."""
    with sdks.openai.responses.stream(model=sdks.model, input=ASKED) as stream:
        answer = stream.get_final_response()
    _response(notes, answer, fresh=True)


def _response(notes: Notes, response: Any, *, fresh: bool) -> None:
    if response.error:
        notes.errors.append(response.error.message)
    for item in response.output if fresh else ():
        _response_item(notes, item)
    reason = response.incomplete_details and response.incomplete_details.reason
    if reason or response.status:
        notes.finishes.append(reason or response.status)
    if response.usage:
        notes.usage = (response.usage.input_tokens, response.usage.output_tokens)


def _response_item(notes: Notes, item: Any) -> None:
    if item.type == "message":
        for part in item.content:
            if part.type == "refusal":
                notes.refusal += part.refusal
            else:
                notes.text(part.text)
    elif item.type == "reasoning":
        notes.reasoning += "".join(part.text for part in [*(item.content or ()), *item.summary])
    elif item.type == "function_call":
        notes.call(notes.next_call(), item.name, item.arguments)
    elif item.type == "custom_tool_call":
        notes.call(notes.next_call(), item.name, item.input)
