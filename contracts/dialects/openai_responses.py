"""Dialect `openai-responses`: the Responses API, streamed as typed events and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import structs

from contracts.dialects import asking, responses_said, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.responses_said import ENDS
from contracts.dialects.schema import shown
from contracts.dialects.usage import Names
from contracts.facts import ErrorSeen

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked
    from contracts.model import Request

NAME = "openai-responses"
NDJSON = False
USAGE = Names(
    "input_tokens",
    "output_tokens",
    "total_tokens",
    ("output_tokens_details", "reasoning_tokens"),
    ("input_tokens_details", "cached_tokens"),
)
# The items that are calls of the client's tools, and what they are given: JSON in a text, or any text.
FORMS: dict[str, Literal["text", "free"]] = {"function_call": "text", "custom_tool_call": "free"}
STATES = ("completed", "incomplete", "failed", "cancelled")  # of a response that has ended


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with."""
    if path.endswith("/responses"):
        return "chat"
    if method == "GET":
        return "listing" if path.rsplit("/", 1)[-1] == "models" else "other"
    return "other" if method and path else None


def asked(request: Request) -> Asked | None:
    """Read what was asked for; None where the request's body is not known."""
    read = asking.read(request)
    if read is None:
        return None
    body, plain = read
    choice = body.get("tool_choice")
    forced = isinstance(choice, dict) or choice == "required"
    return asking.capped(structs.replace(plain, forced_call=forced), body, "max_output_tokens")


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of."""
    return told.at_top(value) if isinstance(value, dict) else None


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one event."""
    seen = told.in_event(value, name)
    if seen is not None:
        recorder.error(seen, "event")
        return
    recorder.schema.validate("event", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.in_order(value)
    responses_said.see(recorder, value)
    kind_of = value.get("type")
    choice, piece = recorder.choice(0), value.get("delta")
    response = value.get("response")
    if isinstance(response, dict):
        recorder.identify(response)
    if kind_of in ENDS:
        response = response if isinstance(response, dict) else {}
        if not any((choice.text_chars, choice.refusal_chars, choice.calls, choice.other_output)):
            _output(recorder, choice, response)  # a server that sends no deltas says it all here
        elif not recorder.is_over:
            _agrees(recorder, str(kind_of), response)
        _end(recorder, choice, response)
        recorder.closed()
    elif isinstance(piece, str):
        _delta(recorder, choice, value, piece)
    elif kind_of == "response.output_item.added" and isinstance(value.get("item"), dict):
        _item_added(recorder, choice, value["item"], value.get("output_index"))
    elif kind_of == "response.function_call_arguments.done":
        _arguments_done(recorder, choice, value)


def _agrees(recorder: Recorder, kind_of: str, response: dict[str, Any]) -> None:
    """Hold the response that ends a stream against what was streamed, and its status against the event's type."""
    status = kind_of.rpartition(".")[2]
    said = response.get("status")
    place = (recorder.event, recorder.byte)
    if said in STATES and said != status:
        recorder.schema.note("response.status", shown(status), shown(said), *place)
    if status == "completed" and response.get("output") == [] and not recorder.unread:
        recorder.schema.note("response.output", "what was streamed", "none", *place)


def _delta(recorder: Recorder, choice: ChoiceRecord, value: dict[str, Any], piece: str) -> None:
    """Fold a piece of text, of a refusal, of reasoning or of a call's arguments."""
    match value.get("type"):
        case "response.output_text.delta" if piece:
            recorder.text(choice, piece)
        case "response.refusal.delta" if piece:
            recorder.refusal(choice, piece)
        case "response.reasoning_text.delta" | "response.reasoning_summary_text.delta" if piece:
            recorder.reasoning(choice, piece)
        case "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta":
            recorder.call(choice, CallDelta(value.get("output_index"), None, None, piece))


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
        return
    recorder.schema.validate("response", value, recorder.event, recorder.byte)
    if not isinstance(value, dict):
        return
    recorder.identify(value)
    choice = recorder.choice(0)
    _output(recorder, choice, value)
    _end(recorder, choice, value)


def _output(recorder: Recorder, choice: ChoiceRecord, response: dict[str, Any]) -> None:
    """Fold all items of a response, but for reasoning that came in deltas already."""
    output = response.get("output")
    thought = choice.reasoning_chars > 0
    for position, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict) and not (thought and item.get("type") == "reasoning"):
            _item(recorder, choice, item, position)


def _item_added(recorder: Recorder, choice: ChoiceRecord, item: dict[str, Any], position: object) -> None:
    """Open what an item is; its content comes in deltas."""
    form = FORMS.get(str(item.get("type")))
    if form is not None:
        recorder.call(choice, CallDelta(position, item.get("call_id"), item.get("name"), None, form=form))
    elif item.get("type") not in ("message", "reasoning"):
        choice.other_output += 1  # a built-in tool, an image


def _arguments_done(recorder: Recorder, choice: ChoiceRecord, value: dict[str, Any]) -> None:
    """Take the arguments of a call as a whole where no delta brought them."""
    position = value.get("output_index")
    call = choice.calls.get(position) if isinstance(position, int) else None
    if call is not None and not call.arguments:
        recorder.call(choice, CallDelta(position, None, None, value.get("arguments")))


def _item(recorder: Recorder, choice: ChoiceRecord, item: dict[str, Any], position: int) -> None:
    """Fold a whole item."""
    form = FORMS.get(str(item.get("type")))
    if form is not None:
        given = item.get("input" if form == "free" else "arguments")
        recorder.call(choice, CallDelta(position, item.get("call_id"), item.get("name"), given, whole=True, form=form))
        return
    adders = {"output_text": recorder.text, "reasoning_text": recorder.reasoning, "summary_text": recorder.reasoning}
    parts = [p for k in ("content", "summary") if isinstance(item.get(k), list) for p in item[k]]
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else None
        add = adders.get(str(part.get("type"))) if isinstance(part, dict) else None
        if add is not None and text and isinstance(text, str):
            add(choice, text)
        elif isinstance(part, dict) and isinstance(part.get("refusal"), str) and part["refusal"]:
            recorder.refusal(choice, part["refusal"])
    if item.get("type") not in ("message", "reasoning"):
        choice.other_output += 1


def _end(recorder: Recorder, choice: ChoiceRecord, response: dict[str, Any]) -> None:
    """Fold status, error and usage of a response that has ended; why it is incomplete says more than its status."""
    failed = told.from_member(response.get("error"), "member")
    if failed is None and response.get("status") == "failed":
        failed = ErrorSeen(form="finish", code="failed")
    if failed is not None:
        recorder.error(failed)
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    status = response.get("status")
    if isinstance(reason, str) or isinstance(status, str):
        recorder.finish(choice, reason if isinstance(reason, str) else str(status))
    usage = response.get("usage")
    if usage is not None:
        placed: told.Placed = "finish" if recorder.streamed else "body"
        recorder.usage.seen(usage, USAGE, placed, recorder.event, recorder.byte)
