"""The findings as JSON Lines, one a line, for log pipelines: `contracts schema finding` is the schema of a line."""

from __future__ import annotations

from contracts.report import Report, encode
from contracts.sinks.about import About


def render_report(report: Report, about: About) -> bytes:
    """Each finding as it stands in the report, in UTF-8, in the order of the report."""
    del about
    return b"".join(encode(finding) + b"\n" for finding in report.findings)
