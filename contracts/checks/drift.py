"""Nothing about a listed model changed since the last poll.

What it checks
    Price, context length, quantization, parameters and deprecation date against the listing that the last poll
    kept. One capture has no poll before it.

Why it matters
    A price or a context length that changes overnight breaks budgets and prompts.

Example:
    check: {kind: drift}

Source
    https://openrouter.ai/docs/api-reference/list-available-models, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import counted, holds, is_success, not_applicable, unknown, violated

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


SHOWN = 5  # changes told in words; the count tells the rest


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`ignore`: members whose changes are no news for this provider (`price`, `listed` …)."""

    ignore: tuple[str, ...] = ()


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge what changed since the last poll."""
    if facts.kind != "listing":
        return not_applicable("judges listings")
    if facts.changes is None:
        return not_applicable("a capture has no earlier poll to compare with")
    if not is_success(facts) or facts.listing is None:
        return unknown("the listing could not be read (models.shape)")
    changes = [c for c in facts.changes if c.member not in want.ignore]
    if not changes:  # of a first poll too, so the words claim no earlier one
        return holds(f"{counted(len(facts.listing.models), 'model')}, no change since an earlier poll")
    told = [f"{c.model}: {c.member} {c.was or 'none'} → {c.now or 'none'}" for c in changes[:SHOWN]]
    more = f", and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return violated("; ".join(told) + more, expected="as at the last poll", observed=counted(len(changes), "change"))
