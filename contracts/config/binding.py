"""A contract bound to the check module that judges it and to the parameters in force."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from msgspec import Struct, ValidationError, convert

from contracts.config.decode import Telling, decode, no_advice
from contracts.config.places import Path
from contracts.config.words import did_you_mean, show
from contracts.config.yaml_loader import Document
from contracts.errors import ConfigError
from contracts.model import Contract

_PACKAGE = "contracts.checks"


class BoundContract(Struct, frozen=True, kw_only=True):
    """A contract with the check module that judges it and the parameters in force (`check_module.Parameters`)."""

    contract: Contract
    kind: str
    check_module: ModuleType
    params: Any


class Origin(Struct, frozen=True):
    """Parameters as one file sets them: the mapping, and where it stands."""

    parameters: Mapping[str, Any]
    document: Document
    path: Path


def check_module(contract: Contract, document: Document) -> ModuleType:
    """Module of the kind that a contract names.

    Raises:
        ConfigError: for a kind that there is no module for.
    """
    kind = contract.check.get("kind")
    if not isinstance(kind, str):
        found = "none" if kind is None else show(kind)
        raise ConfigError(f"{document.at(('check', 'kind'))}: expected a key 'kind' with a check's name, found {found}")
    try:
        module = import_module(f"{_PACKAGE}.{kind}") if kind.isidentifier() else None
    except ModuleNotFoundError as error:
        if error.name != f"{_PACKAGE}.{kind}":
            raise
        module = None
    if module is None or not hasattr(module, "Parameters"):
        near = did_you_mean(kind, kinds())
        raise ConfigError(f"{document.at(('check', 'kind'))}: unknown check kind {show(kind)}{near}")
    return module


def kinds() -> list[str]:
    """Every check kind, by the files of the package; there is no list of them."""
    folder = os.path.dirname(str(import_module(_PACKAGE).__file__))
    names = (name.removesuffix(".py") for name in os.listdir(folder) if name.endswith(".py"))
    return sorted(name for name in names if not name.startswith("_"))


def bind(contract: Contract, document: Document, origins: tuple[Origin, ...] = ()) -> BoundContract:
    """Bind a contract; of parameters that are set more than once the last origin's counts.

    Args:
        contract: decoded from `document`.
        document: where unknown kinds and the contract's own parameters are told.
        origins: what dialect and rows set, in the order of their merging.

    Raises:
        ConfigError: for an unknown kind, and for every parameter that does not fit, where it was set.
    """
    module = check_module(contract, document)
    parameters = {key: value for key, value in contract.check.items() if key != "kind"}
    for origin in origins:
        parameters.update(origin.parameters)
    try:
        params = convert(parameters, module.Parameters)
    except ValidationError:
        params = decode(
            parameters, module.Parameters, _tell(contract, Origin(contract.check, document, ("check",)), origins)
        )
    return BoundContract(contract=contract, kind=contract.check["kind"], check_module=module, params=params)


def _tell(contract: Contract, own: Origin, origins: tuple[Origin, ...]) -> Telling:
    def origin_of(path: Path) -> Origin:
        return next((one for one in reversed((own, *origins)) if not path or path[0] in one.parameters), own)

    def at(path: Path) -> str:
        origin = origin_of(path)
        return origin.document.at((*origin.path, *path))

    def at_key(path: Path) -> str:
        origin = origin_of(path)
        return origin.document.at_key((*origin.path, *path))

    def owner(path: Path) -> str:
        return f"{show(path[-1])} of {contract.id}" if path else str(contract.id)

    return Telling(at, at_key, owner, no_advice, "unknown parameter {key} of {owner}")
