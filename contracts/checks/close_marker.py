"""The close of a stream arrives exactly once and last.

What it checks
    That the dialect's close marker, or the one the row names, came once and no event came after it. With
    `sentinel: none` the stream must not carry one.

Why it matters
    Clients that wait for the close hang or report a cut stream; what comes after it is never read.

Example:
    check: {kind: close_marker, sentinel: "[DONE]"}

Source
    https://platform.openai.com/docs/api-reference/chat-streaming, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.checks import holds, lost_tail, not_applicable, reply_of, times, unknown, violated
from contracts.facts import Reply
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Facts

NONE = "none"
PAYLOAD = "[DONE]"  # no JSON, so no line of NDJSON


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`sentinel`: the payload or event that closes a stream, or `none`.

    `missing: allowed` for a provider that sends it only sometimes.
    """

    sentinel: str = NONE
    missing: Literal["forbidden", "allowed"] = "forbidden"


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the close."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    if not reply.streamed:
        return not_applicable("the answer was not streamed")
    return _close(facts, reply, want)


def _close(facts: Facts, reply: Reply, want: Parameters) -> Verdict:
    """Judge the close of a stream."""
    close, where = reply.close, Where(event=reply.close.event, byte=reply.close.byte)
    if want.sentinel == NONE:
        if close.count:
            return violated("a close marker came, and streams here have none", expected="none", where=where)
        return holds("no close marker came, and streams here have none")
    if not close.count:
        return _missing(facts, reply, want)
    if close.count > 1:
        return violated(f"the close came {times(close.count)}", expected="once", at=close.after)
    if close.after is not None:
        expected = close.after.detail or "nothing"
        return violated("events came after the close", expected=expected, observed=close.after.kind, at=close.after)
    return holds()


def _missing(facts: Facts, reply: Reply, want: Parameters) -> Verdict:
    """Judge a stream that came without its close."""
    if want.sentinel == PAYLOAD and facts.body.kind == "ndjson":
        return not_applicable(f"the answer is NDJSON, which cannot hold {PAYLOAD} (http.media-type)")
    if want.missing == "allowed":
        return holds("no close came, which the row allows")
    if facts.errors:
        return unknown("the stream ended in an error (reply.error)")
    if reply.last_unread and want.sentinel != PAYLOAD:
        return unknown("the last event could not be read, and may have been the close (reply.json)")
    lost = lost_tail(facts)
    if lost:
        return unknown(lost)
    return violated("the stream ended without its close", expected=want.sentinel, observed="nothing")
