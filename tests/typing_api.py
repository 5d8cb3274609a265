"""Type-checked, never run: the names and types that other programs rely on."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from contracts.model import Finding, Outcome, Scope, Severity, Source
from contracts.report import Note, Report, Requests, Summary
from contracts.run import check, inspect
from contracts.settings import InspectSettings, Settings


def run() -> object:
    report, status = check(Settings(providers=("openrouter",), replay=""))
    status_: int = status
    inspected: tuple[Report, int] = inspect(InspectSettings(files=("a.http",), dialect="openai-chat"))
    return report, status_, inspected


def report(value: Report, finding: Finding, note: Note) -> object:
    schema: str = value.schema
    started: datetime = value.started_at
    spend: Decimal = value.spend_usd
    requests: Requests = value.requests
    summary: Summary = value.summary
    findings: tuple[Finding, ...] = value.findings
    notes: tuple[Note, ...] = value.notes
    outcome: Outcome = finding.outcome
    scope: Scope = finding.scope
    severity: Severity = finding.severity
    line: str = note.line
    sources: tuple[Source, ...] = note.sources
    return (schema, started, spend, requests, summary, findings, notes, outcome, scope, severity, line, sources)
