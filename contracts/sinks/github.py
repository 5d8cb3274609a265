"""Annotations for GitHub Actions on standard output, and the report in the step's summary.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands (read 2026-11-30): a command is a
line; ten annotations of a level are shown for a step, and a summary may have 1 MiB. What of more than ten is not
annotated is counted in a plain line of the log; the summary, written to `$GITHUB_STEP_SUMMARY`, has all of it.
"""

from __future__ import annotations

import os

from contracts.errors import ConfigError
from contracts.model import Finding, Outcome, Severity, StaleWaiver
from contracts.report import Report, worst_first
from contracts.sinks.about import About, Spot
from contracts.sinks.wording import explained, headline, placed, stale
from contracts.text.scrub import scrub

PER_LEVEL = 10
MAX_SUMMARY_BYTES = 1 << 20
LIMIT = 1_000  # characters of a message; GitHub cuts an annotation at 64 KiB, and a page shows a few lines
VARIABLE = "GITHUB_STEP_SUMMARY"

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render_report(report: Report, about: About) -> bytes:
    """The annotations in UTF-8, worst first."""
    levels: dict[str, list[Finding | StaleWaiver]] = {level: [] for level in _LEVELS.values()}
    for finding in worst_first(report.findings):
        level = _level(finding, about)
        if level is not None:
            levels[level].append(finding)
    levels["error" if about.counts_stale() else "warning"] += report.stale_waivers
    lines: list[str] = []
    for level, told in levels.items():
        lines += [_annotation(level, one, about) for one in told[:PER_LEVEL]]
        if len(told) > PER_LEVEL:
            lines.append(f"{len(told) - PER_LEVEL} more of level {level}")
    return "".join(f"{line}\n" for line in lines).encode()


def accompany(report: Report, about: About) -> None:
    """Append the report to the summary of the step, where there is one, as far as there is room in it.

    Raises:
        ConfigError: when the summary cannot be written.
    """
    path = about.environ.get(VARIABLE)
    if not path:
        return
    from contracts.sinks import markdown

    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            # What other commands of the step wrote is part of the limit; a summary beyond it is not shown at all.
            data = markdown.render(report, max(MAX_SUMMARY_BYTES - os.fstat(file).st_size, 0))
            written = os.write(file, data)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file for the summary ({VARIABLE}), found: {error.strerror}") from error
    if written != len(data):
        raise ConfigError(f"{path}: expected room for {len(data)} bytes of summary ({VARIABLE}), found {written}")


def _level(finding: Finding, about: About) -> str | None:
    if finding.outcome is Outcome.VIOLATED:
        return _LEVELS[finding.severity]
    if finding.outcome is Outcome.UNKNOWN:
        return "warning" if about.counts(finding) else "notice"
    return None


def _annotation(level: str, told: Finding | StaleWaiver, about: About) -> str:
    if isinstance(told, StaleWaiver):
        title = f"{scrub(told.provider, limit=100)}: waiver of {told.contract}"
        return _command(level, title, stale(told), about.waivers_spot(told.provider), about)
    title = headline(told) + ("" if told.outcome is Outcome.VIOLATED else f" ({told.outcome})")
    place = placed(told)
    message = explained(told) + (f" ({place})" if place else "")
    return _command(level, title, message, about.spot(told), about)


def _command(level: str, title: str, message: str, spot: Spot | None, about: About) -> str:
    properties = {"title": title}
    path = about.relative(spot.path) if spot is not None else None  # only files of the checkout can be annotated
    if spot is not None and path is not None:
        properties = {"file": path} | _numbers(spot.line, spot.column) | properties
    told = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {told}::{_data(message)}"


def _numbers(line: int | None, column: int | None) -> dict[str, str]:
    return {name: str(value) for name, value in (("line", line), ("col", column)) if value is not None}


def _data(text: str) -> str:
    shown = scrub(text, limit=LIMIT)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
