"""What a real shell completes: commands, options, and the names in the user's own files."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts_cli.completion import joined, rest_of, values
from contracts_cli.options import COMMANDS
from tests.cli.conftest import Program, environment

DEADLINE_S = 30
BASH = shutil.which("bash") or "bash"
ROWS = """version: 1
providers:
  acme-eins: {dialect: openai-chat, base_url: "http://127.0.0.1:1/v1", models: ["größe/$(böse)", "eins/klein:free"]}
  acme-zwei: {dialect: ollama, models: [zwei]}
"""
# Completes with the program itself and shows, instead of running a line, the words that it consists of.
WRAPPER = """#!/bin/sh
if [ -n "$_CONTRACTS_COMPLETE" ]; then exec "{python}" -m contracts_cli "$@"; fi
printf '<%s>' "$@"; printf '\\n'
"""
TAB, ENTER = "\t", "\n"


class Shell:
    """An interactive bash on a pseudo-terminal that has read the script which the program printed."""

    def __init__(self, folder: Path, script: Path) -> None:
        self._ours, other = pty.openpty()
        given = {name: value for name, value in environment().items() if not name.startswith("BASH")}
        self._process = subprocess.Popen(
            [BASH, "--norc", "--noprofile", "-i"],
            cwd=folder, stdin=other, stdout=other, stderr=other, start_new_session=True,
            env={**given, "PATH": f"{folder}:{given['PATH']}", "TERM": "dumb", "PS1": "", "HOME": str(folder)},
        )  # fmt: skip
        os.close(other)
        self.written = ""
        self.say(f"bind 'set enable-bracketed-paste off'; source {script}; echo be''reit\n", "bereit\r\n")

    def say(self, typed: str, until: str) -> str:
        """Type, and give what came since, up to and with a text."""
        self.written = ""
        os.write(self._ours, typed.encode())
        ends = time.monotonic() + DEADLINE_S
        while not re.search(until, self.written) and time.monotonic() < ends:
            if select.select([self._ours], [], [], 0.1)[0]:
                self.written += os.read(self._ours, 65536).decode("utf-8", "replace")
        assert re.search(until, self.written), self.written
        return self.written

    def line(self, typed: str) -> list[str]:
        """Give the words of a line as bash completed them."""
        os.write(self._ours, typed.encode())
        said = self.say(ENTER, r"\n<[^\n]*>\r\n")
        return re.findall(r"<([^>]*)>", said[said.rindex("\n<") :])

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script as bash gets it from `contracts --show-completion`."""
    folder = tmp_path_factory.mktemp("script")
    # Typer asks which shell started it.
    done = subprocess.run(
        [BASH, "-c", f"{sys.executable} -m contracts_cli --show-completion; exit $?"],
        env=environment(), check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    path = folder / "contracts.sh"
    path.write_bytes(done.stdout)
    return path


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, script: Path) -> Iterator[Shell]:
    folder = tmp_path_factory.mktemp("shell")
    (folder / "providers.yaml").write_text(ROWS, encoding="utf-8")
    (folder / "other.yaml").write_text(ROWS.replace("acme", "bäcker").replace("bäcker", "other"), encoding="utf-8")
    (folder / "capture-größe.http").write_text("", encoding="utf-8")
    wrapper = folder / "contracts"
    wrapper.write_text(WRAPPER.format(python=sys.executable), encoding="utf-8")
    wrapper.chmod(0o755)
    opened = Shell(folder, script)
    yield opened
    opened.close()


COMPLETED = [
    ("contracts insp\t", ["inspect"]),
    ("contracts check --fail\tnev\t", ["check", "--fail-on", "never"]),
    ("contracts check acme-e\t", ["check", "acme-eins"]),
    ("contracts check acme-eins acme-z\t", ["check", "acme-eins", "acme-zwei"]),
    ("contracts check --config other.yaml other-z\t", ["check", "--config", "other.yaml", "other-zwei"]),
    ("contracts check --contract sse.ch\t", ["check", "--contract", "sse.charset"]),
    ("contracts check --contract=sse.ch\t", ["check", "--contract=sse.charset"]),
    ("contracts check -f jun\t", ["check", "-f", "junit"]),
    ("contracts check --format=jun\t", ["check", "--format=junit"]),
    ("contracts check --model eins/klein:f\t", ["check", "--model", "eins/klein:free"]),
    ("contracts check --model eins/klein:\t", ["check", "--model", "eins/klein:free"]),
    ("contracts check --model=eins/kl\t", ["check", "--model=eins/klein:free"]),
    (
        "contracts inspect --dialect anthr\tcapture\t",
        ["inspect", "--dialect", "anthropic-messages", "capture-größe.http"],
    ),
    ("contracts explain strict_j\t", ["explain", "strict_json"]),
    ("contracts init openrou\t", ["init", "openrouter"]),
    ("contracts fake bad-gate\t", ["fake", "bad-gateway"]),
    ("contracts schema prov\t", ["schema", "providers"]),
]


@pytest.mark.parametrize(("typed", "words"), COMPLETED, ids=[" ".join(words) for _, words in COMPLETED])
def test_bash_completes(shell: Shell, typed: str, words: list[str]) -> None:
    assert shell.line(typed) == words


def test_bash_shows_what_there_is_to_choose(shell: Shell) -> None:
    said = shell.say(f"contracts check {TAB}{TAB}{TAB}", "acme-eins +acme-zwei")
    assert "größe" not in said
    shell.say(f"\x15echo we''iter{ENTER}", "weiter\r\n")


def test_a_value_that_a_shell_would_run_is_not_offered(tmp_path: Path) -> None:
    path = tmp_path / "providers.yaml"
    path.write_text(ROWS, encoding="utf-8")
    assert values("model", str(path)) == [("eins/klein:free", "acme-eins"), ("zwei", "acme-zwei")]


@pytest.mark.parametrize("source", ["contract", "provider", "dialect", "explained", "model", "shipped", "scenario"])
def test_a_file_that_cannot_be_read_takes_nothing_but_its_own_names(tmp_path: Path, source: str) -> None:
    path = tmp_path / "kaputt.yaml"
    path.write_text("version: [größe\n", encoding="utf-8")
    offered = values(source, str(path))
    assert bool(offered) is (source not in ("provider", "model"))
    assert not any(set(told) & set("\\\"'`$()") for _, told in offered)


def test_every_source_that_the_table_names_is_one() -> None:
    named = [option.completes for command in COMMANDS.values() for option in command.options]
    named += [command.positional.completes for command in COMMANDS.values() if command.positional is not None]
    sources = {source for source in named if source is not None}
    assert len(sources) > 5
    assert all(isinstance(values(source, None), list) for source in sources)


@pytest.mark.parametrize(
    ("action", "typed", "offered"),
    [
        ("zsh", "contracts check acme-", ["acme-eins", "acme-zwei"]),
        ("zsh", "contracts insp", ["inspect"]),
        ("fish", "contracts inspect --dialect ol", ["ollama"]),
        ("fish", "contracts check --exclude sse.d", ["sse.done"]),
    ],
)
def test_zsh_and_fish_are_answered_in_their_own_form(
    program: Program, tmp_path: Path, action: str, typed: str, offered: list[str]
) -> None:
    (tmp_path / "providers.yaml").write_text(ROWS, encoding="utf-8")
    done = program(
        [], _CONTRACTS_COMPLETE=f"complete_{action}", _TYPER_COMPLETE_ARGS=typed, _TYPER_COMPLETE_FISH_ACTION="get-args"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    shape = r'"([^"]+)":"' if action == "zsh" else r"(?m)^([^\t\n]+)"
    assert re.findall(shape, done.stdout.decode()) == offered


@pytest.mark.parametrize("shell_name", ["zsh", "fish"])
def test_a_shell_that_is_installed_can_read_its_script(shell_name: str, tmp_path: Path, program: Program) -> None:
    if shutil.which(shell_name) is None:
        pytest.skip(f"no {shell_name} on this machine")
    done = program([], _CONTRACTS_COMPLETE=f"source_{shell_name}")
    (tmp_path / "script").write_bytes(done.stdout)
    read = subprocess.run([shell_name, "-n", str(tmp_path / "script")], check=False, capture_output=True, timeout=60)
    assert (read.returncode, b"contracts" in done.stdout) == (0, True)


TAKEN_APART: list[tuple[list[str], int, list[str], int]] = [
    (["c", "check", "--model", "eins/x", ":", "fr"], 5, ["c", "check", "--model", "eins/x:fr"], 3),
    (["c", "check", "--model", "=", "eins/x", ":"], 5, ["c", "check", "--model=eins/x:"], 2),
    (["c", "check", "größe"], 2, ["c", "check", "größe"], 2),
    (["c", "check"], 2, ["c", "check"], 2),
    (["c", "-f", "=", "json", "b"], 4, ["c", "-f=json", "b"], 2),
]


@pytest.mark.parametrize(("words", "at", "whole", "now_at"), TAKEN_APART)
def test_words_that_bash_takes_apart_are_put_together(words: list[str], at: int, whole: list[str], now_at: int) -> None:
    assert joined(words, at) == (whole, now_at)


@pytest.mark.parametrize(
    ("incomplete", "rest"), [("", "a:b:c"), ("a:", "b:c"), ("a:b", "b:c"), ("--model=a:b:", "c"), ("--x=", "a:b:c")]
)
def test_bash_gets_what_stands_behind_the_last_colon(incomplete: str, rest: str) -> None:
    assert rest_of("a:b:c", incomplete) == rest


def test_a_shell_that_nobody_knows_is_a_usage_error(program: Program) -> None:
    done = program(["--show-completion"], _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 2
    assert done.stdout == b""


def test_completion_is_installed_where_bash_looks(tmp_path: Path) -> None:
    home = tmp_path / "größe"
    home.mkdir()
    command = f"{sys.executable} -m contracts_cli --install-completion; exit $?"
    done = subprocess.run(
        [BASH, "-c", command], env=environment(HOME=str(home)), check=False, capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "_contracts_completion" in (home / ".bash_completions" / "contracts.sh").read_text(encoding="utf-8")
    assert "bash_completions/contracts.sh" in (home / ".bashrc").read_text(encoding="utf-8")
