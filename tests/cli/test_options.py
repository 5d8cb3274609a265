"""The quick parser and Typer read the same argv alike, and only Typer words mistakes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts_cli.app import parse_with_typer
from contracts_cli.argv import parse
from contracts_cli.options import COMMANDS, Command, Option, parse_seconds


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set this process's CONTRACTS_* variables to exactly these: Typer reads no others."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("CONTRACTS_")]:
            patch.delenv(name)
        for name, value in variables.items():
            patch.setenv(name, value)
        yield


PLAIN = [
    ["check"],
    ["check", "openrouter", "neuralwatt", "--replay"],
    ["check", "--replay=captures/größe", "-q", "--", "--replay", "-v"],
    ["check", "--replay", "openrouter"],
    ["check", "--contract", "sse.charset", "--contract=sse.done", "--exclude", "reply.id"],
    ["check", "-f", "text", "-f", "json", "-j", "4", "--timeout", "500ms", "--note", "-"],
    ["check", "-o", "json=报告.json", "--output", "text=t.txt", "--fail-on", "never", "--verbose"],
    ["check", "--model", "z-ai/glm-5.3-flash", "--config="],
    ["inspect", "a.http", "b.har", "--request", "a.json", "--models", "m.json", "--model", "x:free"],
    ["inspect", "--dialect", "openai-chat", "--provider=openrouter", "Ünïcode.http"],
    ["list", "-f", "json"],
    ["explain", "sse.charset"],
    ["lint"],
    ["lint", "a.yaml", "-"],
    ["schema", "report"],
]


@pytest.mark.parametrize("argv", PLAIN, ids=" ".join)
def test_plain_argv_is_read_alike(argv: list[str]) -> None:
    with environment({}):
        quick = parse(argv)
        assert quick is not None
        assert quick == parse_with_typer(argv)


NOT_PLAIN = [
    ([], 2),
    (["--help"], 0),
    (["--version"], 0),
    (["chek"], 2),
    (["check", "--help"], 0),
    (["check", "-h"], 0),
    (["check", "--nonsense"], 2),
    (["check", "--fail-on", "sometimes"], 2),
    (["check", "--timeout", "soon"], 2),
    (["check", "--timeout", "0s"], 2),
    (["check", "-j", "-1"], 2),
    (["check", "-j", "viele"], 2),
    (["check", "--config"], 2),
    (["check", "--quiet=yes"], 2),
    (["inspect"], 2),
    (["explain"], 2),
    (["explain", "a", "b"], 2),
    (["list", "surplus"], 2),
    (["schema", "grammar"], 2),
]


@pytest.mark.parametrize(
    ("argv", "status"), NOT_PLAIN, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_what_is_not_plain_is_left_to_typer(argv: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    with environment({}):
        assert parse(argv) is None
        assert parse_with_typer(argv) == status
    assert "Traceback" not in "".join(capsys.readouterr())


SHORTER = [["check", "-qv"], ["check", "-fjson"], ["check", "--timeou", "3s"], ["check", "--config", "-x"]]


@pytest.mark.parametrize("argv", SHORTER, ids=" ".join)
def test_what_only_typer_understands_is_left_to_it(argv: list[str]) -> None:
    with environment({}):
        assert parse(argv) is None


VARIABLES = [
    {"CONTRACTS_FORMAT": "json", "CONTRACTS_QUIET": "1", "CONTRACTS_VERBOSE": "0"},
    {"CONTRACTS_CONTRACT": " sse.charset  sse.done ", "CONTRACTS_EXCLUDE": "reply.id"},
    {"CONTRACTS_REPLAY": "cassettes", "CONTRACTS_TIMEOUT": "2m", "CONTRACTS_JOBS": "3"},
    {"CONTRACTS_CONFIG": "", "CONTRACTS_FAIL_ON": "", "CONTRACTS_MODEL": ""},
    {"CONTRACTS_OUTPUT": "json=a.json text=ä.txt", "CONTRACTS_NOTE": "-"},
]


@pytest.mark.parametrize("variables", VARIABLES, ids=" ".join)
def test_variables_are_read_alike_and_an_option_beats_its_variable(variables: dict[str, str]) -> None:
    with environment(variables):
        for argv in (["check"], ["check", "-f", "text", "--contract", "text.intact", "--timeout", "1s"]):
            quick = parse(argv)
            assert quick is not None
            assert quick == parse_with_typer(argv)
        if "CONTRACTS_FORMAT" in variables:
            assert parse(["check"])[1].format == "json"  # type: ignore[index]  # shown not to be None above
            assert parse(["check", "-f", "text"])[1].format == "text"  # type: ignore[index]


@pytest.mark.parametrize(
    ("variables", "argv"),
    [
        ({"CONTRACTS_FORMAT": "sarif"}, ["list"]),
        ({"CONTRACTS_FORMAT": "prometheus"}, ["history", "größe"]),
        ({"CONTRACTS_FAIL_ON": "warning"}, ["canary", "größe"]),
    ],
)
def test_a_variable_that_was_set_for_other_commands_stops_none(variables: dict[str, str], argv: list[str]) -> None:
    with environment(variables):
        chosen = parse(argv)
        assert chosen == parse_with_typer(argv)
    with environment({}):
        assert chosen == parse(argv)


@pytest.mark.parametrize(
    "variables", [{"CONTRACTS_FORMAT": "xml"}, {"CONTRACTS_JOBS": "-3"}, {"CONTRACTS_TIMEOUT": "x"}]
)
def test_a_wrong_variable_is_a_usage_error(variables: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with environment(variables):
        assert parse(["check"]) is None
        assert parse_with_typer(["check"]) == 2
    assert next(iter(variables)) in capsys.readouterr().err


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


def values(option: Option) -> st.SearchStrategy[str]:
    """Values of an option, most of them right."""
    match option.kind:
        case "whole":
            return st.sampled_from(["0", "7", "12", "007", "-1", "٣", "1_0", ""])
        case "seconds":
            return st.sampled_from(["1", "2.5s", "10ms", "1m", "", ".", "-3s", "1e3", "inf", "nan"])
        case "choice":
            return st.sampled_from([*option.all_choices(), option.choices[0].upper(), "formats", ""])
        case _:
            return TEXT


@st.composite
def argvs(draw: st.DrawFn) -> list[str]:
    """Arguments for a command: options in every spelling, words, and now and then a slip."""
    command: Command = draw(st.sampled_from(list(COMMANDS.values())))
    argv: list[Any] = [command.name]
    for _ in range(draw(st.integers(0, 6))):
        option = draw(st.sampled_from([None, *command.options]))
        if option is None:
            argv.append(draw(st.one_of(TEXT, st.sampled_from(["-", "--", "-z", "report", "größe"]))))
            continue
        flag = draw(st.sampled_from(option.flags))
        if option.kind == "flag" or (option.bare is not None and draw(st.booleans())):
            argv.append(flag)
        elif flag.startswith("--") and draw(st.booleans()):
            argv.append(f"{flag}={draw(values(option))}")
        else:
            argv.extend((flag, draw(values(option))))
    return argv


@given(argvs())
def test_whatever_the_quick_parser_takes_typer_reads_alike(argv: list[str]) -> None:
    with environment({}):
        quick = parse(argv)
        if quick is not None:
            assert quick == parse_with_typer(argv)


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20.0), ("500ms", 0.5), ("2m", 120.0), ("1.5", 1.5), ("86400", 86_400.0)]
)
def test_a_time_has_a_unit_or_is_seconds(text: str, seconds: float) -> None:
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["", "s", "ms", ".", "0", "0s", "-1s", "1h", "1e3", "٣s", "nan", "86401"])
def test_what_is_no_time_says_what_a_time_is(text: str) -> None:
    with pytest.raises(ValueError, match="such as 20s"):
        parse_seconds(text)


def test_every_option_has_a_variable_of_its_own_in_each_command() -> None:
    for command in COMMANDS.values():
        variables = [option.variable for option in command.options]
        assert len(set(variables)) == len(variables)
        assert all(variable.startswith("CONTRACTS_") for variable in variables)


def test_every_option_fills_a_field_of_its_command() -> None:
    for name in ("check", "inspect"):
        command = COMMANDS[name]
        fields = set(command.settings({}).__struct_fields__)
        positional = {command.positional.name} if command.positional else set()
        assert fields == {option.name for option in command.options} | positional
