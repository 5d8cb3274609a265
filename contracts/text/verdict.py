"""What a router writes down of one answer: one word, whose doing it was, and the signatures that say so.

    verify_response(text, "stop", False, status=200, client_capped=False, request_charset=profile(prompts))

The rules, and nothing here is a score of quality:

- Damage in the answer to a request of pure ASCII was done on the other side of the wire, so it is attributable; where
  the request held characters beyond ASCII it may have been done on the way there, and is written down without steering.
- Nothing at all in a 2xx answer is the model's doing, unless the client's own cap or a tool call explains it.
- A loop does not stop by itself. What says the same over and over and then stops may have been asked to, so that only
  one that ran into a limit, or that broke off, is held against the model.
- What another answer would not have shown either (a tool call, a cap of our own, an error) is `unverifiable`.
- Text beyond ASCII that the request did not have is what every em dash is: told for a diagnosis, never held against
  anybody. Japanese that answers Japanese is not even that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.facts import Text
from contracts.model import Scope
from contracts.text import ends, looping
from contracts.text.blank import is_blank
from contracts.text.charset import RequestCharset, of_asked
from contracts.text.damage import Scanner
from contracts.text.rules import (
    ABSENT,
    ASCII_ONLY,
    CALL,
    EMPTY,
    REPETITION,
    Answer,
    SignatureSeen,
    Verification,
    judge,
    unverifiable,
)

if TYPE_CHECKING:
    from contracts.facts import Facts, Reply

__all__ = ["ABSENT", "ASCII_ONLY", "CALL", "CALLS_BY_MODEL", "EMPTY", "REPETITION", "SignatureSeen", "Verification",
           "verify_facts", "verify_response"]  # fmt: skip

# Faults of a call that the model wrote; how calls are told apart is the server's doing, and explains broken arguments.
CALLS_BY_MODEL = frozenset({
    "arguments-malformed", "arguments-control-character", "arguments-duplicate-key", "arguments-nan",
    "arguments-overflow", "arguments-not-object", "arguments-concatenated", "arguments-truncated", "arguments-too-deep",
})  # fmt: skip


def verify_response(  # noqa: PLR0913 - the router's own order, the rest by name
    text: str | None,
    finish_reason: str | None,
    has_tool_calls: bool,  # noqa: FBT001 - the same
    *,
    status: int = 200,
    client_capped: bool = False,
    request_charset: RequestCharset | None = None,
) -> Verification:
    """Judge one answer of which all text is at hand.

    Args:
        text: of the answer, without reasoning; None is no text.
        finish_reason: as it came, of any dialect; None where none is known.
        has_tool_calls: whether it called a tool.
        status: of HTTP.
        client_capped: the request set a limit of tokens of its own.
        request_charset: `charset.profile` of the request; None where it is not known, and then no damage steers.

    Raises:
        TypeError: a text in bytes, a status in digits, or anything else of another type.
    """
    _insist("text", text, str, type(None))
    _insist("finish_reason", finish_reason, str, type(None))
    _insist("status", status, int)
    _insist("request_charset", request_charset, RequestCharset, type(None))
    if not _is_success(status):
        return _status(status)
    text = text or ""
    finish = (finish_reason or "").lower()
    return judge(
        Answer(
            text=_scanned(text),
            is_visible=not is_blank(text),
            finish=finish,
            has_calls=bool(has_tool_calls) or finish in ends.CALLS,
            was_refused=ends.is_withheld(finish),
            is_capped=bool(client_capped),
            loop=looping.find(text, was_cut=finish in ends.LIMITS),
            is_own_end=ends.is_own(finish),
            charset=request_charset,
        )
    )


def verify_facts(facts: Facts, tail: looping.Tail | None = None) -> Verification:
    """Judge one answer of which only Facts are at hand, and the end of its first choice's text where a Fold fed one."""
    if not _is_success(facts.status):
        return _status(facts.status)
    reply = facts.reply
    if facts.kind != "chat":
        return unverifiable(f"{facts.kind} answer")
    if facts.errors:
        return unverifiable("error inside a success")
    framing = facts.framing  # of an event that was too large to hold nobody knows what it brought
    if facts.limits or facts.body.over_limit is not None or (framing is not None and framing.over_limit is not None):
        return unverifiable("not read to its end")
    if reply is None:
        return Verification(verdict="malformed", detail=f"{facts.body.kind} body", scope=Scope.PROVIDER)
    answer = _answer(facts, reply, tail)
    unread = _undecoded(facts, answer) or _broken_off(facts, reply, answer)
    if unread is not None:
        return unread
    # What could not be read may have been the answer, or its end.
    if (_is_noise(facts, reply) or (reply.unread and facts.body.kind != "empty")) and not answer.text.damage:
        return Verification(verdict="malformed", detail="unreadable events", scope=Scope.PROVIDER)
    if _wrote_bad_call(facts, reply) and not answer.text.damage:
        return Verification(
            verdict="malformed", detail="malformed tool call", model_attributable=True, scope=Scope.MODEL
        )
    return judge(answer)


def _undecoded(facts: Facts, answer: Answer) -> Verification | None:
    """Judge an answer in a coding such as br that a tap does not read, or that is broken: it may have held anything."""
    fault = None if facts.coding is None else facts.coding.fault
    is_readable = fault is None or fault.kind == "not-coded" or answer.text.damage
    if is_readable or (answer.is_visible and not answer.has_calls):
        return None
    return unverifiable("content coding not read")


def _broken_off(facts: Facts, reply: Reply, answer: Answer) -> Verification | None:
    """Judge an answer that was not waited for, or not sent to its end: what is missing is nobody's silence."""
    if answer.finish or answer.text.damage or answer.loop is not None or facts.ended == "complete":
        return None
    if facts.ended == "cut":
        return Verification(verdict="truncated", detail="connection cut", scope=Scope.UNDETERMINED)
    is_whole = reply.close.count > 0 if reply.streamed else not reply.unread
    if is_whole or (answer.is_visible and not answer.has_calls):
        return None  # what was said until then can be judged
    return unverifiable("the client left")


def _is_noise(facts: Facts, reply: Reply) -> bool:
    framing = facts.framing
    return framing is not None and reply.events == 0 and bool(framing.unknown_fields or framing.invalid_utf8)


def _wrote_bad_call(facts: Facts, reply: Reply) -> bool:
    kinds = {fault.kind for fault in reply.call_faults}
    if facts.ended == "cut" or any(not kind.startswith("arguments-") for kind in kinds):
        return False
    return not kinds.isdisjoint(CALLS_BY_MODEL)


def _answer(facts: Facts, reply: Reply, tail: looping.Tail | None) -> Answer:
    reasons = [end.reason.lower() for choice in reply.choices for end in choice.finishes]
    first = [end.reason.lower() for choice in reply.choices if choice.index == 0 for end in choice.finishes]
    asked, choices, spent = facts.asked, reply.choices, reply.usage.output_tokens
    cut = any(reason in ends.LIMITS for reason in reasons)  # by the request's own cap, where it had one
    return Answer(
        text=reply.text,
        is_visible=any(choice.visible or choice.other_output for choice in choices),
        finish=next(
            (r for r in reasons if r in ends.LIMITS | ends.FILTERS | ends.BAD_CALLS | ends.ERRORS), "".join(reasons[:1])
        ),
        has_calls=any(choice.calls for choice in choices) or any(reason in ends.CALLS for reason in reasons),
        was_refused=any(choice.refusal_chars for choice in choices) or any(map(ends.is_withheld, reasons)),
        is_capped=None if asked is None else asked.cap is not None and (cut or (spent or 0) >= asked.cap),
        loop=None if tail is None else tail.finish(was_cut=not ends.LIMITS.isdisjoint(first)),
        is_own_end=bool(first) and all(map(ends.is_own, first)),
        charset=of_asked(asked),
    )


def _insist(name: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        expected = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise TypeError(f"{name}: expected {expected}, found {type(value).__name__}")


def _scanned(text: str) -> Text:
    if text.isascii() and "<" not in text:  # byte tokens are all that can be wrong with ASCII
        return Text(chars=len(text))
    scanner = Scanner()
    scanner.feed(text)
    return scanner.finish()


def _status(status: int) -> Verification:
    return unverifiable(f"status {status}")


def _is_success(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004 - RFC 9110, section 15.3
