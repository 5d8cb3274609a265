"""`contracts list`: the providers and the contracts that this configuration has."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from contracts.config import catalogue, search
from contracts.model import Scope, Severity
from contracts.text.scrub import scrub
from contracts_cli import terminal

SCHEMA = "contracts.list/1"


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for; `config` None looks for the providers file in the usual places."""

    config: str | None = None
    format: Literal["text", "json"] = "text"


class ProviderLine(Struct, frozen=True, kw_only=True):
    """A row of the providers file."""

    name: str
    dialect: str
    base_url: str | None
    models: tuple[str, ...]


class ContractLine(Struct, frozen=True, kw_only=True):
    """A contract, shipped or of one's own."""

    id: str
    severity: Severity
    scope: Scope
    promise: str


class Lists(Struct, frozen=True, kw_only=True):
    """What `contracts list -f json` prints. `config` is the providers file, None where none was found."""

    schema: str = SCHEMA
    config: str | None
    providers: tuple[ProviderLine, ...]
    contracts: tuple[ContractLine, ...]


def run(settings: Settings) -> int:
    """Print both lists."""
    lists = read(settings)
    if settings.format == "json":
        terminal.write_json(lists)
    else:
        terminal.write(_view(lists, terminal.width_of(sys.stdout)))
    return 0


def read(settings: Settings) -> Lists:
    """Read what is to be listed. Raises ConfigError."""
    config = search.find(settings.config, os.environ, "")
    read_ = catalogue.load(config)
    return Lists(
        config=config,
        providers=tuple(
            ProviderLine(name=p.name, dialect=p.dialect, base_url=p.base_url, models=p.models)
            for p in read_.providers.values()
        ),
        contracts=tuple(
            ContractLine(id=c.id, severity=c.severity, scope=c.scope, promise=c.promise)
            for c in read_.contracts.values()
        ),
    )


def _view(lists: Lists, width: int) -> str:
    providers = [
        (p.name, p.dialect, f"{len(p.models)} model{'' if len(p.models) == 1 else 's'}", p.base_url or "no base URL")
        for p in lists.providers
    ]
    contracts = [(c.id, c.severity.value, c.scope.value, c.promise) for c in lists.contracts]
    found = f"providers in {scrub(lists.config)}" if lists.config else "no providers file was found"
    return "\n".join([found, *table(providers, width), "", "contracts", *table(contracts, width), ""])


def table(rows: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Lines of a table: columns as wide as their widest cell, the last one wrapped under itself."""
    clean = [[scrub(cell) for cell in row] for row in rows]
    columns = [max(map(terminal.columns_of, column)) for column in zip(*clean, strict=True)]
    indent = sum(columns[:-1]) + 2 * len(columns)
    # Where the last column would be squeezed, it goes below its row.
    squeezed = indent > width // 2
    lines: list[str] = []
    for row in clean:
        cells = [cell + " " * (w - terminal.columns_of(cell)) for cell, w in zip(row, columns, strict=True)]
        head = "  " + "  ".join(cells[:-1])
        if squeezed:
            head = head.rstrip() if indent - 2 <= width else "  " + "  ".join(row[:-1])
            lines.extend((head, terminal.wrap(row[-1], width, "    ", "    ")))
        else:
            lines.append(terminal.wrap(row[-1], width, f"{head}  ", " " * indent))
    return lines
