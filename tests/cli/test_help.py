"""The help of every command shows lines to copy, and every one of them is a line that runs."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from contracts.facts import Body, Facts
from contracts.observations import Observation
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from contracts.text.verdict import Verification
from contracts_cli.app import parse_with_typer
from contracts_cli.examples import EXAMPLES
from contracts_cli.options import COMMANDS
from tests.cli.conftest import Program, capture, environment

__all__ = ["hostile_provider"]

WIDTH = 80
LINES = [(name, line) for name in COMMANDS for _, line in EXAMPLES.get(name, ())]
# These would listen until interrupted, or ask a host or a gateway that does not exist.
NOWHERE = ("api.acme.example", "127.0.0.1:4000")
NOT_RUN = [line for _, line in LINES if any(at in line for at in NOWHERE) or ("fake" in line and "--list" not in line)]
CONTRACTS = '#!/bin/sh\nexec "{python}" -m contracts_cli "$@"\n'


def rows(provider: HostileProvider) -> str:
    row = {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "api_key": "OPENROUTER_API_KEY",
        "models": ["loopback/libre"],
        "listing": {"path": "/models", "prices": "pricing"},
    }
    return json.dumps({"version": 1, "providers": {"openrouter": row}})


def seen(folder: Path) -> None:
    """An answer of now, in a router's table and in what a tap wrote down."""
    with closing(sqlite3.connect(folder / "router.db")) as connection, connection:
        connection.execute(
            "CREATE TABLE verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)"
        )
        connection.execute(
            "INSERT INTO verifications VALUES ('structural', 'ok', '', 0, datetime('now'), 'größe', 'b')"
        )
    facts = Facts(dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=1))
    one = Observation(
        at=datetime.now(UTC), provider="größe", model="b", facts=facts, verification=Verification(verdict="ok")
    )
    (folder / "observations.jsonl").write_bytes(msgspec.json.encode(one) + b"\n")


@pytest.fixture
def folder(hostile_provider: Callable[..., HostileProvider], tmp_path: Path) -> Path:
    """A repository with a provider on loopback, captures of it, and the program on its path."""
    (tmp_path / "providers.yaml").write_text(rows(hostile_provider("declared")), encoding="utf-8")
    (tmp_path / "cassettes").mkdir()
    (tmp_path / "answer.http").write_bytes(capture())
    asked = {"method": "POST", "path": "/v1/chat/completions", "body": {"model": "größe-1", "stream": True}}
    (tmp_path / "request.json").write_text(json.dumps(asked), encoding="utf-8")
    tool = tmp_path / "bin" / "contracts"
    tool.parent.mkdir()
    tool.write_text(CONTRACTS.format(python=sys.executable), encoding="utf-8")
    tool.chmod(0o755)
    seen(tmp_path)
    git = [shutil.which("git") or "git", "-c", "user.name=Größe", "-c", "user.email=groesse@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Anfang"],
                  ["update-ref", "refs/remotes/origin/main", "HEAD"]):  # fmt: skip
        subprocess.run([*git, *words], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    return tmp_path


@pytest.mark.parametrize("line", [line for _, line in LINES if line not in NOT_RUN])
def test_an_example_runs(line: str, folder: Path) -> None:
    given = environment(CONTRACTS_TIMEOUT="20s", OPENROUTER_API_KEY="sk-loopback-0123456789abcdef")
    (folder / ".state").mkdir()
    if line.startswith("contracts init"):
        (folder / "providers.yaml").unlink()
    # These two show what an earlier run left.
    before = "contracts check >&2; " if line.startswith(("contracts history", "contracts report")) else ""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{before}{line}"],
        env={**given, "PATH": f"{folder}/bin{os.pathsep}{given['PATH']}", "XDG_STATE_HOME": str(folder / ".state")},
        cwd=folder, check=False, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr.decode()
    assert (done.returncode == 3) is ("--replay" in line), "nothing else leaves anything unjudged"


@pytest.mark.parametrize("line", NOT_RUN)
def test_an_example_that_would_not_end_is_understood(line: str) -> None:
    assert not isinstance(parse_with_typer(shlex.split(line)[1:]), int)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_examples_that_fit_and_the_exit_statuses(name: str, program: Program) -> None:
    done = program([name, "--help"], COLUMNS=str(WIDTH))
    shown = done.stdout.decode().splitlines()
    assert (done.returncode, done.stderr) == (0, b"")
    for what, line in EXAMPLES[name]:
        at = shown.index(f"    {line}")
        assert shown[at - 1] == f"    # {what}"
    assert max(map(len, shown)) <= WIDTH
    assert any(line.startswith("  Exit status:") for line in shown)


@pytest.mark.parametrize("name", [None, "check"])
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {}])
def test_help_has_no_colour(name: str | None, variables: dict[str, str], program: Program) -> None:
    assert b"\x1b" not in program([*filter(None, [name]), "--help"], **variables).stdout
