"""All ids of one reply are equal.

What it checks
    The ids that were sent and are not empty.

Why it matters
    Clients that merge events by id shatter a reply whose id changes.

Example:
    check: {kind: same_id}

Source
    https://platform.openai.com/docs/api-reference/chat-streaming, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, not_applicable, reply_of, unknown, unread, violated
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Facts


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the ids of a reply."""
    del want
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    if len(reply.ids) > 1:
        second = reply.ids[1]
        where = Where(event=second.event, byte=second.byte)
        observed = ", ".join(i.value for i in reply.ids[:3])
        return violated("the id changes inside one reply", expected=reply.ids[0].value, observed=observed, where=where)
    why = unread(facts, reply)
    if why:
        return unknown(why)
    return holds() if reply.ids else not_applicable("no id was sent")
