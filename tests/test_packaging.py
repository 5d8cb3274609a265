"""What is built and locked is what is imported: versions, dependencies, locks."""

from __future__ import annotations

import ast
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, version
from typing import Any

import pytest

import contracts
from contracts_cli import __main__ as script

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = ("contracts", "contracts_cli")


def read(name: str) -> str:
    """A file of the project's root."""
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def project() -> dict[str, Any]:
    """The project table of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads(read("pyproject.toml"))["project"]
    return table


def normal(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_version_is_one() -> None:
    assert script.VERSION == contracts.__version__ == version("provider-contracts")


def run(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below one, but for those under `if TYPE_CHECKING`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING"):
            yield from run(child)


def imported() -> Iterator[str]:
    """Top-level names that the shipped code imports, wherever in a module; what only types need is not imported."""
    for package in ("contracts", os.path.join("cli", "contracts_cli")):
        for folder, _, files in os.walk(os.path.join(ROOT, package)):
            for name in files:
                if not name.endswith(".py"):
                    continue
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    tree = ast.parse(file.read())
                for node in run(tree):
                    if isinstance(node, ast.Import):
                        yield from (alias.name.partition(".")[0] for alias in node.names)
                    elif isinstance(node, ast.ImportFrom) and not node.level:
                        yield (node.module or "").partition(".")[0]


def test_the_dependencies_are_what_is_imported() -> None:
    foreign = {name for name in imported() if name not in sys.stdlib_module_names and name not in OURS}
    distributions = packages_distributions()
    needed = {normal(distributions[name][0]) for name in foreign}
    always = names(project()["dependencies"])
    # An extra may also hold what a dependency asks for by name, as httpx does for h2.
    extras = names(line for extra in project()["optional-dependencies"].values() for line in extra)
    assert always <= needed <= always | extras


def names(requirements: Iterable[str]) -> set[str]:
    """The distributions that requirements name."""
    return {normal(re.split(r"[<>=!~ \[;]", line)[0]) for line in requirements}


def test_every_dependency_has_a_lower_bound() -> None:
    assert [line for line in project()["dependencies"] if ">=" not in line] == []


def pins(lock: str) -> dict[str, list[str]]:
    """Each pinned `name==version` of a lock with its hashes."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=[a-z])", read(lock)):
        match = re.match(r"([A-Za-z0-9._-]+)==([^ ;]+)", block)
        if match:
            found[f"{normal(match[1])}=={match[2]}"] = re.findall(r"--hash=sha256:([0-9a-f]{64})", block)
    return found


LOCKS = ("requirements.txt", "requirements-build.txt", "requirements-dev.txt")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_hashes_and_no_places(lock: str) -> None:
    assert pins(lock)
    assert all(pins(lock).values())
    assert not re.search(r"https?://|file:|^-|/[a-z]+/|@ ", read(lock), re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS[:2])
def test_the_smaller_locks_agree_with_the_development_lock(lock: str) -> None:
    assert pins(lock).items() <= pins("requirements-dev.txt").items()


def test_the_runtime_lock_has_every_dependency_and_nothing_for_development() -> None:
    locked = {pin.partition("==")[0] for pin in pins("requirements.txt")}
    assert locked >= names(project()["dependencies"])
    assert not locked & {"pytest", "hypothesis", "mypy", "ruff", "pydantic", "vcrpy", "trustme"}


def test_ci_runs_make_test_and_beside_that_only_lets_nothing_go_untried_that_apt_brings() -> None:
    commands = [line for line in read(".ci/run").splitlines() if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == [
        "bash tools/units.sh",
        "bash tools/chromium.sh",
        "bash tools/nginx.sh",
        "bash tools/shells.sh",
        "export UNITS_MUST_BE_VERIFIED=1 PAGE_MUST_BE_SEEN=1 NGINX_MUST_BE_TRIED=1 SHELLS_MUST_BE_TRIED=1",
        "make test",
    ]


def test_every_ignored_lint_has_its_reason_beside_it() -> None:
    ruff = read("pyproject.toml").partition("[tool.ruff.lint]")[2]
    codes = [line for line in ruff.splitlines() if re.match(r'\s+"[A-Z]+[0-9]*",', line)]
    assert len(codes) > 10
    assert [line for line in codes if "# " not in line] == []
