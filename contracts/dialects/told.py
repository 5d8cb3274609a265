"""Errors as answers tell them: one reader for the shapes that OpenAI-like APIs are seen to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.dialects.usage import Placed
from contracts.facts import ErrorSeen
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.facts import Framing

__all__ = ["Placed", "at_top", "from_fields", "from_member", "in_event", "unread"]

MAX_MESSAGE = 300
_MESSAGES = ("message", "msg", "detail", "error_description", "error_msg", "title")
_CODES = ("code", "status_code", "status", "error_code")
_FINE = (0, 200, "0", "200", "success", "ok")  # codes and states by which some gateways say that nothing is wrong
_ANSWER = ("choices", "candidates", "content", "output", "delta")  # what an answer has and an error has not


def from_member(error: object, form: str, *, nested: bool = True) -> ErrorSeen | None:
    """Read the value of an `error` member; None where it is absent, null or empty.

    `nested` False: the keys stand at the top of the answer instead.
    """
    if not error:
        return None
    if not isinstance(error, dict):
        text = error if isinstance(error, str) else type(error).__name__
        return ErrorSeen(form=form, message=scrub(text, MAX_MESSAGE), shaped=False)
    message = next((error[k] for k in _MESSAGES if isinstance(error.get(k), str)), "")
    inner = error.get("metadata")
    upstream = inner.get("provider_name") if isinstance(inner, dict) else None
    return ErrorSeen(
        form=form,
        message=scrub(message, MAX_MESSAGE),
        code=_word(next((error[k] for k in _CODES if error.get(k) is not None), None)),
        type=_word(error.get("type")),
        param=_word(error.get("param")),
        upstream=_word(upstream),
        shaped=nested and isinstance(error.get("message"), str),
    )


def at_top(value: Mapping[str, Any]) -> ErrorSeen | None:
    """Read an error whose keys stand at the top of an answer that has nothing an answer would have."""
    error = from_member(value.get("error"), "member")
    if error is not None:
        # `{"error": "invalid_grant", "error_description": …}` and `{"error": "…", "message": …}` say more beside it
        return error
    status = value.get("base_resp")  # MiniMax sends one with every answer; 0 is success
    if isinstance(status, dict) and status.get("status_code"):
        said = {"message": status.get("status_msg"), "code": status["status_code"]}
        return from_member(said, "bare", nested=False)
    if value.get("object") == "error" or value.get("type") == "error":
        return from_member(value, "body", nested=False)
    return _bare(value)


def _bare(value: Mapping[str, Any]) -> ErrorSeen | None:
    """Read an error that nothing names so; an answer may have the same members beside what makes it one."""
    if any(value.get(member) for member in _ANSWER) or value.get("success") is True:
        return None
    errors = value.get("errors")
    if isinstance(errors, list) and errors:
        first = errors[0]
        return from_member(first, "bare", nested=False)
    said = any(isinstance(value.get(k), str) for k in ("message", "msg", "error_msg"))
    named = [value[k] for k in ("code", "type", "status", "statusCode", "error_code") if k in value]
    told = said and any(n not in _FINE for n in named if not isinstance(n, (list, dict)))
    if told or value.get("success") is False:
        return from_member(value, "bare", nested=False)
    if value.get("detail") and "choices" not in value:
        detail = value["detail"]
        return from_member(
            {"message": detail} if isinstance(detail, str) else {"message": "see detail"}, "bare", nested=False
        )
    return None


def in_event(value: object, name: bytes | None) -> ErrorSeen | None:
    """Find the error that an event of a stream tells; one named `error` tells one whatever it holds."""
    seen = at_top(value) if isinstance(value, dict) else None
    if seen is None and name == b"error":
        return from_member(value, "event", nested=False) or ErrorSeen(form="event", shaped=False)
    return seen


def unread(data: str) -> ErrorSeen:
    """Read the data of an event named `error` that are no JSON, and may be nothing at all."""
    return from_member(data.strip(), "event") or ErrorSeen(form="event", shaped=False)


def from_fields(framing: Framing | None) -> tuple[ErrorSeen, ...]:
    """Find errors sent as a line of their own, which a conforming parser drops: `error: {…}` or `{"error": …}`."""
    if framing is None:
        return ()
    return tuple(
        ErrorSeen(form="field", message="sent as a line that parsers drop", shaped=False, event=f.event, byte=f.byte)
        for f in framing.unknown_fields
        if f.detail.strip("{\"' \t") == "error"
    )


def _word(value: object) -> str | None:
    """Show a code or type, which may be a number."""
    if value is None or isinstance(value, (dict, list, bool)):
        return None
    return scrub(str(value), 80)
