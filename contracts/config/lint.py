"""Hold YAML against its forms and its sense, offline: every error of every file, and warnings."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Literal

from msgspec import Struct

from contracts.config import files
from contracts.config import library as shipped
from contracts.config.binding import bind
from contracts.config.cache import Cache
from contracts.config.catalogue import Catalogue, Sources, read
from contracts.config.contract_form import read_contract
from contracts.config.dialect_form import read_dialect
from contracts.config.sense import contract_warnings, row_warnings
from contracts.config.words import did_you_mean, show
from contracts.config.yaml_loader import Document, load
from contracts.errors import ConfigError

_NO_CACHE = Cache(None)

Sink = Callable[[str], None]


class Problem(Struct, frozen=True, kw_only=True):
    """One thing to put right. `line` and `column` count from 1; None where the whole file is meant."""

    severity: Literal["error", "warning"]
    file: str
    line: int | None
    column: int | None
    text: str

    def __str__(self) -> str:
        """`file:line:column: severity: text`."""
        place = "" if self.line is None else f":{self.line}:{self.column}"
        return f"{self.file}{place}: {self.severity}: {self.text}"


def lint(
    paths: Iterable[str],
    today: date,
    *,
    stdin: Callable[[], bytes] | None = None,
    folder: str = shipped.FOLDER,
    sink: Sink = lambda _: None,
) -> list[Problem]:
    """Look at YAML files of every kind; nothing is asked of the network, and nothing comes from the cache.

    Args:
        paths: providers files, contracts, dialect tables, or folders of such; what a file is, its keys say.
        today: the day by which waivers expire.
        stdin: gives all of standard input, for `models: {from: -}`; None: read the process's own.
        folder: the library, for tests.
        sink: raises ConfigError for a sink of notes that is none.

    Returns:
        Errors and warnings, in the order of the files and of their places in them.
    """
    give = files.once(stdin or files.stdin)
    try:
        # Problems of the library's own files are told where those files are looked at.
        library = read(None, _NO_CACHE, give, folder, [])
    except ConfigError:
        library = Catalogue({}, {}, Sources({}, {}, {}, folder))
    found: dict[Problem, None] = {}
    for path in _expand(paths):
        try:
            document = load(files.read(path), path)
            errors, warnings = _look(document, library, today, give, sink)
        except ConfigError as error:
            errors, warnings = list(error.problems), []
        problems = [_problem("error", line) for line in errors]
        problems += [_problem("warning", line) for line in warnings]
        problems.sort(key=lambda problem: (problem.file != path, problem.file, problem.line or 0, problem.column or 0))
        found.update(dict.fromkeys(problems))
    return list(found)


def _look(
    document: Document, library: Catalogue, today: date, stdin: Callable[[], bytes], sink: Sink
) -> tuple[list[str], list[str]]:
    """Errors and warnings of one file; what it is, its keys say. Of a file that is half understood no warnings."""
    if _is(document, "providers"):
        return _providers(document, library, today, stdin, sink)
    if _is(document, "check"):
        return _contract(document, library)
    if _is(document, "name"):
        return _dialect(document, library)
    wanted = "'providers' (a providers file), 'check' (a contract) or 'name' (a dialect)"
    return [f"{document.at(())}: expected a mapping with {wanted}, found {show(document.value)}"], []


def _providers(
    document: Document, library: Catalogue, today: date, stdin: Callable[[], bytes], sink: Sink
) -> tuple[list[str], list[str]]:
    errors: list[str] = []
    catalogue = read(document.name, _NO_CACHE, stdin, library.sources.folder, errors)
    for number, note in enumerate(catalogue.notes):
        try:
            sink(note)
        except ConfigError as error:
            errors += [f"{document.at(('notes', number))}: {problem}" for problem in error.problems]
    if errors:
        return errors, []
    return [], [line for row in catalogue.sources.rows.values() for line in row_warnings(catalogue, row, today)]


def _contract(document: Document, library: Catalogue) -> tuple[list[str], list[str]]:
    """A shipped contract bears its file's name; one of a user's own takes no shipped id."""
    written = document.value.get("id")
    is_shipped = _is_shipped(document, library, "contracts")
    contract = read_contract(document, _stem(document) if is_shipped or not isinstance(written, str) else written)
    if not is_shipped and contract.id in library.contracts:
        return [f"{document.at(('id',))}: expected an id of your own, found the shipped {show(contract.id)}"], []
    return [], list(contract_warnings(contract, document, bind(contract, document)))


def _dialect(document: Document, library: Catalogue) -> tuple[list[str], list[str]]:
    """A table sets parameters of contracts that there are, and of their own kind."""
    table = read_dialect(document, _stem(document))
    unknown = [name for name in table.get("contracts", {}) if name not in library.contracts]
    errors = [
        f"{document.at_key(('contracts', name))}: unknown contract {show(name)}{did_you_mean(name, library.contracts)}"
        for name in unknown
    ]
    if not errors and _is_shipped(document, library, "dialects"):
        library.bound_to_dialect(table["name"])
    return errors, []


def _is_shipped(document: Document, library: Catalogue, kind: str) -> bool:
    inside = os.path.dirname(os.path.realpath(document.name))
    return inside == os.path.realpath(os.path.join(library.sources.folder, kind))


def _is(document: Document, key: str) -> bool:
    return isinstance(document.value, dict) and key in document.value


def _stem(document: Document) -> str:
    return os.path.basename(document.name).removesuffix(".yaml")


def _expand(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, inside, names in os.walk(path):
            inside.sort()
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith((".yaml", ".yml")))


def _problem(severity: Literal["error", "warning"], line: str) -> Problem:
    """Take a told line apart again: the file may itself hold a colon."""
    where, _, text = line.partition(": ")
    file, number, column = [*where.rsplit(":", 2), "", ""][:3]
    if number.isdigit() and column.isdigit():
        return Problem(severity=severity, file=file, line=int(number), column=int(column), text=text)
    return Problem(severity=severity, file=where, line=None, column=None, text=text)
