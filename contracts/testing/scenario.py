"""Scenarios: one function each, whose name is the scenario's and whose docstring says what it does.

A function is hooked in at one stage of how an answer is made, in this order:

    before     (ask) -> Answer or None: answer in the provider's place
    reply      (reply, ask): change what is said, streamed or not
    says       (says, reply) -> says: change what is said one after the other in a stream, in no dialect yet
    events     (events, reply, ask) -> events: change the events of a stream, as values in the dialect
    documents  (documents, ask) -> documents: change JSON texts, of a stream or of a whole answer
    blocks     (blocks, ask) -> blocks: change the framed events of a stream
    listing    (page, ask): change a page of the model listing
    endpoints  (endpoints, ask) -> endpoints: change the endpoints of one model
    answer     (answer, ask) -> Answer: change status, headers, body and how the connection ends
    certificate (days) -> what the TLS certificate says

Scenarios of one stage act one after the other, so that any of them can be combined. A scenario is declared once and
played in every dialect that has what it `needs`; a dialect's writer says what it lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, TypeVar, get_args

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.testing.ask import Ask
from contracts.testing.writers import USUAL, Kind, Writer, load, names

Stage = Literal[
    "before", "reply", "says", "events", "documents", "blocks", "listing", "endpoints", "answer", "certificate", "none"
]
Shown = Literal["stream", "chat", "listing", "endpoints", "keyless"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOST = ("reply.usage", "sse.done")  # what breaks too where a stream is cut, besides its finish
# What can only be lost where a dialect has it: usage that was asked for, and a close.
LOSABLE = {"reply.usage": "usage-apart", "sse.done": "close"}

Function = TypeVar("Function", bound=Callable[..., Any])
_found: dict[str, Scenario] = {}


class Scenario(Struct, frozen=True, kw_only=True):
    """One way to misbehave, or to behave.

    Attributes:
        does: what it does, in words for people.
        violates: the contract that it breaks; None where it breaks none, or a limit rather than a promise.
        also: contracts that cannot but break with it.
        needs: features without which it cannot be; a dialect lacks those that its writer lists.
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
    needs: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    shown: Shown = "stream"

    def lacking(self, writer: Writer) -> str | None:
        """Say why a dialect does not have this scenario; None where it does."""
        return next((writer.LACKS[feature] for feature in self.needs if feature in writer.LACKS), None)

    def where(self) -> str:
        """Say in which dialects it exists, or where that is shorter in which not; nothing where it exists in each."""
        there = [name for name in names() if self.lacking(load(name)) is None]
        lacking = [name for name in names() if name not in there]
        if not lacking:
            return ""
        return f"only: {', '.join(there)}" if len(there) <= len(lacking) else f"not: {', '.join(lacking)}"

    def breaks(self, writer: Writer) -> tuple[str, ...]:
        """Give the contracts that it breaks in a dialect, the one that it is for first."""
        also = (contract for contract in self.also if LOSABLE.get(contract) not in writer.LACKS)
        usual = (self.violates, *also) if self.violates else ()
        return writer.BREAKS.get(self.name, usual)


def scenario(  # noqa: PLR0913 - the members of the record, each by its name
    stage: Stage,
    *,
    violates: str | None = None,
    also: tuple[str, ...] = (),
    needs: tuple[str, ...] = (),
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
            needs=needs,
            kinds=kinds,
            shown=where,
        )
        return act

    return declare


def known_scenarios(dialect: str | None = USUAL) -> dict[str, Scenario]:
    """Give the scenarios of a dialect by name, or with None those of all, in order of topic and then of the file.

    Raises:
        ConfigError: for a dialect that there is no writer for.
    """
    if dialect is not None:
        writer = load(dialect)
        return {name: one for name, one in known_scenarios(None).items() if one.lacking(writer) is None}
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


def choose(words: Iterable[str], by_model: Iterable[tuple[str, str]], writer: Writer) -> tuple[Chosen, ...]:
    """Find scenarios by name; `chat:`, `listing:` or `endpoints:` before a name keeps it to such requests.

    Raises:
        ConfigError: for a name that is none, with what was probably meant, and for one that the dialect does not have,
            with the reason.
    """
    chosen = [_choose(word, None, writer) for word in words]
    return (*chosen, *(_choose(word, model, writer) for model, word in by_model))


def _choose(word: str, model: str | None, writer: Writer) -> Chosen:
    known = known_scenarios(None)
    kind, colon, name = word.rpartition(":")
    if colon and kind not in KINDS:
        raise ConfigError(f"scenario '{word}': expected {', '.join(KINDS)} before the colon, found '{kind}'")
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise ConfigError(f"expected a scenario, found '{name}'{hint}; `contracts fake --list` shows all")
    if reason := known[name].lacking(writer):
        raise ConfigError(f"scenario '{name}' does not exist in dialect {writer.NAME}: {reason}")
    return Chosen(scenario=known[name], kind=next((k for k in KINDS if k == kind), None), model=model)


def hooks(chosen: Sequence[Chosen], stage: Stage, ask: Ask) -> list[Callable[..., Any]]:
    """Give the functions of a stage that act on a request."""
    return [c.scenario.act for c in chosen if c.scenario.stage == stage and c.acts_on(ask)]
