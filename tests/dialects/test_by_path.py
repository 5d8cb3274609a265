"""Whose chat endpoint a path is, so that a capture is judged by its own dialect though nobody names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.config import catalogue
from contracts.dialects import BY_PATH, by_path
from contracts.model import Finding
from contracts.run import inspect
from contracts.settings import InspectSettings

EVIDENCE = Path(__file__).parent.parent / "evidence"
EXPECTED: dict[str, dict[str, Any]] = json.loads((EVIDENCE / "expect.json").read_text("utf-8"))
PATHS = {
    "/v1/chat/completions": "openai-chat",
    "/openai/deployments/größe/chat/completions": "openai-chat",
    "/v1/completions": "openai-completions",
    "/v1/responses": "openai-responses",
    "/v1/messages": "anthropic-messages",
    "/v1beta/models/größe:streamGenerateContent": "gemini",
    "/api/chat": "ollama",
    "/api/generate": "ollama",
    "/v2/chat": "cohere",
    "/v1/embeddings": None,
    "/größe": None,
    "": None,
}


@pytest.mark.parametrize(("path", "dialect"), PATHS.items())
def test_a_path_tells_whose_chat_endpoint_it_is(path: str, dialect: str | None) -> None:
    assert by_path("POST", path) == dialect


def test_every_dialect_is_tried() -> None:
    loaded = catalogue.load(None)
    for name in BY_PATH:
        loaded.dialect(name)
    assert set(BY_PATH) == set(PATHS.values()) - {None} == set(loaded.dialects)


def findings(name: str, dialect: str | None) -> list[tuple[Any, ...]]:
    settings = InspectSettings(
        files=(str(EVIDENCE / f"{name}.http"),), request=str(EVIDENCE / f"{name}.request.json"), dialect=dialect
    )
    found: tuple[Finding, ...] = inspect(settings)[0].findings
    return [(f.contract, f.model, f.outcome, f.detail) for f in found]


@pytest.mark.parametrize("name", [n for n, said in EXPECTED.items() if said["dialect"] != "openai-chat"])
def test_a_capture_is_judged_by_its_own_dialect_though_nobody_names_it(name: str) -> None:
    assert findings(name, None) == findings(name, EXPECTED[name]["dialect"])
