"""Tool calls that cannot be assembled without guessing."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from contracts.testing import reply
from contracts.testing.ask import Ask
from contracts.testing.reply import Reply, Say, Says
from contracts.testing.scenario import scenario

CITY = '{"city": "München"}'
BROKEN = ("tools", "text-arguments")  # only a text can be cut, or be no JSON


def changed(says: Says, told: Reply, change: Callable[[Say], None]) -> Iterator[Say]:
    """Make the reply two tool calls and change all that is said of them."""
    reply.two_calls(told)
    for say in reply.script(told, with_usage=any(say.what == "usage" for say in says)):
        if say.what in ("call", "arguments", "called"):
            change(say)
        yield say


@scenario("says", violates="reply.tool-calls", needs=("tools", "call-index"))
def call_index_zero(says: Says, told: Reply) -> Says:
    """Gives both calls index 0, so that clients merge them into one broken call."""

    def zero(say: Say) -> None:
        say.index = 0

    return changed(says, told, zero)


@scenario("says", violates="reply.tool-calls", needs=("tools", "call-index"))
def call_index_missing(says: Says, told: Reply) -> Says:
    """Sends no index at all."""

    def without(say: Say) -> None:
        say.index = None

    return changed(says, told, without)


@scenario("says", violates="reply.tool-calls", needs=("tools", "call-deltas"))
def call_id_repeated(says: Says, told: Reply) -> Says:
    """Repeats the id on every delta, so that clients which append strings spoil it."""

    def repeated(say: Say) -> None:
        say.id = told.calls[say.number].id

    return changed(says, told, repeated)


@scenario("says", violates="reply.tool-calls", needs=("tools", "call-deltas"))
def call_id_late(says: Says, told: Reply) -> Says:
    """Sends the id with the last delta of a call instead of the first."""

    def late(say: Say) -> None:
        say.id = told.calls[say.number].id if say.piece.endswith("}") else None

    return changed(says, told, late)


@scenario("says", violates="reply.tool-calls", needs=("tools",))
def call_without_name(says: Says, told: Reply) -> Says:
    """Never names the function to call."""

    def nameless(say: Say) -> None:
        say.name = None

    return changed(says, told, nameless)


@scenario("says", violates="reply.tool-calls", needs=("tools", "text-arguments"))
def call_arguments_object(says: Says, told: Reply) -> Says:
    """Sends arguments as an object instead of text."""

    def parsed(say: Say) -> None:
        if say.what == "arguments":
            say.piece = {"city": "São Paulo"}

    return changed(says, told, parsed)


def with_arguments(told: Reply, *pieces: str) -> None:
    """Make the reply two calls, the second of which has these arguments."""
    reply.two_calls(told)
    told.calls[1].pieces = list(pieces)


@scenario("reply", violates="reply.tool-calls", needs=BROKEN)
def call_arguments_cut(told: Reply, ask: Ask) -> None:
    """Sends arguments that end too early, under a finish reason that says all is well."""
    with_arguments(told, '{"city": "Mün')


@scenario("reply", violates="reply.tool-calls", needs=BROKEN)
def call_arguments_twice(told: Reply, ask: Ask) -> None:
    """Sends the arguments of one call twice, one behind the other."""
    with_arguments(told, CITY, CITY)


@scenario("reply", violates="reply.tool-calls", needs=BROKEN)
def call_arguments_nan(told: Reply, ask: Ask) -> None:
    """Sends arguments with a NaN in them."""
    with_arguments(told, '{"city": "Zürich", "altitude": NaN}')


@scenario("reply", violates="reply.tool-calls", needs=("tools",))
def call_arguments_list(told: Reply, ask: Ask) -> None:
    """Sends arguments that are a list and no object."""
    with_arguments(told, '["Łódź"]')


@scenario("reply", violates="reply.tool-calls", needs=BROKEN)
def call_arguments_empty(told: Reply, ask: Ask) -> None:
    """Sends a call whose arguments are the empty text."""
    with_arguments(told, "")


@scenario("reply", violates="reply.tool-calls", needs=("tools", "object-arguments"))
def call_arguments_text(told: Reply, ask: Ask) -> None:
    """Sends arguments as text instead of an object."""
    with_arguments(told, msgspec.json.encode(CITY).decode())
