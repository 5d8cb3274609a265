"""Scenarios: one function each, whose name is the scenario's and whose docstring says what it does.

A function is hooked in at one stage of how an answer is made, in this order:

    before     (ask) -> Answer or None: answer in the provider's place
    reply      (reply, ask): change what is said, streamed or not
    chunks     (chunks, ask) -> chunks: change the events of a stream, still as values
    documents  (documents, ask) -> documents: change JSON texts, of a stream or of a whole answer
    blocks     (blocks, ask) -> blocks: change the framed events of a stream
    listing    (page, ask): change a page of the model listing
    endpoints  (endpoints, ask) -> endpoints: change the endpoints of one model
    answer     (answer, ask) -> Answer: change status, headers, body and how the connection ends
    certificate (days) -> what the TLS certificate says

Scenarios of one stage act one after the other, so that any of them can be combined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, TypeVar, get_args

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.testing.ask import Ask, Kind

Stage = Literal[
    "before", "reply", "chunks", "documents", "blocks", "listing", "endpoints", "answer", "certificate", "none"
]
Shown = Literal["stream", "chat", "listing", "endpoints", "keyless"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOST = ("reply.usage", "sse.done")  # what breaks too where a stream is cut, besides its finish

Function = TypeVar("Function", bound=Callable[..., Any])
_found: dict[str, Scenario] = {}


class Scenario(Struct, frozen=True, kw_only=True):
    """One way to misbehave, or to behave.

    Attributes:
        does: what it does, in words for people.
        violates: the contract that it breaks; None where it breaks none, or a limit rather than a promise.
        also: contracts that cannot but break with it.
        kinds: the requests it acts on; all where empty.
        shown: the request whose answer shows it: a chat that is streamed or not, the listing, a model's endpoints,
            or a chat without a key.
        topic: the file it is declared in.
    """

    name: str
    does: str
    topic: str
    stage: Stage
    act: Callable[..., Any]
    violates: str | None = None
    also: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    shown: Shown = "stream"


def scenario(
    stage: Stage,
    *,
    violates: str | None = None,
    also: tuple[str, ...] = (),
    kinds: tuple[Kind, ...] = (),
    shown: Shown | None = None,
) -> Callable[[Function], Function]:
    """Declare the function below as a scenario."""

    def declare(act: Function) -> Function:
        name = act.__name__.rstrip("_").replace("_", "-")
        if name in _found:
            raise ValueError(f"two scenarios are named {name}")
        where: Shown = shown or ("listing" if stage == "listing" else "endpoints" if stage == "endpoints" else "stream")
        _found[name] = Scenario(
            name=name,
            does=" ".join((act.__doc__ or "").split()),
            topic=act.__module__.rpartition(".")[2],
            stage=stage,
            act=act,
            violates=violates,
            also=also,
            kinds=kinds,
            shown=where,
        )
        return act

    return declare


def known_scenarios() -> dict[str, Scenario]:
    """Give every scenario by its name, in order of topic and then of the file."""
    package = import_module("contracts.testing.scenarios")
    for module in sorted(iter_modules(package.__path__), key=lambda m: m.name):
        import_module(f"{package.__name__}.{module.name}")
    return _found


class Chosen(Struct, frozen=True, kw_only=True):
    """A scenario that was asked for, perhaps for one kind of request or one model only."""

    scenario: Scenario
    kind: Kind | None = None
    model: str | None = None

    def acts_on(self, ask: Ask) -> bool:
        """Tell whether a request meets this scenario."""
        kinds = (self.kind,) if self.kind else self.scenario.kinds
        return (not kinds or ask.kind in kinds) and self.model in (None, ask.model)


def choose(words: Iterable[str], by_model: Iterable[tuple[str, str]] = ()) -> tuple[Chosen, ...]:
    """Find scenarios by name; `chat:`, `listing:` or `endpoints:` before a name keeps it to such requests.

    Raises:
        ConfigError: for a name that is none, with what was probably meant.
    """
    chosen = [_choose(word, None) for word in words]
    return (*chosen, *(_choose(word, model) for model, word in by_model))


def _choose(word: str, model: str | None) -> Chosen:
    known = known_scenarios()
    kind, colon, name = word.rpartition(":")
    if colon and kind not in KINDS:
        raise ConfigError(f"scenario '{word}': expected {', '.join(KINDS)} before the colon, found '{kind}'")
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise ConfigError(f"expected a scenario, found '{name}'{hint}; `contracts fake --list` shows all")
    return Chosen(scenario=known[name], kind=next((k for k in KINDS if k == kind), None), model=model)


def hooks(chosen: Sequence[Chosen], stage: Stage, ask: Ask) -> list[Callable[..., Any]]:
    """Give the functions of a stage that act on a request."""
    return [c.scenario.act for c in chosen if c.scenario.stage == stage and c.acts_on(ask)]
