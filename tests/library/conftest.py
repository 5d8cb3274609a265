"""The shipped rows as a user meets them: each one extended from a providers.yaml of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from contracts.config import catalogue
from contracts.config.library import FOLDER

ROWS = sorted(name.removesuffix(".yaml") for name in os.listdir(os.path.join(FOLDER, "providers")))


@pytest.fixture(scope="session")
def extended(tmp_path_factory: pytest.TempPathFactory) -> catalogue.Catalogue:
    """Every shipped row under its own name, with a model that is not ASCII."""
    lines = [f"  {name}: {{extends: {name}, models: [größe-1]}}" for name in ROWS]
    config: Path = tmp_path_factory.mktemp("rows") / "providers.yaml"
    config.write_text("\n".join(["version: 1", "providers:", *lines, ""]), encoding="utf-8")
    return catalogue.load(str(config), use_cache=False)
