"""Check kinds, one file each, and the words in which all of them answer.

The name of a file is the kind a contract names. Each module has a Struct `Parameters` and a function
`judge(facts, want) -> Verdict`, or `judge_model(facts, want, model) -> Verdict` where every allowed model is judged
for itself. A check judges Facts only and never raises on odd ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.model import Outcome, Scope, Verdict, Where
from contracts.wire import status

if TYPE_CHECKING:
    from contracts.facts import Facts, Fault, Reply


def holds(detail: str = "", *, observed: str | None = None, scope: Scope | None = None) -> Verdict:
    """The promise is kept; `detail` may add a fact worth knowing."""
    return Verdict(outcome=Outcome.HOLDS, detail=detail, observed=observed, scope=scope)


def violated(  # noqa: PLR0913 - the parts of a verdict, all by name
    detail: str,
    *,
    expected: str | None = None,
    observed: str | None = None,
    scope: Scope | None = None,
    at: Fault | None = None,
    where: Where | None = None,
) -> Verdict:
    """The promise is broken; `at` or `where` is the first place."""
    place = where or (Where(event=at.event, byte=at.byte) if at else Where())
    return Verdict(
        outcome=Outcome.VIOLATED, detail=detail, expected=expected, observed=observed, scope=scope, where=place
    )


def unknown(reason: str) -> Verdict:
    """The promise could not be judged, and why."""
    return Verdict(outcome=Outcome.UNKNOWN, reason=reason, detail=reason)


def not_applicable(reason: str) -> Verdict:
    """The promise says nothing about this evidence, and why."""
    return Verdict(outcome=Outcome.NOT_APPLICABLE, reason=reason, detail=reason)


def is_success(facts: Facts) -> bool:
    """Tell whether the status is 2xx (RFC 9110, section 15.3)."""
    return status.is_success(facts.status)


def reply_of(facts: Facts) -> Reply | Verdict:
    """Give the reply of a chat answer, or the verdict of every check that has none to judge."""
    if facts.kind != "chat":
        return not_applicable(f"judges chat answers, and this is a {facts.kind} answer")
    if not is_success(facts):
        return not_applicable(f"judges 2xx answers, and the status is {facts.status}")
    if facts.body.over_limit is not None:
        return unknown(f"the body is too large to judge: {facts.body.over_limit.detail}")
    stopped = unfinished(facts)
    if stopped and (facts.reply is None or not facts.reply.streamed):
        return unknown(stopped)
    if facts.reply is None:
        return unknown(f"the body is {facts.body.kind}, which holds no reply")
    return facts.reply


def unfinished(facts: Facts) -> str | None:
    """Say why reading stopped before the end of an answer, or None; what would have come later is nobody's fault."""
    return facts.limits[0].detail or facts.limits[0].kind if facts.limits else None


def unread(facts: Facts, reply: Reply) -> str | None:
    """Say why a reply was not read in full, or None; what depends on the part that is missing is `unknown`.

    A blank body was read in full: it holds no value.
    """
    if reply.unread and facts.body.kind != "empty":
        return f"{counted(reply.unread, 'event')} could not be read (reply.json)"
    return unfinished(facts)


def lost_tail(facts: Facts) -> str | None:
    """Say that an event was too large, or the last one sent whole and never ended, or not waited for, or None."""
    if facts.limits:
        return unfinished(facts)
    if facts.framing is not None and facts.framing.over_limit is not None:
        return "an event was too large to be read (sse.framing)"
    if facts.framing is not None and facts.framing.tail_whole:
        return "the last event was never ended by a blank line (sse.framing)"
    return None


def counted(count: int, noun: str) -> str:
    """Count a noun whose plural takes an s: `1 call`, `2 calls`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def times(count: int) -> str:
    """Say how often: `once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"
