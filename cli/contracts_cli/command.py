"""What an option, the arguments and a command are: the records that the table of commands is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

Kind = Literal["text", "flag", "whole", "seconds", "choice"]


class Option(Struct, frozen=True, kw_only=True):
    """One option. `name` is the field of the settings that it fills.

    `bare` is the value of the option when it is given without one; None where a value is required.
    The variable of a repeatable option holds several values between blanks. `more_choices` gives
    choices that take some looking for; it is called where `choices` do not do. `completes` names what a shell offers
    (`contracts_cli.completion`); None leaves that to the choices, else to the names of files.
    """

    name: str
    flags: tuple[str, ...]
    help: str
    kind: Kind = "text"
    metavar: str | None = None
    choices: tuple[str, ...] = ()
    more_choices: Callable[[], tuple[str, ...]] | None = None
    many: bool = False
    bare: str | None = None
    completes: str | None = None

    @property
    def variable(self) -> str:
        """Name of the environment variable: CONTRACTS_ and the long flag."""
        return "CONTRACTS_" + self.flags[-1].lstrip("-").upper().replace("-", "_")

    def takes(self, value: str) -> bool:
        """Tell whether a value is one of the choices."""
        return value in self.choices or value in self.all_choices()

    def all_choices(self) -> tuple[str, ...]:
        """Every choice, each once, those of the table first."""
        more = () if self.more_choices is None else self.more_choices()
        return tuple(dict.fromkeys((*self.choices, *more)))


class Positional(Struct, frozen=True, kw_only=True):
    """The arguments of a command that are no options."""

    name: str
    metavar: str
    help: str
    many: bool = True
    required: bool = False
    choices: tuple[str, ...] = ()
    completes: str | None = None


class Command(Struct, frozen=True, kw_only=True):
    """One command: a module of `contracts_cli.commands` with `Settings` and `run(settings) -> exit status`."""

    name: str
    help: str
    options: tuple[Option, ...] = ()
    positional: Positional | None = None

    def settings(self, given: Mapping[str, Any]) -> Any:
        """Make the command's settings; None and nothing repeated stand for the default."""
        return self._module().Settings(**{k: v for k, v in given.items() if v is not None and v != ()})

    def run(self, settings: Any) -> int:
        """Carry the command out."""
        status: int = self._module().run(settings)
        return status

    def _module(self) -> Any:
        from importlib import import_module

        return import_module(f"contracts_cli.commands.{self.name.replace('-', '_')}")


def parse_seconds(text: str) -> float:
    """Read a limit of time: `20s`, `500ms`, `2m`, or a bare number of seconds. Raises ValueError."""
    for ending, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0), ("", 1.0)):
        number = text.removesuffix(ending) if ending else text
        if (number != text or not ending) and number.isascii() and number.replace(".", "", 1).isdigit():
            seconds = float(number) * factor
            if 0 < seconds <= MAX_TIMEOUT_S:
                return seconds
    raise ValueError(f"expected a time such as 20s, 500ms or 2m, above zero and at most a day, found {text!r}")


MAX_TIMEOUT_S = 86_400.0  # a day: longer is a slip of the unit
