"""A contract's YAML document as a Contract."""

from __future__ import annotations

from contracts.config.decode import decode, telling
from contracts.config.places import Path
from contracts.config.words import show
from contracts.config.yaml_loader import Document
from contracts.errors import ConfigError
from contracts.model import Contract


def read_contract(document: Document, contract_id: str) -> Contract:
    """Decode a contract that has to bear the id by which it is known: its file's name, or the key of a row.

    Raises:
        ConfigError: with every problem of the document.
    """

    def owner(path: Path) -> str:
        return f"{show(path[-1])} of contract {show(contract_id)}" if path else f"contract {show(contract_id)}"

    contract = decode(document.value, Contract, telling(document, owner))
    if contract.id != contract_id:
        raise ConfigError(f"{document.at(('id',))}: expected the id {show(contract_id)}, found {show(contract.id)}")
    return contract
