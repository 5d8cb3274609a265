"""The rules by which an answer gets its word; `text.verdict` asks them of a text, or of Facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from contracts.model import Scope
from contracts.text import ends
from contracts.text.attribution import attribute

if TYPE_CHECKING:
    from contracts.facts import Text
    from contracts.text.charset import RequestCharset
    from contracts.text.looping import Loop

Word = Literal["ok", "malformed", "mangled", "looping", "truncated", "refused", "unverifiable"]
Confidence = Literal["high", "low"]
FAULTS = ("mangled", "malformed", "looping")  # the words that say that something is wrong with what was said

EMPTY = "empty response"  # the detail by which a router finds it; it is never worded otherwise
ASCII_ONLY = "ASCII only"  # of an `ok`: it says nothing of a wire that damages what is beyond ASCII
ABSENT = "non-ascii-absent-from-input"
CALL = "tool call"
REPETITION = "repetition"


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


class Answer(NamedTuple):
    """All that the rules ask about."""

    text: Text
    is_visible: bool
    finish: str
    has_calls: bool
    was_refused: bool
    is_capped: bool | None  # None: the request is not known
    loop: Loop | None
    is_own_end: bool  # of the text that was searched for a loop
    charset: RequestCharset | None


def judge(answer: Answer) -> Verification:
    """Apply the rules in order: what is certain of the bytes first, then what the end of the answer explains."""
    if answer.text.damage:
        return _mangled(answer)
    if answer.finish in ends.ERRORS:
        return unverifiable("error finish")
    if answer.was_refused:
        return Verification(verdict="refused", detail="withheld by a filter or refused", scope=Scope.UNDETERMINED)
    if answer.finish in ends.BAD_CALLS:
        detail = "malformed tool call"
        return Verification(verdict="malformed", detail=detail, model_attributable=True, scope=Scope.MODEL)
    if answer.loop is not None:
        return _looping(answer.loop, is_own_end=answer.is_own_end)
    return unverifiable(CALL) if answer.has_calls else _ended(answer)


def _ended(answer: Answer) -> Verification:
    """Judge an answer in words by what there is of it and how it ended."""
    was_limited = answer.finish in ends.LIMITS
    unexplained = answer.is_capped is False or (answer.is_capped is None and not was_limited)
    if answer.finish in ends.SILENT and not (answer.is_visible and answer.text.chars):
        return unverifiable(f"finish {answer.finish}")
    if not answer.is_visible and unexplained:
        return Verification(verdict="malformed", detail=EMPTY, model_attributable=True, scope=Scope.MODEL)
    if not answer.is_visible or (was_limited and not unexplained):
        return unverifiable("the request is not known" if answer.is_capped is None else "capped by the client")
    if was_limited:
        return Verification(verdict="truncated", detail="cut by a limit not ours", scope=Scope.UNDETERMINED)
    if not answer.text.non_ascii:
        return Verification(verdict="ok", detail=ASCII_ONLY)
    return Verification(verdict="ok", signatures=_absent(answer))


def _mangled(answer: Answer) -> Verification:
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
        signatures=(
            *(
                SignatureSeen(name=damage.kind, confidence="high", count=damage.count, sample=damage.sample)
                for damage in (first, *others)
            ),
            *_absent(answer),
        ),
    )


def _looping(loop: Loop, *, is_own_end: bool) -> Verification:
    return Verification(
        verdict="looping",
        detail=f"{loop.unit_chars} characters {loop.times} times over",
        model_attributable=not is_own_end,
        scope=Scope.UNDETERMINED if is_own_end else Scope.MODEL,
        signatures=(SignatureSeen(name=REPETITION, confidence="low" if is_own_end else "high", count=loop.times),),
    )


def _absent(answer: Answer) -> tuple[SignatureSeen, ...]:
    intact = answer.text.intact_non_ascii
    if answer.charset is None or not answer.charset.ascii or not intact:
        return ()
    return (SignatureSeen(name=ABSENT, confidence="low", count=intact),)


def unverifiable(detail: str) -> Verification:
    """Give what is said of an answer that shows nothing, and why."""
    return Verification(verdict="unverifiable", detail=detail)
