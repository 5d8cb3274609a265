"""Plain values to typed records: fast where they fit, every error at once where they do not.

`msgspec.convert` is the judge. Where it refuses, the JSON Schema that msgspec makes of the same type lists all that
is wrong; the schema library is imported only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from contracts.config.places import Path
from contracts.config.yaml_loader import Document
from contracts.errors import ConfigError

T = TypeVar("T")


class Telling(Struct, frozen=True):
    """How problems of a value are told.

    Attributes:
        at: gives `file:line:column` of the value at a path.
        at_key: gives that of its key.
        owner: gives the words for what stands at a path, such as `provider 'acme'`.
        advice: gives the whole message for a value that deserves one of its own, or None.
        unknown: how an unknown key is told, with `{key}` and `{owner}`.
    """

    at: Callable[[Path], str]
    at_key: Callable[[Path], str]
    owner: Callable[[Path], str]
    advice: Callable[[Path, Any], str | None]
    unknown: str = "unknown key {key} in {owner}"


def no_advice(_path: Path, _value: Any) -> None:
    """Leave every value to the usual words."""


def telling(
    document: Document, owner: Callable[[Path], str], advice: Callable[[Path, Any], str | None] = no_advice
) -> Telling:
    """Tell problems by the places of one document."""
    return Telling(document.at, document.at_key, owner, advice)


def decode(value: Any, kind: type[T], tell: Telling) -> T:
    """Turn a value into a record of type `kind`.

    Raises:
        ConfigError: with every problem of the value, in the order of their places.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        from contracts.config.schema_faults import problems

        raise ConfigError(*problems(value, kind, tell, str(error))) from error
