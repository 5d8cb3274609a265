"""Every capture comes out as `expect.json` says, and every contract has been seen to hold and to be violated.

`must`: violated, no less. `may`: violated or not. Nothing else is violated. What a capture cannot show (arrival times,
the coding on the wire, an earlier poll) is held to the cases of the check kind instead.
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
FOLDERS = ("cases", "evidence")
Expected = dict[str, Any]


def captures(folder: str) -> list[tuple[Path, Expected]]:
    expected: dict[str, Expected] = json.decode((HERE / folder / "expect.json").read_bytes())
    return [(HERE / folder / f"{name}.http", said) for name, said in expected.items()]


CAPTURES = [one for folder in FOLDERS for one in captures(folder)]
CONTRACTS = catalogue.load(None).bound_to_dialect("openai-chat")


@cache
def findings(path: Path, dialect: str) -> tuple[Finding, ...]:
    request = path.with_suffix(".request.json")
    listing = path.with_suffix(".models.http")
    settings = InspectSettings(
        files=(str(path),),
        dialect=dialect,
        request=str(request) if request.exists() else None,
        listing=str(listing) if listing.exists() else None,
    )
    return inspect(settings)[0].findings


@pytest.mark.parametrize(("path", "said"), CAPTURES, ids=[path.stem for path, _ in CAPTURES])
def test_a_capture_violates_what_it_must_and_nothing_else(path: Path, said: Expected) -> None:
    violated = {f.contract: f.detail for f in findings(path, said["dialect"]) if f.outcome is Outcome.VIOLATED}
    missed = set(said["must"]) - set(violated)
    false_alarms = {k: v for k, v in violated.items() if k not in {*said["must"], *said["may"]}}
    assert not missed, f"{said['why']}; not violated: {sorted(missed)}; violated: {violated}"
    assert not false_alarms, said["why"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_capture_is_expected_and_every_expected_one_is_there(folder: str) -> None:
    there = {p for p in (HERE / folder).glob("*.http") if not p.name.endswith(".models.http")}
    assert there == {path for path, _ in captures(folder)}


@cache
def outcomes() -> dict[str, set[str]]:
    """Tell to what each contract came over all captures; only what a capture is sure of counts as violated."""
    seen: dict[str, set[str]] = defaultdict(set)
    for path, said in CAPTURES:
        for finding in findings(path, said["dialect"]):
            if finding.outcome is not Outcome.VIOLATED or finding.contract in said["must"]:
                seen[finding.contract].add(finding.outcome.value)
    return seen


@pytest.mark.parametrize("contract_id", [bound.contract.id for bound in CONTRACTS])
def test_a_contract_has_evidence_on_which_it_holds_and_on_which_it_is_violated(contract_id: str) -> None:
    kind = next(bound.kind for bound in CONTRACTS if bound.contract.id == contract_id)
    found = outcomes()[contract_id]
    if found == {"not-applicable"}:  # a capture cannot show it, so the cases of its kind are its evidence
        cases = yaml.safe_load((HERE / "checks" / f"{kind}.yaml").read_text("utf-8"))
        found = {case["expect"]["outcome"] for case in cases}
    assert {"holds", "violated"} <= found
