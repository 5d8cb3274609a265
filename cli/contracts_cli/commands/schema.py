"""`contracts schema`: the JSON Schema of a file format or of an output, as it was published."""

from __future__ import annotations

import os

from msgspec import Struct

import contracts
from contracts_cli import terminal


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for: the name of a schema."""

    name: str


def run(settings: Settings) -> int:
    """Print the schema."""
    path = os.path.join(os.path.dirname(contracts.__file__), "library", "schemas", f"{settings.name}.json")
    with open(path, "rb") as file:
        terminal.write_bytes(file.read())
    return 0
