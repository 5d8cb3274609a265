"""The findings as JSON Lines, one a line, for log pipelines: `contracts schema finding` is the schema of a line."""

from __future__ import annotations

from contracts.report import Report, encode
from contracts.sinks.about import About


def render_report(report: Report, about: About) -> bytes:
    """Each finding as it stands in the report, in UTF-8, in the order of the report."""
    del about
    return b"".join(_one_line(encode(finding)) + b"\n" for finding in report.findings)


def _one_line(data: bytes) -> bytes:
    r"""Write as \u escapes what may pass for the end of a line or for a command to a terminal; JSON means the same."""
    text = data.decode()
    if text.isprintable():
        return data
    return "".join(char if char.isprintable() else _escaped(char) for char in text).encode()


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
