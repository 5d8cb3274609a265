"""A success carries text or a tool call.

What it checks
    The whole reply, not each choice: visible text, a refusal, a tool call, audio or an image. Reasoning alone
    is no answer. An empty reply that the request's own token cap or the provider's content filter explains, by
    finish reason or token count, is no violation.

Why it matters
    An empty success is shown as silence, is billed, and no retry is made.

Example:
    check: {kind: not_empty}

Source
    https://platform.openai.com/docs/api-reference/chat/object, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, lost_tail, not_applicable, reply_of, unknown, unread, violated
from contracts.model import Scope, Verdict

if TYPE_CHECKING:
    from contracts.facts import Facts, Reply


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`cut_reasons` say that a limit cut the reply, `filtered` that a filter withheld it.

    `of_model` say that the model wrote what the provider could not use.
    """

    cut_reasons: tuple[str, ...] = ("length",)
    filtered: tuple[str, ...] = ("content_filter",)
    of_model: tuple[str, ...] = ()


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge whether there is an answer."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    if any(c.visible or c.refusal_chars or c.calls or c.other_output for c in reply.choices):
        return holds()
    if facts.errors:
        return not_applicable("the answer is an error (reply.error)")
    why = unread(facts, reply) or lost_tail(facts) or _dropped(facts, reply)
    if why:
        return unknown(why)
    if any(f.kind == "duplicate-key" for f in facts.json_faults):
        return unknown("a key came twice, and what it says depends on the parser (reply.json)")
    return _explained(facts, reply, want) or _empty(reply, want)


def _dropped(facts: Facts, reply: Reply) -> str | None:
    """Say where in a stream the answer may have been that no parser gives; of one without any event nothing is left."""
    framing = facts.framing
    if framing is None or not reply.events:
        return None
    if framing.unknown_fields:
        return "lines were dropped that may have held the answer (sse.framing)"
    return "the body ends inside an event that may have held the answer" if framing.tail_data else None


def _explained(facts: Facts, reply: Reply, want: Parameters) -> Verdict | None:
    """Find what explains an empty reply: the request's own cap, or a filter."""
    reasons = {f.reason for c in reply.choices for f in c.finishes}
    asked, spent = facts.asked, reply.usage.output_tokens
    if asked is not None and asked.cap is not None:
        reached = spent is not None and spent >= asked.cap
        if reached or reasons & set(want.cut_reasons):
            detail = f"empty, as the request capped it at {asked.cap_name} {asked.cap}"
            return holds(detail, scope=Scope.PIPELINE)
    if asked is None and reasons & set(want.cut_reasons):
        return unknown("the request is not known, so a cap of its own may have cut the reply")
    if reasons & set(want.filtered):
        return holds(f"withheld by a filter ({', '.join(sorted(reasons))})")
    return None


def _empty(reply: Reply, want: Parameters) -> Verdict:
    """Say what came instead of an answer, and whose fault that makes it."""
    reasoning = sum(c.reasoning_chars for c in reply.choices)
    spent = reply.usage.output_tokens
    reasons = sorted({f.reason for c in reply.choices for f in c.finishes})
    words = [f"finish {', '.join(reasons)}"] if reasons else ["no finish reason"]
    if spent is not None:
        words.append(f"{spent} completion tokens")
    if reasoning:
        words.append(f"{reasoning} characters of reasoning")
    # No tokens, or no choice at all: the model never ran. Reasoning without an answer is the model's doing.
    by_model = reasoning or (spent and reply.choices) or set(reasons) & set(want.of_model)
    scope = Scope.MODEL if by_model else Scope.PROVIDER
    return violated(f"no answer: {', '.join(words)}", expected="text or a tool call", observed="nothing", scope=scope)
