"""Writers, one file each: how a dialect words an honest reply, a listing and an error.

A writer is a module of this package with the members of `Writer`. Faults are none of its business: scenarios change
what is said before it is written, or what was written. What a dialect has no place for, it lists with the reason, and
a scenario that needs it does not exist there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, NamedTuple, Protocol, cast

from contracts.errors import ConfigError
from contracts.testing.reply import Reply, Says

Kind = Literal["chat", "listing", "endpoints", "other"]

USUAL = "openai-chat"
CREATED = 1_790_000_000  # a fixed instant, so that the same question gives the same bytes
CREATED_AT = "2026-09-21T14:13:20Z"  # the same
GONE = "2027-01-31"  # when a model ends that is called deprecated


class Route(NamedTuple):
    """An endpoint: what it answers with, and a pattern of its decoded path, in which a model may be a group."""

    kind: Kind
    method: str
    path: str


class Wants(NamedTuple):
    """What the body or the path of a chat asks for. `usage`: counts by themselves at the end of a stream."""

    model: str | None = None
    stream: bool = False
    usage: bool = False
    cap: int | None = None


class Sent(NamedTuple):
    """One event of a stream: what it says, its value, its name where events have names, and whether it is the close.

    Beside what is said one after the other (`reply.What`) there is what stands around it in some dialects: `open` and
    `shut` begin and end a block, `frame` is anything else.
    """

    what: str
    value: dict[str, Any]
    name: str | None = None
    closes: bool = False


class Writer(Protocol):
    """The members that a writer's module has.

    Attributes:
        BASE: the path that a base URL of this dialect ends in.
        NDJSON: whether a stream is one JSON value a line, in place of server-sent events.
        SENTINEL: the data that ends a stream and is no JSON; None where there is none.
        KEYED: whether a key is asked for.
        ROUTES: endpoints, in the order in which they are tried.
        REPLY_ID: what the id of an answer begins with.
        ID, ITEMS: the members of a listing that hold the id of an entry, and the entries.
        HEAD, TAIL: what stands in a listing before and after the entries.
        NOT_FOR_CHAT, DEPRECATED, CHANGED: members by which an entry says that a model does not chat, that it will be
            gone, and that it is not what it was at the last poll.
        LACKS: features that scenarios may need and the dialect does not have, each with the reason.
        BREAKS: by scenario, all contracts that it breaks in this dialect, where they are not those it breaks in others.
    """

    NAME: str
    BASE: str
    NDJSON: bool
    SENTINEL: bytes | None
    KEYED: bool
    ROUTES: tuple[Route, ...]
    REPLY_ID: str
    ID: str
    ITEMS: str
    HEAD: Mapping[str, Any]
    TAIL: Mapping[str, Any]
    NOT_FOR_CHAT: Mapping[str, Any]
    DEPRECATED: Mapping[str, Any]
    CHANGED: Mapping[str, Any]
    LACKS: Mapping[str, str]
    BREAKS: Mapping[str, tuple[str, ...]]

    def wants(self, value: dict[str, Any], path: str, query: Mapping[str, str]) -> Wants:
        """Read what a chat asks for."""

    def events(self, reply: Reply, says: Says) -> Iterator[Sent]:
        """Write a stream, all events but the sentinel."""

    def whole(self, reply: Reply, path: str) -> Any:
        """Write the answer that is not streamed."""

    def said(self, value: Any) -> str:
        """Read the text of the answer that stands in one value of a stream."""

    def failure(self, reply: Reply, message: str) -> Sent:
        """Write the event by which a stream fails."""

    def error(self, status: int, message: str, members: Mapping[str, Any]) -> Any:
        """Write the body of an error; `members` are the `code`, `type` and `param` of OpenAI, for who has them."""

    def entry(self, model: str, per_token: str) -> dict[str, Any]:
        """Write what a listing says of one model; `per_token` is its price."""

    def about(self, model: str, endpoints: list[dict[str, Any]]) -> dict[str, Any]:
        """Write what is said of one model alone and the endpoints that serve it."""


def names() -> tuple[str, ...]:
    """Name all dialects that there is a writer for."""
    return tuple(sorted(found.name.replace("_", "-") for found in iter_modules(__path__)))


def load(name: str) -> Writer:
    """Import the writer of a dialect.

    Raises:
        ConfigError: for a name that is none, with what was probably meant.
    """
    known = names()
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise ConfigError(f"expected a dialect, one of {', '.join(known)}; found '{name}'{hint}")
    return cast("Writer", import_module(f"{__name__}.{name.replace('-', '_')}"))


def whole_number(value: object) -> int | None:
    """Give a cap of tokens; None for what is no whole number that is not negative."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
