"""Feed a decoder in pieces, and streams to feed it with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from hypothesis import strategies as st

from contracts.facts import Framing
from contracts.wire.sse import Event


class Decoder(Protocol):
    def feed(self, chunk: bytes) -> Sequence[Event]: ...
    def close(self) -> Sequence[Event]: ...
    def framing(self) -> Framing: ...
    @property
    def tail_data(self) -> bytes: ...


class Told(NamedTuple):
    events: list[Event]
    framing: Framing
    tail_data: bytes


def told(make: Callable[[int], Decoder], pieces: Iterable[bytes], limit: int = 1 << 23) -> Told:
    """All that a decoder tells of a body that comes in these pieces."""
    decoder = make(limit)
    events: list[Event] = []
    for piece in pieces:
        events += decoder.feed(piece)
    events += decoder.close()
    return Told(events, decoder.framing(), decoder.tail_data)


def cuts(body: bytes) -> Iterator[list[bytes]]:
    """The body byte by byte, and cut in two at every position."""
    yield [body[i : i + 1] for i in range(len(body))]
    for i in range(len(body) + 1):
        yield [body[:i], body[i:]]


def at_cuts(body: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({0, len(body), *(place % (len(body) + 1) for place in places)})
    return [body[a:b] for a, b in pairwise(ends)]


_TOKENS = [
    b"data: {}\n\n",
    b'data: {"t":"d\xc3\xa9j\xc3\xa0 \xe2\x80\x94 \xe4\xbd\xa0\xe5\xa5\xbd"}\n\n',
    b"data: x\r\n\r\n",
    b"event: e\ndata: q\n\n",
    b"event: e\r\ndata: q\r\n\r\n",
    b"event: e\r\r\ndata: q\r\n\r\n",
    b"event: e\r\ndata: q\r\r\n",
    b": OPENROUTER PROCESSING\n\n",
    b": c\r\n\r\n",
    b"data:x\n\n",
    *(
        b"data: ",
        b"data:",
        b"data",
        b"event: \xc3\xbc",
        b"event:",
        b"id: 7",
        b"id",
        b"id: \0",
        b":",
        b": c",
        b"retry: 12",
    ),
    *(
        b"foo: bar",
        b"\0",
        b" ",
        b"\n",
        b"\n",
        b"\n\n",
        b"\r",
        b"\r\n",
        b"\r\n\r\n",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\xe4",
        b"\xf0\x9f",
    ),
]
bodies = st.lists(st.sampled_from(_TOKENS), max_size=40).map(b"".join)
places = st.lists(st.integers(0, 4000), max_size=12)
