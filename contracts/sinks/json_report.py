"""The report as one JSON document."""

from __future__ import annotations

import msgspec

from contracts.report import Report, encode


def render(report: Report, *, indented: bool) -> bytes:
    """The report in UTF-8 with a line end: one line for programs, `indented` for people."""
    data = encode(report)
    return (msgspec.json.format(data, indent=2) if indented else data) + b"\n"
