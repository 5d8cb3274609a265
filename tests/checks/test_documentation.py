"""A check kind's module is its documentation: four parts in order, an example that loads, a source with its date."""

from __future__ import annotations

import inspect
import re
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest
import yaml
from msgspec import convert

KINDS = sorted(p.stem for p in Path(import_module("contracts.checks").__path__[0]).glob("[!_]*.py"))
SHIPPED = sorted((Path(import_module("contracts").__path__[0]) / "library" / "contracts").glob("*.yaml"))
PARTS = ("What it checks", "Why it matters", "Example:", "Source")


def parts(kind: str) -> dict[str, str]:
    """Split the documentation into its parts, in their order."""
    text = inspect.getdoc(import_module(f"contracts.checks.{kind}")) or ""
    titles = [line for line in text.splitlines() if line in PARTS]
    assert titles == list(PARTS)
    bodies = re.split(rf"^(?:{'|'.join(PARTS)})$", text, flags=re.MULTILINE)
    return dict(zip(("summary", *PARTS), (inspect.cleandoc("\n" + b).strip() for b in bodies), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_why_how_and_whence(kind: str) -> None:
    found = parts(kind)
    assert all(found.values())
    assert re.fullmatch(r"[^\n]+\.", found["summary"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_example_loads(kind: str) -> None:
    example = yaml.safe_load(parts(kind)["Example:"])
    check = example.pop("check")
    assert not example
    assert check.pop("kind") == kind
    convert(check, import_module(f"contracts.checks.{kind}").Parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_the_source_has_an_address_and_a_date(kind: str) -> None:
    found = re.fullmatch(
        r"https://\S+(?: and https://\S+)*, read (\d{4}-\d{2}-\d{2})", " ".join(parts(kind)["Source"].split())
    )
    assert found
    date.fromisoformat(found[1])


@pytest.mark.parametrize("path", SHIPPED, ids=[p.stem for p in SHIPPED])
def test_a_shipped_contract_names_a_kind_that_exists(path: Path) -> None:
    check = yaml.safe_load(path.read_text("utf-8"))["check"]
    assert check["kind"] in KINDS


def test_every_kind_serves_a_shipped_contract() -> None:
    assert {yaml.safe_load(p.read_text("utf-8"))["check"]["kind"] for p in SHIPPED} == set(KINDS)
