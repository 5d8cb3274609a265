"""A dialect's table: a mapping that the dialect's module reads, with the parameters it sets for contracts."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from contracts.config.decode import decode, telling
from contracts.config.words import show
from contracts.config.yaml_loader import Document
from contracts.errors import ConfigError
from contracts.model import ContractId


class _Form(Struct):
    """What every dialect's table has; other keys are the dialect's own."""

    name: str
    contracts: dict[ContractId, dict[str, Any]] = {}
    listing: dict[str, Any] = {}


def read_dialect(document: Document, name: str) -> dict[str, Any]:
    """Hold a table against its form and give it as the plain mapping that it is.

    Raises:
        ConfigError: with every problem of the document.
    """
    form = decode(document.value, _Form, telling(document, lambda _path: f"dialect {show(name)}"))
    if form.name != name:
        raise ConfigError(f"{document.at(('name',))}: expected the name {show(name)}, found {show(form.name)}")
    table: dict[str, Any] = document.value
    return table
