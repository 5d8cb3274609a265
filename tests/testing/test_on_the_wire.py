"""What no capture can show is shown in every dialect by a live run over real sockets: coding, timing and drift."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contracts.evidence.memory import Forgetful
from contracts.testing import HostileProvider
from contracts.testing.writers import load, names
from tests.live.conftest import Check, check, write
from tools.dialect_cassettes import ON_THE_WIRE
from tools.doc_tables import matrix
from tools.questions import PATHS, model_of

__all__ = ["check", "write"]

DIALECTS = names()
Hostile = Callable[..., HostileProvider]
STALL_MS = 100  # a tenth of the pause below


def rows(provider: HostileProvider) -> dict[str, Any]:
    """A row for the provider, whose chats cost nothing, so that a live run asks one."""
    writer = load(provider.dialect)
    listing: dict[str, Any] = {"path": PATHS[provider.dialect]["listing"].removeprefix(writer.BASE)}
    if "prices" not in writer.LACKS:
        listing |= {"prices": "pricing", "context_tokens": "context_length"}
    return {
        "cafe": {
            "dialect": provider.dialect,
            "base_url": provider.base_url,
            "api_key": "LOOPBACK_KEY",
            "billing": "none",
            "models": [model_of(provider.dialect)],
            "listing": listing,
            "contracts": {"sse.timing": {"stall_ms": STALL_MS}},
        }
    }


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_provider_that_behaves_keeps_every_contract_that_is_judged_live(
    dialect: str, hostile_provider: Hostile, check: Check
) -> None:
    found = check(rows(hostile_provider("declared", dialect=dialect)), memory=Forgetful())
    assert found.violated == set()
    outcomes = {contract: found.outcome(contract, "cafe") for contract in matrix()}
    assert {contract: outcomes[contract] for contract in ON_THE_WIRE} == dict.fromkeys(ON_THE_WIRE, "holds")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_body_that_is_not_coded_as_it_says_is_found(dialect: str, hostile_provider: Hostile, check: Check) -> None:
    provider = hostile_provider("declared", "chat:gzip-header-plain-body", dialect=dialect)
    assert "http.content-encoding" in check(rows(provider)).violated


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_stream_that_stalls_is_found(dialect: str, hostile_provider: Hostile, check: Check) -> None:
    # The pause lasts twenty intervals: ten times the stall that the row allows.
    provider = hostile_provider("declared", "chat:pause-mid-stream", dialect=dialect, interval_s=STALL_MS / 2000)
    assert check(rows(provider)).violated == {"sse.timing"}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_listing_that_is_not_what_it_was_is_found(dialect: str, hostile_provider: Hostile, check: Check) -> None:
    provider, memory = hostile_provider("declared", "listing-changes", dialect=dialect), Forgetful()
    assert check(rows(provider), memory=memory).outcome("models.drift", "cafe") == "holds"
    assert check(rows(provider), memory=memory).outcome("models.drift", "cafe") == "violated"


def test_these_are_the_contracts_that_the_matrix_gives_to_live_answers() -> None:
    live = {contract for contract, row in matrix().items() if all("live answers" in said for said in row.values())}
    assert live == set(ON_THE_WIRE)
