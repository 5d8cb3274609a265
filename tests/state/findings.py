"""Findings of a poll, from the letter of each outcome."""

from __future__ import annotations

from datetime import UTC, date, datetime

from contracts.model import EvidenceRef, Finding, Outcome, Scope, Severity, Source, WaiverRef, Where

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WAIVER = WaiverRef(because="已知", owner="Bär", until=date(2027, 3, 1))
LETTERS = {
    "v": Outcome.VIOLATED,
    "h": Outcome.HOLDS,
    "?": Outcome.UNKNOWN,
    "w": Outcome.WAIVED,
    "-": Outcome.NOT_APPLICABLE,
}


def finding(
    outcome: str = "v", model: str | None = None, contract: str = "sse.charset", ref: str = "größe#0"
) -> Finding:
    """A finding on the provider `größe`."""
    return Finding(
        provider="größe",
        model=model,
        contract=contract,
        outcome=LETTERS[outcome],
        severity=Severity.ERROR,
        scope=Scope.PROVIDER,
        expected=None,
        observed=None,
        detail="was 报告",
        reason=None,
        where=Where(),
        evidence=EvidenceRef(source=Source.LIVE, ref=ref, at=NOON),
        waiver=WAIVER if outcome == "w" else None,
    )
