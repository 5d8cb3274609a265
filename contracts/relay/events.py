"""A body as the events that a conforming reader makes of it, with what is only its framing told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from contracts.relay.sent import MAX_BYTES
from contracts.wire import content_coding, sse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.facts import Fault, Framing
    from contracts.model import Headers
    from contracts.testing.writers import Writer

MAX_EVENTS = 5000  # of a body that are compared


class Event(NamedTuple):
    """One event, line or whole body: its name, its data, the offset in the body, and its JSON value if it is one."""

    name: bytes | None
    data: bytes
    at: int
    value: Any
    is_json: bool


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """A body that was read.

    `tail` is the data that no empty line ended, which no reader sees; `framing` is None where there is none.
    """

    events: tuple[Event, ...]
    tail: bytes = b""
    framing: Framing | None = None


def read(body: bytes, *, is_stream: bool, writer: Writer) -> Read:
    """Read a body as an event stream, as lines, or as one whole."""
    if not is_stream:
        return Read(events=(_event(None, body, 0),))
    if writer.NDJSON:
        lines = body.split(b"\n")
        tail, at, events = lines.pop(), 0, []
        for line in lines[:MAX_EVENTS]:
            events.append(_event(None, line, at))
            at += len(line) + 1
        return Read(events=tuple(events), tail=tail)
    decoder = sse.Decoder(MAX_BYTES)
    found = list(decoder.feed(body))
    decoder.close()
    events = [_event(name, data, at) for name, data, _, at in found[:MAX_EVENTS]]
    return Read(events=tuple(events), tail=decoder.tail_data, framing=decoder.framing())


def count(body: bytes, writer: Writer) -> int:
    """Count the whole events of a stream that may go on."""
    return body.count(b"\n") if writer.NDJSON else len(sse.Decoder(MAX_BYTES).feed(body))


def _event(name: bytes | None, data: bytes, at: int) -> Event:
    try:
        value, is_json = msgspec.json.decode(data), True
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        value, is_json = None, False
    return Event(name, data, at, value, is_json)


def is_error(event: Event) -> bool:
    """Tell whether an event says that something failed, in the words of any dialect."""
    value = event.value
    if event.name == b"error":
        return True
    if not isinstance(value, dict):
        return False
    choices = value.get("choices")
    inner = choices if isinstance(choices, list) else []
    return bool(
        value.get("error")
        or value.get("type") in ("error", "response.failed")
        or isinstance(value.get("message"), str)
        or any(isinstance(choice, dict) and choice.get("error") for choice in inner)
    )


class Decoded(NamedTuple):
    """A body without its coding: pieces with the times of their arrival, and what was wrong with the coding."""

    pieces: list[tuple[float, bytes]]
    fault: Fault | None

    @property
    def body(self) -> bytes:
        """The bytes of all pieces."""
        return b"".join(piece for _, piece in self.pieces)


def decoded(headers: Headers, chunks: Iterable[tuple[float, bytes]], *, is_cut: bool) -> Decoded:
    """Take the coding off that the headers name."""
    decoder = content_coding.Decoder(content_coding.declared(headers), MAX_BYTES)
    last, pieces = 0.0, []
    for last, chunk in chunks:
        pieces += [(last, piece) for piece in decoder.feed(chunk)]
    pieces += [(last, piece) for piece in decoder.finish(cut=is_cut)]
    return Decoded(pieces, decoder.fault)
