"""Dialect `openai-chat`: Chat Completions, streamed and not, as OpenAI documents it and others imitate it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, ValidationError, convert, structs

from contracts.dialects import asking, told
from contracts.dialects.calls import CallDelta
from contracts.dialects.openai_chat_types import Chunk, Completion
from contracts.dialects.schema import encodable
from contracts.dialects.twin import Plain
from contracts.dialects.usage import Names, Placed
from contracts.facts import ErrorSeen

if TYPE_CHECKING:
    from contracts.dialects.recorder import ChoiceRecord, Recorder
    from contracts.facts import AnswerKind, Asked
    from contracts.model import Request

NAME = "openai-chat"
NDJSON = False
CAPS = ("max_completion_tokens", "max_tokens", "max_output_tokens")
REASONING = ("reasoning_content", "reasoning", "thinking")
USAGE = Names(
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    ("completion_tokens_details", "reasoning_tokens"),
    ("prompt_tokens_details", "cached_tokens"),
)


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with, by the last parts of its path."""
    if path.endswith("chat/completions"):
        return "chat"
    last = path.rsplit("/", 1)[-1]
    if method == "GET":
        return "listing" if last.endswith("models") else "other"
    return "other" if method and path else None


def asked(request: Request) -> Asked | None:
    """Read what was asked for; None where the request's body is not known."""
    read = asking.read(request)
    if read is None:
        return None
    body, plain = read
    options = body.get("stream_options")
    options = options if isinstance(options, dict) else {}
    choice = body.get("tool_choice")
    plain = structs.replace(
        plain,
        usage=options.get("include_usage") is True,
        usage_every_event=options.get("continuous_usage_stats") is True,
        tools=bool(body.get("tools") or body.get("functions")),
        forced_call=isinstance(choice, dict) or choice == "required" or isinstance(body.get("function_call"), dict),
    )
    return asking.capped(plain, body, *CAPS)


def error(value: object) -> ErrorSeen | None:
    """Find the error that a whole answer consists of; Gemini's endpoint for this dialect puts it into a list."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        listed = told.at_top(value[0])
        return None if listed is None else structs.replace(listed, form="list", shaped=False)
    return told.at_top(value) if isinstance(value, dict) else None


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one chunk."""
    recorder.follows()
    if not isinstance(value, dict):
        seen = told.from_member(value, "event") if name == b"error" else error(value)
        if seen is None:
            _validate(recorder, Chunk, "chunk", value)
        else:
            recorder.error(seen, "event" if name == b"error" else seen.form)
        return
    if not value.get("error") and "choices" in value and name != b"error" and "base_resp" not in value:
        _chunk(recorder, value)
        return
    seen = told.at_top(value) or (told.from_member(value, "event", nested=False) if name == b"error" else None)
    if seen is None:
        _chunk(recorder, value)
        return
    recorder.error(seen, "event" if name == b"error" else seen.form)
    if isinstance(value.get("choices"), list):
        _fold(recorder, value, "delta")


def _chunk(recorder: Recorder, value: dict[str, Any]) -> None:
    """Fold a chunk that is no error; one with neither choices nor names before all others is a prompt filter's."""
    preamble = not recorder.choices and value.get("choices") == [] and not value.get("id") and not value.get("object")
    if not preamble:
        _validate(recorder, Chunk, "chunk", value)
    _fold(recorder, value, "delta")


def plain(recorder: Recorder, value: object) -> Plain | None:
    """Tell what a chunk said that carried nothing but a text and was folded already; None for any other."""
    try:
        chunk = convert(value, Chunk)
    except (ValidationError, UnicodeEncodeError):
        return None
    if not isinstance(value, dict) or len(chunk.choices) != 1 or value.get("usage") is not None or value.get("error"):
        return None
    choice, text = value["choices"][0], chunk.choices[0].delta.content
    said = any(member for name, member in choice["delta"].items() if name not in ("content", "role"))
    if not text or said or choice.get("error") or chunk.choices[0].finish_reason is not None:
        return None
    repeated = (recorder.ids.get(chunk.id), recorder.models.get(chunk.model))
    return Plain(recorder.choice(chunk.choices[0].index), text, tuple(seen for seen in repeated if seen is not None))


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
    else:
        _validate(recorder, Completion, "completion", value)
    if isinstance(value, dict):
        _fold(recorder, value, "message")


def _validate(recorder: Recorder, record: type[Struct], schema: str, value: object) -> None:
    """Hold a value against the schema: by types first, and closely only where that fails."""
    try:
        convert(value, record)
    except ValidationError as refused:
        if not recorder.schema.validate(schema, value, recorder.event, recorder.byte):
            # JSON Schema takes 1790000000.0 for an integer; strict clients refuse the whole answer over it.
            recorder.schema.refused(str(refused), recorder.event, recorder.byte)
    except UnicodeEncodeError:
        # A constant or a key with an unpaired surrogate, which msgspec cannot compare.
        _validate(recorder, record, schema, encodable(value))


def _fold(recorder: Recorder, value: dict[str, Any], part: str) -> None:
    """Fold one chunk or completion; `part` is the member of a choice that holds its content."""
    recorder.identify(value)
    choices = value.get("choices")
    ended = False
    if isinstance(choices, list):
        for position, choice in enumerate(choices):
            if isinstance(choice, dict):
                ended = _choice(recorder, choice, part, position) or ended
    usage = value.get("usage")
    if usage is not None:
        placed: Placed = "body" if part == "message" else "finish" if ended else "chunk" if choices else "last"
        recorder.usage.seen(usage, USAGE, placed, recorder.event, recorder.byte)


def _choice(recorder: Recorder, choice: dict[str, Any], part: str, position: int) -> bool:
    """Fold one choice; tells whether it ended here."""
    index = choice.get("index")
    record = recorder.choice(index if isinstance(index, int) else position)
    content = choice.get(part)
    if content is None:  # a whole message inside a stream, or a delta outside one: read it, the schema complains
        content = choice.get("message" if part == "delta" else "delta")
    if isinstance(content, dict):
        _content(recorder, record, content, whole=part == "message")
    if choice.get("error"):
        seen = told.from_member(choice["error"], "choice")
        if seen is not None:
            recorder.error(seen, "choice")
    reason = choice.get("finish_reason")
    if isinstance(reason, str):
        recorder.finish(record, reason)
        return True
    return False


def _content(recorder: Recorder, record: ChoiceRecord, content: dict[str, Any], *, whole: bool) -> None:
    """Fold a delta or a message."""
    text = content.get("content")
    if text:
        if isinstance(text, str):
            recorder.text(record, text)
        elif isinstance(text, list):
            _parts(recorder, record, text)
    if len(content) == 1 and text is not None:
        return  # most events of most streams
    for member in REASONING:
        piece = content.get(member)
        if piece and isinstance(piece, str):
            recorder.reasoning(record, piece)
            break
    _rest(recorder, record, content, whole=whole)


def _rest(recorder: Recorder, record: ChoiceRecord, content: dict[str, Any], *, whole: bool) -> None:
    """Fold what is neither text nor reasoning."""
    failed = told.from_member(content["error"], "choice") if content.get("error") else None
    if failed is not None:
        recorder.error(failed, "choice")
    refusal = content.get("refusal")
    if refusal and isinstance(refusal, str):
        recorder.refusal(record, refusal)
    if content.get("audio") or content.get("images"):
        record.other_output += 1
    tools = content.get("tool_calls")
    if isinstance(tools, list):
        for call in tools:
            if isinstance(call, dict):
                recorder.call(record, _call(call, whole=whole))
    legacy = content.get("function_call")
    if isinstance(legacy, dict):  # deprecated, has neither index nor id: its name stands for both
        recorder.call(
            record, CallDelta(0, None if record.calls else "function", legacy.get("name"), legacy.get("arguments"))
        )


def _call(call: dict[str, Any], *, whole: bool) -> CallDelta:
    """Read one piece of a tool call; what a custom tool is given is free text."""
    custom = call.get("custom")
    if isinstance(custom, dict):
        return CallDelta(call.get("index"), call.get("id"), custom.get("name"), custom.get("input"), whole, "free")
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    return CallDelta(call.get("index"), call.get("id"), function.get("name"), function.get("arguments"), whole)


def _parts(recorder: Recorder, record: ChoiceRecord, parts: list[Any]) -> None:
    """Fold content that is a list of parts; text in it is text, thinking is reasoning."""
    for part in parts:
        if isinstance(part, str):
            recorder.text(record, part)
        elif not isinstance(part, dict):
            continue
        elif isinstance(part.get("text"), str):
            if part["text"]:
                recorder.text(record, part["text"])
        elif "thinking" in part:
            thinking = part["thinking"]
            pieces = thinking if isinstance(thinking, list) else [thinking]
            for piece in pieces:
                text = piece.get("text") if isinstance(piece, dict) else piece
                if text and isinstance(text, str):
                    recorder.reasoning(record, text)
        elif isinstance(part.get("refusal"), str):
            recorder.refusal(record, part["refusal"])
        else:
            record.other_output += 1
