"""Every row that is shipped loads, binds, can be extended, and says where its facts come from."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

import jmespath
import pytest

from contracts.config.catalogue import Catalogue
from contracts.config.library import FOLDER
from contracts.config.yaml_loader import load

ROWS = sorted(name.removesuffix(".yaml") for name in os.listdir(os.path.join(FOLDER, "providers")))
LOCAL = ("localhost", "127.0.0.1", "::1")
# Where no page says it: what was seen in recordings, and what an operator measured.
NOT_A_PAGE = re.compile(
    r"census of public recordings(,| of) .*\d{4}-\d{2}$|public recordings of .*\d{4}-\d{2}$|measured by .+"
)


def written(name: str) -> dict[str, Any]:
    """The row as its file has it."""
    path = os.path.join(FOLDER, "providers", f"{name}.yaml")
    with open(path, "rb") as file:
        document = load(file.read(), path)
    rows: dict[str, Any] = document.value["providers"]
    assert list(rows) == [name], "a file holds the one row that it is named after"
    row: dict[str, Any] = rows[name]
    return row


def test_there_are_rows_for_the_public_providers() -> None:
    assert len(ROWS) >= 25


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_extended_with_every_contract_bound(name: str, extended: Catalogue) -> None:
    provider = extended.provider(name)
    assert provider.models == ("größe-1",)
    assert provider.base_url == written(name).get("base_url")
    assert {bound.contract.id for bound in extended.bound(provider)} == set(extended.contracts)
    usual = extended.dialect(provider.dialect)["listing"]["id"]
    assert extended.tables(provider.dialect, provider).listing.id == provider.listing.get("id", usual)


@pytest.mark.parametrize("name", ROWS)
def test_what_a_row_says_overrules_the_dialect(name: str, extended: Catalogue) -> None:
    bound = {one.contract.id: one for one in extended.bound(extended.provider(name))}
    for contract, parameters in written(name).get("contracts", {}).items():
        for parameter, value in parameters.items():
            found = getattr(bound[contract].params, parameter)
            assert _plain(found) == value, f"{contract}: {parameter}"


@pytest.mark.parametrize("name", ROWS)
def test_a_key_goes_over_tls_or_stays_on_this_machine(name: str) -> None:
    base_url = written(name).get("base_url")
    if base_url is None:
        return
    parts = urlsplit(base_url)
    assert parts.scheme == ("http" if parts.hostname in LOCAL else "https")
    assert not base_url.endswith("/"), "the model listing's path begins with a slash"
    if parts.hostname in LOCAL:
        assert "api_key" not in written(name), "a server of one's own is asked without a key unless the user says so"


@pytest.mark.parametrize("name", ROWS)
def test_a_row_names_the_variable_of_a_key_and_never_a_key(name: str) -> None:
    api_key = written(name).get("api_key")
    assert api_key is None or re.fullmatch(r"[A-Z][A-Z0-9_]+_(KEY|TOKEN|PAT)|[A-Z]+_TOKEN", api_key)


@pytest.mark.parametrize("name", ROWS)
def test_every_row_says_where_its_facts_come_from(name: str) -> None:
    sources = written(name)["sources"]
    assert sources
    for source in sources:
        where = source["where"]
        assert re.fullmatch(r"https://[^\s/]+/\S+", where) or NOT_A_PAGE.fullmatch(where), where
        assert source["says"] == source["says"].strip()


@pytest.mark.parametrize("name", ROWS)
def test_no_row_talks_a_missing_charset_away(name: str) -> None:
    row = written(name)
    assert "sse.charset" not in row.get("contracts", {})
    assert "waivers" not in row, "a waiver has an owner, and a shipped row has none"


@pytest.mark.parametrize("name", ROWS)
def test_no_row_spends_or_says_that_nothing_costs(name: str) -> None:
    # A base_url of the user's own over such a row would carry the word to a host that does bill.
    assert not {"billing", "free_chats_per_day"} & set(written(name))


@pytest.mark.parametrize("name", ROWS)
def test_every_expression_over_a_listing_is_jmespath(name: str) -> None:
    for key, expression in written(name).get("listing", {}).items():
        if key != "path":
            for one in expression.values() if isinstance(expression, dict) else [expression]:
                jmespath.compile(one)


def _plain(value: Any) -> Any:
    """A parameter as YAML writes it."""
    if isinstance(value, tuple):
        return list(value)
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value
