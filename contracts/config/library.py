"""The YAML that the package ships, read as files: contracts, dialect tables, provider rows."""

from __future__ import annotations

import os

from msgspec import Struct

from contracts.config.cache import Cache, cached_documents, keep
from contracts.config.yaml_loader import Document

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "library")
_KINDS = ("contracts", "dialects", "providers")


class Library(Struct, frozen=True):
    """Documents by the name of their file without `.yaml`. `key` is for `cache.keep`; None: nothing is to keep."""

    contracts: dict[str, Document]
    dialects: dict[str, Document]
    providers: dict[str, Document]
    key: bytes | None

    def keep(self, cache: Cache) -> None:
        """Remember what was parsed, once it was found good."""
        keep([*self.contracts.values(), *self.dialects.values(), *self.providers.values()], self.key, cache)


def read(cache: Cache, folder: str = FOLDER) -> Library:
    """Parse every `*.yaml` of the library's folders; there is no list of them anywhere.

    Raises:
        ConfigError: for files that are no strict YAML.
    """
    files: list[tuple[str, bytes]] = []
    counts: list[list[str]] = []
    for kind in _KINDS:
        inside = os.path.join(folder, kind)
        names = sorted(name for name in _names(inside) if name.endswith(".yaml"))
        counts.append([name.removesuffix(".yaml") for name in names])
        files += [(os.path.join(inside, name), _bytes(os.path.join(inside, name))) for name in names]
    documents, key = cached_documents(files, cache)
    rest = iter(documents)
    contracts, dialects, providers = ({name: next(rest) for name in names} for names in counts)
    return Library(contracts, dialects, providers, key)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
