"""A router's database: its address keeps its passwords to itself, and names are told apart as databases do."""

from __future__ import annotations

import pytest

from contracts.databases import postgres
from contracts.databases.names import find, folded, quoted


def test_a_password_is_hidden_as_it_is_written_and_as_it_is_meant() -> None:
    address = postgres.read(
        "postgresql://nutzer:gehe%69m-gr%C3%B6%C3%9Fe@höst:5432/db?table=t&password=z%77ei", {"table"}
    )
    assert address is not None
    assert address.where == "postgresql://nutzer:gehe%69m-gr%C3%B6%C3%9Fe@höst:5432/db?password=z%77ei"
    assert address.shown == "postgresql://höst:5432/db"
    error = RuntimeError("no geheim-größe,\n nor gehe%69m-gr%C3%B6%C3%9Fe, nor zwei — at höst")
    assert postgres.said(error, address.secrets) == "no ***, nor ***, nor *** — at höst"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:nutzer:geheim@höst/db",
        "postgresql://nutzer:ge@heim@höst/db",
        "postgresql://nutzer:geheim#1@höst/db",
        "postgresql://nutzer:ge/heim@höst/db",
        "postgresql://nutzer:ge?heim@höst/db",
        "postgresql://nutzer:geheim/db",
        "postgresql://höst:5432,zwei:geheim/db",
        "postgresql://nutzer:geheim%00@höst/db",
    ],
)
def test_where_a_part_of_a_password_would_be_taken_for_another_nothing_is_read(url: str) -> None:
    assert postgres.read(url, ()) is None


def test_a_host_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="IPv6"):
        postgres.read("postgresql://[größe/db", ())


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("Größe", ["größe", "Größe"], "Größe"),
        ("MODELL", ["modell"], "modell"),
        ("GRÖSSE", ["grösse"], None),  # no database folds what is beyond ASCII
        ("\u212aey", ["key"], None),  # the Kelvin sign, which Python lowers to a k
        ("日本", [], None),
    ],
)
def test_a_name_is_found_as_databases_fold_it(name: str, known: list[str], found: str | None) -> None:
    assert find(name, known) == found


def test_a_name_that_is_quoted_is_only_a_name() -> None:
    assert quoted('grö"ße; DROP') == '"grö""ße; DROP"'
    assert folded("ÄBC") == "Äbc"
