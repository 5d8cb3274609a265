"""The dialect's JSON Schemas as facts: which member departs from them, and how.

jsonschema-rs is imported only when a value was refused by the dialect's own fast test.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import json

from contracts.facts import SchemaFault
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_FAULTS = 32  # distinct departures kept
BOUNDS = {"minimum": "at least", "maximum": "at most"}
MAX_VALIDATIONS = 2_000  # a stream whose every event departs is not looked at closely for ever


class SchemaFaults:
    """Collects departures from the dialect's schemas, the first place and the count of each."""

    __slots__ = ("_found", "_left", "_schema", "_validators")

    def __init__(self, schema: Callable[[str], bytes]) -> None:
        """Take the function that gives the bytes of a schema by name."""
        self._schema = schema
        self._validators: dict[str, Any] = {}
        self._found: dict[tuple[str, str, str], tuple[int | None, int | None, int]] = {}
        self._left = MAX_VALIDATIONS

    def validate(self, name: str, value: object, event: int | None, byte: int | None) -> bool:
        """Hold a value against the schema called `name` and note each departure; tells whether there was one."""
        if self._left <= 0:
            return True
        validator = self._validators.get(name)
        if validator is None:
            validator = self._validators[name] = compile_schema(self._schema(name))
        departed = False
        for path, expected, found in departures(validator.iter_errors(encodable(value))):
            self.note(path, expected, found, event, byte)
            departed = True
        self._left -= departed
        return departed

    def refused(self, message: str, event: int | None, byte: int | None) -> None:
        """Note what the fast test refused and the schema has no word for.

        `message` is msgspec's: "Expected `int`, got `float` - at `$.created`".
        """
        words = message.split("`")
        path = words[-2] if len(words) > 1 and words[-2].startswith("$") else "$"
        path = re.sub(r"\[[^\]]*\]", "[]", path.removeprefix("$").lstrip(".")) or "the value"
        names = {"int": "integer", "float": "number", "str": "string"}
        expected, found = (names.get(w, w) for w in [*words[1::2], "", ""][:2])
        self.note(path, expected, found, event, byte)

    def note(self, path: str, expected: str, found: str, event: int | None, byte: int | None) -> None:
        """Note one departure."""
        key = (path, expected, found)
        first = self._found.get(key)
        if first is not None:
            self._found[key] = (first[0], first[1], first[2] + 1)
        elif len(self._found) < MAX_FAULTS:
            self._found[key] = (event, byte, 1)

    def facts(self) -> tuple[SchemaFault, ...]:
        """Freeze what was found."""
        return tuple(
            SchemaFault(path=k[0], expected=k[1], found=k[2], event=v[0], byte=v[1], count=v[2])
            for k, v in self._found.items()
        )


def compile_schema(schema: bytes) -> Any:
    """Compile a JSON Schema (2020-12)."""
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(json.decode(schema))


def encodable(value: object) -> object:
    """Give a value that has UTF-8: one with unpaired surrogates, which are text.intact's, goes through `?`."""
    try:
        json.encode(value)
    except UnicodeEncodeError:
        from json import dumps, loads

        return loads(dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


def departures(errors: Iterable[Any]) -> Iterable[tuple[str, str, str]]:
    """Turn validation errors into (path, expected, found), with `[]` for every index."""
    for error in errors:
        path = "".join("[]" if isinstance(p, int) else f".{p}" for p in error.instance_path).lstrip(".")
        kind = error.kind
        if kind.name == "required":
            yield f"{path}.{kind.property}".lstrip("."), "present", "absent"
        elif kind.name == "type":
            yield path or "the value", type_words(kind.types), type_name(error.instance)
        elif kind.name == "const":
            yield path, shown(kind.expected_value), shown(error.instance)
        elif kind.name == "enum":
            found = shown(error.instance) if isinstance(error.instance, str) else type_name(error.instance)
            yield path, " or ".join(map(shown, kind.options)), found
        elif kind.name == "anyOf":
            names = [
                e.kind.property for errors_of_one in kind.context for e in errors_of_one if e.kind.name == "required"
            ]
            yield path or "the value", " or ".join(names), "none of them"
        elif kind.name in BOUNDS:
            yield path, f"{BOUNDS[kind.name]} {kind.limit}", shown(error.instance)
        else:
            yield path, scrub(error.message, 120), shown(error.instance)


def type_words(types: object) -> str:
    """Name the allowed types: `string or null`."""
    names = [types] if isinstance(types, str) else list(types)  # type: ignore[call-overload]  # a list of names
    return " or ".join(sorted(map(str, names), key=lambda name: (name == "null", name)))


def type_name(value: object) -> str:
    """Name the JSON type of a value; a number with a fraction or an exponent is `number`, never `integer`."""
    for kinds, name in (((bool,), "boolean"), ((int,), "integer"), ((float,), "number"), ((str,), "string")):
        if isinstance(value, kinds):
            return name
    return "null" if value is None else "array" if isinstance(value, list) else "object"


def shown(value: object) -> str:
    """Show a constant; what is long or nested is shown by its type only, as it may hold text."""
    if isinstance(value, str):
        return scrub(f'"{value}"', 60)
    return type_name(value) if isinstance(value, (list, dict)) else str(value).lower() if value is not None else "null"
