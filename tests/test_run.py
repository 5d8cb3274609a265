"""The exit status: one table, and silence is no promise kept."""

from __future__ import annotations

from typing import Literal

import pytest

from contracts.ending import exit_status
from contracts.model import Finding, Outcome, Scope, Severity, Where


def finding(outcome: str, severity: str) -> Finding:
    return Finding(
        provider="wölkchen",
        model="qwen3-größe",
        contract="text.intact",
        outcome=Outcome(outcome),
        severity=Severity(severity),
        scope=Scope.PROVIDER,
        expected=None,
        observed=None,
        detail="Größe — 大小",
        reason=None,
        where=Where(),
        evidence=None,
    )


# What came (outcome and severity), then the status for each word of --fail-on: violation, warning, unknown, never.
TABLE = [
    ([], (0, 3, 3, 0)),
    (["holds error"], (0, 0, 0, 0)),
    (["waived error"], (0, 0, 0, 0)),
    (["not-applicable error"], (0, 3, 3, 0)),
    (["violated error"], (1, 1, 1, 0)),
    (["violated warning"], (0, 1, 0, 0)),
    (["violated info"], (0, 0, 0, 0)),
    (["unknown error"], (0, 3, 3, 0)),
    (["unknown warning"], (0, 3, 3, 0)),
    (["holds error", "unknown error"], (0, 3, 3, 0)),
    (["holds error", "unknown warning"], (0, 0, 0, 0)),
    (["holds error", "unknown info"], (0, 0, 0, 0)),
    (["unknown error", "violated error"], (1, 1, 1, 0)),
    (["unknown error", "violated warning"], (0, 1, 3, 0)),
    (["violated warning", "holds info"], (0, 1, 0, 0)),
    (["waived error", "not-applicable error"], (0, 0, 0, 0)),
    (["waived error", "violated error"], (1, 1, 1, 0)),
]
WORDS: tuple[Literal["violation", "warning", "unknown", "never"], ...] = ("violation", "warning", "unknown", "never")


@pytest.mark.parametrize(
    ("came", "word", "status"),
    [(came, word, status) for came, row in TABLE for word, status in zip(WORDS, row, strict=True)],
    ids=lambda value: "+".join(value).replace(" ", "-") or "nothing" if isinstance(value, list) else str(value),
)
def test_the_exit_status_follows_the_table(came: list[str], word: str, status: int) -> None:
    findings = [finding(*one.split()) for one in came]
    assert exit_status(findings, word) == status
    assert exit_status(reversed(findings), word) == status
