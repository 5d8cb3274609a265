"""The catalogue: every contract, dialect table and provider row, bound to what judges it.

(Signatures are settled; bodies follow.)
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from msgspec import Struct

from contracts.model import Contract, Provider


class BoundContract(Struct, frozen=True, kw_only=True):
    """A contract with the check module that judges it and the parameters in force (`check_module.Parameters`)."""

    contract: Contract
    kind: str
    check_module: ModuleType
    params: Any


class Catalogue(Struct, frozen=True, kw_only=True):
    """All that was read. `dialects` maps a name to its table as a plain mapping; `config` is the file, or None.

    `contracts` holds the shipped contracts and those of the user's rows, in order of id.
    """

    contracts: dict[str, Contract]
    dialects: dict[str, dict[str, Any]]
    providers: dict[str, Provider]
    notes: tuple[str, ...] = ()
    config: str | None = None

    def contract(self, contract_id: str) -> Contract:
        """One contract. Raises ConfigError with "did you mean" for an unknown id."""
        raise NotImplementedError

    def provider(self, name: str) -> Provider:
        """One row. Raises ConfigError with "did you mean" for an unknown name."""
        raise NotImplementedError

    def dialect(self, name: str) -> dict[str, Any]:
        """One dialect table. Raises ConfigError with "did you mean" for an unknown name."""
        raise NotImplementedError

    def bound(self, provider: Provider) -> tuple[BoundContract, ...]:
        """Every contract that applies to a row, its parameters from contract, dialect and row. Raises ConfigError."""
        raise NotImplementedError

    def bound_to_dialect(self, dialect: str) -> tuple[BoundContract, ...]:
        """Every shipped contract under a dialect's rules and no row: `inspect` without `--provider`."""
        raise NotImplementedError


def load(config: str | None = None, *, use_cache: bool = True) -> Catalogue:
    """Read the library, and the rows of the file `config` (a path from `search.find`); None: no rows.

    Raises:
        ConfigError: with every problem of every file that was read.
    """
    raise NotImplementedError
