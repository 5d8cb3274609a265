"""The GitHub Action and the pre-commit hook: read as what they are, and their scripts run for real."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts_cli.argv import parse
from contracts_cli.options import COMMANDS
from tests.gate.conftest import ROOT, Play, Repository, row

EXPRESSION = re.compile(r"\$\{\{.*?\}\}")


def read(name: str) -> Any:
    return yaml.safe_load((Path(ROOT) / name).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    found: dict[str, Any] = read("action.yml")
    return found


def test_no_text_of_a_pull_request_is_part_of_a_script(action: dict[str, Any]) -> None:
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite"
    assert [step["shell"] for step in steps] == ["bash", "bash"]
    assert [step["name"] for step in steps if EXPRESSION.search(step["run"])] == []


def test_every_input_is_used_and_every_used_one_is_declared(action: dict[str, Any]) -> None:
    text = str(action["runs"])
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(action["inputs"])
    assert all(one["description"] for one in action["inputs"].values())


def run_step(
    action: dict[str, Any], repository: Repository, environ: dict[str, str], tmp_path: Path, **given: str
) -> subprocess.CompletedProcess[str]:
    """Run the step that judges as a runner does, with these inputs."""
    step = action["runs"]["steps"][1]
    defaults = {name: one["default"] for name, one in action["inputs"].items()}
    variables = {
        name: str(defaults.get((re.findall(r"inputs\.([a-z-]+)", value) or [""])[0], ""))
        for name, value in step["env"].items()
    }
    program = tmp_path / "contracts"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m contracts_cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    bash = shutil.which("bash")
    assert bash is not None
    return subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=repository.folder,
        env={**environ, **variables, "PROGRAM": str(program), **given},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_step_refuses_a_bad_provider_with_an_annotation_and_a_summary(
    action: dict[str, Any], play: Play, repository: Repository, environ: dict[str, str], tmp_path: Path
) -> None:
    bad, good = play("honest"), play("declared")
    repository.base({})
    base = repository.git("rev-parse", "main").strip()
    summary = tmp_path / "summary.md"
    given = {"BASE": base, "GITHUB_STEP_SUMMARY": str(summary), "SARIF": str(tmp_path / "größe.sarif")}
    given["TRUST_KEYS"] = " ".join(play.trusted)
    repository.change({"schlecht": row(bad)})
    done = run_step(action, repository, environ, tmp_path, **given)
    assert done.returncode == 1, done.stderr
    assert "::error " in done.stdout
    assert "sse.charset" in summary.read_text(encoding="utf-8")
    assert (tmp_path / "größe.sarif").is_file()
    repository.change({"gut": row(good)})
    done = run_step(action, repository, environ, tmp_path, **given)
    assert (done.returncode, "::error" in done.stdout) == (0, False), done.stderr


def test_what_an_input_says_is_an_argument_and_nothing_else(
    action: dict[str, Any], repository: Repository, environ: dict[str, str], tmp_path: Path
) -> None:
    repository.base({})
    for hostile in (
        "main --fail-on never",
        "$(touch größe.txt)",
        "main; touch größe.txt",
        "--help",
        "`touch größe.txt`",
    ):
        for name in ("BASE", "TRUST_KEYS", "CONFIG", "TIMEOUT"):
            done = run_step(action, repository, environ, tmp_path, **{name: hostile})
            assert done.returncode == 2, name
    assert not (repository.folder / "größe.txt").exists()


def test_a_replay_without_a_folder_and_with_one(
    action: dict[str, Any], repository: Repository, environ: dict[str, str], tmp_path: Path
) -> None:
    repository.base({})
    for replay, told in (("true", "cassettes: expected a folder"), ("größe dort", "größe dort: expected a folder")):
        done = run_step(action, repository, environ, tmp_path, REPLAY=replay)
        assert done.returncode == 2
        assert told in done.stderr


def test_the_install_step_names_files_that_are_there(action: dict[str, Any]) -> None:
    named = re.findall(r'"\$SOURCE/([^"]+)"', action["runs"]["steps"][0]["run"])
    assert named == ["requirements.txt", "requirements-build.txt"]
    assert all(os.path.isfile(os.path.join(ROOT, name)) for name in named)


@pytest.fixture(scope="module")
def hook() -> dict[str, Any]:
    (only,) = read(".pre-commit-hooks.yaml")
    assert isinstance(only, dict)
    return only


def test_the_hook_is_a_command_of_the_program_that_takes_files(hook: dict[str, Any]) -> None:
    program, *arguments = shlex.split(hook["entry"])
    assert (hook["id"], hook["language"], program) == ("contracts-lint", "python", "contracts")
    parsed = parse([*arguments, "providers.yaml", "contracts.d/größe.yaml"], {})
    assert parsed is not None
    assert parsed[0] is COMMANDS["lint"]


@pytest.mark.parametrize(
    ("path", "is_ours"),
    [
        ("providers.yaml", True),
        ("router/größe/providers.yml", True),
        ("contracts.d/region.yaml", True),
        ("a/contracts.d/b/region.yaml", True),
        ("cassettes/openrouter/models.yaml", False),
        ("my-providers.yaml", False),
        ("providers.yaml.orig", False),
    ],
)
def test_the_hook_is_for_files_that_lint_knows(path: str, is_ours: bool, hook: dict[str, Any]) -> None:
    assert bool(re.search(hook["files"], path)) is is_ours


def test_the_hook_passes_a_good_file_and_stops_a_bad_one(
    hook: dict[str, Any], repository: Repository, environ: dict[str, str]
) -> None:
    repository.rows({"gut": {"extends": "openrouter"}})
    repository.write("contracts.d/größe.yaml", "id: [\n")
    arguments = shlex.split(hook["entry"])[1:]
    for name, status in (("providers.yaml", 0), ("contracts.d/größe.yaml", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", *arguments, name],
            cwd=repository.folder,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == status, done.stdout + done.stderr
