"""Type-checked, never run: the names and types that other programs rely on."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from contracts.breaker.decide import decide
from contracts.breaker.memory import Decision, Memory, State, standing
from contracts.breaker.observed import Row, count, span
from contracts.breaker.tally import Key
from contracts.degraded import Question, of_rows
from contracts.degraded.told import Degraded
from contracts.model import Finding, Outcome, Scope, Severity, Source
from contracts.report import Note, Report, Requests, Summary
from contracts.run import check, inspect
from contracts.settings import InspectSettings, Settings
from contracts.text.charset import RequestCharset, profile
from contracts.text.verdict import SignatureSeen, Verification, verify_response


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


def verdict() -> object:
    asked: RequestCharset = profile(["Fasse das kürzer.", "plain"])
    has_calls = False  # a router's own order: by position
    seen: Verification = verify_response(
        "Grüße", "stop", has_calls, status=200, client_capped=False, request_charset=asked
    )
    word: str = seen.verdict
    detail: str = seen.detail
    attributable: bool = seen.model_attributable
    scope: Scope | None = seen.scope
    signatures: tuple[SignatureSeen, ...] = seen.signatures
    return word, detail, attributable, scope, signatures


def breaker(rows: list[Row], memories: dict[Key, Memory], now: datetime) -> object:
    decisions: list[Decision] = decide(count(rows, span(now, 3600.0)), memories, now, lambda _: 0.5)
    state: State = standing(memories, "openrouter", "größe", now)
    found: Degraded = of_rows(rows, Question(), now)
    return decisions, state, found
