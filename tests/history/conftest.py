"""States of both kinds that earlier runs left, made by the program's own writer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from contracts.config import catalogue
from contracts.model import EvidenceRef, Finding, Outcome, Source, Where
from contracts.state.opening import open_state
from tests.cli.conftest import Program, program

__all__ = ["Program", "program"]

BEGIN = datetime(2026, 11, 29, 5, 7, tzinfo=UTC)
HOUR = timedelta(hours=1)
Polled = Mapping[str, Mapping[tuple[str, str | None], str]]  # provider → contract and model → outcome

H, V, U, W, N = "holds", "violated", "unknown", "waived", "not-applicable"
MODEL = "z-ai/größe-中文:free"
# What five polls came to. One provider was not asked at two of them.
POLLS: Sequence[Polled] = (
    {"größe": {("sse.charset", None): H, ("reply.id", None): H}, "中文": {("http.status", None): H}},
    {"größe": {("sse.charset", None): V, ("reply.id", None): H, ("models.resolve", MODEL): V}},
    {"größe": {("sse.charset", None): V, ("reply.id", None): H, ("models.resolve", MODEL): U}},
    {
        "größe": {("sse.charset", None): W, ("reply.id", None): H, ("models.resolve", MODEL): H},
        "中文": {("http.status", None): H},
    },
    {
        "größe": {("sse.charset", None): H, ("reply.id", None): H, ("models.resolve", MODEL): H},
        "中文": {("http.status", None): N},
    },
)


def findings(provider: str, told: Mapping[tuple[str, str | None], str]) -> list[Finding]:
    """What a poll of a provider came to."""
    known = catalogue.load(None).contracts
    return [
        Finding(
            provider=provider,
            model=model,
            contract=contract,
            outcome=Outcome(outcome),
            severity=known[contract].severity,
            scope=known[contract].scope,
            expected=None,
            observed=None,
            detail="",
            reason=None,
            where=Where(),
            evidence=EvidenceRef(source=Source.LIVE, ref="https://größe.example/v1"),
        )
        for (contract, model), outcome in told.items()
    ]


def remember(where: str, polls: Sequence[Polled], begin: datetime = BEGIN) -> None:
    """Let a state remember polls, an hour apart."""
    with closing(open_state(where)) as state:
        for number, polled in enumerate(polls):
            at = begin + number * HOUR
            state.see_all({name: findings(name, told) for name, told in polled.items()}, at)
            roster = {name: sorted({contract for contract, _ in told}) for name, told in polled.items()}
            state.record_run(at, at, 0, (1, 0, 0, 0), Decimal(0), roster)


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A state that remembers `POLLS`."""
    made = str(request.getfixturevalue("postgres_url") if request.param == "postgres" else tmp_path / "état.db")
    remember(made, POLLS)
    return made


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A state in a file that remembers `POLLS`."""
    made = str(tmp_path / "état.db")
    remember(made, POLLS)
    return made
