"""Usage is reported where it belongs, once, in whole numbers that add up.

What it checks
    In a stream: at most one report unless the request asked for one with every event; where it was asked for,
    it comes, and rides where `rides` says: `last` (an event without choices, with only the close behind it),
    `finish` (on the event that ends a choice) or `chunk`. Everywhere: counts are non-negative whole numbers
    whose sum is right, reasoning counted in or beside; what was cached is a part of the input, and reasoning that is
    counted in a part of the output; an answer that has text or a call, and has a prompt counted, has tokens too.

Why it matters
    Budgets are computed from it: a second report is counted twice, a missing one not at all.

Example:
    check: {kind: usage, events: once, rides: [last, finish]}

Source
    https://platform.openai.com/docs/api-reference/chat/create#chat-create-stream_options, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.checks import holds, lost_tail, reply_of, times, unknown, unread, violated
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Facts, Reply, Usage

PLACES = {
    "last": "last, on an event without choices",
    "early": "on an event without choices that others follow",
    "finish": "on the event that ends a choice",
    "chunk": "on an event with a choice that goes on",
    "body": "in the body",
}


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`events`: how often a stream reports; `rides`: where a report that was asked for may stand.

    `nothing: unsaid` where the dialect leaves out a count of nothing, so that one that is missing says little.
    """

    events: Literal["once", "many"] = "once"
    nothing: Literal["said", "unsaid"] = "said"
    rides: tuple[Literal["last", "early", "finish", "chunk"], ...] = ("last",)


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the usage of a reply."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    usage = reply.usage
    if usage.faults:
        return violated(usage.faults[0].detail, expected="whole numbers that add up", at=usage.faults[0])
    if reply.streamed:
        verdict = _stream(facts, reply, want)
        if verdict is not None:
            return verdict
    why = unread(facts, reply)
    if why:
        return unknown(why)
    if want.nothing == "said" and _uncounted(reply):
        detail = f"an answer came, and usage counts {usage.input_tokens} tokens in and none out"
        where = Where(event=usage.event, byte=usage.byte)
        return violated(detail, expected="the tokens of the answer", observed="0", where=where)
    if not usage.count:
        return holds("none was asked for and none came")
    return holds(f"{usage.input_tokens} in, {usage.output_tokens} out")


def _uncounted(reply: Reply) -> bool:
    """Tell whether a whole answer came of which no token is counted; a cache that answers counts neither in nor out."""
    ended = all(c.finishes for c in reply.choices)
    answered = any(c.visible or c.calls for c in reply.choices)
    return ended and answered and reply.usage.output_tokens == 0 and bool(reply.usage.input_tokens)


def _stream(facts: Facts, reply: Reply, want: Parameters) -> Verdict | None:
    """Judge how often and where a stream reported; None where that is right."""
    usage, asked = reply.usage, facts.asked
    where = Where(event=usage.event, byte=usage.byte)
    if usage.count > 1 and want.events == "once":
        if asked is None:
            return unknown("the request is not known, so usage may have been asked for with every event")
        if not asked.usage_every_event:
            return violated(f"usage came {times(usage.count)}", expected="once", observed=f"{usage.count}", where=where)
    if asked is None or not asked.usage:
        return None
    if not usage.count:
        why = unread(facts, reply) or lost_tail(facts)
        if why or facts.errors:
            return unknown(why or "the answer ended in an error (reply.error)")
        return violated("usage was asked for and never came", expected="usage", observed="none")
    return _placed(usage, want, where, every=asked.usage_every_event)


def _placed(usage: Usage, want: Parameters, where: Where, *, every: bool) -> Verdict | None:
    """Judge where usage stood."""
    if every or want.events == "many" or usage.placed in want.rides or usage.placed is None:
        return None
    expected = " or ".join(PLACES[p] for p in want.rides)
    return violated(f"usage came {PLACES[usage.placed]}", expected=expected, observed=usage.placed, where=where)
