"""Dialect `anthropic-messages`: the Messages API, streamed as named events and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.usage import Names

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked, ErrorSeen
    from contracts.model import Request

NAME = "anthropic-messages"
NDJSON = False
USAGE = Names("input_tokens", "output_tokens", None)


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.endswith("/messages"):
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
    choice = body.get("tool_choice")
    forced = isinstance(choice, dict) and choice.get("type") in ("any", "tool")
    return asking.capped(structs.replace(plain, forced_call=forced), body, "max_tokens")


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of."""
    return told.at_top(value) if isinstance(value, dict) else None


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one event; its type stands in the value as well as in the event's name."""
    seen = told.in_event(value, name)
    if seen is not None:
        recorder.error(seen, "event")
        return
    recorder.schema.validate("event", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.in_order(value)
    kind_of = value.get("type")
    fold = EVENTS.get(kind_of) if isinstance(kind_of, str) else None
    if fold is not None:
        fold(recorder, value)


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
        return
    recorder.schema.validate("message", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.identify(value)
    choice = recorder.choice(0)
    content = value.get("content")
    for position, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            _block(recorder, choice, block, position, whole=True)
    _finish(recorder, choice, value)
    _usage(recorder, value, "body")


def _start(recorder: Recorder, value: dict[str, Any]) -> None:
    message = value.get("message")
    if isinstance(message, dict):
        recorder.choice(0)
        recorder.identify(message)
        _usage(recorder, message, "chunk")


def _block_start(recorder: Recorder, value: dict[str, Any]) -> None:
    block = value.get("content_block")
    if isinstance(block, dict):
        _block(recorder, recorder.choice(0), block, value.get("index"), whole=False)


def _block_delta(recorder: Recorder, value: dict[str, Any]) -> None:
    delta, choice = value.get("delta"), recorder.choice(0)
    if not isinstance(delta, dict):
        return
    for member, add in (("text", recorder.text), ("thinking", recorder.reasoning)):
        piece = delta.get(member)
        if piece and isinstance(piece, str):
            add(choice, piece)
    position = value.get("index")
    # What a server tool was asked comes in the same deltas, and is no call of the client's.
    if "partial_json" in delta and isinstance(position, int) and position in choice.calls:
        recorder.call(choice, CallDelta(position, None, None, delta["partial_json"]))


def _message_delta(recorder: Recorder, value: dict[str, Any]) -> None:
    delta = value.get("delta")
    if isinstance(delta, dict):
        _finish(recorder, recorder.choice(0), delta)
    _usage(recorder, value, "finish")


def _stop(recorder: Recorder, value: dict[str, Any]) -> None:
    del value
    recorder.closed()


EVENTS = {
    "message_start": _start,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "message_delta": _message_delta,
    "message_stop": _stop,
}


def _block(recorder: Recorder, choice: ChoiceRecord, block: dict[str, Any], position: object, *, whole: bool) -> None:
    """Fold a content block as it stands at its start, or whole."""
    match block.get("type"):
        case "tool_use":
            arguments = block.get("input") if whole else None
            # A stream sends the text of the object in pieces.
            form: Literal["text", "object"] = "object" if whole else "text"
            recorder.call(choice, CallDelta(position, block.get("id"), block.get("name"), arguments, whole, form))
        case "text" | "thinking":
            text, thinking = block.get("text"), block.get("thinking")
            if text and isinstance(text, str):
                recorder.text(choice, text)
            if thinking and isinstance(thinking, str):
                recorder.reasoning(choice, thinking)
        case "redacted_thinking" | None:
            pass
        case _:  # what a server tool was asked and what it found
            choice.other_output += 1


def _finish(recorder: Recorder, choice: ChoiceRecord, value: dict[str, Any]) -> None:
    reason = value.get("stop_reason")
    if isinstance(reason, str):
        recorder.finish(choice, reason)


def _usage(recorder: Recorder, value: dict[str, Any], placed: told.Placed) -> None:
    """Note usage, which is cumulative: what a later report leaves out stays as it was."""
    usage = value.get("usage")
    if usage is None:
        return
    if isinstance(usage, dict):
        if placed == "finish":  # the vendor calls those of message_delta cumulative, and no others
            recorder.usage.grows(usage.get(USAGE.output), USAGE.output, recorder.event, recorder.byte)
        # A later report may leave the input out by null as well; the output is always a number.
        said = {k: v for k, v in usage.items() if v is not None or k == USAGE.output}
        usage = recorder.usage.merged = {**recorder.usage.merged, **said}
        if not recorder.ids and not recorder.models:
            usage = {USAGE.input: 0, **usage}  # it stood in message_start, which was not read or never came
    recorder.usage.seen(usage, USAGE, placed, recorder.event, recorder.byte)
