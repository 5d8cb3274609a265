"""The body decodes as its Content-Encoding says.

What it checks
    Whether the raw bytes of a body are coded as its `Content-Encoding` claims. Captures hold bodies that a client has
    already decoded, often beside the header it decoded them by, so they cannot show it.

Why it matters
    A gzip header over a plain body makes every client fail; a coded body without the header arrives as binary text.

Example:
    check: {kind: content_decodes}

Source
    https://www.rfc-editor.org/rfc/rfc9110#section-8.4, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, not_applicable, violated
from contracts.model import Where

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the coding of a body whose raw bytes were seen."""
    del want
    coding = facts.coding
    if coding is None:
        return not_applicable("a capture holds the decoded body; only raw bytes from the wire show its coding")
    if coding.fault is not None:
        detail = f"Content-Encoding {coding.declared}: {coding.fault.detail or coding.fault.kind}"
        where = Where(byte=coding.fault.byte, header="content-encoding")
        return violated(detail, expected=coding.declared, observed=coding.fault.kind, where=where)
    return holds(observed=coding.declared)
