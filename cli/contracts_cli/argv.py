"""A parser for the argv that it fully understands.

Typer costs nine bare interpreters to import, so the usual argv is parsed here. Whatever is not plain
(help, completion, an abbreviation, a mistake) is left to Typer, which is built from the same
table and words the error; a test holds both to the same result.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from contracts_cli.options import COMMANDS, Command, Option, parse_seconds

COMPLETE = "_CONTRACTS_COMPLETE"  # what a shell sets when it wants to know what may be typed


class _NotPlainError(Exception):
    """This argv is for Typer."""


def parse(argv: list[str], environ: Mapping[str, str] | None = None) -> tuple[Command, Any] | None:
    """Parse an argv that is plainly right; None leaves it to Typer.

    Args:
        argv: the arguments after the program's name.
        environ: where the options' variables are looked up; None is this process's.
    """
    environ = os.environ if environ is None else environ
    command = COMMANDS.get(argv[0]) if argv else None
    if command is None or COMPLETE in environ:
        return None
    try:
        given = _options(command, argv[1:])
        for option in command.options:
            value = environ.get(option.variable)
            if option.name not in given and value and not is_for_others(option, value):
                given[option.name] = _from_variable(option, value)
    except (_NotPlainError, ValueError):
        return None
    return command, command.settings(given)


def is_for_others(option: Option, value: str) -> bool:
    """Tell whether a variable holds what only other commands can choose: it was set for those."""
    if option.kind != "choice" or option.takes(value):
        return False
    same = (o for command in COMMANDS.values() for o in command.options if o.variable == option.variable)
    return any(o.takes(value) for o in same)


def _options(command: Command, argv: list[str]) -> dict[str, Any]:
    flags = {flag: option for option in command.options for flag in option.flags}
    given: dict[str, Any] = {}
    words: list[str] = []
    rest = iter(argv)
    for word in rest:
        if word == "--":
            words.extend(rest)
        elif word == "-" or not word.startswith("-"):
            words.append(word)
        else:
            flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            option = flags.get(flag)
            if option is None or (option.kind == "flag" and equals):
                raise _NotPlainError
            if option.kind == "flag":
                given[option.name] = True
                continue
            if not equals:
                value = _next(rest) if option.bare is None else option.bare
            read = _read(option, value)
            given[option.name] = (*given.get(option.name, ()), read) if option.many else read
    _positional(command, words, given)
    return given


def _next(rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None or (value.startswith("-") and value != "-"):
        raise _NotPlainError
    return value


def _read(option: Option, value: str) -> Any:
    if option.kind == "whole":
        # What int() would take beyond digits (a sign, blanks, _) is for Typer to judge.
        if not (value.isdigit() and len(value) <= 4):  # noqa: PLR2004 9999 jobs will do
            raise _NotPlainError
        return int(value)
    if option.kind == "seconds":
        return parse_seconds(value)
    if option.kind == "choice" and not option.takes(value):
        raise _NotPlainError
    return value


def _from_variable(option: Option, value: str) -> Any:
    if option.kind == "flag":
        if value not in ("1", "0"):
            raise _NotPlainError
        return value == "1"
    return tuple(value.split()) if option.many else _read(option, value)


def _positional(command: Command, words: list[str], given: dict[str, Any]) -> None:
    positional = command.positional
    if positional is None:
        if words:
            raise _NotPlainError
        return
    if (positional.required and not words) or (not positional.many and len(words) > 1):
        raise _NotPlainError
    if positional.choices and words[0] not in positional.choices:
        raise _NotPlainError
    if words:
        given[positional.name] = tuple(words) if positional.many else words[0]
