"""Every check kind by its cases: `tests/checks/<kind>.yaml`, one case a list item, and no list of kinds anywhere.

A case has `name`, `expect` and, where they depart from the usual, `facts` and `params`: the first over a plain
streamed answer, the second over the parameters that the shipped contract has in openai-chat. `model` is what
`judge_model` takes.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import convert, to_builtins

from contracts.config import catalogue
from contracts.facts import Facts
from contracts.model import Verdict

HERE = Path(__file__).parent
KINDS = sorted(p.stem for p in Path(import_module("contracts.checks").__path__[0]).glob("[!_]*.py"))
PLAIN = yaml.safe_load((HERE / "plain.yaml").read_text("utf-8"))
KEYS = {"name", "params", "model", "facts", "expect"}


def read(kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((HERE / f"{kind}.yaml").read_text("utf-8"))
    return found


CASES = [(kind, case) for kind in KINDS if (HERE / f"{kind}.yaml").exists() for case in read(kind)]


def over(usual: Any, own: Any) -> Any:
    """Lay `own` over `usual`: mappings member by member, all else as a whole."""
    if not isinstance(usual, dict) or not isinstance(own, dict):
        return own
    return {**usual, **{key: over(usual.get(key), value) for key, value in own.items()}}


def usual_params(kind: str) -> dict[str, Any]:
    bound = catalogue.load(None).bound_to_dialect("openai-chat")
    return next((to_builtins(b.params) for b in bound if b.kind == kind), {})


def judge(kind: str, case: dict[str, Any]) -> Verdict:
    module = import_module(f"contracts.checks.{kind}")
    facts = convert(over(PLAIN, case.get("facts", {})), Facts)
    params = convert({**usual_params(kind), **case.get("params", {})}, module.Parameters)
    arguments = (facts, params, case["model"]) if hasattr(module, "judge_model") else (facts, params)
    verdict = getattr(module, "judge_model" if len(arguments) > 2 else "judge")(*arguments)
    assert isinstance(verdict, Verdict)
    return verdict


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[f"{kind}: {case['name']}" for kind, case in CASES])
def test_the_case_comes_out_as_it_says(kind: str, case: dict[str, Any]) -> None:
    assert set(case) <= KEYS
    verdict = to_builtins(judge(kind, case))
    for member, expected in case["expect"].items():
        if member in ("detail", "observed", "reason"):
            assert expected in (verdict[member] or ""), verdict
        elif member == "where":
            assert {k: v for k, v in verdict["where"].items() if v is not None} == expected, verdict
        else:
            assert verdict[member] == expected, verdict
    assert (verdict["reason"] is not None) == (verdict["outcome"] in ("unknown", "not-applicable"))
    if verdict["outcome"] == "violated":
        assert verdict["detail"]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_case_of_every_outcome_it_can_come_to(kind: str) -> None:
    module = vars(import_module(f"contracts.checks.{kind}"))
    can = {outcome for outcome in ("holds", "violated", "unknown", "not_applicable") if outcome in module}
    can |= {"unknown", "not_applicable"} if "reply_of" in module else set()
    has = {case["expect"]["outcome"].replace("-", "_") for case in read(kind)}
    assert can <= has, f"{kind}.yaml lacks cases that come to {', '.join(sorted(can - has))}"


def test_every_case_file_belongs_to_a_kind() -> None:
    assert {p.stem for p in HERE.glob("*.yaml")} - {"plain"} == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_the_names_of_a_kinds_cases_differ(kind: str) -> None:
    names = [case["name"] for case in read(kind)]
    assert len(set(names)) == len(names)
