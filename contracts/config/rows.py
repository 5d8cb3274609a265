"""Rows of providers.yaml: `extends`, what a row may not do, and the Provider it comes to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from contracts.config.decode import decode, telling
from contracts.config.file_form import File, ModelsFrom, Row
from contracts.config.model_ids import read_ids
from contracts.config.places import Path
from contracts.config.words import did_you_mean, looks_like_a_key, show
from contracts.config.yaml_loader import Document
from contracts.errors import ConfigError
from contracts.model import Provider

# A missing charset is only ever recorded as a fact: no parameter may talk it away (see the contract's `why`).
WAIVER_ONLY = frozenset({"sse.charset"})
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_OFF = (False, True, "off", "no", "none", "false", "disabled", "ignore")
_WRITE_A_WAIVER = "write a waiver with contract, because, owner and until"


class Layer(Struct, frozen=True):
    """One row as it was written, with where: the document and the row's path in it."""

    row: dict[str, Any]
    document: Document
    path: Path


class Resolved(Struct, frozen=True):
    """A row after `extends`. `layers` are in the order of their merging, so the last one that sets a key has it.

    `files` holds the contracts of one's own: the path of each file, and the layer that names it.
    """

    provider: Provider
    layers: tuple[Layer, ...]
    files: dict[str, tuple[str, Layer]]


def read_file(document: Document) -> File:
    """Hold a document against the form of providers.yaml.

    Raises:
        ConfigError: with every problem, each told with whose row it is and without a credential.
    """
    return decode(document.value, File, telling(document, _owner, _advice))


def resolve(
    document: Document,
    shipped: Mapping[str, Document],
    known: Mapping[str, Any],
    stdin: Callable[[], bytes],
    problems: list[str],
) -> dict[str, Resolved]:
    """Turn every row that has the right form into a Provider; the others were told by `read_file`.

    Args:
        document: providers.yaml.
        shipped: documents of the shipped rows, by name.
        known: the shipped contracts, by id.
        stdin: gives all of standard input, for `models: {from: -}`.
        problems: gets every problem of every row.
    """
    resolved: dict[str, Resolved] = {}
    rows = document.value.get("providers") if isinstance(document.value, dict) else None
    for name in rows if isinstance(rows, dict) else ():
        try:
            resolved[name] = _Row(name, document, shipped, known, stdin).resolve(problems)
        except ConfigError as error:
            problems += error.problems
        except msgspec.ValidationError:
            # This row, or one that it rests on, has no right form, which was told already.
            continue
    return resolved


class _Row:
    """One row on its way to a Provider."""

    def __init__(
        self,
        name: str,
        document: Document,
        shipped: Mapping[str, Document],
        known: Mapping[str, Any],
        stdin: Callable[[], bytes],
    ) -> None:
        self.name, self.document, self.shipped, self.known, self.stdin = name, document, shipped, known, stdin

    def resolve(self, problems: list[str]) -> Resolved:
        """Give the row as far as it can be understood; raise ConfigError where there is no row at all."""
        layers = self._layers()
        problems += [line for layer in layers for line in self._faults(layer)]
        merged: dict[str, Any] = {}
        for layer in layers:
            merged = merge(merged, _with_whole_paths(layer))
        row = msgspec.convert(merged, Row)
        if row.dialect is None:
            at = self.document.at_key(("providers", self.name))
            raise ConfigError(
                f"{at}: expected a key 'dialect' (or 'extends') in provider {show(self.name)}, found none"
            )
        files = {name: file for name, file in _own_files(layers).items() if name not in self.known}
        models = read_ids(row.models.file, self.stdin) if isinstance(row.models, ModelsFrom) else row.models or ()
        return Resolved(_provider(self.name, row, tuple(dict.fromkeys(models)), files), layers, files)

    def _layers(self) -> tuple[Layer, ...]:
        """The row that everything rests on first."""
        chain = [self._layer(self.name, self.document)]
        seen = [(self.document.name, self.name)]
        while (wanted := chain[-1].row.get("extends")) is not None:
            chain.append(self._base(wanted, chain[-1]))
            step = (chain[-1].document.name, chain[-1].path[-1])
            if step in seen:
                turns = " → ".join(show(name) for _, name in [*seen, step])
                at = chain[-2].document.at((*chain[-2].path, "extends"))
                raise ConfigError(f"{at}: expected 'extends' to end somewhere, found a circle: {turns}")
            seen.append((step[0], str(step[1])))
        return tuple(reversed(chain))

    @staticmethod
    def _layer(name: str, document: Document) -> Layer:
        """One row as it is written. Raises msgspec.ValidationError where it has no right form."""
        row = document.value["providers"][name]
        msgspec.convert(row, Row)
        return Layer(row, document, ("providers", name))

    def _base(self, wanted: str, layer: Layer) -> Layer:
        """A row of the same file, unless it is the row itself; else a shipped one."""
        rows = layer.document.value["providers"]
        itself = layer.path == ("providers", wanted)
        if wanted in rows and (not itself or wanted not in self.shipped or layer.document is self.shipped[wanted]):
            return self._layer(wanted, layer.document)
        if wanted in self.shipped:
            document = self.shipped[wanted]
            read_file(document)
            return self._layer(wanted, document)
        at = layer.document.at((*layer.path, "extends"))
        near = did_you_mean(wanted, [*self.shipped, *(name for name in rows if name != self.name)])
        raise ConfigError(f"{at}: unknown provider {show(wanted)} in 'extends'{near}")

    def _faults(self, layer: Layer) -> Iterator[str]:
        """What the form of a row cannot say."""
        document, path, row = layer.document, layer.path, layer.row
        api_key = row.get("api_key")
        if api_key is not None and looks_like_a_key(api_key):
            yield f"{document.at((*path, 'api_key'))}: {_NOT_A_NAME}"
        for contract, parameters in (row.get("contracts") or {}).items():
            here = (*path, "contracts", contract)
            if contract in WAIVER_ONLY:
                yield (
                    f"{document.at_key(here)}: expected no parameters of {show(contract)}, "
                    f"which nothing but a waiver silences, found {show(parameters)} ({_WRITE_A_WAIVER})"
                )
            elif "file" in parameters:
                yield from self._own_faults(layer, contract, parameters)
            elif contract not in self.known and not self._is_own(contract):
                near = did_you_mean(contract, self.known)
                at = document.at_key(here)
                yield f"{at}: unknown contract {show(contract)} in provider {show(path[-1])}{near}"

    def _is_own(self, contract: str) -> bool:
        return any("file" in (layer.row.get("contracts") or {}).get(contract, {}) for layer in self._layers())

    def _own_faults(self, layer: Layer, contract: str, parameters: dict[str, Any]) -> Iterator[str]:
        here = (*layer.path, "contracts", contract)
        if contract in self.known:
            at = layer.document.at_key(here)
            yield f"{at}: expected an id of your own, found the shipped {show(contract)} (set its parameters instead)"
        if not isinstance(parameters["file"], str) or not parameters["file"]:
            at = layer.document.at((*here, "file"))
            yield f"{at}: expected the path of a contract's file, found {show(parameters['file'])}"


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one row over another: what is written later wins; `listing` by key, `contracts` by id and parameter.

    Waivers are added to, for a waiver below must not come back to life by being left out above. What one row is
    pending for says nothing of a row that rests on it.
    """
    merged = {**base, **over}
    if "pending" not in over:
        merged.pop("pending", None)
    below, above = base.get("contracts") or {}, over.get("contracts") or {}
    merged["contracts"] = {**below, **{name: {**below.get(name, {}), **set_} for name, set_ in above.items()}}
    merged["waivers"] = [*(base.get("waivers") or []), *(over.get("waivers") or [])]
    merged["listing"] = {**(base.get("listing") or {}), **(over.get("listing") or {})}
    return merged


def seconds(duration: str) -> int:
    """Seconds of a duration such as 90m, 24h or 7d."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


def _provider(name: str, row: Row, models: tuple[str, ...], files: Mapping[str, Any]) -> Provider:
    set_: dict[str, Any] = {
        "evidence_max_age_s": None if row.evidence_max_age is None else seconds(row.evidence_max_age),
        "free_chats_per_day": row.free_chats_per_day,
        "billing": row.billing,
    }
    listing = {} if row.listing is None else msgspec.to_builtins(row.listing)
    parameters = row.contracts or {}
    return Provider(
        name=name,
        dialect=row.dialect or "",
        base_url=row.base_url.rstrip("/") if row.base_url else None,
        api_key=row.api_key,
        auth=row.auth,
        models=models,
        listing={key: value for key, value in listing.items() if value is not None},
        endpoint={} if row.endpoint is None else msgspec.to_builtins(row.endpoint),
        contracts={
            key: {name: value for name, value in values.items() if name != "file" or key not in files}
            for key, values in parameters.items()
        },
        own=tuple(files),
        waivers=tuple(row.waivers or ()),
        pending=row.pending,
        **{key: value for key, value in set_.items() if value is not None},
    )


def _with_whole_paths(layer: Layer) -> dict[str, Any]:
    """The row with `from` as a path from here: it is written as seen from its own file."""
    models = layer.row.get("models")
    if isinstance(models, dict) and models["from"] != "-":
        return {**layer.row, "models": {"from": beside(layer.document, models["from"])}}
    return layer.row


def beside(document: Document, path: str) -> str:
    """A path that a document names, as seen from that document's folder."""
    return os.path.join(os.path.dirname(document.name), path)


def _own_files(layers: tuple[Layer, ...]) -> dict[str, tuple[str, Layer]]:
    files: dict[str, tuple[str, Layer]] = {}
    for layer in layers:
        for contract, parameters in (layer.row.get("contracts") or {}).items():
            if isinstance(parameters.get("file"), str):
                files[contract] = (beside(layer.document, parameters["file"]), layer)
    return files


_NOT_A_NAME = (
    "expected the name of a variable that holds the key, such as ACME_API_KEY, found what may be a key (not shown)"
)
_ROW_STEPS = 2


def _owner(path: Path) -> str:
    if len(path) < _ROW_STEPS:
        return show(path[0]) if path else "the file"
    row = f"provider {show(path[1])}"
    inside = path[_ROW_STEPS:]
    if not inside:
        return row
    if inside[0] == "waivers" and len(inside) > 1:
        return f"waiver {int(inside[1]) + 1} of {row}"
    return f"{show(inside[-1])} of {row}"


def _advice(path: Path, value: Any) -> str | None:
    inside = path[_ROW_STEPS:]
    if inside == ("api_key",):
        return _NOT_A_NAME if isinstance(value, str) else None
    if inside == ("base_url",) and isinstance(value, str) and "@" in value:
        return "expected an http or https URL without credentials, found one with '@' (not shown)"
    if len(inside) == _ROW_STEPS and inside[0] == "contracts" and not isinstance(value, dict) and value in _OFF:
        wanted = f"expected parameters of {show(inside[1])}, found {show(value)}"
        return f"{wanted} (no row switches a contract off; {_WRITE_A_WAIVER})"
    return None
