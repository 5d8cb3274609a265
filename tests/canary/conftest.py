"""A row for the hostile provider, and one run of canaries on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.canary.run import CanarySettings, run
from contracts.canary.told import Told
from contracts.testing import HostileProvider

KEY = "acme-0815-geheim"
Canary = Callable[..., Told]


@pytest.fixture
def canary(tmp_path: Path) -> Canary:
    """Write a row for a provider that is running, and ask its models."""

    def ask(provider: HostileProvider, row: dict[str, Any] | None = None, **settings: Any) -> Told:
        path = tmp_path / "providers.yaml"
        members = {
            "dialect": provider.dialect,
            "base_url": provider.base_url,
            "api_key": "ACME_API_KEY",
            "models": list(provider.models),
            "billing": "none",
            **(row or {}),
        }
        path.write_text(json.dumps({"version": 1, "providers": {"acme": members}}), encoding="utf-8")
        state, environ = settings.pop("state", None), settings.pop("environ", {"ACME_API_KEY": KEY})
        asked = CanarySettings(provider="acme", config=str(path), **settings)
        return run(asked, state=state, environ=environ)

    return ask
