"""Every scenario breaks the contract that its record names, those it says it must break too, and no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contracts import dialects
from contracts.config import catalogue as catalogues
from contracts.config.catalogue import Catalogue
from contracts.fold import fold
from contracts.judge import judge
from contracts.model import Evidence, Exchange, Outcome, Source
from contracts.testing import Scenario, known_scenarios

# What a capture cannot show: these are judged on the wire, and here by their bytes.
ON_THE_WIRE = ("http.content-encoding", "sse.timing", "models.drift")
# What never gives a client an answer to judge, or none of a size to keep: test_scenarios.py reads their bytes.
NO_ANSWER = (
    "close-at-once",
    "endless-body",
    "gzip-bomb",
    "keep-alive-for-ever",
    "length-too-long",
    "line-200mb",
    "not-http",
    "reset-at-once",
    "slow-headers",
    "stall-before-headers",
    "tls-expired",
    "tls-other-host",
)
JUDGED = [s for s in known_scenarios().values() if s.name not in NO_ANSWER and s.violates not in ON_THE_WIRE]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return catalogues.load(None)


def violated(catalogue: Catalogue, exchange: Exchange, model: str) -> dict[str, str]:
    """Judge an answer by the dialect's rules: what is violated, and how."""
    facts = fold(exchange, dialects.load("openai-chat"), catalogue.tables("openai-chat"))
    evidence = [Evidence(facts=facts, source=Source.SYNTHETIC, ref="loopback")]
    found = judge(catalogue.bound_to_dialect("openai-chat"), evidence, provider=None, models=[model])
    return {f.contract: f.detail for f in found if f.outcome is Outcome.VIOLATED}


@pytest.mark.parametrize("scenario", JUDGED, ids=[s.name for s in JUDGED])
def test_a_scenario_breaks_what_its_record_names_and_nothing_else(
    scenario: Scenario, play: Callable[..., Any], catalogue: Catalogue, client: Any
) -> None:
    # `declared` breaks nothing, so what is broken is the scenario's own.
    names = [scenario.name] if scenario.violates == "sse.charset" else ["declared", scenario.name]
    got = play(*names, shown=scenario.shown)
    found = violated(catalogue, got.exchange(), client.MODEL)
    assert set(found) == {scenario.violates, *scenario.also} - {None}, found


@pytest.mark.parametrize("shown", ["stream", "chat", "listing", "endpoints", "keyless"])
def test_the_declared_provider_breaks_nothing(
    shown: str, play: Callable[..., Any], catalogue: Catalogue, client: Any
) -> None:
    assert violated(catalogue, play("declared", shown=shown).exchange(), client.MODEL) == {}


def test_every_shipped_contract_is_broken_by_a_scenario(catalogue: Catalogue) -> None:
    assert set(catalogue.contracts) == {s.violates for s in known_scenarios().values()} - {None}
