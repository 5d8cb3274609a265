"""Text carries no encoding damage that the request did not bring in.

What it checks
    All text of a reply, joined over its events: double-encoded UTF-8 (latin-1 or cp1252, also twice over; cp437,
    cp850, cp1250, cp1251, koi8-r, mac-roman, gbk, cp932), U+FFFD, unpaired surrogates, leaked byte-level BPE
    alphabet, SentencePiece's ▁ and byte tokens, 锟斤拷 and 烫烫烫. The pages from cp437 on and ▁ are looked for in the
    4,096 characters from the first beyond ASCII on, and in all where they are found there. Whose fault it is
    follows from the signature and the request: what the request brought in is ours, and so is what came intact
    and was sent damaged; other damage in the answer to a pure ASCII request is not; all else is undetermined.

Why it matters
    Damaged text is valid text: no parser complains, and users see it first.

Example:
    check: {kind: text_intact}

Source
    https://encoding.spec.whatwg.org/#windows-1252, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, lost_tail, reply_of, unknown, unread, violated
from contracts.model import Verdict, Where
from contracts.text.attribution import attribute

if TYPE_CHECKING:
    from contracts.facts import Facts


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the text of a reply."""
    del want
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    text, asked = reply.text, facts.asked
    blame = attribute(text, asked.ascii if asked else None, asked.damage if asked else ())
    if blame.damage is not None:
        if not blame.violated:
            return holds(blame.sentence, scope=blame.scope)
        where = Where(event=blame.damage.event, byte=blame.damage.byte)
        observed = f"{blame.damage.kind} {blame.damage.sample}".strip()
        return violated(blame.sentence, expected="intact text", observed=observed, scope=blame.scope, where=where)
    why = unread(facts, reply) or (lost_tail(facts) if not text.chars else None)
    if why:
        return unknown(why)
    return holds(blame.sentence if text.chars else "no text came")
