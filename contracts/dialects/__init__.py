"""Wire APIs, one file each: how a dialect says what was asked, and how its events fold into a Reply.

A dialect is a module of this package with the members of `Dialect`. Its tables and schemas are YAML and JSON under
`library/`, which the catalogue loads and hands in as `Tables`; a dialect reads no file.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from msgspec import Struct, structs

from contracts.dialects.order import Grammar, OrderTable

if TYPE_CHECKING:
    from contracts.dialects.free import FreeBody
    from contracts.dialects.recorder import Recorder
    from contracts.facts import AnswerKind, Asked, ErrorSeen
    from contracts.model import Request


class ListingQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """JMESPath over a listing: the list of entries, then members of each entry. None: the dialect has none.

    `prefix` and `suffix` are parts of an id that a request may leave out, so that an id without them is an alias.
    `prices` gives an object of components. `more` and `next` are over the whole answer: whether there are more pages,
    and by name the query's parameters that ask for the next one; `next_number` likewise, where the answer gives the
    number of its own page and the next is one more.
    """

    items: str = "data"
    id: str = "id"
    prefix: str = ""
    suffix: str = ""
    chat: str | None = None
    aliases: str | None = None
    deprecated: str | None = None
    replacement: str | None = None
    prices: str | None = None
    context_tokens: str | None = None
    output_tokens: str | None = None
    quantization: str | None = None
    parameters: str | None = None
    more: str | None = None
    next: dict[str, str] | None = None
    next_number: dict[str, str] | None = None


class EndpointQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """JMESPath over what is said of one model: endpoints (a list, a number or a truth), and a list of their prices."""

    count: str
    prices: str | None = None


class Tables(Struct, frozen=True, kw_only=True):
    """What the catalogue hands to a fold. `schema` gives the bytes of one of the dialect's JSON Schemas by name.

    `sentinels` are the payloads that close a stream, `trailers` those that may follow the close once, `cut_reasons` the
    finish reasons that say a limit cut the reply, `order` which events may follow which, `grammar` that, compiled.
    """

    schema: Callable[[str], bytes]
    sentinels: tuple[bytes, ...] = ()
    trailers: tuple[bytes, ...] = ()
    cut_reasons: tuple[str, ...] = ("length",)
    order: OrderTable | None = None
    listing: ListingQuery = ListingQuery()
    endpoint: EndpointQuery | None = None
    grammar: Any = None

    def __post_init__(self) -> None:
        """Compile the order of events, whatever `grammar` was."""
        structs.force_setattr(self, "grammar", Grammar(self.order or OrderTable()))


class Dialect(Protocol):
    """The members that a dialect's module has."""

    NAME: str
    NDJSON: bool

    def kind(self, method: str, path: str) -> AnswerKind | None:
        """Tell what an endpoint answers with; None where the path does not tell."""

    def asked(self, request: Request) -> Asked | None:
        """Read what was asked for; None where the request's body is not known."""

    def event(self, recorder: Recorder, name: bytes | None, value: object) -> None:
        """Fold one event of a stream."""

    def body(self, recorder: Recorder, value: object) -> None:
        """Fold an answer that was not streamed."""

    def error(self, value: object) -> ErrorSeen | None:
        """Find the error that a whole answer consists of."""


class Asking(Protocol):
    """How a dialect asks, in a module of its own (`openai_chat_ask`), as a replay never does.

    `CHAT` is the path of a streamed chat below the base URL, with `{id}` where the model stands in it; `FreeChat` all
    that the body of a free chat may hold, by which the spend guard reads it.
    """

    CHAT: str
    FreeChat: type[FreeBody]

    def chat_path(self, model: str) -> str:
        """Give the path of a streamed chat below the base URL."""

    def free_chat(self, model: str, cap: int) -> bytes:
        """Give the body of a tiny streamed chat, capped at so many tokens, whose honest answer is not ASCII."""

    def probe(self, model: str) -> bytes:
        """Give the body of a chat that is sent without a key, to see an error."""

    def credentials(self, key: str) -> tuple[tuple[str, str], ...]:
        """Give the headers that carry a key."""

    def headers(self) -> tuple[tuple[str, str], ...]:
        """Give headers that every request has to carry."""


# Whose endpoint a path is, tried in this order: `/api/chat` would be cohere's too, whose paths end in `/chat`.
BY_PATH = ("openai-chat", "openai-responses", "anthropic-messages", "gemini", "ollama", "cohere", "openai-completions")


def by_path(method: str, path: str) -> str | None:
    """Name the dialect whose chat endpoint this is; None where it is nobody's."""
    return next((name for name in BY_PATH if load(name).kind(method, path) == "chat"), None)


def load_asking(name: str) -> Asking | None:
    """Import how a dialect asks; None where it does not ask yet."""
    module = f"contracts.dialects.{name.replace('-', '_')}_ask"
    try:
        return cast("Asking", import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        return None


def load(name: str) -> Dialect:
    """Import a dialect by its name, `openai-chat`. Raises ModuleNotFoundError for a name that has no module."""
    return cast("Dialect", import_module(f"contracts.dialects.{name.replace('-', '_')}"))
