"""Dialect `anthropic-messages`: the Messages API, streamed as named events and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.schema import shown
from contracts.dialects.usage import Names

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked, ErrorSeen
    from contracts.model import Request

NAME = "anthropic-messages"
NDJSON = False
USAGE = Names("input_tokens", "output_tokens", None)
# By the type of a block, the deltas that it has.
DELTAS = {
    "text": ("text_delta", "citations_delta"),
    "thinking": ("thinking_delta", "signature_delta"),
    "tool_use": ("input_json_delta",),
    "server_tool_use": ("input_json_delta",),
}
KNOWN_DELTAS = frozenset(kind for kinds in DELTAS.values() for kind in kinds)
MAX_BLOCKS = 256  # kept of one stream; more would be an attack on memory


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.endswith("/messages") and method != "GET" and "/threads/" not in path:  # those are of OpenAI's Assistants
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
    kind_of = value.get("type")
    if isinstance(kind_of, str):
        _named(recorder, name, kind_of)
        if _begins_again(recorder, value):
            recorder.order.see(kind_of, value)  # its place is told of by reply.tool-calls, as two calls on one index
        else:
            recorder.in_order(value)
    fold = EVENTS.get(kind_of) if isinstance(kind_of, str) else None
    if fold is not None:
        fold(recorder, value)


def _named(recorder: Recorder, name: bytes | None, kind_of: str) -> None:
    """Hold an event's name against its type: the official SDKs choose by the name, and drop an event without one."""
    if recorder.named and not recorder.is_over and name != kind_of.encode("utf-8", "replace"):
        found = "absent" if name is None else shown(name.decode("utf-8", "replace"))
        recorder.schema.note("event", "the name that its type says", found, recorder.event, recorder.byte)


def _begins_again(recorder: Recorder, value: dict[str, Any]) -> bool:
    """Tell whether an event opens a call on an index that has one."""
    block, position = value.get("content_block"), value.get("index")
    is_call = isinstance(block, dict) and block.get("type") == "tool_use"
    return is_call and isinstance(position, int) and position in recorder.choice(0).calls


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
    if value.get("usage") is None:
        recorder.usage.missing(recorder.event, recorder.byte)
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
        _opened(recorder, value.get("index"), block.get("type"))
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
    _fits(recorder, position, delta.get("type"))
    # What a server tool was asked comes in the same deltas, and is no call of the client's.
    if "partial_json" in delta and isinstance(position, int) and position in choice.calls:
        recorder.call(choice, CallDelta(position, None, None, delta["partial_json"]))


def _opened(recorder: Recorder, position: object, kind_of: object) -> None:
    """Keep what a block is, for its deltas."""
    if recorder.kept is None:
        recorder.kept = {}
    if isinstance(position, int) and isinstance(kind_of, str) and len(recorder.kept) < MAX_BLOCKS:
        recorder.kept[position] = kind_of


def _fits(recorder: Recorder, position: object, kind_of: object) -> None:
    """Hold a delta's type against what its block is; of types that are not listed nothing is known."""
    block = recorder.kept.get(position) if recorder.kept and isinstance(position, int) else None
    expected = DELTAS.get(str(block))
    if expected and isinstance(kind_of, str) and kind_of in KNOWN_DELTAS and kind_of not in expected:
        found = f"{kind_of} in a block of {block}"
        recorder.schema.note("delta.type", " or ".join(expected), found, recorder.event, recorder.byte)


def _message_delta(recorder: Recorder, value: dict[str, Any]) -> None:
    delta = value.get("delta")
    if isinstance(delta, dict):
        _finish(recorder, recorder.choice(0), delta)
        if value.get("usage") is None and isinstance(delta.get("stop_reason"), str):
            recorder.usage.missing(recorder.event, recorder.byte)
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
