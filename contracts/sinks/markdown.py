"""Markdown, for pull requests, wikis and summaries: a table of the providers, then what is not in order of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contracts.model import Finding, Outcome
from contracts.report import Report, status_of, worst_first
from contracts.sinks.about import About
from contracts.sinks.wording import explained, placed, shared, stale, subject_of
from contracts.text.scrub import scrub

LIMIT = 500  # characters of one cell: more makes a table that nobody reads
_NOT_IN_ORDER = (Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.WAIVED)

# What begins something within a line of CommonMark, of GitHub's tables, bare links, mentions and formulas, or of HTML,
# becomes a reference, which never means structure (https://spec.commonmark.org/0.31.2/, section 2.5, read 2026-11-30);
# a backslash before a bar may end a table's cell.
_REFERENCES = {ord(char): f"&#{ord(char)};" for char in "\\`*_{}[]<>#|~&@:$"}
_WWW = {ord("."): "&#46;"}


def render_report(report: Report, about: About) -> bytes:
    """The report in UTF-8."""
    del about
    return render(report, None)


def render(report: Report, max_bytes: int | None) -> bytes:
    """The report, worst first, cut between two lines so that it fits in `max_bytes`, and says what is left out."""
    subjects: dict[str, list[Finding]] = {}
    for finding in worst_first(report.findings):
        subjects.setdefault(subject_of(finding), []).append(finding)
    parts = (*_head(report), *_verdicts(subjects, report), *_details(subjects), *_stale(report))
    lines = [f"{line}\n".encode() for line in parts]
    if max_bytes is None or sum(map(len, lines)) <= max_bytes:
        return b"".join(lines)
    kept, size = 0, len(_left_out(len(lines)))
    while kept < len(lines) and size + len(lines[kept]) <= max_bytes:
        size += len(lines[kept])
        kept += 1
    return b"".join((*lines[:kept], _left_out(len(lines) - kept)))[:max_bytes]


def escape(text: str) -> str:
    """Make a text say itself in Markdown, also in a table's cell: on one line, without a link, a mention or a tag."""
    shown = scrub(text, limit=LIMIT).translate(_REFERENCES)
    return shown.translate(_WWW) if "www." in shown.lower() else shown


def _head(report: Report) -> Iterable[str]:
    counts = report.summary
    yield "# Contracts"
    yield ""
    yield (
        f"{counts.violated} violated, {counts.unknown} unknown, {counts.waived} waived, {counts.holds} hold, "
        f"{counts.not_applicable} not applicable. Spend {report.spend_usd} USD, {report.duration_ms} ms."
    )


def _verdicts(subjects: dict[str, list[Finding]], report: Report) -> Iterable[str]:
    if not subjects:
        yield from ("", "Nothing was judged.")
        return
    yield from ("", "| provider | verdict | violated | unknown | waived |", "|---|---|---:|---:|---:|")
    polled = {one.provider: one.polled_at for one in report.shared}
    for name, findings in subjects.items():
        status, severity = status_of(findings)
        verdict = f"**{status}** ({severity})" if status == "violated" else status
        verdict += f", {shared(polled[name])}" if name in polled else ""
        counts = (sum(f.outcome is outcome for f in findings) for outcome in _NOT_IN_ORDER)
        yield f"| {escape(name)} | {verdict} | {' | '.join(map(str, counts))} |"


def _details(subjects: dict[str, list[Finding]]) -> Iterable[str]:
    for name, findings in subjects.items():
        told = [f for f in findings if f.outcome in _NOT_IN_ORDER or f.novelty is not None]
        if told:
            yield from ("", f"## {escape(name)}", "")
            yield from ("| outcome | contract | model | scope | what | where |", "|---|---|---|---|---|---|")
            yield from (_row(finding) for finding in told)


def _stale(report: Report) -> Iterable[str]:
    if report.stale_waivers:
        yield from ("", "## Waivers that matched nothing", "", "| provider | waiver |", "|---|---|")
        yield from (f"| {escape(w.provider)} | {escape(stale(w))} |" for w in report.stale_waivers)


def _row(finding: Finding) -> str:
    outcome = finding.outcome.value
    if finding.outcome is Outcome.VIOLATED:
        outcome = f"**{outcome}** ({finding.severity})"
    if finding.beyond:
        outcome += " (not required)"
    cells: Sequence[str] = (
        outcome,
        escape(finding.contract),
        escape(finding.model or ""),
        finding.scope.value,
        escape(explained(finding)),
        escape(placed(finding)),
    )
    return f"| {' | '.join(cells)} |"


def _left_out(lines: int) -> bytes:
    return f"\n{lines} more lines are left out.\n".encode()
