"""The tables of docs/oracles.md, made from what the tests hold real clients to: tests/oracles/differences.yaml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import yaml

from contracts.config import catalogue
from contracts.model import Severity

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

Row = tuple[str, ...]


@cache
def _read() -> dict[str, Any]:
    with open(os.path.join(ROOT, "tests", "oracles", "differences.yaml"), encoding="utf-8") as file:
        read: dict[str, Any] = yaml.safe_load(file)
    return read


def _clients() -> set[str]:
    return {client for one in _read()["differences"] for client in one["seen"]}


def _rows(wanted: Callable[[list[str]], bool]) -> Iterator[Row]:
    """Those of the differences whose violated contracts are the wanted ones."""
    yield "what is sent", "we find violated", "the client", "which does so", "why"
    for one in _read()["differences"]:
        if wanted(one["we"]):
            violated = " ".join(f"`{contract}`" for contract in one["we"]) or "nothing"
            clients = "all" if set(one["seen"]) == _clients() else ", ".join(sorted(one["seen"]))
            yield one["fault"], violated, "; ".join(map(_told, one["client"])), clients, one["why"].strip()


def _told(behaviour: str) -> str:
    """Say what a client did so that it can be read without the table's head."""
    return {
        "in full": "reads on and says nothing",
        "nothing": "gives nothing and says nothing",
    }.get(behaviour, behaviour.replace("without ", "loses or changes "))


def _severe(violated: list[str]) -> bool:
    shipped = catalogue.load(None).contracts
    return any(shipped[contract].severity is Severity.ERROR for contract in violated)


def legal_rows() -> Iterator[Row]:
    """What no contract finds fault with, and a client cannot read."""
    return _rows(lambda violated: not violated)


def warned_rows() -> Iterator[Row]:
    """What is a warning to us, and more than that to a client."""
    return _rows(lambda violated: bool(violated) and not _severe(violated))


def survived_rows() -> Iterator[Row]:
    """What violates a contract, and a client lets through."""
    return _rows(_severe)


def version_text() -> str:
    """The versions of the SDKs."""
    return ", ".join(f"`{name}` {version}" for name, version in sorted(_read()["versions"].items())) + ".\n"


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "oracles-legal": legal_rows,
    "oracles-warned": warned_rows,
    "oracles-survived": survived_rows,
}
TEXTS: dict[str, Callable[[], str]] = {"oracle-versions": version_text}
