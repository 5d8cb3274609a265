"""The published JSON Schemas of what is written by hand; `make schemas` rewrites their files."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

import msgspec

from contracts.config.library import FOLDER

# Resolved by name, when asked for: no schema needs another's type.
TYPES = {
    "providers": "contracts.config.file_form:File",
    "contract": "contracts.model:Contract",
}
_TITLES = {
    "providers": "providers.yaml: LLM API providers and what a router assumes about them",
    "contract": "A contract: one promise that providers are held to",
}


def schema_of(name: str) -> dict[str, Any]:
    """JSON Schema (2020-12) of `providers` or `contract`, made from the records that decode it."""
    module, _, kind = TYPES[name].partition(":")
    schema = msgspec.json.schema(getattr(import_module(module), kind))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": _TITLES[name], **schema}


def text_of(name: str) -> bytes:
    """Bytes of the published file."""
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2) + b"\n"


def path_of(name: str) -> str:
    """Where the published file is."""
    return os.path.join(FOLDER, "schemas", f"{name}.json")


def main() -> None:
    """Rewrite every published file."""
    for name in TYPES:
        with open(path_of(name), "wb") as file:
            file.write(text_of(name))


if __name__ == "__main__":
    main()
