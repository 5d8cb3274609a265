"""Dialect `ollama`: the native chat API, streamed as one JSON object a line and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.usage import Names
from contracts.facts import ErrorSeen
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from contracts.dialects.recorder import Recorder
    from contracts.facts import AnswerKind, Asked
    from contracts.model import Request

NAME = "ollama"
NDJSON = True
USAGE = Names("prompt_eval_count", "eval_count", None)


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.endswith(("/api/chat", "/api/generate")):
        return "chat"
    if method == "GET":
        return "listing" if path.endswith("/api/tags") else "other"
    return "other" if method and path else None


def asked(request: Request) -> Asked | None:
    """Read what was asked for; a stream is what one gets without asking."""
    read = asking.read(request)
    if read is None:
        return None
    body, plain = read
    plain = asking.capped(plain, body.get("options"), "num_predict")
    if plain.cap is not None and plain.cap <= 0:  # -1 and -2 stand for no cap
        plain = structs.replace(plain, cap=None, cap_name=None)
    return structs.replace(plain, stream=body.get("stream") is not False)


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of: here `error` is a text."""
    if not isinstance(value, dict):
        return None
    said = value.get("error")
    if said and isinstance(said, str):
        return ErrorSeen(form="member", message=scrub(said, told.MAX_MESSAGE), shaped=True)
    return told.at_top(value)


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one line; behind a gateway it may be an event with a name."""
    seen = told.in_event(value, name) if name == b"error" else None
    if seen is not None:
        recorder.error(seen, "event")
        return
    _line(recorder, value, "finish")


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed: the one line of it."""
    _line(recorder, value, "body")


def _line(recorder: Recorder, value: object, placed: told.Placed) -> None:
    """Fold one object."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
        return
    recorder.schema.validate("line", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.identify(value, id_member=None)
    choice = recorder.choice(0)
    message = value.get("message")
    if not isinstance(message, dict):  # /api/generate
        message = {"content": value.get("response"), "thinking": value.get("thinking")}
    for member, add in (("content", recorder.text), ("thinking", recorder.reasoning)):
        piece = message.get(member)
        if piece and isinstance(piece, str):
            add(choice, piece)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            name, sent = function.get("name"), function.get("arguments")
            recorder.call(choice, CallDelta(None, call.get("id"), name, sent, whole=True, form="object"))
    if value.get("done") is True:
        _done(recorder, value, placed)


def _done(recorder: Recorder, value: dict[str, Any], placed: told.Placed) -> None:
    """Fold the last line. Versions before 0.1.42 send no reason; a prompt that was cached is not counted again."""
    reason, choice = value.get("done_reason"), recorder.choice(0)
    recorder.finish(choice, reason if isinstance(reason, str) else "stop")
    if reason in ("load", "unload"):
        choice.other_output += 1  # a chat without messages asks for just that
    if "eval_count" in value or "prompt_eval_count" in value:
        usage = {"prompt_eval_count": 0, "eval_count": 0, **value}
        recorder.usage.seen(usage, USAGE, placed, recorder.event, recorder.byte)
    if recorder.streamed:
        recorder.closed()
