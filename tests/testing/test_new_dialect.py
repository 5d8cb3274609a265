"""A dialect is one file: once it is there, the provider speaks it and plays in it what has a place in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PARROT = Path(__file__).parent / "parrot.py"
LINES = 100  # that a writer takes, its docstrings counted

PLAYED = """
import json, sys, urllib.error, urllib.request
from contracts.testing import TEXT, HostileProvider, known_scenarios, text_of

def ask(*scenarios):
    with HostileProvider(*scenarios, dialect="parrot") as provider:
        body = json.dumps({"bird": provider.models[0], "live": True}).encode()
        request = urllib.request.Request(f"{provider.base_url}/chat", body, {"X-Api-Key": "k"})
        try:
            return urllib.request.urlopen(request).read()
        except urllib.error.HTTPError as error:
            return error.read()

told = {name: ask(*name.split()).decode() for name in ("honest", "finish-twice", "double-encoded", "server-error")}
told["scenarios"] = sorted(known_scenarios("parrot"))
told["intact"] = text_of(told["honest"].encode(), "parrot") == TEXT
json.dump(told, sys.stdout)
"""


@pytest.fixture(scope="module")
def environ(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A checkout to which one file was added."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "contracts", folder / "contracts", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PARROT, folder / "contracts" / "testing" / "writers")
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT / 'cli'}", "PYTHONUTF8": "1"}


def python(*argv: str, environ: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *argv], env=environ, cwd=folder, check=False, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_file_is_all_that_a_dialect_takes(environ: dict[str, str], tmp_path: Path) -> None:
    told = json.loads(python("-c", PLAYED, environ=environ, folder=tmp_path))
    assert told["intact"]
    assert told["honest"].endswith('{"end":"stop"}\n')
    assert told["finish-twice"].endswith('{"end":"stop"}\n{"end":"stop"}\n')
    assert "Déjà".encode().decode("latin-1") in told["double-encoded"]
    assert json.loads(told["server-error"])["squawk"]
    assert {"done-twice", "lines-joined", "empty-success", "slow-loris"} <= set(told["scenarios"])
    assert not {"tool-calls", "bom", "usage-early", "id-changes", "reasoning"} & set(told["scenarios"])


def test_the_command_knows_the_new_dialect(environ: dict[str, str], tmp_path: Path) -> None:
    told = python("-m", "contracts_cli", "fake", "--list", "--dialect", "parrot", environ=environ, folder=tmp_path)
    assert "  done-twice" in told
    assert "  tool-calls" not in told


def test_a_writer_is_short() -> None:
    assert len(PARROT.read_text("utf-8").splitlines()) <= LINES
