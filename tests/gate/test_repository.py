"""What is compared with what: branches, checkouts of every kind, and files that are nobody's business."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from contracts.errors import ConfigError
from contracts.gate.git import Repository as Git
from tests.gate.conftest import FREE, KEY, ROOT, VARIABLE, Gate, Play, Program, Repository, row

NOWHERE = {"dialect": "openai-chat", "models": ["größe"]}


@pytest.mark.parametrize(
    "ref",
    [
        "--output=größe",
        "-h",
        "main..HEAD",
        "main:providers.yaml",
        "ma in",
        "main\n",
        "größe\x1b[31m",
        "*",
        "",
        "x" * 300,
        ":/größer",
    ],
)
def test_what_is_no_name_of_a_commit_never_reaches_git(ref: str, repository: Repository, gate: Gate) -> None:
    repository.base({})
    with pytest.raises(ConfigError, match="--base: expected a branch, a tag or a commit, found") as caught:
        gate(base=ref)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("ref", ["gibt-es-nicht", "0123456789abcdef0123456789abcdef01234567", "HEAD~99"])
def test_a_commit_that_is_not_there_is_told(ref: str, repository: Repository, gate: Gate) -> None:
    repository.base({})
    with pytest.raises(ConfigError, match="--base: expected a branch, a tag or a commit of this repository"):
        gate(base=ref)


def test_any_name_of_a_commit_will_do(repository: Repository, gate: Gate) -> None:
    repository.base({})
    repository.git("tag", "größe")
    repository.change({"neu": NOWHERE})
    commit = repository.git("rev-parse", "main").strip()
    for ref in ("main", "größe", commit, commit[:12], "HEAD~1", "HEAD^", "refs/heads/main", "main@{0}"):
        came = gate(base=ref)
        assert (came.rows, came.gated.commit) == ({"neu": ("new",)}, commit)


def test_unless_said_otherwise_the_change_is_for_the_main_branch_of_origin_and_then_for_our_own(
    repository: Repository, gate: Gate
) -> None:
    repository.base({"alt": NOWHERE})
    assert (gate(base=None).gated.base, gate(base=None).rows) == ("main", {})
    repository.git("branch", "--quiet", "--move", "main", "anders")
    with pytest.raises(ConfigError, match="expected a branch origin/main or main to compare with"):
        gate(base=None)
    repository.git("update-ref", "refs/remotes/origin/main", "anders")
    assert gate(base=None).gated.base == "origin/main"


def test_a_shallow_checkout_is_told_how_to_be_deepened(
    repository: Repository, gate: Gate, tmp_path: Path, environ: dict[str, str]
) -> None:
    repository.base({})
    repository.change({"neu": NOWHERE})
    repository.git("checkout", "--quiet", "main")
    repository.change({"andere": NOWHERE})
    url = f"file://{repository.folder}"
    shallow = Repository(tmp_path, environ)
    shallow.git("fetch", "--quiet", "--depth=1", url, "main:refs/remotes/origin/main", "wölkchen:zweig")
    shallow.git("checkout", "--quiet", "zweig")
    with pytest.raises(ConfigError, match="fetch-depth: 0"):
        gate(config=shallow.config, base=None)


def test_outside_of_a_repository_and_without_git_the_reason_is_told(
    gate: Gate, repository: Repository, tmp_path: Path, program: Program
) -> None:
    (tmp_path / "providers.yaml").write_text("version: 1\nproviders: {}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a git repository"):
        gate(config=str(tmp_path / "providers.yaml"))
    repository.base({})
    done = program(PATH=str(tmp_path))
    assert done.returncode == 2
    assert "expected git, which tells what a change is, found none in PATH" in done.stderr


def test_a_hook_of_another_repository_does_not_lead_astray(
    repository: Repository, program: Program, tmp_path: Path, environ: dict[str, str]
) -> None:
    other = tmp_path / "anderes"
    other.mkdir()
    Repository(other, environ)
    repository.base({})
    repository.change({"neu": NOWHERE})
    done = program("--base", "main", GIT_DIR=str(other / ".git"), GIT_INDEX_FILE=str(other / "index"))
    assert "neu: new" in done.stderr


def test_a_worktree_and_a_folder_within_are_checkouts_too(repository: Repository, gate: Gate, tmp_path: Path) -> None:
    repository.write("router/größe/providers.yaml", "version: 1\nproviders: {alt: {dialect: openai-chat}}\n")
    repository.base({})
    repository.git("worktree", "add", "--quiet", str(tmp_path / "baum"), "-b", "zweig")
    path = tmp_path / "baum" / "router" / "größe" / "providers.yaml"
    assert gate(config=str(path)).rows == {}
    path.write_text("version: 1\nproviders: {alt: {dialect: openai-chat}, neu: {extends: alt}}\n", encoding="utf-8")
    assert gate(config=str(path)).rows == {"neu": ("new",)}


def test_files_are_read_as_a_commit_has_them(repository: Repository) -> None:
    repository.write("größe/a.txt", "é\n\nb blob 3\n")
    repository.write("leer", b"")
    repository.write("bytes", bytes(range(256)))
    repository.commit()
    git = Git(str(repository.folder))
    commit, _ = git.base("main")
    repository.write("größe/a.txt", "anders")
    wanted = ["größe/a.txt", "fehlt", "leer", "größe", "bytes", "mit\nZeile"]
    assert git.contents(commit, wanted) == {
        "größe/a.txt": "é\n\nb blob 3\n".encode(),
        "leer": b"",
        "bytes": bytes(range(256)),
    }
    assert git.files(commit, "größe") == ["größe/a.txt"]
    repository.write("größe/neu.txt", "neu")
    (repository.folder / "leer").unlink()
    assert git.changed(commit, ".") == ["größe/a.txt", "größe/neu.txt"]


OUTSIDE = ["/proc/self/environ", "../geheim.txt", "modelle/../../geheim.txt", "verknüpft.txt"]


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("kind", ["models", "contract"])
def test_a_change_that_reads_what_lies_outside_is_refused_and_nothing_of_that_is_shown(
    kind: str, path: str, repository: Repository, program: Program, tmp_path: Path
) -> None:
    (tmp_path / "geheim.txt").write_text(f"{VARIABLE}={KEY} größe\n", encoding="utf-8")
    repository.base({})
    os.symlink(tmp_path / "geheim.txt", repository.folder / "verknüpft.txt")
    named = {"models": {"from": path}} if kind == "models" else {"contracts": {"acme.region": {"file": path}}}
    repository.change({"neu": {"dialect": "openai-chat", **named}})
    done = program("--base", "main")
    assert done.returncode == 2
    assert "expected provider 'neu' to name files of this repository" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_what_the_base_reads_outside_is_the_bases_own_affair_unless_a_link_is_put_in_its_place(
    repository: Repository, gate: Gate, tmp_path: Path
) -> None:
    ids = tmp_path / "ids.txt"
    ids.write_text("größe\n", encoding="utf-8")
    repository.write("ids.txt", "größe\n")
    rows = {
        "alt": {"dialect": "openai-chat", "models": {"from": str(ids)}},
        "innen": {"dialect": "openai-chat", "models": {"from": "ids.txt"}},
    }
    repository.base(rows)
    assert gate().rows == {}
    (repository.folder / "ids.txt").unlink()
    os.symlink(ids, repository.folder / "ids.txt")
    with pytest.raises(ConfigError, match="expected provider 'innen' to name files of this repository"):
        gate()


def test_a_providers_file_that_leads_out_of_the_repository_is_refused(
    repository: Repository, gate: Gate, tmp_path: Path
) -> None:
    repository.base({})
    (tmp_path / "echt.yaml").write_text("version: 1\nproviders: {}\n", encoding="utf-8")
    os.symlink(tmp_path / "echt.yaml", repository.folder / "verknüpft.yaml")
    with pytest.raises(ConfigError, match="expected a file of the repository"):
        gate(config=str(repository.folder / "verknüpft.yaml"))


def test_models_from_standard_input_cannot_be_judged(repository: Repository, gate: Gate) -> None:
    rows = {"alt": {"dialect": "openai-chat", "models": {"from": "-"}}}
    repository.base(rows)
    assert gate().rows == {}
    repository.change({**rows, "neu": {"extends": "alt"}})
    with pytest.raises(ConfigError, match="found standard input"):
        gate()


@pytest.fixture
def own_library(repository: Repository) -> Path:
    """A repository that ships the library of rows and contracts which its gate uses: this project's own."""
    ignored = shutil.ignore_patterns("__pycache__")
    for package in ("contracts", "cli"):
        shutil.copytree(os.path.join(ROOT, package), repository.folder / package, ignore=ignored)
    return repository.folder / "contracts" / "library"


def judged(program: Program, repository: Repository) -> subprocess.CompletedProcess[str]:
    path = f"{repository.folder}{os.pathsep}{repository.folder / 'cli'}"
    return program("--base", "main", "--timeout", "10s", PYTHONPATH=path)


def test_a_shipped_row_or_contract_that_changes_reaches_the_rows_that_rest_on_it(
    play: Play, repository: Repository, own_library: Path, program: Program
) -> None:
    bad = row(play("honest"))
    shipped = "version: 1\nproviders:\n  größe:\n".replace("größe", "acme")
    lines = f"    dialect: openai-chat\n    base_url: {bad['base_url']}\n    api_key: {VARIABLE}\n"
    acme = own_library / "providers" / "acme.yaml"
    acme.write_text(shipped + lines, encoding="utf-8")
    extends = {"extends": "acme", "models": [FREE], "listing": bad["listing"]}
    repository.base({"darauf": extends, "frei": NOWHERE})
    assert "0 of 2 rows" in judged(program, repository).stderr

    acme.write_text(f"# größer\n{shipped}{lines}    billing: none\n", encoding="utf-8")
    done = judged(program, repository)
    assert "darauf: billing\n" in done.stderr
    assert done.returncode == 1

    repository.commit()
    repository.git("checkout", "--quiet", "-B", "main")
    contract = own_library / "contracts" / "sse.charset.yaml"
    text = contract.read_text(encoding="utf-8")
    contract.write_text(text.replace("why: ", "why: größer, "), encoding="utf-8")
    assert "0 of 2 rows" in judged(program, repository).stderr
    contract.write_text(text.replace("severity: error", "severity: warning"), encoding="utf-8")
    assert "frei: contract sse.charset\n" in judged(program, repository).stderr

    repository.git("checkout", "--quiet", "--", ".")
    for part, where in (("dialect openai-chat", "dialects"), ("schema openai-chat/chunk.json", "schemas/openai-chat")):
        path = own_library / where / ("openai-chat.yaml" if where == "dialects" else "chunk.json")
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("[length]", "[length, größe]") + "\n", encoding="utf-8")
        assert f"frei: {part}\n" in judged(program, repository).stderr
        path.write_text(text, encoding="utf-8")


def test_a_shipped_row_that_a_change_sends_elsewhere_gets_no_key(
    play: Play, repository: Repository, own_library: Path, program: Program
) -> None:
    good, strange = play("declared", trusted=False), play("declared", trusted=False)
    acme = own_library / "providers" / "acme.yaml"
    text = (
        f"version: 1\nproviders:\n  acme:\n    dialect: openai-chat\n    base_url: {good.base_url}\n"
        f"    api_key: {VARIABLE}\n    listing: {{path: /models}}\n    billing: none\n"
    )
    acme.write_text(text, encoding="utf-8")
    repository.base({"darauf": {"extends": "acme", "models": [FREE]}})
    acme.write_text(text.replace(good.base_url, strange.base_url), encoding="utf-8")
    done = judged(program, repository)
    assert "darauf: base_url\n" in done.stderr
    assert f"darauf: {VARIABLE} is not sent to http://127.0.0.1:" in done.stderr
    assert strange.request_count > 0
    assert not any(asked.keyed for asked in strange.requests)
