"""What a router writes down of one answer: one word, whose doing it was, and the signatures that say so.

    verify_response(text, "stop", False, status=200, client_capped=False, request_charset=profile(prompts))

The rules, and nothing here is a score of quality:

- Damage in the answer to a request of pure ASCII was done on the other side of the wire, so it is attributable; where
  the request held characters beyond ASCII it may have been done on the way there, and is written down without steering.
- Nothing at all in a 2xx answer is the model's doing, unless the client's own cap or a tool call explains it.
- What another answer would not have shown either (a tool call, a cap of our own, an error) is `unverifiable`.
- Text beyond ASCII that the request did not have is what every em dash is: told for a diagnosis, never held against
  anybody. Japanese that answers Japanese is not even that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from contracts.facts import Text
from contracts.model import Scope
from contracts.text import ends, looping
from contracts.text.attribution import attribute
from contracts.text.charset import RequestCharset, of_asked
from contracts.text.damage import Scanner

if TYPE_CHECKING:
    from contracts.facts import Facts, Reply
    from contracts.text.looping import Loop

Word = Literal["ok", "malformed", "mangled", "looping", "truncated", "refused", "unverifiable"]
Confidence = Literal["high", "low"]

EMPTY = "empty response"  # the detail by which a router finds it; it is never worded otherwise
ASCII_ONLY = "ASCII only"  # of an `ok`: it says nothing of a wire that damages what is beyond ASCII
ABSENT = "non-ascii-absent-from-input"
CALL = "tool call"

# Faults of a call that the model wrote; how calls are told apart is the server's doing, and explains broken arguments.
CALLS_BY_MODEL = frozenset({
    "arguments-malformed", "arguments-control-character", "arguments-duplicate-key", "arguments-nan",
    "arguments-overflow", "arguments-not-object", "arguments-concatenated", "arguments-truncated", "arguments-too-deep",
})  # fmt: skip


class SignatureSeen(Struct, frozen=True, kw_only=True):
    """One signature in an answer; `low` confidence is for people who look for a cause and decides nothing."""

    name: str
    confidence: Confidence
    count: int
    sample: str = ""


class Verification(Struct, frozen=True, kw_only=True):
    """What one answer came to.

    Attributes:
        verdict: the word.
        detail: a few words without text of the answer. Of `mangled` it begins with the signature, whose fault it is in
            brackets and a colon: `double-utf8-latin1 [provider]: 3 × U+00E2 U+0080 U+0094`.
        model_attributable: it was done on the other side of the wire, and not by what we sent. Not a word about which
            of the two did it there: that is `scope`.
        scope: whose fault it is; None where there is no fault.
        signatures: the weighty one first.
    """

    verdict: Word
    detail: str = ""
    model_attributable: bool = False
    scope: Scope | None = None
    signatures: tuple[SignatureSeen, ...] = ()


class _Answer(NamedTuple):
    """All that the rules ask about."""

    text: Text
    is_visible: bool
    finish: str
    has_calls: bool
    was_refused: bool
    is_capped: bool | None  # None: the request is not known
    loop: Loop | None
    charset: RequestCharset | None


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
    """
    if not _is_success(status):
        return _status(status)
    text = text or ""
    finish = (finish_reason or "").lower()
    return _judge(
        _Answer(
            text=_scanned(text),
            is_visible=not (text == "" or text.isspace()),
            finish=finish,
            has_calls=has_tool_calls or finish in ends.CALLS,
            was_refused=ends.is_withheld(finish),
            is_capped=client_capped,
            loop=looping.find(text, was_cut=finish in ends.LIMITS),
            charset=request_charset,
        )
    )


def verify_facts(facts: Facts, loop: Loop | None = None) -> Verification:
    """Judge one answer of which only Facts are at hand; `loop` is what a `looping.Tail` beside the Fold came to."""
    if not _is_success(facts.status):
        return _status(facts.status)
    reply = facts.reply
    if facts.kind != "chat":
        return _unverifiable(f"{facts.kind} answer")
    if facts.errors:
        return _unverifiable("error inside a success")
    framing = facts.framing  # of an event that was too large to hold nobody knows what it brought
    if facts.limits or facts.body.over_limit is not None or (framing is not None and framing.over_limit is not None):
        return _unverifiable("not read to its end")
    if reply is None:
        return Verification(verdict="malformed", detail=f"{facts.body.kind} body", scope=Scope.PROVIDER)
    answer = _answer(facts, reply, loop)
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
    return _judge(answer)


def _undecoded(facts: Facts, answer: _Answer) -> Verification | None:
    """Judge an answer in a coding such as br that a tap does not read, or that is broken: it may have held anything."""
    fault = None if facts.coding is None else facts.coding.fault
    is_readable = fault is None or fault.kind == "not-coded" or answer.text.damage
    if is_readable or (answer.is_visible and not answer.has_calls):
        return None
    return _unverifiable("content coding not read")


def _broken_off(facts: Facts, reply: Reply, answer: _Answer) -> Verification | None:
    """Judge an answer that was not waited for, or not sent to its end: what is missing is nobody's silence."""
    if answer.finish or answer.text.damage or facts.ended == "complete":
        return None
    if facts.ended == "cut":
        return Verification(verdict="truncated", detail="connection cut", scope=Scope.UNDETERMINED)
    is_whole = reply.close.count > 0 if reply.streamed else not reply.unread
    if is_whole or answer.loop is not None or (answer.is_visible and not answer.has_calls):
        return None  # what was said until then can be judged
    return _unverifiable("the client left")


def _is_noise(facts: Facts, reply: Reply) -> bool:
    framing = facts.framing
    return framing is not None and reply.events == 0 and bool(framing.unknown_fields or framing.invalid_utf8)


def _wrote_bad_call(facts: Facts, reply: Reply) -> bool:
    kinds = {fault.kind for fault in reply.call_faults}
    if facts.ended == "cut" or any(not kind.startswith("arguments-") for kind in kinds):
        return False
    return not kinds.isdisjoint(CALLS_BY_MODEL)


def _answer(facts: Facts, reply: Reply, loop: Loop | None) -> _Answer:
    reasons = [end.reason.lower() for choice in reply.choices for end in choice.finishes]
    asked, choices, spent = facts.asked, reply.choices, reply.usage.output_tokens
    cut = any(reason in ends.LIMITS for reason in reasons)  # by the request's own cap, where it had one
    return _Answer(
        text=reply.text,
        is_visible=any(choice.visible or choice.other_output for choice in choices),
        finish=next(
            (r for r in reasons if r in ends.LIMITS | ends.FILTERS | ends.BAD_CALLS | ends.ERRORS), "".join(reasons[:1])
        ),
        has_calls=any(choice.calls for choice in choices) or any(reason in ends.CALLS for reason in reasons),
        was_refused=any(choice.refusal_chars for choice in choices) or any(map(ends.is_withheld, reasons)),
        is_capped=None if asked is None else asked.cap is not None and (cut or (spent or 0) >= asked.cap),
        loop=loop,
        charset=of_asked(asked),
    )


def _judge(answer: _Answer) -> Verification:
    """Apply the rules in order: what is certain of the bytes first, then what the end of the answer explains."""
    if answer.text.damage:
        return _mangled(answer)
    if answer.finish in ends.ERRORS:
        return _unverifiable("error finish")
    if answer.was_refused:
        return Verification(verdict="refused", detail="withheld by a filter or refused", scope=Scope.UNDETERMINED)
    if answer.loop is not None:
        detail = f"{answer.loop.unit_chars} characters {answer.loop.times} times over"
        return Verification(verdict="looping", detail=detail, model_attributable=True, scope=Scope.MODEL)
    if answer.finish in ends.BAD_CALLS:
        detail = "malformed tool call"
        return Verification(verdict="malformed", detail=detail, model_attributable=True, scope=Scope.MODEL)
    return _unverifiable(CALL) if answer.has_calls else _ended(answer)


def _ended(answer: _Answer) -> Verification:
    """Judge an answer in words by what there is of it and how it ended."""
    was_limited = answer.finish in ends.LIMITS
    unexplained = answer.is_capped is False or (answer.is_capped is None and not was_limited)
    if answer.finish in ends.SILENT and not (answer.is_visible and answer.text.chars):
        return _unverifiable(f"finish {answer.finish}")
    if not answer.is_visible and unexplained:
        return Verification(verdict="malformed", detail=EMPTY, model_attributable=True, scope=Scope.MODEL)
    if not answer.is_visible or (was_limited and not unexplained):
        return _unverifiable("the request is not known" if answer.is_capped is None else "capped by the client")
    if was_limited:
        return Verification(verdict="truncated", detail="cut by a limit not ours", scope=Scope.UNDETERMINED)
    if not answer.text.non_ascii:
        return Verification(verdict="ok", detail=ASCII_ONLY)
    return Verification(verdict="ok", signatures=_absent(answer))


def _mangled(answer: _Answer) -> Verification:
    """Tell damage: the request's profile and the signature decide whose it is."""
    charset, text = answer.charset, answer.text
    blame = attribute(text, None if charset is None else charset.ascii, () if charset is None else charset.damage)
    first = blame.damage or text.damage[0]
    others = [damage for damage in text.damage if damage is not first]
    scope = blame.scope or Scope.UNDETERMINED
    return Verification(
        verdict="mangled",
        detail=f"{first.kind} [{scope.value}]: {first.count} × {first.sample}".rstrip(" ×"),
        model_attributable=blame.violated and charset is not None and charset.ascii,
        scope=scope,
        signatures=tuple(
            SignatureSeen(name=damage.kind, confidence="high", count=damage.count, sample=damage.sample)
            for damage in (first, *others)
        ),
    )


def _absent(answer: _Answer) -> tuple[SignatureSeen, ...]:
    if answer.charset is None or not answer.charset.ascii:
        return ()
    return (SignatureSeen(name=ABSENT, confidence="low", count=answer.text.non_ascii),)


def _scanned(text: str) -> Text:
    if text.isascii() and "<" not in text:  # byte tokens are all that can be wrong with ASCII
        return Text(chars=len(text))
    scanner = Scanner()
    scanner.feed(text)
    return scanner.finish()


def _status(status: int) -> Verification:
    return _unverifiable(f"status {status}")


def _unverifiable(detail: str) -> Verification:
    return Verification(verdict="unverifiable", detail=detail)


def _is_success(status: int) -> bool:
    return 200 <= status < 300  # noqa: PLR2004 - RFC 9110, section 15.3
