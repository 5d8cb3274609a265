"""What each row's query makes of a listing of its provider's documented form: `listings.yaml`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts.checks import model_resolves
from contracts.config.catalogue import Catalogue
from contracts.config.library import FOLDER
from contracts.dialects import listing
from contracts.facts import Listing

CASES: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "listings.yaml").read_text(encoding="utf-8"))
ROWS = sorted(name.removesuffix(".yaml") for name in os.listdir(os.path.join(FOLDER, "providers")))
RESOLVED = [(name, model) for name, case in CASES.items() for model in case.get("resolve", {})]


def read(name: str, extended: Catalogue) -> Listing:
    """The listing of a case, read by the row's query."""
    provider = extended.provider(name)
    return listing.read(CASES[name]["answer"], extended.tables(provider.dialect, provider).listing)


def test_every_row_with_a_listing_has_a_case_and_no_case_is_without_a_row(extended: Catalogue) -> None:
    assert set(CASES) == {name for name in ROWS if extended.provider(name).listing}


@pytest.mark.parametrize("name", CASES)
def test_a_listing_of_the_documented_form_has_the_stated_shape(name: str, extended: Catalogue) -> None:
    found = read(name, extended)
    assert found.faults == ()
    assert found.more is CASES[name].get("more", False)


@pytest.mark.parametrize("name", CASES)
def test_each_entry_says_what_is_documented_and_nothing_more(name: str, extended: Catalogue) -> None:
    found = {
        model.id: {
            key: list(value) if isinstance(value, tuple) else value
            for key in ("chat", "aliases", "deprecated", "replacement")
            if (value := getattr(model, key)) not in (None, ())
        }
        for model in read(name, extended).models
    }
    assert found == CASES[name]["models"]


@pytest.mark.parametrize(("name", "model"), RESOLVED)
def test_an_allowed_id_resolves_as_the_listing_says(name: str, model: str, extended: Catalogue) -> None:
    bound = {one.contract.id: one for one in extended.bound(extended.provider(name))}
    verdict = model_resolves.by_listing(read(name, extended), model, bound["models.resolve"].params)
    outcome, words = CASES[name]["resolve"][model]
    assert (verdict.outcome.value, words in verdict.detail) == (outcome, True), verdict.detail


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("odd", [None, [], {}, "größe", [None, 7], {"data": None}, {"data": [{}], "models": 3}])
def test_an_odd_listing_is_a_fault_and_never_an_exception(name: str, odd: Any, extended: Catalogue) -> None:
    provider = extended.provider(name)
    found = listing.read(odd, extended.tables(provider.dialect, provider).listing)
    assert found.models == ()
    assert found.faults or odd == []
