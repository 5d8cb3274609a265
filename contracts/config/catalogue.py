"""The catalogue: every contract, dialect table and provider row, bound to what judges it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from contracts.config import files
from contracts.config import library as shipped
from contracts.config.binding import BoundContract, Origin, bind
from contracts.config.cache import Cache, cached_documents, cached_load, default_folder, keep
from contracts.config.contract_form import read_contract
from contracts.config.dialect_form import read_dialect
from contracts.config.expressions import expression_problems
from contracts.config.rows import Resolved, read_file, resolve
from contracts.config.words import did_you_mean, show
from contracts.config.yaml_loader import CONFIG, Document
from contracts.errors import ConfigError
from contracts.model import Contract, Provider

if TYPE_CHECKING:
    from contracts.dialects import Tables

__all__ = ["BoundContract", "Catalogue", "load"]


T = TypeVar("T")


class Sources(Struct, frozen=True):
    """Where everything was read, for problems that only binding shows."""

    contracts: dict[str, Document]
    dialects: dict[str, Document]
    rows: dict[str, Resolved]
    folder: str


class Catalogue:
    """All that was read.

    Attributes:
        contracts: the shipped contracts and those of the user's rows, by id, in order of id.
        dialects: each dialect's table as a plain mapping, by name.
        providers: the user's rows, in the order of the file.
        notes: the file's note sinks.
        config: path of the file that held the rows, or None.
        sources: the documents and rows that all this was made of.
    """

    __slots__ = ("_bound", "_own", "config", "contracts", "dialects", "notes", "providers", "sources")

    def __init__(
        self,
        contracts: dict[str, Contract],
        dialects: dict[str, dict[str, Any]],
        sources: Sources,
        notes: tuple[str, ...] = (),
        config: str | None = None,
    ) -> None:
        """Hold what `load` read."""
        self.contracts = dict(sorted(contracts.items()))
        self.dialects = dialects
        self.providers = {name: resolved.provider for name, resolved in sources.rows.items()}
        self.notes = notes
        self.config = config
        self.sources = sources
        self._own = {contract_id for row in sources.rows.values() for contract_id in row.files}
        self._bound: dict[tuple[str, str | None], tuple[BoundContract, ...]] = {}

    def contract(self, contract_id: str) -> Contract:
        """One contract. Raises ConfigError with "did you mean" for an unknown id."""
        return _known("contract", contract_id, self.contracts)

    def provider(self, name: str) -> Provider:
        """One row. Raises ConfigError with "did you mean" for an unknown name."""
        hint = "" if self.config else " (no providers.yaml was found)"
        if self.config and os.path.isfile(os.path.join(self.sources.folder, "providers", f"{name}.yaml")):
            hint = f" (a shipped row has that name: add `{name}: {{extends: {name}}}` to {self.config})"
        elif self.config and os.path.isdir(name):
            hint = f" (that is a folder; one of captures is given as --replay={name})"
        return _known("provider", name, self.providers, hint)

    def dialect(self, name: str) -> dict[str, Any]:
        """One dialect table. Raises ConfigError with "did you mean" for an unknown name."""
        return _known("dialect", name, self.dialects)

    def bound(self, provider: Provider) -> tuple[BoundContract, ...]:
        """Every contract that binds a row, in order of id; parameters from contract, dialect and row, the last wins.

        Raises:
            ConfigError: with every parameter that does not fit, where it was set.
        """
        return self._bind(provider.dialect, self.providers.get(provider.name))

    def bound_to_dialect(self, dialect: str) -> tuple[BoundContract, ...]:
        """Every shipped contract under a dialect's rules and no row: `inspect` without `--provider`.

        Raises:
            ConfigError: for an unknown dialect.
        """
        return self._bind(dialect, None)

    def tables(self, dialect: str, provider: Provider | None = None) -> Tables:
        """What a fold needs of a dialect, with what the row says of its listing and its close.

        Raises:
            ConfigError: for an unknown dialect.
        """
        from msgspec import convert

        from contracts.dialects import Tables

        table = self.dialect(dialect)
        row = {} if provider is None else provider.listing
        sentinels = [text.encode() for text in table.get("sentinels", ())]
        said = {} if provider is None else provider.contracts.get("sse.done", {})
        own = said.get("sentinel")
        if isinstance(own, str) and own != "none":
            # A close of the row's own has to be known as one, or it would be taken for an event that is no JSON.
            sentinels = list(dict.fromkeys([own.encode(), *sentinels]))
        # Pages are counted or told of: a row that counts them has no use for the dialect's way.
        usual = {
            key: value for key, value in table.get("listing", {}).items() if key != "next" or "next_number" not in row
        }
        listing = {**usual, **{key: value for key, value in row.items() if key != "path"}}
        rest: dict[str, Any] = {key: table[key] for key in ("cut_reasons", "order") if key in table}
        if provider is not None and provider.endpoint:
            rest["endpoint"] = {key: provider.endpoint[key] for key in ("count", "prices")}
        rest["trailers"] = [text.encode() for text in table.get("trailers", ())]
        return convert({**rest, "schema": self._schema(dialect), "sentinels": sentinels, "listing": listing}, Tables)

    def _schema(self, dialect: str) -> Callable[[str], bytes]:
        folder = os.path.join(self.sources.folder, "schemas", dialect)

        def schema(name: str) -> bytes:
            with open(os.path.join(folder, f"{name}.json"), "rb") as file:
                return file.read()

        return schema

    def _bind(self, dialect: str, provider: Provider | None) -> tuple[BoundContract, ...]:
        key = (dialect, None if provider is None else provider.name)
        if key not in self._bound:
            self._bound[key] = self._bind_all(dialect, provider)
        return self._bound[key]

    def _bind_all(self, dialect: str, provider: Provider | None) -> tuple[BoundContract, ...]:
        table = self.dialect(dialect)
        own = () if provider is None else provider.own
        row = None if provider is None else self.sources.rows[provider.name]
        bound: list[BoundContract] = []
        problems: list[str] = []
        for contract_id, contract in self.contracts.items():
            if contract_id not in own and contract_id in self._own:
                continue
            origins = _origins(contract_id, table, self.sources.dialects[dialect], row)
            try:
                bound.append(bind(contract, self.sources.contracts[contract_id], origins))
            except ConfigError as error:
                problems += error.problems
        if problems:
            raise ConfigError(*problems)
        return tuple(bound)


def load(
    config: str | None = None,
    *,
    use_cache: bool = True,
    stdin: Callable[[], bytes] | None = None,
    folder: str = shipped.FOLDER,
    environ: Mapping[str, str] = os.environ,
) -> Catalogue:
    """Read the library and the user's rows.

    Args:
        config: path of the file that holds the rows, as `search.find` gives it; None: no rows.
        use_cache: whether parsed YAML may come from, and go to, the user's cache.
        stdin: gives all of standard input, for `models: {from: -}`; None: read the process's own.
        folder: the library, for tests.
        environ: says where the cache is.

    Raises:
        ConfigError: with every problem of every file that was read.
    """
    cache = Cache(default_folder(environ) if use_cache else None)
    problems: list[str] = []
    catalogue = read(config, cache, stdin or files.stdin, folder, problems)
    if problems:
        raise ConfigError(*dict.fromkeys(problems))
    return catalogue


def read(config: str | None, cache: Cache, stdin: Callable[[], bytes], folder: str, problems: list[str]) -> Catalogue:
    """Read as `load` does, but go on past problems, so that one run tells all of them.

    What comes of it is whole only when `problems` stayed empty.

    Raises:
        ConfigError: when a file is no YAML at all.
    """
    library = shipped.read(cache, folder)
    contracts = _decoded(library.contracts, read_contract, problems)
    dialects = _decoded(library.dialects, read_dialect, problems)
    if config is None:
        if not problems:
            library.keep(cache)
        return Catalogue(contracts, dialects, Sources(library.contracts, library.dialects, {}, folder))
    (document,), key = cached_documents([(config, files.read(config))], cache)
    notes: tuple[str, ...] = ()
    try:
        notes = tuple(read_file(document).notes or ())
    except ConfigError as error:
        problems += error.problems
    rows = resolve(document, library.providers, contracts, files.once(stdin), problems)
    own = _own_contracts(rows, cache, problems)
    sources = Sources({**library.contracts, **own}, library.dialects, rows, folder)
    catalogue = Catalogue({**contracts, **_decoded(own, read_contract, problems)}, dialects, sources, notes, config)
    _hold_together(catalogue, rows, problems)
    if key is not None or library.key is not None:
        # What the cache gave was found good when it was put there.
        problems += expression_problems(rows.values())
    if not problems:
        library.keep(cache)
        keep([document], key, cache)
    return catalogue


def _known(noun: str, name: str, things: Mapping[str, T], hint: str = "") -> T:
    if name not in things:
        some = ", ".join(list(things)[:8]) + (" …" if len(things) > 8 else "")  # noqa: PLR2004 - a line's worth
        known = f" (expected one of {some})" if things else ""
        raise ConfigError(f"unknown {noun} {show(name)}{hint or did_you_mean(name, things) or known}")
    return things[name]


def _origins(
    contract_id: str, table: Mapping[str, Any], document: Document, row: Resolved | None
) -> tuple[Origin, ...]:
    """What the dialect and each layer of a row set for a contract, in the order of their merging."""
    origins = []
    if contract_id in table.get("contracts", {}):
        origins.append(Origin(table["contracts"][contract_id], document, ("contracts", contract_id)))
    for layer in () if row is None else row.layers:
        parameters = (layer.row.get("contracts") or {}).get(contract_id)
        if parameters is not None and "file" not in parameters:
            origins.append(Origin(parameters, layer.document, (*layer.path, "contracts", contract_id)))
    return tuple(origins)


def _decoded(
    documents: Mapping[str, Document], decode: Callable[[Document, str], T], problems: list[str]
) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, document in documents.items():
        try:
            found[name] = decode(document, name)
        except ConfigError as error:
            problems += error.problems
    return found


def _hold_together(catalogue: Catalogue, rows: Mapping[str, Resolved], problems: list[str]) -> None:
    """See that every row's dialect and parameters fit, so that a bad row is told before anything is judged."""
    for row in rows.values():
        if row.provider.dialect not in catalogue.dialects:
            layer = next(layer for layer in reversed(row.layers) if layer.row.get("dialect") is not None)
            near = did_you_mean(row.provider.dialect, catalogue.dialects)
            at = layer.document.at((*layer.path, "dialect"))
            problems.append(f"{at}: unknown dialect {show(row.provider.dialect)}{near}")
            continue
        try:
            catalogue.bound(row.provider)
        except ConfigError as error:
            problems += error.problems


def _own_contracts(rows: Mapping[str, Resolved], cache: Cache, problems: list[str]) -> dict[str, Document]:
    """Read the contracts of one's own from the files that rows name."""
    found: dict[str, Document] = {}
    for contract_id, (path, layer) in ((name, file) for row in rows.values() for name, file in row.files.items()):
        named = (*layer.path, "contracts", contract_id, "file")
        if contract_id in found:
            if found[contract_id].name != path:
                problems.append(
                    f"{layer.document.at(named)}: expected one file for {show(contract_id)}, found a second"
                )
        elif not os.path.isfile(path):
            problems.append(f"{layer.document.at(named)}: expected a contract's file, found none at {show(path)}")
        else:
            data = files.read(path)
            try:
                found[contract_id] = Document(cached_load(path, data, CONFIG, cache=cache), path, data)
            except ConfigError as error:
                problems += error.problems
    return found
