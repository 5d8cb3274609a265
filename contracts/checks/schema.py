"""Each event of a stream, or the body, matches the dialect's schema.

What it checks
    Required members and types, by a schema written from the published API reference. Unknown members are
    allowed. The order of events, where the dialect's table states one: what may follow what, and which event opens
    and closes a block. Departures a row knows of are accepted by path: `choices[].delta.content: [array]`, `object:
    [absent]`.

Why it matters
    Typed clients abort at the first member that is missing or of another type.

Example:
    check: {kind: schema, accepts: {"choices[].delta.content": [array]}}

Source
    https://platform.openai.com/docs/api-reference/chat, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from contracts.checks import counted, holds, not_applicable, reply_of, times, unknown, unread, violated
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Facts


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`accepts`: by path, what may be found there beyond the schema: JSON type names, `absent`, or a constant."""

    accepts: dict[str, tuple[str, ...]] = field(default_factory=dict)


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the shape of a chat answer."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    departures = [f for f in facts.schema_faults if f.found.strip('"') not in want.accepts.get(f.path, ())]
    if departures:
        first = departures[0]
        more = f", and {counted(len(departures) - 1, 'more departure')}" if len(departures) > 1 else ""
        detail = f"{first.path}: expected {first.expected}, found {first.found}, {times(first.count)}{more}"
        where = Where(event=first.event, byte=first.byte)
        return violated(detail, expected=f"{first.path} {first.expected}", observed=first.found, where=where)
    if facts.body.kind == "empty":
        return not_applicable("the body is blank")
    why = unread(facts, reply)
    if why:
        return unknown(why)
    accepted = len(facts.schema_faults)
    return holds(f"{counted(accepted, 'departure')} that the row knows of" if accepted else "")
