"""Dialect `openai-completions`: the legacy Completions API, streamed and not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.dialects import openai_chat, told

if TYPE_CHECKING:
    from contracts.dialects.recorder import Recorder
    from contracts.facts import AnswerKind

NAME = "openai-completions"
NDJSON = False

asked = openai_chat.asked  # the members that are read have the same names and places
error = openai_chat.error


def kind(method: str, path: str) -> AnswerKind | None:
    """Tell what an endpoint answers with; `chat/completions` is another dialect's."""
    if path.endswith("/completions") and not path.endswith("chat/completions"):
        return "chat"
    if method == "GET":
        return "listing" if path.rsplit("/", 1)[-1] == "models" else "other"
    return "other" if method and path else None


def event(recorder: Recorder, name: bytes | None, value: object) -> None:
    """Fold one chunk."""
    recorder.follows()
    seen = told.in_event(value, name)
    if seen is not None:
        recorder.error(seen, "event" if name == b"error" else seen.form)
    else:
        recorder.schema.validate("completion", value, recorder.event, recorder.byte)
    _fold(recorder, value)


def body(recorder: Recorder, value: object) -> None:
    """Fold an answer that was not streamed."""
    seen = error(value)
    if seen is not None:
        recorder.error(seen)
    else:
        recorder.schema.validate("completion", value, recorder.event, recorder.byte)
    _fold(recorder, value)


def _fold(recorder: Recorder, value: object) -> None:
    """Fold one chunk or completion, also one beside an error; they have one shape."""
    if not isinstance(value, dict):
        return
    recorder.identify(value)
    choices = value.get("choices")
    ended = False
    for position, choice in enumerate(choices if isinstance(choices, list) else ()):
        if isinstance(choice, dict):
            ended = _choice(recorder, choice, position) or ended
    usage = value.get("usage")
    if usage is not None:
        placed: told.Placed = "body" if not recorder.streamed else "finish" if ended else "chunk" if choices else "last"
        recorder.usage.seen(usage, openai_chat.USAGE, placed, recorder.event, recorder.byte)


def _choice(recorder: Recorder, choice: dict[str, Any], position: int) -> bool:
    """Fold one choice; tells whether it ended here."""
    index = choice.get("index")
    record = recorder.choice(index if isinstance(index, int) else position)
    text = choice.get("text")
    if text and isinstance(text, str):
        recorder.text(record, text)
    reason = choice.get("finish_reason")
    if isinstance(reason, str):
        recorder.finish(record, reason)
        return True
    return False
