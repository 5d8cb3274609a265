"""A format is found by its file, costs nothing where it is not asked for, and goes where the options say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from contracts.sinks import formats
from tests.cli.conftest import ROOT, Program, environment
from tests.cli.conftest import bad as bad  # noqa: PLC0414 - a fixture
from tests.cli.conftest import program as program  # noqa: PLC0414 - a fixture
from tests.sinks.readers import READERS, Told

CHECK = ["check", "--config", f"{ROOT}/providers.yaml", f"--replay={ROOT}/cassettes"]


@pytest.mark.parametrize("name", formats.names())
def test_every_format_tells_a_replay_on_standard_output_and_in_a_file(
    program: Program, tmp_path: Path, name: str
) -> None:
    target = tmp_path / "ö"
    if name == "prometheus":
        target.mkdir()
    done = program([*CHECK, "-f", name, "-o", f"{name}={target}"], GITHUB_WORKSPACE=ROOT)
    assert (done.returncode, done.stderr) == (1, b"")
    paths = sorted(target.iterdir()) if name == "prometheus" else [target]
    for told in (READERS[name](done.stdout), [t for path in paths for t in READERS[name](path.read_bytes())]):
        faults = [t for t in told if name not in ("json", "jsonl") or (t.text or "").startswith("text/event-stream de")]
        assert [(t.provider, t.contract) for t in faults] == [("openrouter", "sse.charset")]


def test_several_outputs_are_written_in_one_run(program: Program, tmp_path: Path) -> None:
    done = program([*CHECK, "-q", "-o", "junit=a.xml", "-o", "sarif=b.sarif", "-o", "text=c.txt"])
    assert done.returncode == 1
    assert done.stdout.decode() == (tmp_path / "c.txt").read_text(encoding="utf-8")
    (told,) = READERS["sarif"]((tmp_path / "b.sarif").read_bytes())
    assert READERS["junit"]((tmp_path / "a.xml").read_bytes())[0].contract == told.contract


def test_a_capture_without_a_row_is_told_in_every_format(program: Program, bad: Path) -> None:
    for name in formats.names():
        done = program(["inspect", bad, "-f", name], HOME=str(bad.parent))
        assert (done.returncode, done.stderr) == (1, b"")
        found = [t for t in READERS[name](done.stdout) if t.contract == "sse.charset"]
        assert [told.provider or "bad.http" for told in found] == [str(bad)] or name in ("json", "jsonl")
        assert len(found) == 1


def test_a_summary_is_written_once_however_often_annotations_are_asked_for(program: Program, tmp_path: Path) -> None:
    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "ü.md"), "GITHUB_WORKSPACE": ROOT}
    done = program([*CHECK, "-f", "github", "-o", "github=a.log", "-o", "github=b.log"], **variables)
    assert (tmp_path / "a.log").read_bytes() == (tmp_path / "b.log").read_bytes() == done.stdout
    assert done.stdout.startswith(b"::error file=providers.yaml,line=4,col=3,title=openrouter%3A sse.charset::")
    assert [t.contract for t in READERS["markdown"]((tmp_path / "ü.md").read_bytes())] == ["sse.charset"]
    program([*CHECK, "-f", "json"], GITHUB_STEP_SUMMARY=str(tmp_path / "leer.md"))
    assert not (tmp_path / "leer.md").exists()


@pytest.mark.parametrize(("repository", "file"), [(True, "größe/providers.yaml"), (False, "providers.yaml")])
def test_a_path_is_told_from_the_root_of_the_repository(tmp_path: Path, *, repository: bool, file: str) -> None:
    folder = tmp_path / "größe"
    folder.mkdir()
    shutil.copy(os.path.join(ROOT, "providers.yaml"), folder)
    if repository:
        (tmp_path / ".git").mkdir()
    command = [sys.executable, "-m", "contracts_cli", "check", f"--replay={ROOT}/cassettes", "-f", "junit"]
    variables = {name: value for name, value in environment().items() if name != "GITHUB_WORKSPACE"}
    done = subprocess.run(command, cwd=folder, env=variables, check=False, capture_output=True, timeout=60)
    assert {c.get("file") for c in ET.fromstring(done.stdout).iter("testcase")} == {file}  # noqa: S314 - our own output


def test_what_a_run_could_not_judge_is_red_for_a_ci_server_too(program: Program, tmp_path: Path) -> None:
    (tmp_path / "leer").mkdir()
    done = program(["check", "--config", f"{ROOT}/providers.yaml", "--replay=leer", "-f", "junit"])
    assert done.returncode == 3
    assert ET.fromstring(done.stdout).get("errors") != "0"  # noqa: S314 - our own output
    done = program([*done.args[3:], "--fail-on", "violation"])
    assert done.returncode == 0
    assert ET.fromstring(done.stdout).get("errors") == "0"  # noqa: S314 - our own output


@pytest.mark.parametrize("target", ["prometheus=nirgends", "junit=nirgends/a.xml", "größe=a", "junit", "sinks=a"])
def test_a_target_that_cannot_be_is_refused_before_anything_is_judged(
    program: Program, tmp_path: Path, target: str
) -> None:
    done = program(["inspect", "not-even-looked-at.http", "-o", target])
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"contracts: -o {target}: expected ")
    assert list(tmp_path.iterdir()) == []


def test_the_help_names_every_format(program: Program) -> None:
    text = program(["check", "--help"]).stdout.decode()
    assert all(name in text for name in ("text", *formats.names()))
    for name in ("about", "formats", "notes", "whole_file"):
        assert program(["check", "-f", name]).returncode == 2


HEAVY = {"prometheus_client", "xml", "xml.etree", "hashlib", "urllib.parse", "urllib", "ssl", "http"}


@pytest.mark.parametrize("name", ["text", "json", "jsonl", "markdown", "github"])
def test_a_format_imports_nothing_heavy_unless_it_needs_it(name: str) -> None:
    code = (
        "import sys; from contracts_cli.__main__ import main\n"
        f"sys.argv = ['contracts', 'check', '--replay', '-f', {name!r}]\n"
        "main()\n"
        "print(*sorted(m for m in sys.modules if sys.modules[m]), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code]
    variables = environment(GITHUB_WORKSPACE=ROOT)
    done = subprocess.run(command, cwd=ROOT, env=variables, check=True, capture_output=True, timeout=60)
    modules = set(done.stderr.decode().split())
    assert "contracts.sinks.formats" in modules
    assert not modules & HEAVY


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program, to which files may be added."""
    folder = tmp_path_factory.mktemp("größe")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(os.path.join(ROOT, "contracts"), folder / "contracts", ignore=ignored)
    shutil.copytree(os.path.join(ROOT, "cli"), folder / "cli", ignore=ignored)
    return folder


def test_another_format_is_one_more_file_as_the_readme_shows_it(checkout: Path, bad: Path) -> None:
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        match = re.search(r"As `contracts/sinks/(\w+)\.py`.*?```python\n(.*?)```", file.read(), re.DOTALL)
    assert match is not None
    name, source = match.groups()
    assert name not in formats.names()
    (checkout / "contracts" / "sinks" / f"{name}.py").write_text(source, encoding="utf-8")
    variables = environment(PYTHONPATH=f"{checkout}{os.pathsep}{checkout}/cli")
    command = [sys.executable, "-m", "contracts_cli", "inspect", str(bad), "-f", name, "-o", f"{name}=ö.txt"]
    done = subprocess.run(command, cwd=checkout, env=variables, check=False, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode() == f"{bad} sse.charset\n"
    assert (checkout / "ö.txt").read_bytes() == done.stdout
    listed = subprocess.run(
        [*command[:3], "check", "--help"], cwd=checkout, env=variables, check=True, capture_output=True, timeout=60
    )
    assert name in listed.stdout.decode()


def test_a_reader_is_no_mere_echo() -> None:
    assert READERS["github"]("::error title=größe%3A sse.charset::100 %25\nx\n".encode()) == [
        Told("größe", "sse.charset", "100 %")
    ]
