"""Which rows a change adds or alters: what each comes to, here and at the commit that the change left.

Rows are compared after `extends`, and with the contracts, the dialect and the files that they rest on, so that it does
not matter where a change was made; comments and prose change nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from msgspec import Struct, structs

from contracts.config import catalogue as catalogues
from contracts.config import library as shipped
from contracts.config.cache import Cache, default_folder
from contracts.config.words import show
from contracts.config.yaml_loader import load
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.config.catalogue import Catalogue
    from contracts.gate.git import Repository
    from contracts.model import Provider

STDIN = "-"


class Changed(Struct, frozen=True, kw_only=True):
    """A row that a change adds or alters.

    Attributes:
        name: of the row.
        is_new: the base has no such row.
        parts: what of it differs, in words; empty for a new row.
        was_judged: the base has the row, and not as one that is pending.
    """

    name: str
    is_new: bool
    parts: tuple[str, ...] = ()
    was_judged: bool = False


class Changes(Struct, frozen=True, kw_only=True):
    """What a change comes to: the catalogue as it is, its changed rows, and whose host gets which key in the base.

    `trusted` holds pairs of a variable's name and an origin.
    """

    catalogue: Catalogue
    rows: tuple[Changed, ...]
    trusted: frozenset[tuple[str, str]]


def find(repository: Repository, commit: str, config: str) -> Changes:
    """Compare the working tree with a commit.

    Raises:
        ConfigError: for a bad YAML file here, and for one that reaches out of the repository.
    """
    place = repository.relative(config)
    if place is None:
        raise ConfigError(f"{config}: expected a file of the repository {repository.top}, found one outside")
    before = repository.contents(commit, [place]).get(place)
    reached_before = list(_reached(before, place))
    _stay_inside(repository, config, place, reached_before)
    catalogue = catalogues.load(config, stdin=bytes)
    with TemporaryDirectory(prefix="contracts-gate-") as folder:
        library = _library(repository, commit, folder)
        base = None if before is None else _base(repository, commit, place, reached_before, folder, library)
        rows = tuple(_changed_rows(catalogue, base))
        trusted = frozenset(_trusted(base, library))
    _refuse_standard_input(catalogue, rows)
    return Changes(catalogue=catalogue, rows=rows, trusted=trusted)


def origin(url: str | None) -> str:
    """Give scheme, host and port of a URL, which is to whom a key is sent."""
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc}".lower()


def _changed_rows(now: Catalogue, base: Catalogue | None) -> Iterator[Changed]:
    for name, row in now.providers.items():
        was = None if base is None else base.providers.get(name)
        if base is None or was is None:
            yield Changed(name=name, is_new=True)
            continue
        here, there = _parts(now, row), _parts(base, was)
        parts = tuple(part for part in {**there, **here} if here.get(part) != there.get(part))
        if parts:
            yield Changed(name=name, is_new=False, parts=parts, was_judged=was.pending is None)


def _parts(catalogue: Catalogue, row: Provider) -> dict[str, Any]:
    """Give all that a judgement of a row rests on, by what it is called."""
    parts: dict[str, Any] = {field: getattr(row, field) for field in structs.asdict(row)}
    try:
        bound = catalogue.bound(row)
    except ConfigError:
        return {}  # a base that cannot be read says nothing
    for one in bound:
        contract = one.contract
        parts[f"contract {contract.id}"] = (contract.needs, contract.scope, contract.severity, one.kind, one.params)
    parts[f"dialect {row.dialect}"] = catalogue.dialects.get(row.dialect)
    folder = os.path.join(catalogue.sources.folder, "schemas", row.dialect)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        with open(os.path.join(folder, name), "rb") as file:
            parts[f"schema {row.dialect}/{name}"] = file.read()
    return parts


def _base(  # noqa: PLR0913, PLR0917 - what a catalogue of another day is made of
    repository: Repository, commit: str, place: str, reached: list[tuple[str, str]], folder: str, library: str
) -> Catalogue | None:
    """Read the providers file as it was, with the files that it names; None where that cannot be read."""
    named = {path for _, path in reached if not path.startswith("../")}
    for path, data in repository.contents(commit, [place, *sorted(named)]).items():
        _write(os.path.join(folder, "tree", path), data)
    cache = Cache(default_folder(os.environ))
    try:
        # Rows that are in order count, whatever is wrong with others.
        return catalogues.read(os.path.join(folder, "tree", place), cache, bytes, library, [])
    except ConfigError:
        return None


def _library(repository: Repository, commit: str, folder: str) -> str:
    """Give the folder of the library as it was, where this very repository ships it; else that of this program."""
    place = repository.relative(shipped.FOLDER)
    files = [] if place is None else repository.files(commit, place)
    if place is None or not files:
        return shipped.FOLDER
    for path, data in repository.contents(commit, files).items():
        _write(os.path.join(folder, "library", os.path.relpath(path, place)), data)
    return os.path.join(folder, "library")


def _write(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def _trusted(base: Catalogue | None, library: str) -> Iterator[tuple[str, str]]:
    """Tell which key the base sends to which host, by its rows and by those of the library."""
    for row in () if base is None else base.providers.values():
        if row.api_key is not None:
            yield row.api_key, origin(row.base_url)
    for document in shipped.read(Cache(default_folder(os.environ)), library).providers.values():
        rows = document.value.get("providers") if isinstance(document.value, dict) else None
        for written in rows.values() if isinstance(rows, dict) else ():
            if isinstance(written, dict) and written.get("api_key") and written.get("base_url"):
                yield written["api_key"], origin(written["base_url"])


def _reached(data: bytes | None, place: str) -> Iterator[tuple[str, str]]:
    """Tell which files the rows of a providers file name: the row, and a path from the root on or an absolute one."""
    try:
        value = None if data is None else load(data, place).value
    except ConfigError:
        return
    rows = value.get("providers") if isinstance(value, dict) else None
    for name, row in rows.items() if isinstance(rows, dict) else ():
        for path in _named(row):
            yield name, os.path.normpath(os.path.join(os.path.dirname(place), path)).replace(os.sep, "/")


def _named(row: object) -> Iterator[str]:
    models = row.get("models") if isinstance(row, dict) else None
    if isinstance(models, dict) and isinstance(models.get("from"), str) and models["from"] != STDIN:
        yield models["from"]
    contracts = row.get("contracts") if isinstance(row, dict) else None
    for set_ in contracts.values() if isinstance(contracts, Mapping) else ():
        if isinstance(set_, dict) and isinstance(set_.get("file"), str):
            yield set_["file"]


def _stay_inside(repository: Repository, config: str, place: str, before: list[tuple[str, str]]) -> None:
    """Refuse a change that reads what lies outside of the repository: a message would quote the machine's secrets.

    What the base reads already is for whoever wrote that.
    """
    with open(config, "rb") as file:
        reached = list(_reached(file.read(), place))
    problems = []
    for name, path in reached:
        is_outside = path.startswith(("../", "/"))
        if is_outside and (name, path) in before:
            continue
        if is_outside or repository.relative(os.path.join(repository.top, path)) is None:
            problems.append(
                f"{config}: expected provider {show(name)} to name files of this repository, found {show(path)} outside"
            )
    if problems:
        raise ConfigError(*problems)


def _refuse_standard_input(catalogue: Catalogue, rows: tuple[Changed, ...]) -> None:
    problems = []
    for row in rows:
        for layer in catalogue.sources.rows[row.name].layers:
            models = layer.row.get("models")
            if isinstance(models, dict) and models.get("from") == STDIN:
                at = layer.document.at((*layer.path, "models", "from"))
                problems.append(f"{at}: expected a file of the repository, which can be judged, found standard input")
    if problems:
        raise ConfigError(*dict.fromkeys(problems))
