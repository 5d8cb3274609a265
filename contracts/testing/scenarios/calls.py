"""Tool calls that cannot be assembled without guessing."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contracts.testing import reply
from contracts.testing.ask import Ask
from contracts.testing.reply import Chunks, Reply, delta_of
from contracts.testing.scenario import scenario

CITY = '{"city": "München"}'


def changed(chunks: Chunks, ask: Ask, change: Callable[[dict[str, Any], int], None]) -> Chunks:
    """Make the reply two tool calls and change each of their deltas; the change gets the delta's position too."""
    told = reply.honest(ask.model, ask.turn, None)
    reply.two_calls(told)
    for position, event in enumerate(reply.chunks(told, with_usage=ask.wants_usage)):
        for call in delta_of(event).get("tool_calls", []):
            change(call, position)
        yield event


@scenario("chunks", violates="reply.tool-calls")
def call_index_zero(chunks: Chunks, ask: Ask) -> Chunks:
    """Gives both calls index 0, so that clients merge them into one broken call."""
    return changed(chunks, ask, lambda call, _: call.update(index=0))


@scenario("chunks", violates="reply.tool-calls")
def call_index_missing(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends no index at all."""
    return changed(chunks, ask, lambda call, _: call.pop("index"))


@scenario("chunks", violates="reply.tool-calls")
def call_id_repeated(chunks: Chunks, ask: Ask) -> Chunks:
    """Repeats the id on every delta, so that clients which append strings spoil it."""
    return changed(chunks, ask, lambda call, _: call.update(id=f"call_{call['index']}"))


@scenario("chunks", violates="reply.tool-calls")
def call_id_late(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends the id with the last delta of a call instead of the first."""

    def late(call: dict[str, Any], position: int) -> None:
        known = call.pop("id", None)
        if known is None and call["function"]["arguments"].endswith("}"):
            call["id"] = f"call_{call['index']}"

    return changed(chunks, ask, late)


@scenario("chunks", violates="reply.tool-calls")
def call_without_name(chunks: Chunks, ask: Ask) -> Chunks:
    """Never names the function to call."""
    return changed(chunks, ask, lambda call, _: call["function"].pop("name", None))


@scenario("chunks", violates="reply.tool-calls")
def call_arguments_object(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends arguments as an object instead of text."""

    def objects(call: dict[str, Any], position: int) -> None:
        if "name" in call["function"]:
            call["function"]["arguments"] = {"city": "São Paulo"}
        else:
            del call["function"]["arguments"]

    return changed(chunks, ask, objects)


def with_arguments(told: Reply, *pieces: str) -> None:
    """Make the reply two calls, the second of which has these arguments."""
    reply.two_calls(told)
    told.calls[1].pieces = list(pieces)


@scenario("reply", violates="reply.tool-calls")
def call_arguments_cut(told: Reply, ask: Ask) -> None:
    """Sends arguments that end too early, under a finish reason that says all is well."""
    with_arguments(told, '{"city": "Mün')


@scenario("reply", violates="reply.tool-calls")
def call_arguments_twice(told: Reply, ask: Ask) -> None:
    """Sends the arguments of one call twice, one behind the other."""
    with_arguments(told, CITY, CITY)


@scenario("reply", violates="reply.tool-calls")
def call_arguments_nan(told: Reply, ask: Ask) -> None:
    """Sends arguments with a NaN in them."""
    with_arguments(told, '{"city": "Zürich", "altitude": NaN}')


@scenario("reply", violates="reply.tool-calls")
def call_arguments_list(told: Reply, ask: Ask) -> None:
    """Sends arguments that are a list and no object."""
    with_arguments(told, '["Łódź"]')


@scenario("reply", violates="reply.tool-calls")
def call_arguments_empty(told: Reply, ask: Ask) -> None:
    """Sends a call whose arguments are the empty text."""
    with_arguments(told, "")
