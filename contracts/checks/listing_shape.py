"""The listing has the shape that the dialect or the row states, and distinct ids.

What it checks
    That the list is in its place, every entry has a text id there, and no id comes twice. An entry needs
    nothing but its id; page one of a paged listing is a listing.

Why it matters
    A resolver that cannot read the listing falls back to guesses.

Example:
    check: {kind: listing_shape}

Source
    https://platform.openai.com/docs/api-reference/models/list, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import counted, holds, is_success, not_applicable, unfinished, unknown, violated

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`faults` names the departures that a row knows of: `duplicate-id`, `no-id`."""

    accepts: tuple[str, ...] = ()


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge a model listing."""
    if facts.kind != "listing":
        return not_applicable("judges listings")
    if not is_success(facts):
        return not_applicable(f"judges 2xx answers, and the status is {facts.status}")
    if facts.body.over_limit is not None:
        return unknown(f"the listing is too large to judge: {facts.body.over_limit.detail}")
    stopped = unfinished(facts)
    if stopped and (facts.json_faults or facts.listing is None):
        return unknown(stopped)
    if facts.json_faults:
        fault = facts.json_faults[0]
        return violated(f"the listing is not strict JSON: {fault.kind} {fault.detail}", expected="JSON", at=fault)
    if facts.listing is None:
        return violated(f"the listing is {facts.body.kind}", expected="JSON", observed=facts.body.kind)
    faults = [f for f in facts.listing.faults if f.kind not in want.accepts]
    if faults:
        first = faults[0]
        more = f", and {first.count - 1} more" if first.count > 1 else ""
        return violated(f"{first.detail}{more}", expected="the stated shape", observed=first.kind)
    if stopped:
        return unknown(stopped)
    more = ", and it says that there are more" if facts.listing.more else ""
    return holds(f"{counted(len(facts.listing.models), 'model')}{more}")
