"""Nothing about a listed model changed since the last poll.

What it checks
    Price, context length, quantization, parameters and deprecation date against the listing that the last poll kept. One capture
    has no poll before it.

Why it matters
    A price or a context length that changes overnight breaks budgets and prompts.

Example
    check: {kind: drift}

Source
    https://openrouter.ai/docs/api-reference/list-available-models, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import not_applicable

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Say that there is nothing to compare with."""
    del facts, want
    return not_applicable("a capture has no earlier poll to compare with")
