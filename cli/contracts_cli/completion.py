"""What a shell offers when a value is completed: names from the user's own files and from the library.

A completion must not fail: where a file cannot be read, what is shipped is offered.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from contracts.config.catalogue import Catalogue

# Shells evaluate what they are offered (zsh does so literally), and a model's id may be any text.
HARMLESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:@+-]*")
_HARMFUL = re.compile(r"[^\w .,;:=/-]")
_OPTION = re.compile(r"--?[a-z][a-z-]*=")
BREAKS = ":="  # characters beside blanks at which bash ends a word that is one to us
# Where `--install-completion` puts it, zsh runs the file as the function `_contracts` when the first word is completed:
# what only says who completes would leave that word alone.
ZSH = """
#compdef %(prog_name)s

%(complete_func)s() {
  eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" %(autocomplete_var)s=complete_zsh %(prog_name)s)
}

compdef %(complete_func)s %(prog_name)s
if [[ $funcstack[1] == _%(prog_name)s ]]; then %(complete_func)s "$@"; fi
"""

Offer = tuple[str, str]
"""A value, and what is said beside it; the latter may be empty."""


def values(source: str, config: str | None) -> list[Offer]:
    """Give what an option or argument may be, by the name of the source that the table of options gives it."""
    return [
        (value, _HARMFUL.sub("", told))
        for value, told in _SOURCES[source](_catalogue(config))
        if HARMLESS.fullmatch(value)
    ]


def _catalogue(config: str | None) -> Catalogue:
    from contracts.config import catalogue, search

    try:
        path = search.find(config, os.environ, "")
        return catalogue.load(None if path == "-" else path)
    except ConfigError:
        return catalogue.load(None)


def _providers(catalogue: Catalogue) -> Iterable[Offer]:
    return ((name, row.base_url or row.dialect) for name, row in catalogue.providers.items())


def _contracts(catalogue: Catalogue) -> Iterable[Offer]:
    return ((name, contract.promise) for name, contract in catalogue.contracts.items())


def _models(catalogue: Catalogue) -> Iterable[Offer]:
    models = {model: name for name, row in catalogue.providers.items() for model in row.models}
    return models.items()


def _dialects(catalogue: Catalogue) -> Iterable[Offer]:
    return ((name, "") for name in catalogue.dialects)


def _explained(catalogue: Catalogue) -> Iterable[Offer]:
    from contracts.relay.promises import PROMISES
    from contracts_cli.commands.explain import kinds

    promises = ((one.id, one.promise) for one in PROMISES.values())
    return (*_contracts(catalogue), *((kind, "check kind") for kind in kinds()), *promises)


def _shipped(catalogue: Catalogue) -> Iterable[Offer]:
    folder = os.path.join(catalogue.sources.folder, "providers")
    return ((name.removesuffix(".yaml"), "") for name in sorted(os.listdir(folder)) if name.endswith(".yaml"))


def _scenarios(catalogue: Catalogue) -> Iterable[Offer]:
    from contracts.testing import known_scenarios

    del catalogue
    return ((one.name, one.does) for one in known_scenarios().values())


_SOURCES: Mapping[str, Callable[[Catalogue], Iterable[Offer]]] = {
    "contract": _contracts,
    "dialect": _dialects,
    "explained": _explained,
    "model": _models,
    "provider": _providers,
    "scenario": _scenarios,
    "shipped": _shipped,
}


def joined(words: list[str], at: int) -> tuple[list[str], int]:
    """Put the words together again that bash took apart at `:` and `=`; `at` is the one that is completed."""
    whole: list[str] = []
    now_at, is_open = at, False
    for number, word in enumerate(words):
        is_break = bool(word) and not word.strip(BREAKS)
        if whole and (is_break or is_open):
            whole[-1] += word
        else:
            whole.append(word)
        is_open = is_break
        if number == at:
            now_at = len(whole) - 1
    return whole, now_at if at < len(words) else len(whole)


def rest_of(value: str, incomplete: str) -> str:
    """Give the part of a value that bash puts in: what stands before the last `:` it leaves as it is."""
    if incomplete.startswith("-"):
        incomplete = incomplete.partition("=")[2]
    return value[incomplete.rfind(":") + 1 :]


def option_of(incomplete: str) -> str:
    """Give `--model=` of `--model=a/b`, which zsh and fish take for a part of the value; else nothing."""
    match = _OPTION.match(incomplete)
    return match[0] if match else ""


def teach() -> None:
    """Let Typer read and answer a line as each shell has it. The app has to be made before."""
    from typer._click.shell_completion import CompletionItem, add_completion_class
    from typer._completion_classes import BashComplete, FishComplete, ZshComplete
    from typer._completion_shared import _completion_scripts

    class Bash(BashComplete):
        """Typer's, apart from where bash ends words."""

        def get_completion_args(self) -> tuple[list[str], str]:
            before, incomplete = super().get_completion_args()
            words, at = joined(["", *before, *([incomplete] if incomplete else [])], len(before) + 1)
            self._incomplete = words[at] if at < len(words) else ""
            return words[1:at], self._incomplete

        def format_completion(self, item: CompletionItem) -> str:
            return rest_of(super().format_completion(item), self._incomplete)

    class Zsh(ZshComplete):
        """Typer's, apart from the value of an option in the same word."""

        def complete(self) -> str:
            option = option_of(self.get_completion_args()[1])
            said = super().complete()
            return f"compset -P {option}; {said}" if option else said

    class Fish(FishComplete):
        """Typer's, apart from the value of an option in the same word."""

        def format_completion(self, item: CompletionItem) -> str:
            return option_of(self.get_completion_args()[1]) + super().format_completion(item)

    _completion_scripts[Zsh.name] = Zsh.source_template = ZSH
    for one in (Bash, Zsh, Fish):
        add_completion_class(one, one.name)
