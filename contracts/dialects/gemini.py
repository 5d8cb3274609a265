"""Dialect `gemini`: generateContent and streamGenerateContent (`alt=sse`) of the Gemini API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from msgspec import structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.usage import BESIDE, Names

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked, ErrorSeen
    from contracts.model import Request

NAME = "gemini"
NDJSON = False
USAGE = Names(
    "promptTokenCount",
    "candidatesTokenCount",
    "totalTokenCount",
    (BESIDE, "thoughts"),
    (BESIDE, "cachedContentTokenCount"),
)
COUNTS = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")
METHODS = ("generateContent", "streamGenerateContent")


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.rpartition(":")[2] in METHODS:
        return "chat"
    if method == "GET":
        return "listing" if path.endswith("/models") else "other"
    return "other" if method and path else None


def asked(request: Request) -> Asked | None:
    """Read what was asked for; the model and whether a stream is wanted stand in the path."""
    read = asking.read(request)
    if read is None:
        return None
    body, plain = read
    name, _, verb = plain.path.rpartition("/")[2].rpartition(":")
    stream = verb == "streamGenerateContent" and "alt=sse" in re.split("[?&#]", request.url)
    plain = structs.replace(plain, model=unquote(name) or None, stream=stream, forced_call=_mode(body) == "ANY")
    config = body.get("generationConfig", body.get("generation_config"))
    config = config if isinstance(config, dict) else {}
    cap = {"maxOutputTokens": config.get("maxOutputTokens", config.get("max_output_tokens"))}
    return asking.capped(plain, cap, *cap)


def _mode(body: dict[str, Any]) -> object:
    """Give the mode of function calling; as in all JSON of protocol buffers, names may be written in either way."""
    config = body.get("toolConfig", body.get("tool_config"))
    calling = (
        config.get("functionCallingConfig", config.get("function_calling_config")) if isinstance(config, dict) else {}
    )
    return calling.get("mode") if isinstance(calling, dict) else None


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of; the stream's endpoint puts it into a list."""
    if isinstance(value, list) and value:
        value = value[0]
    return told.at_top(value) if isinstance(value, dict) else None


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one response of a stream."""
    if name == b"error":
        seen = told.in_event(value, name)
        if seen is not None:
            recorder.error(seen, "event")
        return
    _response(recorder, value, "chunk")


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed as events; without `alt=sse` a stream is a list of responses."""
    for one in value if isinstance(value, list) else [value]:
        _response(recorder, one, "body")


def _response(recorder: Recorder, value: object, placed: told.Placed) -> None:
    """Fold one response."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
        return
    recorder.schema.validate("response", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.identify(value, "responseId", "modelVersion")
    candidates = value.get("candidates")
    for position, candidate in enumerate(candidates if isinstance(candidates, list) else ()):
        if isinstance(candidate, dict):
            _candidate(recorder, candidate, position)
    feedback = value.get("promptFeedback")
    if isinstance(feedback, dict) and isinstance(feedback.get("blockReason"), str):
        # Some reasons have the name of a finish reason that means something else: OTHER.
        recorder.finish(recorder.choice(0), f"blocked:{feedback['blockReason']}")
    _usage(recorder, value.get("usageMetadata"), placed)


def _candidate(recorder: Recorder, candidate: dict[str, Any], position: int) -> None:
    """Fold one candidate."""
    index = candidate.get("index")
    choice = recorder.choice(index if isinstance(index, int) else position)
    content = candidate.get("content")
    parts = content.get("parts") if isinstance(content, dict) else None
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            _part(recorder, choice, part)
    reason = candidate.get("finishReason")
    if isinstance(reason, str):
        recorder.finish(choice, reason)


def _part(recorder: Recorder, choice: ChoiceRecord, part: dict[str, Any]) -> None:
    """Fold one part: text, a thought, a call, or output of another kind."""
    text = part.get("text")
    if isinstance(text, str):
        if text:
            (recorder.reasoning if part.get("thought") is True else recorder.text)(choice, text)
        return
    call = part.get("functionCall")
    if isinstance(call, dict):
        arguments = call.get("args")
        arguments = {} if arguments is None else arguments  # a call without any
        recorder.call(choice, CallDelta(None, call.get("id"), call.get("name"), arguments, whole=True, form="object"))
    elif any(k in part for k in ("inlineData", "fileData", "executableCode", "codeExecutionResult")):
        choice.other_output += 1


def _usage(recorder: Recorder, usage: object, placed: told.Placed) -> None:
    """Note usage, which every event carries; a count of nothing is left out, thoughts and tools stand beside."""
    if usage is None:
        return
    if isinstance(usage, dict):
        if not any(k in usage for k in COUNTS):
            return  # Vertex AI sends the kind of traffic alone until the last event
        if not any(choice.after_finish for choice in recorder.choices.values()):  # else reply.finish tells of the event
            recorder.usage.grows(usage.get(USAGE.output), USAGE.output, recorder.event, recorder.byte)
        beside = [asking.whole(usage.get(k)) or 0 for k in ("thoughtsTokenCount", "toolUsePromptTokenCount")]
        # What tools read is cached as well, and stands beside the prompt.
        cached = None if beside[1] else usage.get("cachedContentTokenCount")
        counts = {"thoughts": sum(beside), "cachedContentTokenCount": cached}
        usage = {"promptTokenCount": 0, "candidatesTokenCount": 0, **usage, BESIDE: counts}
    recorder.usage.seen(usage, USAGE, placed, recorder.event, recorder.byte)
