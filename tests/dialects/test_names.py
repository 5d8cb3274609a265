"""Only a dialect's own files know its name: no check, and nothing else of the engine, asks which dialect it has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from contracts.config import catalogue

ROOT = Path(catalogue.__file__).parents[1]
NAMES = frozenset(catalogue.load(None).dialects)
SOURCES = sorted(p for p in ROOT.rglob("*.py") if "dialects" not in p.relative_to(ROOT).parts)
# What speaks a dialect has to choose it, as a dialect's own file does: the hostile provider's voices.
SPEAKERS = ("testing",)
HELD = [p for p in SOURCES if not set(SPEAKERS) & set(p.relative_to(ROOT).parts)]


def asked_for(code: str) -> list[str]:
    """Find the names of dialects that a comparison or a match names."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.Compare, ast.MatchValue)):
            found += [c.value for c in ast.walk(node) if isinstance(c, ast.Constant) and c.value in NAMES]
    return found


def written_out(code: str) -> list[str]:
    """Find the names of dialects that stand in code, documentation left out."""
    return [c.value for c in ast.walk(ast.parse(code)) if isinstance(c, ast.Constant) and c.value in NAMES]


@pytest.mark.parametrize(
    "code",
    ['row.dialect == "gemini"', 'dialect in ("größe", "cohere")', "match name:\n case 'ollama':\n  größe = 1"],
)
def test_a_question_for_a_dialect_is_seen(code: str) -> None:
    assert len(asked_for(code)) == 1


@pytest.mark.parametrize("path", HELD, ids=[str(p.relative_to(ROOT)) for p in HELD])
def test_nothing_asks_which_dialect_it_has(path: Path) -> None:
    assert not asked_for(path.read_text("utf-8"))


@pytest.mark.parametrize("path", sorted((ROOT / "checks").glob("*.py")), ids=lambda path: path.stem)
def test_no_check_knows_the_name_of_a_dialect(path: Path) -> None:
    assert not written_out(path.read_text("utf-8"))
