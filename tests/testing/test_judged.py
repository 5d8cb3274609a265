"""Every scenario breaks, in every dialect, the contracts that its record names, and no other."""

from __future__ import annotations

from collections import defaultdict
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
from contracts.testing.writers import load, names
from tools.dialect_cassettes import NO_ANSWER, ON_THE_WIRE
from tools.doc_tables import matrix
from tools.questions import model_of

DIALECTS = names()
JUDGED = [
    (dialect, one)
    for dialect in DIALECTS
    for one in known_scenarios(dialect).values()
    if one.name not in NO_ANSWER and one.violates not in ON_THE_WIRE
    # Of a size that it is enough to read once.
    if one.name != "listing-huge" or dialect == "openai-chat"
]
MATRIX = matrix()
PLACES = [(contract, dialect) for contract, row in MATRIX.items() for dialect in row]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return catalogues.load(None)


def violated(catalogue: Catalogue, exchange: Exchange, dialect: str) -> dict[str, str]:
    """Judge an answer by the dialect's rules: what is violated, and how."""
    facts = fold(exchange, dialects.load(dialect), catalogue.tables(dialect))
    evidence = [Evidence(facts=facts, source=Source.SYNTHETIC, ref="loopback")]
    found = judge(catalogue.bound_to_dialect(dialect), evidence, provider=None, models=[model_of(dialect)])
    return {f.contract: f.detail for f in found if f.outcome is Outcome.VIOLATED}


@pytest.mark.parametrize(("dialect", "scenario"), JUDGED, ids=[f"{d}: {s.name}" for d, s in JUDGED])
def test_a_scenario_breaks_what_its_record_names_and_nothing_else(
    dialect: str, scenario: Scenario, play: Callable[..., Any], catalogue: Catalogue
) -> None:
    broken = scenario.breaks(load(dialect))
    # `declared` breaks nothing, so what is broken is the scenario's own.
    played = [scenario.name] if "sse.charset" in broken else ["declared", scenario.name]
    got = play(*played, shown=scenario.shown, dialect=dialect)
    found = violated(catalogue, got.exchange(), dialect)
    assert set(found) == set(broken), found


# A change of what is said, or of its JSON, is one of an answer that is not streamed too; only streams have a close.
WHOLE = [(d, s) for d, s in JUDGED if s.stage in ("reply", "documents") and not s.name.startswith("done-")]


@pytest.mark.parametrize(("dialect", "scenario"), WHOLE, ids=[f"{d}: {s.name}" for d, s in WHOLE])
def test_an_answer_that_is_not_streamed_breaks_the_same(
    dialect: str, scenario: Scenario, play: Callable[..., Any], catalogue: Catalogue
) -> None:
    found = violated(catalogue, play("declared", scenario.name, shown="chat", dialect=dialect).exchange(), dialect)
    assert set(found) == set(scenario.breaks(load(dialect))), found


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("shown", ["stream", "chat", "listing", "keyless"])
def test_the_declared_provider_breaks_nothing(
    shown: str, dialect: str, play: Callable[..., Any], catalogue: Catalogue
) -> None:
    assert violated(catalogue, play("declared", shown=shown, dialect=dialect).exchange(), dialect) == {}


@pytest.mark.parametrize(("contract", "dialect"), PLACES)
def test_every_contract_is_broken_by_a_scenario_in_every_dialect_where_it_applies(contract: str, dialect: str) -> None:
    reason = MATRIX[contract][dialect]
    breaking = [one.name for one in known_scenarios(dialect).values() if contract in one.breaks(load(dialect))[:1]]
    # What is judged of live answers only, a scenario can show as well as any.
    applies = reason == "judged" or "live answers" in reason
    assert bool(breaking) == applies, breaking or "no scenario"


def test_the_matrix_knows_every_dialect_and_contract(catalogue: Catalogue) -> None:
    assert set(MATRIX) == set(catalogue.contracts)
    assert all(tuple(sorted(row)) == DIALECTS for row in MATRIX.values())


def test_what_a_dialect_lacks_is_what_scenarios_need() -> None:
    needed = {feature for one in known_scenarios(None).values() for feature in one.needs}
    elsewhere = {"comment", "slash"}  # of an honest provider
    lacked = defaultdict(list)
    for dialect in DIALECTS:
        for feature, reason in load(dialect).LACKS.items():
            lacked[feature].append(dialect)
            assert reason.strip() == reason != ""
    assert set(lacked) <= needed | elsewhere
    assert not [feature for feature in needed if len(lacked[feature]) == len(DIALECTS)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_dialect_says_of_a_scenario_is_of_one_that_it_has_and_differs_from_the_rule(dialect: str) -> None:
    writer, there = load(dialect), known_scenarios(dialect)
    assert set(writer.BREAKS) <= set(there)
    usual = {name: one.breaks(load("openai-chat")) for name, one in there.items() if name in writer.BREAKS}
    assert not [name for name, broken in writer.BREAKS.items() if name in usual and usual[name] == broken]
