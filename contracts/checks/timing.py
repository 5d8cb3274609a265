"""Bytes arrive as they are made.

What it checks
    With arrival times: that a stream does not come in one block, and has no stall longer than `stall_ms`.
    Captures have no arrival times.

Why it matters
    A hop that buffers turns a stream into one late block; a stall makes clients give up.

Example:
    check: {kind: timing, stall_ms: 15000}

Source
    https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, not_applicable, unknown, violated
from contracts.model import Scope

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


FEW_EVENTS = 5  # a reply this short may honestly be made and sent at once


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`stall_ms`: the standard advises a comment every 15 seconds, so a longer silence is a stall.

    `block_wait_ms`: how late the first byte has to be before one single block says that a hop buffered it.
    """

    stall_ms: int = 15_000
    block_wait_ms: int = 2_000


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge when the bytes of a stream arrived."""
    timing, framing = facts.timing, facts.framing
    if timing is None:
        return not_applicable("a capture has no arrival times")
    if framing is None:
        return not_applicable("the answer is no event stream")
    if timing.longest_gap_ms > want.stall_ms:
        observed = f"{timing.longest_gap_ms:.0f} ms"
        return violated("the stream stalled", expected=f"no gap above {want.stall_ms} ms", observed=observed)
    if framing.events < FEW_EVENTS:
        return unknown(f"{framing.events} events are too few to tell a buffered stream from a quick one")
    if timing.arrivals == 1 and (timing.first_byte_ms or 0) >= want.block_wait_ms:
        detail = f"{framing.events} events came in one block after {timing.first_byte_ms:.0f} ms"
        return violated(detail, expected="events as they are made", observed="one block", scope=Scope.UNDETERMINED)
    return holds(f"first byte after {timing.first_byte_ms or 0:.0f} ms, longest gap {timing.longest_gap_ms:.0f} ms")
