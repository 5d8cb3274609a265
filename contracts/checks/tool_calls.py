"""Tool calls can be assembled without guessing.

What it checks
    In a stream: every delta of a call carries its index; id and name come once, and first. In every answer: no two
    calls of a choice share an id, no name holds quotes, braces or a model's control tokens, and the arguments are
    text that assembles into exactly one JSON object (an object where the dialect sends one). Arguments that the token
    limit cut are no fault of theirs.

Why it matters
    Clients merge deltas by index: two calls on one index become one call with `{…}{…}` for arguments. They send results
    back by id: where two calls have one, the next request is refused.

Example:
    check: {kind: tool_calls, index: required, arguments: text}

Source
    https://platform.openai.com/docs/api-reference/chat-streaming, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.checks import counted, holds, lost_tail, not_applicable, reply_of, unknown, unread, violated
from contracts.model import Scope, Verdict

if TYPE_CHECKING:
    from contracts.facts import Facts, Fault

# What the model wrote; all else is what the provider made of it.
BY_MODEL = ("arguments-malformed", "arguments-control-character", "arguments-duplicate-key", "arguments-nan",
            "arguments-overflow", "arguments-not-object", "arguments-concatenated", "arguments-truncated",
            "arguments-too-deep")  # fmt: skip
INCOMPLETE = ("arguments-truncated", "arguments-empty", "id-missing", "name-missing")
EXPECTED = {
    "index-missing": "an index on every delta",
    "index-negative": "an index that counts from 0",
    "id-shared": "an id for each call",
    "name-malformed": "the name of a tool",
    "deltas-differ": "deltas that bring what the whole says",
}
LIMIT = ("arguments-too-large", "too-many-calls")


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`index: optional` for providers that leave it out; `repeats: allowed` where id and name come with every delta.

    `empty: allowed` takes empty arguments for a call without any; `ids: optional` where the dialect has none.
    """

    index: Literal["required", "optional"] = "required"
    arguments: Literal["text", "object"] = "text"
    repeats: Literal["forbidden", "allowed"] = "forbidden"
    empty: Literal["forbidden", "allowed"] = "forbidden"
    ids: Literal["required", "optional"] = "required"


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge all tool calls of a reply."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    calls = sum(c.calls for c in reply.choices)
    faults = [f for f in reply.call_faults if f.kind not in _allowed(want)]
    limit = next((f for f in faults if f.kind in LIMIT), None)
    faults = [f for f in faults if f.kind not in LIMIT]
    why = unread(facts, reply)
    if not calls and not faults:
        return unknown(why) if why else not_applicable("no tool call was sent")
    why = why or lost_tail(facts) or ("the answer ended in an error (reply.error)" if facts.errors else None)
    if why:
        faults = [f for f in faults if f.kind not in INCOMPLETE]
    if faults:
        first = min(faults, key=_rank)
        scope = Scope.MODEL if first.kind in BY_MODEL else None
        return violated(first.detail, expected=_expected(first, want), observed=first.kind, scope=scope, at=first)
    if why or limit is not None:
        return unknown(why or (limit.detail if limit else ""))
    cut = next((f for f in reply.call_faults if f.kind == "arguments-cut"), None)
    return holds(counted(calls, "call") + (f"; the token limit cut one: {cut.detail}" if cut else ""))


def _allowed(want: Parameters) -> set[str]:
    """Give the kinds that are no fault under these parameters."""
    allowed = {"arguments-cut", f"arguments-{want.arguments}"}
    if want.index == "optional":
        allowed.add("index-missing")
    if want.repeats == "allowed":
        allowed |= {"id-repeated", "name-repeated"}
    if want.empty == "allowed":
        allowed.add("arguments-empty")
    if want.ids == "optional":
        allowed |= {"id-missing", "id-late"}
    return allowed


def _rank(fault: Fault) -> tuple[bool, int]:
    """Order faults: how calls are told apart comes first, as it explains broken arguments."""
    return (fault.kind.startswith("arguments"), fault.event or 0)


def _expected(fault: Fault, want: Parameters) -> str:
    """Say what should have been."""
    if fault.kind.startswith("arguments"):
        return "text that is one JSON object" if want.arguments == "text" else "one JSON object"
    return EXPECTED.get(fault.kind, "id and name once, on a call's first delta")
