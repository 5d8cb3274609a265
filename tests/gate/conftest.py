"""A real git repository in which a change is proposed, and the gate as a process and as a function."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from contracts.gate import Gated, GateSettings
from contracts.gate import gate as judge_change
from contracts.testing import HostileProvider

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FREE = "loopback/libre"
VARIABLE = "LOOPBACK_KEY"
KEY = "sk-loopback-0123456789abcdef"
TODAY = date(2026, 11, 30)

Row = dict[str, Any]
Rows = Mapping[str, Row]


def row(provider: HostileProvider, **changes: Any) -> dict[str, Any]:
    """Write a row of a provider on loopback; None takes a key out."""
    written = {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "models": [FREE],
        "listing": {"path": "/models", "prices": "pricing"},
        "api_key": VARIABLE,
        "billing": "none",
        **changes,
    }
    return {key: value for key, value in written.items() if value is not None}


class Repository:
    """A git repository with a providers file."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder, self.environ = folder, environ
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        program = shutil.which("git")
        assert program is not None, "these tests need git"
        who = ("-c", "user.name=Größe", "-c", "user.email=groesse@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            [program, *who, *arguments], cwd=self.folder, env=self.environ, check=True, capture_output=True, text=True
        )
        return done.stdout

    def write(self, name: str, content: str | bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    def rows(self, rows: Rows) -> None:
        """Write the providers file; JSON is YAML."""
        self.write("providers.yaml", json.dumps({"version": 1, "providers": rows}, ensure_ascii=False, indent=1))

    def commit(self, why: str = "größer") -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", why)

    def base(self, rows: Rows) -> None:
        """Commit rows on main, and go on on a branch."""
        self.rows(rows)
        self.commit()
        self.git("checkout", "--quiet", "-b", "wölkchen")

    def change(self, rows: Rows) -> None:
        """Commit rows on the branch."""
        self.rows(rows)
        self.commit()

    @property
    def config(self) -> str:
        return str(self.folder / "providers.yaml")


class Play:
    """The hostile providers of a test; CI may send them the key unless a test wants to see that it does not."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.trusted: list[str] = []

    def __call__(self, *scenarios: str, trusted: bool = True) -> HostileProvider:
        provider = self._stack.enter_context(HostileProvider(*scenarios))
        if trusted:
            self.trusted.append(f"{VARIABLE}={provider.base_url}")
        return provider


@pytest.fixture
def play() -> Iterator[Play]:
    """Start hostile providers; all end with the test."""
    with ExitStack() as stack:
        yield Play(stack)


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """The variables of a CI job."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
        VARIABLE: KEY,
    }


@pytest.fixture
def repository(tmp_path: Path, environ: dict[str, str]) -> Repository:
    folder = tmp_path / "größe"
    folder.mkdir()
    return Repository(folder, environ)


class Came:
    """What a gate came to, in the words that tests compare."""

    def __init__(self, gated: Gated, told: list[str]) -> None:
        self.gated, self.told, self.status = gated, told, gated.status

    @property
    def rows(self) -> dict[str, tuple[str, ...]]:
        return {row.name: ("new",) if row.is_new else row.parts for row in self.gated.rows}

    @property
    def judged(self) -> set[str | None]:
        return {finding.provider for finding in self.gated.report.findings}

    def of(self, outcome: str, provider: str | None = None) -> set[str]:
        found = (f for f in self.gated.report.findings if provider in (None, f.provider))
        return {f.contract for f in found if f.outcome.value == outcome}

    def reason(self, contract: str) -> str:
        return " | ".join(f.reason or "" for f in self.gated.report.findings if f.contract == contract)


Gate = Callable[..., Came]


@pytest.fixture
def gate(repository: Repository, environ: dict[str, str], play: Play) -> Gate:
    """Run the gate in this process."""

    def run(**settings: Any) -> Came:
        told: list[str] = []
        today = settings.pop("today", TODAY)
        settings.setdefault("trust_keys", tuple(play.trusted))
        given = {"config": repository.config, "base": "main", "timeout_s": 20.0, **settings}
        return Came(judge_change(GateSettings(**given), told.append, environ=environ, today=today), told)

    return run


Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def program(repository: Repository, environ: dict[str, str], play: Play) -> Program:
    """Run `contracts gate` in the repository as a process."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "contracts_cli", "gate", *arguments]
        return subprocess.run(
            command,
            cwd=repository.folder,
            env={**environ, "CONTRACTS_TRUST_KEY": " ".join(play.trusted), **variables},
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run
