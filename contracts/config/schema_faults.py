"""Every way in which a value departs from a type, in words; read only after `msgspec.convert` refused it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import msgspec

from contracts.config.places import Path
from contracts.config.words import KINDS, did_you_mean, one_of, show

if TYPE_CHECKING:
    from contracts.config.decode import Telling

_JSON_KINDS: dict[str, type] = {
    "null": type(None),
    "boolean": bool,
    "integer": int,
    "number": float,
    "string": str,
    "array": list,
    "object": dict,
}
_FORMATS = {"date": "a date such as 2027-03-01", "date-time": "an instant such as 2026-11-30T12:30:00Z"}
_LIMITS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
}
_LENGTHS = {"minLength": "at least", "maxLength": "at most", "minItems": "at least", "maxItems": "at most"}


def problems(value: Any, kind: type, tell: Telling, refusal: str) -> list[str]:
    """List all problems, in the order of their places.

    Args:
        value: what did not fit, plain Python values.
        kind: the type that it did not fit.
        tell: how to say where.
        refusal: msgspec's own words, for what no schema can say.
    """
    schema = msgspec.json.schema(kind)
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    teller = _Teller(schema, value, tell)
    found = [line for error in validator.iter_errors(value) for line in teller.lines(error)]
    # JSON Schema takes 1.0 for a whole number, msgspec does not: a second look with such numbers made odd.
    for error in validator.iter_errors(_halved(value)):
        if isinstance(teller.at(teller.path_of(error)), float) and error.kind.name in ("type", "enum", "anyOf"):
            found += teller.lines(error)
    if not found:
        found = [(tell.at(()), f"expected what the schema says, found a fault: {refusal}")]
    return [f"{place}: {text}" for place, text in sorted(dict.fromkeys(found), key=_order)]


def _order(problem: tuple[str, str]) -> tuple[str, int, int]:
    file, line, column = problem[0].rsplit(":", 2)
    return file, int(line), int(column)


def _halved(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return 0.5
    if isinstance(value, dict):
        return {key: _halved(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_halved(item) for item in value]
    return value


class _Teller:
    """Puts one validation error into words."""

    def __init__(self, schema: dict[str, Any], value: Any, tell: Telling) -> None:
        self.schema, self.value, self.tell = schema, value, tell

    def at(self, path: Path) -> Any:
        found = self.value
        for step in path:
            found = found[step]
        return found

    def path_of(self, error: Any) -> Path:
        """Give the error's path as the value has it: the library drops empty keys and makes a number of "007"."""
        path: list[str | int] = []
        found = self.value
        for step in error.instance_path:
            while isinstance(found, dict) and _own_step(found, step) not in found and "" in found:
                path.append("")
                found = found[""]
            own = _own_step(found, step)
            path.append(own)
            found = found[own]
        while isinstance(found, dict) and "" in found and found != error.instance:
            path.append("")
            found = found[""]
        return tuple(path)

    def lines(self, error: Any) -> Iterator[tuple[str, str]]:
        path = self.path_of(error)
        advice = self.tell.advice(path, self.at(path))
        if advice is not None:
            yield self.tell.at(path), advice
            return
        kind = error.kind
        if kind.name == "additionalProperties":
            known = self._node(error.schema_path[:-1]).get("properties", {})
            for key in kind.unexpected:
                near = did_you_mean(key, known)
                unknown: str = self.tell.unknown.format(key=show(key), owner=self.tell.owner(path))
                yield self.tell.at_key((*path, key)), unknown + near
        elif kind.name == "required":
            yield (
                self.tell.at_key(path),
                f"expected a key {show(kind.property)} in {self.tell.owner(path)}, found none",
            )
        elif kind.name == "propertyNames":
            # The path goes on to the keyword that failed below `propertyNames`.
            node = self._node(error.schema_path[: list(error.schema_path).index("propertyNames") + 1])
            wanted = node.get("description", "another key")
            for key in self._bad_keys(path, node):
                yield self.tell.at_key((*path, key)), f"expected {wanted} as key, found {show(key)}"
        elif kind.name == "anyOf":
            yield from self._any_of(path, kind.context)
        else:
            yield (
                self.tell.at(path),
                f"expected {self._wanted(error)}, found {show(self.at(path))}{self._near(error)}",
            )

    def _any_of(self, path: Path, branches: Sequence[Sequence[Any]]) -> Iterator[tuple[str, str]]:
        fitting = [
            branch for branch in branches if not any(e.kind.name == "type" and not _below(e, path) for e in branch)
        ]
        if fitting:
            # The branch whose type is right is the one that was meant; the fewest errors where there are two.
            for error in min(fitting, key=len):
                yield from self.lines(error)
            return
        kinds = [
            one for branch in branches for error in branch if error.kind.name == "type" for one in error.kind.types
        ]
        wanted = " or ".join(dict.fromkeys(KINDS[_JSON_KINDS[one]] for one in kinds if one != "null"))
        yield self.tell.at(path), f"expected {wanted}, found {show(self.at(path))}"

    def _wanted(self, error: Any) -> str:
        kind, node = error.kind, self._node(error.schema_path[:-1])
        if kind.name == "enum":
            return one_of(kind.options)
        if kind.name == "type":
            return " or ".join(KINDS[_JSON_KINDS[one]] for one in kind.types if one != "null")
        if "description" in node:
            return str(node["description"])
        if kind.name == "format":
            return _FORMATS.get(kind.format, f"a text of the format {kind.format}")
        if kind.name in _LIMITS:
            return f"{_LIMITS[kind.name]} {show(kind.limit)}"
        if kind.name in _LENGTHS:
            unit = "characters" if kind.name.endswith("Length") else "items"
            return f"{_LENGTHS[kind.name]} {kind.limit} {unit}"
        return f"a value that fits {kind.name}"

    def _near(self, error: Any) -> str:
        found = self.at(self.path_of(error))
        if error.kind.name != "enum" or not isinstance(found, str):
            return ""
        return did_you_mean(found, [option for option in error.kind.options if isinstance(option, str)])

    def _bad_keys(self, path: Path, node: dict[str, Any]) -> list[str]:
        # The library does not say which key it means; they are few, so each is asked for itself.
        names = jsonschema_rs.Draft202012Validator(node)
        keys: Mapping[str, Any] = self.at(path)
        return [key for key in keys if not names.is_valid(key)]

    def _node(self, path: Sequence[Any]) -> dict[str, Any]:
        node: Any = self.schema
        for step in path:
            while isinstance(node, dict) and "$ref" in node and step not in node:
                node = self.schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
            own: Any = _own_step(node, step)
            if not isinstance(node, dict | list) or (isinstance(node, dict) and own not in node):
                return {}
            node = node[own]
        return node if isinstance(node, dict) else {}


def _own_step(inside: Any, step: str | int) -> str | int:
    """Give the step as `inside` has it: in a mapping a number is a key that the library took for one."""
    if not isinstance(inside, dict) or not isinstance(step, int) or str(step) in inside:
        return str(step) if isinstance(inside, dict) else step
    digits = (key for key in inside if key.isascii() and key.removeprefix("+").isdigit() and int(key) == step)
    return next(digits, str(step))


def _below(error: Any, path: Path) -> bool:
    return len(error.instance_path) > len(path)
