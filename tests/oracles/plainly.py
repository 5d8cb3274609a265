"""A reader of its own of what an answer's bytes hold: a few lines for each dialect, none of them the project's.

It is as lenient as can be: labels are not looked at, what stands after the close or after the last blank line counts,
what is no JSON is passed by. What a client makes of the same bytes is compared with this, so that what a client
loses in silence shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from tests.oracles.told import Notes, Told

LINE_END = re.compile("\r\n|\r|\n")


def read(dialect: str, body: bytes) -> Told:
    """Read a body, whole or streamed, as whichever it is."""
    notes = Notes()
    for name, value in _values(body.decode("utf-8", "replace").removeprefix("\ufeff")):
        if name == "error":
            is_told = isinstance(value, dict) and value.get("error")
            _error(notes, value if is_told else {"error": value or "an error without a word"})
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                READERS[dialect](notes, one)
    return notes.told()


def _values(text: str) -> Iterator[tuple[str, Any]]:
    """Give the values of a body, each with the name of its event; what is no JSON counts where the name is `error`."""
    whole = list(_json(text))
    if whole:
        yield from (("", value) for value in (whole[0] if isinstance(whole[0], list) else whole))
        return
    name, data = "", list[str]()
    for line in [*LINE_END.split(text), ""]:
        field, _, said = line.partition(":")
        if field == "data":
            data.append(said.removeprefix(" "))
        elif field == "event":
            name = said.strip()
        elif field == "error":  # no field of SSE, yet some send it
            yield from (("error", value) for value in _json(said))
        elif line.startswith(("{", "[")):
            yield from (("", value) for value in _json(line))
        elif not line:
            joined = "\n".join(data)
            yield from ((name, value) for value in (list(_json(joined)) or ([joined] if name == "error" else [])))
            name, data = "", []


def _json(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text)
    except ValueError:
        return


def _error(notes: Notes, value: dict[str, Any]) -> None:
    said = value.get("error")
    if isinstance(said, dict):
        said = said.get("message")
    if said:
        notes.errors.append(str(said))


def _members(value: Any, name: str) -> list[dict[str, Any]]:
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _member(value: Any, name: str) -> dict[str, Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _chat(notes: Notes, value: dict[str, Any]) -> None:
    _error(notes, value)
    _error(notes, {"error": value.get("message") if value.get("object") == "error" else None})
    _error(notes, {"error": _member(value, "base_resp").get("status_msg")})
    _error(notes, {"error": value.get("message") if value.get("success") is False else None})
    for choice in _members(value, "choices"):
        index = choice.get("index", 0)
        said = _member(choice, "delta") or _member(choice, "message")
        _error(notes, choice)
        _error(notes, said)
        if isinstance(said.get("content"), str):
            notes.text(said["content"], index)
        for part in _members(said, "content"):
            notes.part(part, index)
        notes.reasoning += said.get("reasoning_content") or said.get("reasoning") or ""
        notes.refusal += said.get("refusal") or ""
        for position, call in enumerate(_members(said, "tool_calls")):
            function = _member(call, "function") or _member(call, "custom")
            given = function.get("arguments", function.get("input"))
            notes.call((index, call.get("index", position)), function.get("name"), given)
        if choice.get("finish_reason"):
            notes.finishes.append(choice["finish_reason"])
    _usage(notes, value.get("usage"), "prompt_tokens", "completion_tokens")


def _usage(notes: Notes, usage: Any, into: str, out: str) -> None:
    if isinstance(usage, dict):
        notes.usage = (usage.get(into), usage.get(out))


def _completions(notes: Notes, value: dict[str, Any]) -> None:
    _error(notes, value)
    for choice in _members(value, "choices"):
        notes.text(choice.get("text") or "", choice.get("index", 0))
        if choice.get("finish_reason"):
            notes.finishes.append(choice["finish_reason"])
    _usage(notes, value.get("usage"), "prompt_tokens", "completion_tokens")


def _responses(notes: Notes, value: dict[str, Any]) -> None:
    kind = str(value.get("type"))
    _error(notes, value)
    if kind == "error" and "error" not in value:
        notes.errors.append(str(value.get("message")))
    elif kind in ("response.completed", "response.incomplete", "response.failed"):
        _response(notes, _member(value, "response"), fresh=not notes.has_output)
        _error(notes, _member(value, "response"))
        if kind == "response.failed" and not _member(value, "response").get("error"):
            notes.errors.append("it failed, and nobody says why")
    elif value.get("object") == "response":
        _response(notes, value, fresh=True)
    else:
        _responses_piece(notes, kind, value)


def _responses_piece(notes: Notes, kind: str, value: dict[str, Any]) -> None:
    delta, at = value.get("delta"), value.get("output_index")
    if kind == "response.output_text.delta" and isinstance(delta, str):
        notes.text(delta)
    elif kind == "response.refusal.delta":
        notes.refusal += str(delta)
    elif kind in ("response.reasoning_text.delta", "response.reasoning_summary_text.delta"):
        notes.reasoning += str(delta)
    elif kind == "response.output_item.added":
        item = _member(value, "item")
        if item.get("type") in ("function_call", "custom_tool_call"):
            notes.call(at, item.get("name"), item.get("arguments") or item.get("input"))
    elif kind in ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta"):
        notes.call(at, None, delta)
    elif kind == "response.function_call_arguments.done":
        notes.arguments_at_last(at, value.get("arguments"))


def _response(notes: Notes, response: dict[str, Any], *, fresh: bool) -> None:
    """Read a whole response; its output only where no deltas told it already."""
    for item in _members(response, "output") if fresh else []:
        if item.get("type") in ("function_call", "custom_tool_call"):
            notes.call(notes.next_call(), item.get("name"), item.get("arguments") or item.get("input"))
        for part in [*_members(item, "content"), *_members(item, "summary")]:
            if part.get("type") == "output_text":
                notes.text(part.get("text") or "")
            elif part.get("type") == "refusal":
                notes.refusal += part.get("refusal") or ""
            else:
                notes.reasoning += part.get("text") or ""
    ended = _member(response, "incomplete_details").get("reason") or response.get("status")
    if ended:
        notes.finishes.append(ended)
    _usage(notes, response.get("usage"), "input_tokens", "output_tokens")


def _messages(notes: Notes, value: dict[str, Any]) -> None:
    kind = value.get("type")
    _error(notes, value)
    if kind == "message_start":
        _messages(notes, _member(value, "message"))
    elif kind == "message":
        for position, block in enumerate(_members(value, "content")):
            _block(notes, block, position, whole=True)
    elif kind == "content_block_start":
        _block(notes, _member(value, "content_block"), value.get("index"), whole=False)
    elif kind == "content_block_delta":
        delta = _member(value, "delta")
        notes.text(delta.get("text") or "")
        notes.reasoning += delta.get("thinking") or ""
        if value.get("index") in notes.open_calls:
            notes.call(value.get("index"), None, delta.get("partial_json"))
    reason = value.get("stop_reason") or _member(value, "delta").get("stop_reason")
    if reason:
        notes.finishes.append(reason)
    usage = value.get("usage")
    if isinstance(usage, dict):
        before = notes.usage or (None, None)
        notes.usage = (usage.get("input_tokens", before[0]), usage.get("output_tokens", before[1]))


def _block(notes: Notes, block: dict[str, Any], position: Any, *, whole: bool) -> None:
    if block.get("type") == "text":
        notes.text(block.get("text") or "")
    elif block.get("type") == "thinking":
        notes.reasoning += block.get("thinking") or ""
    elif block.get("type") == "tool_use":
        notes.call(position, block.get("name"), block.get("input") if whole else None)


def _gemini(notes: Notes, value: dict[str, Any]) -> None:
    _error(notes, value)
    for position, candidate in enumerate(_members(value, "candidates")):
        index = candidate.get("index", position)
        for part in _members(_member(candidate, "content"), "parts"):
            if isinstance(part.get("text"), str):
                if part.get("thought"):
                    notes.reasoning += part["text"]
                else:
                    notes.text(part["text"], index)
            call = _member(part, "functionCall")
            if call:
                notes.call(notes.next_call(), call.get("name"), call.get("args"))
        if candidate.get("finishReason"):
            notes.finishes.append(candidate["finishReason"])
    blocked = _member(value, "promptFeedback").get("blockReason")
    if blocked:
        notes.finishes.append(f"blocked:{blocked}")
    usage = value.get("usageMetadata")
    if isinstance(usage, dict) and "totalTokenCount" in usage:
        notes.usage = (usage.get("promptTokenCount", 0), usage.get("candidatesTokenCount", 0))


def _cohere(notes: Notes, value: dict[str, Any]) -> None:
    kind = value.get("type")
    delta = _member(value, "delta")
    message = _member(value, "message") or _member(delta, "message")
    if isinstance(value.get("message"), str):
        notes.errors.append(value["message"])
    for content in [_member(message, "content"), *_members(message, "content")]:
        notes.text(content.get("text") or "")
        notes.reasoning += content.get("thinking") or ""
    notes.reasoning += message.get("tool_plan") or ""
    for position, call in enumerate([_member(message, "tool_calls"), *_members(message, "tool_calls")]):
        if call:
            function = _member(call, "function")
            notes.call(value.get("index", position), function.get("name"), function.get("arguments"))
    end = delta if kind == "message-end" else value
    _error(notes, end)
    if end.get("finish_reason"):
        notes.finishes.append(end["finish_reason"])
    _usage(notes, _member(end, "usage").get("tokens"), "input_tokens", "output_tokens")


def _ollama(notes: Notes, value: dict[str, Any]) -> None:
    _error(notes, value)
    message = _member(value, "message") or {"content": value.get("response"), "thinking": value.get("thinking")}
    if isinstance(message.get("content"), str):
        notes.text(message["content"])
    notes.reasoning += message.get("thinking") or ""
    for call in _members(message, "tool_calls"):
        function = _member(call, "function")
        notes.call(notes.next_call(), function.get("name"), function.get("arguments"))
    if value.get("done"):
        notes.finishes.append(value.get("done_reason") or "stop")
        if "eval_count" in value or "prompt_eval_count" in value:
            notes.usage = (value.get("prompt_eval_count", 0), value.get("eval_count", 0))


READERS: dict[str, Callable[[Notes, dict[str, Any]], None]] = {
    "anthropic-messages": _messages,
    "cohere": _cohere,
    "gemini": _gemini,
    "ollama": _ollama,
    "openai-chat": _chat,
    "openai-completions": _completions,
    "openai-responses": _responses,
}
