"""What the provider says in a chat, before it is written in a dialect: words, tool calls, an end and counts.

The honest text is hostile: accents composed and combining, CJK, right-to-left letters, an emoji of three
joined by ZWJ, and deltas that begin with a combining mark or in the middle of the emoji, as tokens do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

PIECES = (
    "Déjà vu — ",
    "naïve cafe",
    "\u0301s, man",
    "\u0303ana: ",
    "日本語、",
    "中文、한국어 ",
    "Ωμέγα, Привет, שלום ",
    "\U0001f469",
    "\u200d\U0001f467",
    "\u200d\U0001f680 “fin”",
)
TEXT = "".join(PIECES)
INPUT_TOKENS = 9

What = Literal["start", "thought", "text", "call", "arguments", "called", "finish", "usage"]


class Usage(msgspec.Struct, kw_only=True):
    """Counts of tokens: whole numbers that add up, unless a scenario says otherwise."""

    input_tokens: Any = INPUT_TOKENS
    output_tokens: Any
    total_tokens: Any


class Call(msgspec.Struct, kw_only=True):
    """One tool call; `pieces` is its arguments, as JSON, in the pieces in which they are streamed."""

    id: str
    name: str
    pieces: list[str]

    @property
    def arguments(self) -> Any:
        """The arguments as a value, for a dialect that sends one; a text that is no JSON stays as it is."""
        return parsed("".join(self.pieces))


class Reply(msgspec.Struct, kw_only=True):
    """What is said: scenarios change it before it becomes events or one answer.

    `finish` is `stop`, `length` or `tool_calls`, which a writer words in its dialect, or whatever a scenario puts
    there, which is sent as it is.
    """

    id: str
    model: str
    pieces: list[str]
    reasoning: list[str] = []
    calls: list[Call] = []
    finish: str = "stop"
    usage: Usage


class Say(msgspec.Struct, kw_only=True):
    """One thing after the other of what is said in a stream.

    Attributes:
        piece: of text, a thought or arguments; what arguments are is up to a scenario.
        number: of a call among the calls.
        index: the same as it is sent; None is not sent.
        id, name: of a call; with pieces of arguments only where a scenario puts them there.
        reason: why it ended; None where that is not said.
        usage: the counts, for dialects in which they ride on this; None where they are not sent.
    """

    what: What
    piece: Any = ""
    number: int = 0
    index: int | None = None
    id: str | None = None
    name: str | None = None
    reason: str | None = None
    usage: Usage | None = None


Says = Iterator[Say]


def honest(identity: str, model: str | None, cap: int | None) -> Reply:
    """Say the text, or as much of it as the request's cap of tokens allows; `identity` is the id of the answer."""
    pieces = list(PIECES if cap is None else PIECES[:cap])
    usage = Usage(output_tokens=len(pieces), total_tokens=INPUT_TOKENS + len(pieces))
    finish = "stop" if len(pieces) == len(PIECES) else "length"
    return Reply(id=identity, model=model or "", pieces=pieces, finish=finish, usage=usage)


def two_calls(reply: Reply) -> None:
    """Make the reply two tool calls and no text."""
    reply.pieces, reply.finish = [], "tool_calls"
    reply.calls = [
        Call(id="call_a", name="weather", pieces=['{"city":', ' "São Paulo"}']),
        Call(id="call_b", name="weather", pieces=['{"city":', ' "東京"}']),
    ]


def script(reply: Reply, *, with_usage: bool) -> Says:
    """Give what is said in order; `with_usage`: also by itself at the end, as some dialects have it when asked."""
    yield Say(what="start", usage=reply.usage)
    yield from (Say(what="thought", piece=piece, usage=reply.usage) for piece in reply.reasoning)
    yield from (Say(what="text", piece=piece, usage=reply.usage) for piece in reply.pieces)
    for index, call in enumerate(reply.calls):
        yield Say(what="call", number=index, index=index, id=call.id, name=call.name, usage=reply.usage)
        yield from (Say(what="arguments", number=index, index=index, piece=piece) for piece in call.pieces)
        yield Say(what="called", number=index, index=index, usage=reply.usage)
    yield Say(what="finish", reason=reply.finish, usage=reply.usage)
    if with_usage:
        yield Say(what="usage", usage=reply.usage)


def parsed(text: str) -> Any:
    """Read a JSON text; one that is none is given back."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
