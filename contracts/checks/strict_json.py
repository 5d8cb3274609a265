"""Each event of a stream, or the body, is exactly one strict JSON value.

What it checks
    RFC 8259 to the letter: no NaN or Infinity, no number beyond a double, no duplicate keys, no raw control
    characters, no second value behind the first, UTF-8. The first byte of the first fault is named.

Why it matters
    Parsers disagree on all of these: some refuse the whole answer, some read another value than their neighbour.

Example:
    check: {kind: strict_json}

Source
    https://www.rfc-editor.org/rfc/rfc8259, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import counted, holds, reply_of, times, unknown, unread, violated
from contracts.model import Verdict

if TYPE_CHECKING:
    from contracts.facts import Facts

WORDS = {
    "nan": "NaN or Infinity",
    "overflow": "a number beyond the range of a double",
    "duplicate-key": "a duplicate key",
    "concatenated": "a second value behind the first",
    "control-character": "a raw control character in a string",
    "invalid-utf8": "bytes that are no UTF-8",
    "too-deep": "nesting beyond the limit",
    "too-large": "a value beyond the size limit",
    "bom": "a byte order mark",
    "empty": "no value",
    "truncated": "a value that ends too early",
    "malformed": "text that is no JSON",
}


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the JSON of a chat answer."""
    del want
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    if facts.json_faults:
        first = min(facts.json_faults, key=lambda f: (f.event or 0, f.byte or 0))
        what = WORDS.get(first.kind, first.kind)
        detail = f"{what} came {times(first.count)}" + (f": {first.detail}" if first.detail else "")
        return violated(detail, expected="one strict JSON value", observed=first.kind, at=first)
    over = facts.framing.over_limit if facts.framing else None
    if over is not None and facts.body.kind == "ndjson":  # of an event stream it is sse.framing's
        return violated(f"a line is too large: {over.detail}", expected="values within the limit", at=over)
    why = unread(facts, reply)
    return unknown(why) if why else holds(f"{counted(reply.events, 'value')} read")
