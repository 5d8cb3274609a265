"""Imports point down, and a rule that cannot fail is no rule: planted imports are found."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LONGEST_MODULE = 300  # lines
LONGEST_FUNCTION = 40  # lines without its docstring


def lint_imports(folder: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on a checkout."""
    command = [os.path.join(os.path.dirname(sys.executable), "lint-imports"), "--no-cache"]
    environ = {**os.environ, "PYTHONPATH": f"{folder}:{folder}/cli", "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(command, cwd=folder, env=environ, check=False, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A copy of the code in which imports may be planted."""
    folder = str(tmp_path_factory.mktemp("checkout"))
    ignored = shutil.ignore_patterns("__pycache__", "library")
    for package in ("contracts", "cli"):
        shutil.copytree(os.path.join(ROOT, package), os.path.join(folder, package), ignore=ignored)
    shutil.copy(os.path.join(ROOT, "pyproject.toml"), folder)
    return folder


def test_imports_point_down() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


PLANTED = [
    ("contracts/model.py", "import contracts.report", "contracts.model -> contracts.report"),
    ("contracts/facts.py", "import os", "contracts.facts -> os"),
    ("contracts/checks/header_parameter.py", "import time", "contracts.checks.header_parameter -> time"),
    ("contracts/report.py", "import contracts_cli", "contracts.report -> contracts_cli"),
    ("contracts/wire/__init__.py", "import contracts.text", "contracts.wire -> contracts.text"),
]


@pytest.mark.parametrize(("file", "planted", "said"), PLANTED, ids=[f"{file}: {line}" for file, line, _ in PLANTED])
def test_a_planted_import_is_found(checkout: str, file: str, planted: str, said: str) -> None:
    path = os.path.join(checkout, file)
    with open(path, encoding="utf-8") as opened:
        kept = opened.read()
    try:
        with open(path, "a", encoding="utf-8") as opened:
            opened.write(f"\n{planted}\n")
        done = lint_imports(checkout)
    finally:
        with open(path, "w", encoding="utf-8") as opened:
            opened.write(kept)
    assert done.returncode == 1
    assert said in done.stdout


def modules() -> list[str]:
    """Every module of ours, by its path from the root."""
    found: list[str] = []
    for package in ("contracts", "cli", "tools", "benchmarks"):
        for folder, _, files in os.walk(os.path.join(ROOT, package)):
            found.extend(os.path.relpath(os.path.join(folder, f), ROOT) for f in files if f.endswith(".py"))
    return sorted(found)


@pytest.mark.parametrize("path", modules())
def test_a_module_is_one_idea_and_a_function_fits_a_screen(path: str) -> None:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        source = file.read()
    assert source.count("\n") <= LONGEST_MODULE
    tree = ast.parse(source)
    assert ast.get_docstring(tree), "the first docstring line says which idea"
    long = {
        node.name: lines
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (lines := code_lines(node)) > LONGEST_FUNCTION
    }
    assert not long


def code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its docstring."""
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    docstring = (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


@pytest.mark.parametrize("name", ["utils", "util", "helper", "helpers", "manager", "base", "common", "misc"])
def test_no_module_is_named_after_nothing(name: str) -> None:
    assert not [path for path in modules() if os.path.basename(path) == f"{name}.py"]
