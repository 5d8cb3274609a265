"""Every dialect's captures come out as `captures/expect.json` says, and the matrix tells what each contract can judge.

`must`: violated, no less. `may`: violated or not. Nothing else is violated. `matrix.yaml` says of every contract and
dialect `judged`, which needs a capture on which it holds and one on which it is violated, or why it cannot apply.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import json

from contracts.config import catalogue
from contracts.model import Finding, Outcome
from contracts.run import inspect
from contracts.settings import InspectSettings

HERE = Path(__file__).parent
FOLDER = HERE / "captures"
JUDGED = "judged"
Expected = dict[str, Any]
EXPECTED: dict[str, Expected] = json.decode((FOLDER / "expect.json").read_bytes())
MATRIX: dict[str, dict[str, str]] = yaml.safe_load((HERE / "matrix.yaml").read_text("utf-8"))
CATALOGUE = catalogue.load(None)
DIALECTS = sorted({said["dialect"] for said in EXPECTED.values()})


@cache
def findings(name: str) -> tuple[Finding, ...]:
    """Judge one capture in-process, as `contracts inspect` does."""
    request, models = FOLDER / f"{name}.request.json", FOLDER / f"{name}.models.http"
    settings = InspectSettings(
        files=(str(FOLDER / f"{name}.http"),),
        dialect=EXPECTED[name]["dialect"],
        request=str(request),
        listing=str(models) if models.exists() else None,
    )
    return inspect(settings)[0].findings


@pytest.mark.parametrize("name", EXPECTED)
def test_a_capture_violates_what_it_must_and_nothing_else(name: str) -> None:
    said = EXPECTED[name]
    violated = {f.contract: f.detail for f in findings(name) if f.outcome is Outcome.VIOLATED}
    missed = set(said["must"]) - set(violated)
    false_alarms = {k: v for k, v in violated.items() if k not in {*said["must"], *said["may"]}}
    assert not missed, f"{said['why']}; not violated: {sorted(missed)}; violated: {violated}"
    assert not false_alarms, said["why"]


def test_every_capture_is_expected_and_every_expected_one_is_there() -> None:
    there = {p.name.removesuffix(".http") for p in FOLDER.glob("*.http") if not p.name.endswith(".models.http")}
    assert there == set(EXPECTED)
    assert {p.name.removesuffix(".request.json") for p in FOLDER.glob("*.request.json")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_no_capture_is_ascii_only(name: str) -> None:
    both = (FOLDER / f"{name}.http").read_bytes() + (FOLDER / f"{name}.request.json").read_bytes()
    listing = "listing" in name
    assert listing or not both.isascii()


@pytest.mark.parametrize("name", [n for n in EXPECTED if n.endswith("-ok") and "429" not in n])
def test_an_honest_answer_leaves_nothing_unjudged(name: str) -> None:
    unknown = {f.contract: f.reason for f in findings(name) if f.outcome is Outcome.UNKNOWN}
    assert not unknown


@cache
def outcomes() -> dict[tuple[str, str], set[str]]:
    """Tell to what each contract came in each dialect; only what a capture is sure of counts as violated."""
    seen: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name, said in EXPECTED.items():
        for finding in findings(name):
            if finding.outcome is not Outcome.VIOLATED or finding.contract in said["must"]:
                seen[finding.contract, said["dialect"]].add(finding.outcome.value)
    return seen


def test_the_matrix_has_every_contract_and_every_dialect() -> None:
    assert set(MATRIX) == set(CATALOGUE.contracts)
    assert set(DIALECTS) | {"openai-chat"} == set(CATALOGUE.dialects)
    assert {contract: sorted(row) for contract, row in MATRIX.items()} == dict.fromkeys(
        MATRIX, sorted(CATALOGUE.dialects)
    )


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("contract", MATRIX)
def test_the_matrix_says_what_the_captures_show(contract: str, dialect: str) -> None:
    found = outcomes()[contract, dialect]
    if MATRIX[contract][dialect] == JUDGED:
        assert {"holds", "violated"} <= found
    else:
        assert "violated" not in found, "it can be violated, so it can be judged"


def test_openai_chat_is_judged_by_all_that_a_capture_can_show() -> None:
    # Its captures lie in tests/cases and tests/evidence, where another test holds every contract to both outcomes.
    unjudged = {contract for contract, row in MATRIX.items() if row["openai-chat"] != JUDGED}
    assert unjudged == {"http.content-encoding", "models.drift", "sse.timing"}


@pytest.mark.parametrize("dialect", ["anthropic-messages", "openai-responses", "cohere", "ollama"])
def test_a_close_that_cannot_be_read_is_one_fault(dialect: str, tmp_path: Path) -> None:
    whole = (FOLDER / f"{dialect}-stream-ok.http").read_bytes()
    place = whole.rindex(b'{"') if dialect == "ollama" else whole.rindex(b'data: {"') + len(b"data: ")
    (tmp_path / "größe.http").write_bytes(whole[: place + 2] + b"\xff" + whole[place + 2 :])
    settings = InspectSettings(
        files=(str(tmp_path / "größe.http"),),
        dialect=dialect,
        request=str(FOLDER / f"{dialect}-stream-ok.request.json"),
    )
    found = {f.contract: f for f in inspect(settings)[0].findings}
    assert [f.contract for f in found.values() if f.outcome is Outcome.VIOLATED] == ["reply.json"]
    # In Cohere's streams a marker follows that is no JSON, and was read.
    assert found["sse.done"].outcome is (Outcome.HOLDS if dialect == "cohere" else Outcome.UNKNOWN)
