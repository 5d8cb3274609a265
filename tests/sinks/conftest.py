"""Findings and reports that the tests of formats are about."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from contracts.model import EvidenceRef, Finding, Outcome, Scope, Severity, Source, StaleWaiver, WaiverRef, Where
from contracts.report import Report, summarize
from contracts.sinks.about import About

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WAIVER = WaiverRef(because="weiß ich — 已知", owner="Bär", until=date(2027, 3, 1))
CHARSET = "sse.charset"


def finding(contract: str = CHARSET, outcome: Outcome = Outcome.VIOLATED, **given: Any) -> Finding:
    """A finding of the provider `größe`, with what a case is not about filled in."""
    filled: dict[str, Any] = {
        "provider": "größe",
        "model": None,
        "severity": Severity.ERROR,
        "scope": Scope.PROVIDER,
        "expected": "charset=utf-8" if outcome is Outcome.VIOLATED else None,
        "observed": None,
        "detail": f"was 报告: {contract}",
        "reason": None,
        "where": Where(),
        "evidence": EvidenceRef(source=Source.RECORDED, ref="größe.http#0", at=NOON),
        "waiver": WAIVER if outcome is Outcome.WAIVED else None,
    }
    return Finding(contract=contract, outcome=outcome, **{**filled, **given})


def report(*findings: Finding, **given: Any) -> Report:
    """A report of a run that took a second and a half."""
    filled: dict[str, Any] = {"started_at": NOON, "duration_ms": 1_500, "spend_usd": Decimal(0)}
    return Report(summary=summarize(findings), findings=findings, **{**filled, **given})


def one_of_each() -> Report:
    """Every outcome, and a violation of every severity."""
    return report(
        finding("sse.done", Outcome.HOLDS),
        finding("sse.charset"),
        finding("reply.usage", severity=Severity.WARNING),
        finding("reply.id", severity=Severity.INFO),
        finding("models.resolve", Outcome.UNKNOWN, model="größe/b", reason="kein Verzeichnis", detail=""),
        finding("limits.retry-after", Outcome.UNKNOWN, severity=Severity.INFO, reason="keine Antwort 429"),
        finding("text.intact", Outcome.WAIVED),
        finding("sse.timing", Outcome.NOT_APPLICABLE),
        finding("sse.framing", Outcome.HOLDS, provider="другой"),
    )


STALE = StaleWaiver(
    provider="größe",
    contract="text.intact",
    model="größe/b",
    observed=None,
    because="weiß ich",
    owner="Bär",
    until=date(2027, 3, 1),
)
ROWS = """version: 1
# größe
providers:
  größe:
    dialect: openai-chat
    models: [größe/a, größe/b]
    contracts:
      sse.done: {sentinel: none}
    waivers:
      - {contract: text.intact, because: weiß ich, owner: Bär, until: 2027-03-01}
      - {contract: text.intact, because: weiß ich, owner: Bär, until: 2026-01-01}
      - {contract: sse.charset, because: weiß ich, owner: Bär, until: 2027-12-31, model: größe/b}
      - {contract: reply.id, because: weiß ich, owner: Bär, until: 2027-05-05, observed: größer}
      - {contract: reply.id, because: weiß ich, owner: Bär, until: 2027-04-04, observed: kleiner}
  другой:
    extends: openrouter
"""


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A providers file with two rows, in a folder of its own."""
    path = tmp_path / "zeilen, alle.yaml"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture
def about(rows: Path) -> About:
    """A run that ended with 1, judged by those rows."""
    return About(status=1, config=str(rows), environ={}, root=str(rows.parent))


@pytest.fixture
def bare() -> About:
    """A run that ended with 1, without rows."""
    return About(status=1, has_rows=False, environ={})
