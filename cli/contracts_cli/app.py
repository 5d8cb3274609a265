"""The Typer app, built from the table in `options`: help, completion, and the wording of mistakes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from contracts_cli.__main__ import CLOSED_PIPE, USAGE
from contracts_cli.argv import COMPLETE, is_for_others
from contracts_cli.examples import shown
from contracts_cli.options import COMMANDS, Command, Option, Positional, parse_seconds
from contracts_cli.terminal import not_written

EPILOG = (
    "Exit status: 0 all contracts hold; 1 one is violated; 2 usage or a bad file; 3 nothing violated, but something "
    "required could not be judged; 70 a fault of this program; 130 interrupted."
)


def parse_with_typer(argv: list[str]) -> tuple[Command, Any] | int:
    """Parse an argv with Typer: a command with its settings, or the exit status of what Typer already did."""
    chosen: list[tuple[Command, Any]] = []
    app = typer.main.get_command(build(lambda command, settings: chosen.append((command, settings))))
    if COMPLETE in os.environ or _wants_script(argv):
        from contracts_cli.completion import teach

        teach()
    try:
        app(args=_with_bare_values(argv), prog_name="contracts")
    except SystemExit as exit_:
        if not chosen:
            return _status(argv, int(exit_.code or 0))
    except OSError as error:  # all that is written before a command was chosen is help
        raise not_written(error) from error
    return chosen[0]


def _status(argv: list[str], code: int) -> int:
    """Give the exit status for the code that Typer ended with before a command was chosen."""
    if code != 1 or COMPLETE in os.environ:  # to a shell that completes, 1 says that there is nothing to offer
        return code
    # Typer ends with 1 when nobody reads its help; here that would say that a contract is violated.
    return USAGE if _wants_script(argv) else CLOSED_PIPE


def _wants_script(argv: list[str]) -> bool:
    return any(word.startswith(("--show-completion", "--install-completion")) for word in argv)


def build(choose: Callable[[Command, Any], None]) -> typer.Typer:
    """Make the app; a command that was parsed is handed to `choose` and not run."""
    app = typer.Typer(
        name="contracts",
        help="Hold LLM API providers to what a router assumes about them and never verifies.",
        epilog=EPILOG,
        no_args_is_help=True,
        # Plain help: it is read in pipes and journals, and Rich takes eight bare interpreters to import.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for command in COMMANDS.values():
        app.command(command.name, help=command.help, epilog=f"{shown(command.name)}\n\n{EPILOG}")(
            _callback(command, choose)
        )
    return app


def _show_version(wanted: bool) -> None:  # noqa: FBT001 Typer hands the value over so
    if wanted:
        from contracts import __version__

        typer.echo(f"contracts {__version__}")
        raise typer.Exit


def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    """Typer reads the options of the program itself from this signature."""


def _callback(command: Command, choose: Callable[[Command, Any], None]) -> Callable[..., None]:
    """Make a function whose signature says what the table says; Typer reads nothing else."""

    def callback(**given: Any) -> None:
        choose(command, command.settings({k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}))

    parameters = [_option(option) for option in command.options]
    if command.positional is not None:
        parameters.insert(0, _argument(command.positional))
    signature = inspect.Signature(parameters, return_annotation=None)
    callback.__signature__ = signature  # type: ignore[attr-defined]  # what inspect.signature looks for first
    callback.__annotations__ = {p.name: p.annotation for p in parameters}
    return callback


def _argument(positional: Positional) -> inspect.Parameter:
    one: Any = Literal[positional.choices] if positional.choices else str
    info = typer.Argument(
        metavar=positional.metavar,
        help=positional.help,
        show_default=False,
        autocompletion=_offers(positional.completes),
    )
    kind = list[one] if positional.many else one
    default = inspect.Parameter.empty if positional.required else None
    return _parameter(positional.name, Annotated[kind, info], default)


def _option(option: Option) -> inspect.Parameter:
    given: dict[str, Any] = {
        "help": option.help,
        "envvar": None if is_for_others(option, os.environ.get(option.variable, "")) else option.variable,
        "show_default": False,
        "autocompletion": _offers(option.completes),
    }
    kind: Any = str
    match option.kind:
        case "flag":
            return _parameter(option.name, Annotated[bool | None, typer.Option(*option.flags, **given)], None)
        case "whole":
            kind, given["min"] = int, 0
        case "seconds":
            kind, given["parser"] = float, _seconds
        case "choice":
            kind = Literal[option.all_choices()]
        case "text":
            pass
    if option.metavar is not None:
        given["metavar"] = option.metavar
    kind = list[kind] | None if option.many else kind | None
    return _parameter(option.name, Annotated[kind, typer.Option(*option.flags, **given)], None)


def _offers(source: str | None) -> Callable[..., list[tuple[str, str]]] | None:
    """Make what Typer asks for the values of an option or argument, knowing the providers file that was named."""
    if source is None:
        return None

    def offers(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        from contracts_cli.completion import values

        return [offer for offer in values(source, ctx.params.get("config")) if offer[0].startswith(incomplete)]

    return offers


def _seconds(text: str) -> float:
    try:
        return parse_seconds(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _with_bare_values(argv: list[str]) -> list[str]:
    """Give `--replay` without a value its bare one: Typer has no options with an optional value."""
    bare = {f: f"{f}={o.bare}" for c in COMMANDS.values() for o in c.options for f in o.flags if o.bare is not None}
    end = argv.index("--") if "--" in argv else len(argv)
    return [bare.get(word, word) for word in argv[:end]] + argv[end:]
