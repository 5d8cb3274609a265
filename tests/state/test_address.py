"""Addresses are shown without their passwords, however odd they are."""

from __future__ import annotations

import pytest

from contracts.state.address import hidden, is_address, is_postgres, redacted

SHOWN = [
    ("/var/lib/größe/state.db", "/var/lib/größe/state.db"),
    ("größe:passwort@state.db", "größe:passwort@state.db"),
    ("postgresql://db.example/größe", "postgresql://db.example/größe"),
    ("postgresql://router@db.example:5432/größe", "postgresql://router@db.example:5432/größe"),
    ("postgresql://router:Zwiebel@db.example/größe", "postgresql://router:***@db.example/größe"),
    ("postgres://router:Zw%40iebel@db.example/größe", "postgres://router:***@db.example/größe"),
    ("postgres://:Zwiebel@db.example/größe", "postgres://:***@db.example/größe"),
    ("postgresql://router:Zw@ie/b:el?@db.example/größe", "postgresql://router:***@db.example/größe"),
    ("postgresql:///größe?host=/run&password=Zwiebel&user=a", "postgresql:///größe?host=/run&password=***&user=a"),
    ("postgresql:///g?PASSWORD=Zwiebel", "postgresql:///g?PASSWORD=***"),
    ("mysql://router:Zwiebel@db.example/größe", "mysql://router:***@db.example/größe"),
]


@pytest.mark.parametrize(("where", "shown"), SHOWN)
def test_an_address_is_shown_without_its_password_and_a_path_as_it_is(where: str, shown: str) -> None:
    assert redacted(where) == shown


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("postgresql://router:Zwiebel@db.example/g", 'invalid port number: "Zwiebel"'),
        ("postgresql://router:Zw%40iebel@db.example/g", "no such user Zw@iebel, Zw%40iebel"),
        ("postgresql://router:Suppe@Zwiebel@db.example/g", 'could not translate host name "Zwiebel@db.example"'),
        ("postgresql://db.example/g?password=Zwiebel", "password=Zwiebel"),
    ],
)
def test_no_piece_of_a_password_is_in_what_a_driver_says(where: str, said: str) -> None:
    told = hidden(said, where)
    assert "iebel" not in told
    assert "***" in told


def test_what_a_driver_says_of_a_path_or_of_an_address_without_a_password_is_left_alone() -> None:
    for where in ("größe:disk@1", "postgresql://router@db.example/größe"):
        assert hidden("disk is full — größe", where) == "disk is full — größe"


def test_addresses_are_told_from_paths() -> None:
    kinds = {where: (is_address(where), is_postgres(where)) for where in ("a/b.db", "POSTGRES://h/g", "mysql://h/g")}
    assert kinds == {"a/b.db": (False, False), "POSTGRES://h/g": (True, True), "mysql://h/g": (True, False)}
