"""What real shells complete: commands, options, and the names in the user's own files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts_cli.completion import joined, option_of, rest_of, values
from contracts_cli.options import COMMANDS
from tests.cli.conftest import Program
from tests.cli.shells import CLEAR, ENTER, SHELLS, Shell, ask

ROWS = """version: 1
providers:
  acme-eins: {dialect: openai-chat, base_url: "http://127.0.0.1:1/v1", models: ["größe/$(böse)", "eins/klein:free"]}
  acme-zwei: {dialect: ollama, models: [zwei]}
"""
TAB = "\t"


@pytest.fixture(scope="module", params=SHELLS)
def shell(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Shell]:
    """A shell for which completion was installed, in a folder with files to name."""
    folder = tmp_path_factory.mktemp("größe")
    (folder / "providers.yaml").write_text(ROWS, encoding="utf-8")
    (folder / "other.yaml").write_text(ROWS.replace("acme", "other"), encoding="utf-8")
    (folder / "capture-größe.http").write_text("", encoding="utf-8")
    (folder / "mitschnitt.yaml").write_text("", encoding="utf-8")
    installed = ask(request.param, folder, "--install-completion")
    assert (installed.returncode, installed.stderr) == (0, b"")
    opened = Shell(request.param, folder)
    yield opened
    opened.close()


# In every shell: the first word, options and their values, values behind `=` and with `:`, files, and the user's names.
COMPLETED = [
    ("contracts insp\t", ["inspect"]),
    ("contracts check --fail\tnev\t", ["check", "--fail-on", "never"]),
    ("contracts check acme-eins acme-z\t", ["check", "acme-eins", "acme-zwei"]),
    ("contracts check --config other.yaml other-z\t", ["check", "--config", "other.yaml", "other-zwei"]),
    ("contracts check --contract=sse.ch\t", ["check", "--contract=sse.charset"]),
    ("contracts check --model eins/klein:\t", ["check", "--model", "eins/klein:free"]),
    ("contracts check --model=eins/kl\t", ["check", "--model=eins/klein:free"]),
    ("contracts check --replay=mitsch\t", ["check", "--replay=mitschnitt.yaml"]),
    (
        "contracts inspect --dialect anthr\tcapture\t",
        ["inspect", "--dialect", "anthropic-messages", "capture-größe.http"],
    ),
]
# What is offered is the same for every shell: once is enough.
OFFERED = [
    ("contracts check acme-e\t", ["check", "acme-eins"]),
    ("contracts check --contract sse.ch\t", ["check", "--contract", "sse.charset"]),
    ("contracts check -f jun\t", ["check", "-f", "junit"]),
    ("contracts check --format=jun\t", ["check", "--format=junit"]),
    ("contracts check --model eins/klein:f\t", ["check", "--model", "eins/klein:free"]),
    ("contracts explain strict_j\t", ["explain", "strict_json"]),
    ("contracts init openrou\t", ["init", "openrouter"]),
    ("contracts fake bad-gate\t", ["fake", "bad-gateway"]),
    ("contracts schema prov\t", ["schema", "providers"]),
    ("contracts relay-check --sc\tusage-tw\t", ["relay-check", "--scenario", "usage-twice"]),
]


@pytest.mark.parametrize(("typed", "words"), COMPLETED, ids=[" ".join(words) for _, words in COMPLETED])
def test_a_shell_completes_from_its_first_word_on(shell: Shell, typed: str, words: list[str]) -> None:
    assert shell.line(typed) == words


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
@pytest.mark.parametrize(("typed", "words"), OFFERED, ids=[" ".join(words) for _, words in OFFERED])
def test_each_command_offers_what_its_table_names(shell: Shell, typed: str, words: list[str]) -> None:
    assert shell.line(typed) == words


def test_a_shell_shows_what_there_is_to_choose(shell: Shell) -> None:
    said = shell.say(f"contracts check {TAB}{TAB}{TAB}", "eins(?s:.*)zwei")
    assert "böse" not in said
    shell.say(f"{CLEAR}echo we''iter{ENTER}", "weiter\r\n")


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


@pytest.mark.parametrize(
    ("incomplete", "option"),
    [
        ("--model=eins/klein:", "--model="),
        ("-f=", "-f="),
        ("--model", ""),
        ("größe=1", ""),
        ("--größe=1", ""),
        ("--x;y=", ""),
        ("", ""),
    ],
)
def test_what_stands_before_the_value_in_one_word_is_an_option_and_nothing_a_shell_would_run(
    incomplete: str, option: str
) -> None:
    assert option_of(incomplete) == option


def test_a_shell_that_nobody_knows_is_a_usage_error(program: Program) -> None:
    done = program(["--show-completion"], _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert done.returncode == 2
    assert done.stdout == b""


SCRIPTS = {
    "bash": ".bash_completions/contracts.sh",
    "zsh": ".zfunc/_contracts",
    "fish": ".config/fish/completions/contracts.fish",
}


@pytest.mark.parametrize("name", SHELLS)
def test_what_is_shown_is_what_is_installed(tmp_path: Path, name: str) -> None:
    assert ask(name, tmp_path, "--install-completion").returncode == 0
    shown = ask(name, tmp_path, "--show-completion")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert shown.stdout.decode().strip() == (tmp_path / SCRIPTS[name]).read_text(encoding="utf-8").strip()
