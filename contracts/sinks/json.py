"""The report as one JSON document, for programs: `contracts schema report` is its schema."""

from __future__ import annotations

import msgspec

from contracts.report import Report, encode
from contracts.sinks.about import About


def render_report(report: Report, about: About) -> bytes:
    """The report in UTF-8 with a line end: one line for programs, indented for people."""
    data = encode(report)
    return (msgspec.json.format(data, indent=2) if about.indented else data) + b"\n"
