"""One bad file per rule, with the exact message; the files say what is expected of them."""

from __future__ import annotations

import os
from datetime import date

import pytest
import yaml

from contracts.config.lint import lint

FOLDER = os.path.join(os.path.dirname(__file__), "bad")
FILES = sorted(os.listdir(FOLDER))
TODAY = date(2026, 11, 30)
MARK = "# expect: "


def expected(name: str) -> list[str]:
    with open(os.path.join(FOLDER, name), encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        lines = [line.rstrip("\r\n") for line in file]
    return [line.removeprefix(MARK).replace("FOLDER", FOLDER) for line in lines if line.startswith(MARK)]


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_told_with_exactly_these_words_at_exactly_this_place(name: str) -> None:
    path = os.path.join(FOLDER, name)
    told = [str(problem).removeprefix(f"{path}:") for problem in lint([path], TODAY)]
    assert told == expected(name)


@pytest.mark.parametrize("name", FILES)
def test_the_parser_in_python_finds_the_same_faults_on_the_same_lines(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.path.join(FOLDER, name)
    by_libyaml = lint([path], TODAY)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    by_python = lint([path], TODAY)
    assert [(one.line, one.severity) for one in by_python] == [(one.line, one.severity) for one in by_libyaml]


@pytest.mark.parametrize("name", FILES)
def test_every_bad_file_says_what_is_expected_of_it(name: str) -> None:
    assert expected(name)


def test_the_shipped_files_and_our_own_providers_file_are_without_fault() -> None:
    root = os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))
    library = os.path.join(root, "contracts", "library")
    paths = [os.path.join(root, "providers.yaml"), library, os.path.join(os.path.dirname(FOLDER), "own")]
    assert [str(problem) for problem in lint(paths, TODAY)] == []


def test_a_key_that_was_written_into_the_file_is_never_repeated() -> None:
    problems = lint([FOLDER], TODAY)
    assert problems
    for problem in problems:
        assert "0123456789abcdef" not in str(problem)
        assert "A1b2C3d4" not in str(problem)
        assert "pässword" not in str(problem)
