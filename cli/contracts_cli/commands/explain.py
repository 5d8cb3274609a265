"""`contracts explain`: what a contract or a check kind promises, why, and where that is written."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import cleandoc
from typing import Any, Literal

import msgspec
from msgspec import Struct

from contracts import checks
from contracts.config import catalogue, search
from contracts.config.words import did_you_mean
from contracts.errors import ConfigError
from contracts.model import Contract
from contracts.relay.promises import PROMISES, READ
from contracts.text.scrub import scrub
from contracts_cli import terminal

SCHEMA = "contracts.explain/1"


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for: the id of a contract or the name of a check kind."""

    id: str
    config: str | None = None
    format: Literal["text", "json"] = "text"


class Parameter(Struct, frozen=True, kw_only=True):
    """A parameter of a check kind. `default` is null for one that has to be given; `value` is the contract's own."""

    name: str
    required: bool
    default: Any = None
    value: Any = None


class Explanation(Struct, frozen=True, kw_only=True):
    """What `contracts explain -f json` prints. `contract` is null where a check kind was asked for."""

    schema: str = SCHEMA
    contract: Contract | None
    kind: str
    parameters: tuple[Parameter, ...]
    documentation: str


def run(settings: Settings) -> int:
    """Print the explanation."""
    explanation = explain(settings)
    if settings.format == "json":
        terminal.write_json(explanation)
    else:
        terminal.write(_view(explanation, terminal.width_of(sys.stdout)))
    return 0


def explain(settings: Settings) -> Explanation:
    """Explain a contract by its id, a check kind by its name, or a promise of relays by its id.

    Raises:
        ConfigError: for a name that is neither, with what was probably meant.
    """
    known_kinds = kinds()
    if settings.id in known_kinds:
        return _explanation(settings.id, None)
    if settings.id in PROMISES:
        return _promise(settings.id)
    known = catalogue.load(search.find(settings.config, os.environ, "")).contracts
    contract = known.get(settings.id)
    if contract is None:
        hint = did_you_mean(settings.id, [*known, *known_kinds, *PROMISES])
        raise ConfigError(f"explain: expected a contract or a check kind, found '{scrub(settings.id)}'{hint}")
    return _explanation(contract.check["kind"], contract)


def kinds() -> list[str]:
    """Give the names of all check kinds."""
    folder = os.path.dirname(checks.__file__)
    return sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py") and not name.startswith("_"))


def _promise(name: str) -> Explanation:
    """Explain what relay-check holds a relay to, in the four parts of a check kind."""
    one = PROMISES[name]
    parts = (
        f"{one.promise}.",
        f"Why it matters\n    {one.why}.",
        f"Example\n    contracts relay-check http://127.0.0.1:4000/v1\n\n    A breach is of severity {one.severity}.",
        f"Source\n    {one.source}, read {READ}",
    )
    return Explanation(contract=None, kind=name, parameters=(), documentation="\n\n".join(parts))


def _explanation(kind: str, contract: Contract | None) -> Explanation:
    module = import_module(f"contracts.checks.{kind}")
    given = contract.check if contract is not None else {}
    return Explanation(
        contract=contract,
        kind=kind,
        parameters=tuple(
            Parameter(
                name=field.encode_name,
                required=field.required,
                default=_default(field),
                value=given.get(field.encode_name),
            )
            for field in msgspec.structs.fields(module.Parameters)
        ),
        documentation=cleandoc(module.__doc__ or ""),
    )


def _default(field: msgspec.structs.FieldInfo) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default_factory())
    return None if field.default is msgspec.NODEFAULT else msgspec.to_builtins(field.default)


def _view(explanation: Explanation, width: int) -> str:
    lines: list[str] = []
    contract = explanation.contract
    if contract is not None:
        about = (
            ("promise", contract.promise),
            ("why", contract.why),
            ("basis", contract.basis),
            ("source", f"{contract.source.url} (read {contract.source.read})"),
            ("needs", contract.needs),
            ("scope", contract.scope.value),
            ("severity", contract.severity.value),
            ("note", contract.note),
        )
        lines += [
            contract.id,
            *(terminal.wrap(scrub(text, limit=1000), width, f"  {name:<9} ", " " * 12) for name, text in about),
            "",
        ]
    lines.append(f"{'promise of a relay' if explanation.kind in PROMISES else 'check kind'} {explanation.kind}")
    for parameter in explanation.parameters:
        default = "has to be given" if parameter.required else f"default {_shown(parameter.default)}"
        value = "" if parameter.value is None else f", here {_shown(parameter.value)}"
        lines.append(terminal.wrap(f"{default}{value}", width, f"  {parameter.name}: ", "    "))
    lines += ["", *_refilled(explanation.documentation, width)]
    return "\n".join(lines)


def _refilled(documentation: str, width: int) -> Iterator[str]:
    """Lines of a docstring as wide as they may be; those of an example stay as they are, they are YAML."""
    paragraph: list[str] = []
    indent, example = "", False
    for line in [*documentation.split("\n"), ""]:
        this = line[: len(line) - len(line.lstrip())]
        if paragraph and (not line or this != indent or example):
            yield terminal.wrap(" ".join(paragraph), width, indent, indent)
            paragraph = []
        if not line:
            yield ""
            continue
        if not this:
            example = line.startswith("Example")
        indent = this
        paragraph.append(line.strip())


def _shown(value: Any) -> str:
    return scrub(msgspec.json.encode(value).decode())
