"""Whose chat endpoint a path is, so that a capture is judged by its own dialect though nobody names it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import captures
from contracts.config import catalogue
from contracts.dialects import BY_PATH, by_path
from contracts.dialects.by_answer import by_answer
from contracts.model import Finding, Outcome
from contracts.run import dialect_of, inspect
from contracts.settings import InspectSettings
from tests.dialects.folding import FOLDER

EVIDENCE = Path(__file__).parent.parent / "evidence"
CASES = Path(__file__).parent.parent / "cases"
EXPECTED: dict[str, dict[str, Any]] = json.loads((EVIDENCE / "expect.json").read_text("utf-8"))
PATHS = {
    "/v1/chat/completions": "openai-chat",
    "/openai/deployments/größe/chat/completions": "openai-chat",
    "/v1/completions": "openai-completions",
    "/v1/responses": "openai-responses",
    "/v1/messages": "anthropic-messages",
    "/v1/threads/größe/messages": None,  # of OpenAI's Assistants
    "/v1beta/models/größe:streamGenerateContent": "gemini",
    "/api/chat": "ollama",
    "/api/generate": "ollama",
    "/v2/chat": "cohere",
    "/v1/chat": None,  # the Chat API v1 of Cohere, which has other answers
    "/v1/embeddings": None,
    "/größe": None,
    "": None,
}


@pytest.mark.parametrize(("path", "dialect"), PATHS.items())
def test_a_path_tells_whose_chat_endpoint_it_is(path: str, dialect: str | None) -> None:
    assert by_path("POST", path) == dialect


def test_a_list_of_messages_is_no_chat() -> None:
    assert by_path("GET", "/größe/messages") is None
    assert by_path("", "/größe/messages") == "anthropic-messages"


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


def captured(folder: Path) -> list[tuple[Path, str]]:
    expected = json.loads((folder / "expect.json").read_text("utf-8"))
    return [(folder / f"{name}.http", said["dialect"]) for name, said in expected.items()]


HONEST = [(path, dialect) for path, dialect in captured(FOLDER) if path.stem.endswith(("stream-ok", "json-ok"))]


@pytest.mark.parametrize(("path", "dialect"), HONEST, ids=[path.stem for path, _ in HONEST])
def test_an_answer_tells_whose_it_is_where_nobody_knows_what_was_asked(path: Path, dialect: str) -> None:
    (exchange,) = captures.read(str(path), None)
    whole = dialect in {"openai-completions", "cohere"}  # the one is told by its path alone, the other by its stream
    usual = dialect == "openai-completions" or (whole and "json" in path.stem)
    assert dialect_of(exchange) == ("openai-chat" if usual else dialect)
    found = inspect(InspectSettings(files=(str(path),)))[0].findings
    assert usual or [f.detail for f in found if f.outcome is Outcome.VIOLATED] == []


@pytest.mark.parametrize("path", [p for p, d in captured(EVIDENCE) + captured(CASES) if d == "openai-chat"], ids=str)
def test_no_answer_of_the_usual_dialect_is_taken_for_another(path: Path) -> None:
    (exchange,) = captures.read(str(path), None)
    assert dialect_of(exchange) == "openai-chat"


@given(st.sampled_from(HONEST), st.booleans())
def test_what_a_text_says_of_other_answers_does_not_matter(other: tuple[Path, str], indented: bool) -> None:
    (exchange,) = captures.read(str(other[0]), None)
    said = b"".join(exchange.body).decode()
    value = {"id": "ä", "object": "response", "status": "completed", "output": [{"type": "message", "text": said}]}
    body = json.dumps(value, ensure_ascii=False, indent=1 if indented else None).encode()
    assert by_answer(body) == "openai-responses"
