"""Bytes arrive as they are made.

What it checks
    With arrival times: that a stream does not come in one block, and has no stall longer than `stall_ms`. Captures have no
    arrival times.

Why it matters
    A hop that buffers turns a stream into one late block; a stall makes clients give up.

Example
    check: {kind: timing, stall_ms: 15000}

Source
    https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import not_applicable

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`stall_ms`: the standard advises a comment every 15 seconds, so a longer silence is a stall."""

    stall_ms: int = 15_000


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Say that arrival times are not there."""
    del facts, want
    return not_applicable("a capture has no arrival times")
