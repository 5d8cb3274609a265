"""Taps that write into a list, on the rows of a providers file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.observations import Observation, read
from contracts.taps import Taps
from contracts.testing.plugin import hostile_provider

__all__ = ["hostile_provider"]

ROWS = """version: 1
providers:
  groesse: {dialect: openai-chat, base_url: "http://127.0.0.1:1/v1", models: [loopback/libre]}
  nihon: {dialect: ollama, base_url: "http://127.0.0.1:1", models: [loopback/libre]}
"""


class Written:
    """Taps, and what they wrote once they are closed."""

    def __init__(self, folder: Path) -> None:
        (folder / "providers.yaml").write_text(ROWS, encoding="utf-8")
        self.path = folder / "gesehen.jsonl"
        self.taps = Taps.open(str(folder / "providers.yaml"), str(self.path))

    def all(self) -> list[Observation]:
        self.taps.close()
        return list(read(str(self.path)))


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    written = Written(tmp_path)
    yield written
    written.taps.close()
