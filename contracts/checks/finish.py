"""Every choice that was opened ends exactly once, with a finish reason that agrees with what was sent.

What it checks
    One finish reason for each choice, of the dialect's vocabulary; a reason for calls exactly where calls were
    sent (a call that the request forced may end with `stop`, as OpenAI documents); no text after the end. An
    empty chunk after it is no second end.

Why it matters
    Without an end a complete answer cannot be told from a cut one; a second end closes a client twice; a wrong
    reason makes it start tools that were never called, or skip those that were.

Example:
    check: {kind: finish, reasons: [stop, length, tool_calls], for_calls: [tool_calls], repeats: allowed}

Source
    https://platform.openai.com/docs/api-reference/chat-streaming, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.checks import counted, holds, lost_tail, not_applicable, reply_of, times, unknown, unread, violated
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Choice, Facts, Reply


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`reasons`: the dialect's vocabulary, empty for an open one; `for_calls`: those that mean tool calls.

    `repeats: allowed` accepts the same reason again; `missing: allowed` a stream without any.
    """

    reasons: tuple[str, ...] = ()
    for_calls: tuple[str, ...] = ()
    stops: tuple[str, ...] = ("stop",)
    repeats: Literal["forbidden", "allowed"] = "forbidden"
    missing: Literal["forbidden", "allowed"] = "forbidden"


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the end of every choice."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    why = unread(facts, reply)
    if not reply.choices:
        return unknown(why) if why else not_applicable("no choice was opened")
    for choice in reply.choices:
        verdict = _choice(facts, reply, choice, want)
        if verdict is not None:
            return verdict
    if why:
        return unknown(why)
    reasons = sorted({f.reason for c in reply.choices for f in c.finishes})
    return holds(f"ended with {', '.join(reasons)}" if reasons else "no finish reason is sent, as the row says")


def _choice(facts: Facts, reply: Reply, choice: Choice, want: Parameters) -> Verdict | None:
    """Judge one choice; None where it ended well."""
    name = f"choice {choice.index}"
    if not choice.finishes:
        return _unended(facts, reply, name, want)
    first = choice.finishes[0]
    where = Where(event=first.event, byte=first.byte)
    stray = next((f for f in choice.finishes if want.reasons and f.reason not in want.reasons), None)
    if stray is not None:
        return violated(
            f"{name} ended with '{stray.reason}', which is no finish reason of the dialect",
            expected=" or ".join(want.reasons),
            observed=stray.reason or "an empty reason",
            where=Where(event=stray.event, byte=stray.byte),
        )
    if choice.finish_count > 1:
        same = len({f.reason for f in choice.finishes}) == 1
        if want.repeats == "forbidden" or not same:
            second = choice.finishes[1]
            detail = f"{name} ended {times(choice.finish_count)}" + ("" if same else ", with different reasons")
            observed = ", ".join(f.reason for f in choice.finishes)
            return violated(
                detail, expected="once", observed=observed, where=Where(event=second.event, byte=second.byte)
            )
    if choice.after_finish is not None:
        late = choice.after_finish
        expected = late.detail or "nothing after the end"
        return violated(f"{late.kind} came after {name} had ended", expected=expected, observed=late.kind, at=late)
    return _agrees(facts, reply, choice, want, where)


def _unended(facts: Facts, reply: Reply, name: str, want: Parameters) -> Verdict | None:
    """Judge a choice that never ended."""
    if want.missing == "allowed":
        return None
    if facts.errors:
        return unknown("the answer ended in an error (reply.error)")
    why = unread(facts, reply) or lost_tail(facts)
    if why:
        return unknown(why)
    cut = " and the body ends inside an event" if facts.framing and facts.framing.tail_data else ""
    return violated(f"{name} never ended{cut}", expected="one finish reason", observed="none")


def _agrees(facts: Facts, reply: Reply, choice: Choice, want: Parameters, where: Where) -> Verdict | None:
    """Judge whether reason and content agree, where the dialect has a reason for calls."""
    reason = choice.finishes[-1].reason
    if not want.for_calls or unread(facts, reply):
        return None
    if reason in want.for_calls and not choice.calls:
        detail = f"choice {choice.index} ended with '{reason}' and no tool call was sent"
        return violated(detail, expected="a tool call", observed="none", where=where)
    forced = facts.asked is None or facts.asked.forced_call
    if reason in want.stops and choice.calls and not forced:
        detail = f"choice {choice.index} ended with '{reason}' after {counted(choice.calls, 'tool call')}"
        return violated(detail, expected=" or ".join(want.for_calls), observed=reason, where=where)
    return None
