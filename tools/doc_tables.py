"""The tables and lists of the documentation, made from the YAML that is shipped and from the code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from textwrap import dedent, fill
from typing import Any

import yaml

from contracts import checks, testing
from contracts.config import catalogue, library
from contracts.config.cache import Cache
from contracts.sinks import formats
from contracts.testing import known_scenarios, writers

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

Row = tuple[str, ...]
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def table(rows: Iterator[Row]) -> str:
    """A Markdown table; the first row is its head."""
    head, *body = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)
    return "\n".join((head, "|" + "---|" * (head.count(" | ") + 1), *body)) + "\n"


def contract_rows() -> Iterator[Row]:
    """The shipped contracts in order of id."""
    yield "contract", "promise", "scope", "severity"
    for contract in catalogue.load(None).contracts.values():
        yield f"`{contract.id}`", contract.promise, contract.scope.value, contract.severity.value


def kind_rows() -> Iterator[Row]:
    """The check kinds by name, each with what must hold."""
    yield "check kind", "what must hold"
    for file in sorted(os.listdir(os.path.dirname(checks.__file__))):
        name, ending = os.path.splitext(file)
        if ending == ".py" and not name.startswith("_"):
            module = import_module(f"contracts.checks.{name}")
            if hasattr(module, "Parameters"):
                yield f"`{name}`", (module.__doc__ or "").split("\n", 1)[0]


def format_rows() -> Iterator[Row]:
    """The formats by name, each with what it is for."""
    yield "format", "what it is"
    for name in formats.names():
        yield f"`{name}`", (formats.load(name).__doc__ or "").split("\n", 1)[0]


def scenario_rows() -> Iterator[Row]:
    """What the hostile provider can do, by topic."""
    yield "topic", "scenario", "contract it breaks", "what it does", "dialects, if not all"
    for one in known_scenarios(None).values():
        broken = f"`{one.violates}`" if one.violates else ""
        yield one.topic.replace("_", " "), f"`{one.name}`", broken, one.does.replace("<", "&lt;"), one.where()


def lacking_rows() -> Iterator[Row]:
    """What each dialect lacks, and the scenarios that it does not have for that reason."""
    yield "dialect", "reason", "scenarios that it does not have"
    for name in writers.names():
        writer, lacking = writers.load(name), dict[str, list[str]]()
        for one in known_scenarios(None).values():
            if reason := one.lacking(writer):
                lacking.setdefault(reason, []).append(f"`{one.name}`")
        for reason, scenarios in lacking.items():
            yield f"`{name}`", reason, " ".join(scenarios)


def library_rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """The shipped provider rows by name."""
    for name, document in library.read(Cache(None)).providers.items():
        yield name, document.value["providers"][name]


def provider_rows() -> Iterator[Row]:
    """The shipped provider rows: what each sets."""
    yield "row", "dialect", "base URL", "key's variable", "listing", "habits set"
    for name, row in library_rows():
        said = (row.get(member) for member in ("dialect", "base_url", "api_key"))
        listing = row.get("listing", {}).get("path")
        habits = " ".join(f"`{contract}`" for contract in row.get("contracts", {}))
        yield f"`{name}`", *(f"`{one}`" if one else "" for one in (*said, listing)), habits


def matrix() -> dict[str, dict[str, str]]:
    """Contract × dialect: `judged`, or why it is not."""
    with open(os.path.join(ROOT, "tests", "dialects", "matrix.yaml"), encoding="utf-8") as file:
        read: dict[str, dict[str, str]] = yaml.safe_load(file)
    return dict(sorted(read.items()))


def dialect_rows() -> Iterator[Row]:
    """Contract × dialect, with a number for each reason."""
    dialects = sorted({dialect for row in matrix().values() for dialect in row})
    numbers = {reason: str(number) for number, reason in enumerate(reasons(), 1)}
    yield "contract", *(f"`{dialect}`" for dialect in dialects)
    for contract, row in matrix().items():
        yield f"`{contract}`", *(numbers.get(row[dialect], "judged") for dialect in dialects)


def sign_rows() -> Iterator[Row]:
    """Contract × dialect in signs, with the number of a footnote where a contract is not judged."""
    head, *body = dialect_rows()
    yield head
    for contract, *cells in body:
        yield contract, *("✓" if cell == "judged" else f"–{cell.translate(SUPERSCRIPT)}" for cell in cells)


def footnote_text() -> str:
    """What the signs mean, and the reasons as footnotes."""
    notes = [f"{str(number).translate(SUPERSCRIPT)} {reason}" for number, reason in enumerate(reasons(), 1)]
    return (
        fill(f"✓ judged: a capture shows that it holds, another that it is violated; {'; '.join(notes)}.", 120) + "\n"
    )


def reasons() -> list[str]:
    """Why a contract is not judged somewhere, each reason once, in the order of the table."""
    return list(dict.fromkeys(row[d] for row in matrix().values() for d in sorted(row) if row[d] != "judged"))


def reason_text() -> str:
    """The reasons as a numbered list."""
    return "".join(f"{number}. {reason[0].upper()}{reason[1:]}.\n" for number, reason in enumerate(reasons(), 1))


def example_text() -> str:
    """The example for router developers, as the package shows it and a test runs it."""
    said = (testing.__doc__ or "").split("\n\n", 2)[2]
    code = said[: said.index("\n\nThe fixture")]
    # The formatter looks into Markdown and wants two blank lines before a function; it leaves docstrings alone.
    spaced = dedent(code).replace("\n\ndef ", "\n\n\ndef ")
    return f"```python\n{spaced}\n```\n"


def shipped_text() -> str:
    """The names of the shipped provider rows."""
    names = [f"`{name}`" for name, _ in library_rows()]
    text = f"{len(names)} rows are shipped: {', '.join(names)}."
    return fill(text, 120, break_on_hyphens=False) + "\n"


TABLES: dict[str, Callable[[], Iterator[Row]]] = {
    "contracts": contract_rows,
    "kinds": kind_rows,
    "formats": format_rows,
    "scenarios": scenario_rows,
    "lacking": lacking_rows,
    "providers": provider_rows,
    "dialects": dialect_rows,
    "signs": sign_rows,
}
TEXTS: dict[str, Callable[[], str]] = {
    "example": example_text,
    "footnotes": footnote_text,
    "reasons": reason_text,
    "shipped": shipped_text,
}
