"""The text view: verdicts first, then what is not in order, worst first, then what it cost to know.

Every text that a provider or a file may have written is scrubbed here, whoever scrubbed it before.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from contracts.model import Finding, Outcome, Severity, Source
from contracts.report import Report, status_of, worst_first
from contracts.sinks.wording import history, shared
from contracts.text.scrub import scrub
from contracts_cli.terminal import UNBOUNDED, columns_of, paint, wrap

SEPARATOR = " · "
_COLOUR = {"violated": "red", "warning": "yellow", "info": "yellow", "unknown": "yellow", "waived": "cyan"}


class View(Struct, frozen=True, kw_only=True):
    """How a report is shown. `width` is in columns."""

    width: int = UNBOUNDED
    colour: bool = False
    quiet: bool = False
    verbose: bool = False

    def render(self, report: Report) -> str:
        """The whole view, each line ended."""
        subjects = by_subject(report.findings)
        lines = self._verdicts(subjects, {scrub(one.provider): one.polled_at for one in report.shared})
        if not self.quiet:
            for name, findings in subjects.items():
                lines.extend(self._subject(name, findings))
            lines.extend(("", wrap(_costs(report), self.width)))
        return "".join(f"{line}\n" for line in lines)

    def _verdicts(self, subjects: dict[str, list[Finding]], polled: dict[str, datetime]) -> list[str]:
        if not subjects:
            return ["nothing was judged"]
        words = {name: _verdict(findings, polled.get(name)) for name, findings in subjects.items()}
        name_columns = max(columns_of(name) for name in subjects)
        word_columns = max(len(word) for word, _ in words.values())
        lines = []
        for name, (word, rest) in words.items():
            head = f"{name}{' ' * (name_columns - columns_of(name))}  {word:<{word_columns}}  "
            line = wrap(rest, self.width, head, "    ")
            # Painted after it was wrapped: colour takes no columns.
            lines.append(line.replace(f"  {word}", f"  {self._word(word)}", 1))
        return lines

    def _word(self, word: str) -> str:
        return paint(word, _COLOUR.get(word, "green"), wanted=self.colour)

    def _subject(self, name: str, findings: Sequence[Finding]) -> list[str]:
        shown = [f for f in worst_first(findings) if self.verbose or f.outcome in _NOT_IN_ORDER or f.novelty]
        if not shown:
            return []
        lines = ["", paint(name, "bold", wanted=self.colour)]
        for finding, contracts in _together(shown):
            lines.extend(self._finding(finding, contracts))
        return lines

    def _finding(self, finding: Finding, contracts: Sequence[str]) -> list[str]:
        word = _word_of(finding)
        facts = [", ".join(map(scrub, contracts))]
        if finding.outcome is Outcome.VIOLATED:
            facts.append(f"scope {finding.scope}")
        if finding.model:
            facts.append(f"model {scrub(finding.model)}")
        if finding.novelty is not None:
            facts.append(history(finding.novelty, finding.outcome))
        elif finding.new:
            facts.append("new")
        head = wrap(SEPARATOR.join(facts), self.width, f"  {word}  ", "      ")
        lines = [head.replace(f"  {word}", f"  {self._word(word)}", 1)]
        lines.extend(wrap(text, self.width, "    ", "    ") for text in _explained(finding))
        place = SEPARATOR.join(_place(finding))
        if place:
            lines.append(paint(wrap(place, self.width, "    ", "    "), "dim", wanted=self.colour))
        return lines


_NOT_IN_ORDER = (Outcome.VIOLATED, Outcome.UNKNOWN, Outcome.WAIVED)


def by_subject(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Findings by what they speak of: the provider, or the capture where no provider was named."""
    subjects: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.provider is not None:
            name = finding.provider
        else:
            name = finding.evidence.ref if finding.evidence is not None else "capture"
        subjects.setdefault(scrub(name), []).append(finding)
    return subjects


def _together(findings: Sequence[Finding]) -> list[tuple[Finding, list[str]]]:
    """Findings with the contracts they stand for: what could not be judged for one reason is told once."""
    told: dict[object, tuple[Finding, list[str]]] = {}
    for number, finding in enumerate(findings):
        alone = finding.outcome is not Outcome.UNKNOWN or finding.evidence is not None or finding.novelty is not None
        key = number if alone else (finding.reason, finding.model)
        told.setdefault(key, (finding, []))[1].append(finding.contract)
    return list(told.values())


def _word_of(finding: Finding) -> str:
    """The outcome, but for a violation that does not change the exit status its severity."""
    if finding.outcome is Outcome.VIOLATED and finding.severity is not Severity.ERROR:
        return finding.severity.value
    return finding.outcome.value


def _verdict(findings: Sequence[Finding], polled_at: datetime | None) -> tuple[str, str]:
    """The word for a subject, and what stands behind it."""
    status, severity = status_of(findings)
    word: str = status
    if status == "violated" and severity is not None and severity is not Severity.ERROR:
        word = severity.value
    judged = {f.contract for f in findings if f.outcome is not Outcome.NOT_APPLICABLE}
    all_of = f"{len(judged)} contract{'' if len(judged) == 1 else 's'}"
    violated, unknown, waived = (len({f.contract for f in findings if f.outcome is o}) for o in _NOT_IN_ORDER)
    parts: list[str] = []
    if violated:
        parts.append(f"{violated} of {all_of}" + ("" if word == "violated" else " violated"))
    if unknown:
        parts.append(f"{unknown}{'' if parts else f' of {all_of}'} not judged")
    if waived:
        parts.append(f"{waived}{'' if parts else f' of {all_of}'} waived")
    if not parts:
        parts.append(all_of if judged else "nothing was judged")
    if any(f.evidence is not None and f.evidence.source is Source.SYNTHETIC for f in findings):
        parts.append("synthetic evidence")
    if polled_at is not None:
        parts.append(shared(polled_at))
    return word, SEPARATOR.join(parts)


def _explained(finding: Finding) -> Iterable[str]:
    if finding.detail:
        yield scrub(finding.detail)
    if finding.reason and finding.reason != finding.detail:
        yield scrub(finding.reason)
    if finding.outcome is Outcome.VIOLATED:
        compared = [
            f"{word} {scrub(value)}"
            for word, value in (("expected", finding.expected), ("observed", finding.observed))
            if value is not None
        ]
        if compared:
            yield ", ".join(compared)
    if finding.waiver is not None:
        waiver = finding.waiver
        yield f"waived until {waiver.until} by {scrub(waiver.owner)}: {scrub(waiver.because)}"


def _place(finding: Finding) -> Iterable[str]:
    where = finding.where
    if where.header is not None:
        yield f"header {scrub(where.header)}"
    if where.event is not None:
        yield f"event {where.event}"
    if where.byte is not None:
        yield f"byte {where.byte}"
    if finding.evidence is not None:
        yield f"{finding.evidence.source} {scrub(finding.evidence.ref)}"


def _costs(report: Report) -> str:
    evidence = {(f.evidence.source, f.evidence.ref) for f in report.findings if f.evidence is not None}
    counts = [f"{sum(s is source for s, _ in evidence)} {source}" for source in Source]
    sent = report.requests
    asked = [
        f"{count} {name}"
        for name, count in (("GET", sent.get), ("free POST", sent.post_free), ("paid POST", sent.post_paid))
        if count
    ]
    if sent.refused:
        asked.append(f"{sent.refused} refused")
    parts = (
        "evidence " + (", ".join(c for c in counts if not c.startswith("0 ")) or "none"),
        "requests " + (", ".join(asked) or "none"),
        f"spend {report.spend_usd} USD",
        f"{report.duration_ms} ms",
    )
    return SEPARATOR.join(parts)
