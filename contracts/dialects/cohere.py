"""Dialect `cohere`: the Chat API v2, streamed as named events and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.usage import Names
from contracts.facts import ErrorSeen
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked
    from contracts.model import Request

NAME = "cohere"
NDJSON = False
FAILED = ("ERROR", "TIMEOUT")  # finish reasons that say that the generation failed
USAGE = Names("input_tokens", "output_tokens", None)


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.endswith("/chat") and not path.endswith("/v1/chat"):  # that is of the Chat API v1, another one
        return "chat"
    if method == "GET":
        return "listing" if path.endswith("/models") else "other"
    return "other" if method and path else None


def asked(request: Request) -> Asked | None:
    """Read what was asked for; None where the request's body is not known."""
    read = asking.read(request)
    if read is None:
        return None
    body, plain = read
    forced = body.get("tool_choice") == "REQUIRED"
    return asking.capped(structs.replace(plain, forced_call=forced), body, "max_tokens")


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of: a text `message` where an answer has an object."""
    if not isinstance(value, dict):
        return None
    message = value.get("message")
    if isinstance(message, str) and "finish_reason" not in value:
        return ErrorSeen(form="body", message=scrub(message, told.MAX_MESSAGE), shaped=True)
    return told.at_top(value)


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one event."""
    if recorder.ending:
        recorder.after_close()
    seen = error(value) or told.in_event(value, name)
    if seen is not None:
        recorder.error(seen, "event")
        return
    recorder.schema.validate("event", value, recorder.event, recorder.byte)
    if isinstance(value, dict):
        recorder.in_order(value)
        _typed(recorder, value)


def _typed(recorder: Recorder, value: dict[str, Any]) -> None:
    """Fold an event by its type."""
    delta, choice = value.get("delta"), recorder.choice(0)
    delta = delta if isinstance(delta, dict) else {}
    message = delta.get("message")
    message = message if isinstance(message, dict) else {}
    match value.get("type"):
        case "message-start":
            recorder.identify(value, model_member=None)
        case "content-start" | "content-delta" | "tool-plan-delta":
            _content(recorder, choice, message)
        case "tool-call-start" | "tool-call-delta":
            _call(recorder, choice, message.get("tool_calls"), value.get("index"))
        case "message-end":
            recorder.ending = True
            recorder.identify(value, model_member=None)
            _end(recorder, choice, delta, "finish")


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
        return
    recorder.schema.validate("chat", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.identify(value, model_member=None)
    choice, message = recorder.choice(0), value.get("message")
    if isinstance(message, dict):
        content = message.get("content")
        for part in content if isinstance(content, list) else ():
            _content(recorder, choice, {"content": part})
        _content(recorder, choice, {"tool_plan": message.get("tool_plan")})
        calls = message.get("tool_calls")
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            _call(recorder, choice, call, position, whole=True)
    _end(recorder, choice, value, "body")


def _content(recorder: Recorder, choice: ChoiceRecord, message: dict[str, Any]) -> None:
    """Fold a piece of content or of the plan for tools, which is reasoning."""
    content = message.get("content")
    content = content if isinstance(content, dict) else {}
    for piece, add in (
        (content.get("text"), recorder.text),
        (content.get("thinking"), recorder.reasoning),
        (message.get("tool_plan"), recorder.reasoning),
    ):
        if piece and isinstance(piece, str):
            add(choice, piece)


def _call(recorder: Recorder, choice: ChoiceRecord, call: object, position: object, *, whole: bool = False) -> None:
    """Fold a piece of a tool call."""
    if not isinstance(call, dict):
        return
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    delta = CallDelta(position, call.get("id"), function.get("name"), function.get("arguments"), whole)
    recorder.call(choice, delta)


def _end(recorder: Recorder, choice: ChoiceRecord, value: dict[str, Any], placed: told.Placed) -> None:
    """Fold finish reason, usage and the error that ended the generation."""
    reason = value.get("finish_reason")
    if isinstance(reason, str):
        recorder.finish(choice, reason)
    said = value.get("error")
    if reason in FAILED or (said and isinstance(said, str)):
        message = scrub(said, told.MAX_MESSAGE) if isinstance(said, str) else ""
        code = reason if reason in FAILED else None
        recorder.error(ErrorSeen(form="finish", message=message, code=code))
    usage = value.get("usage")
    tokens = usage.get("tokens") if isinstance(usage, dict) else None
    if tokens is not None:
        recorder.usage.seen(tokens, USAGE, placed, recorder.event, recorder.byte)
