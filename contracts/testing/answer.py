"""An answer before it goes out: status, headers, and a body that is made while it is sent.

A body is an iterator of what the server does next: write these bytes, wait, or end the connection in one
of the ways connections end. Bodies without an end are therefore no special case, and none is ever held whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Literal

import msgspec

EVENTS, LINES = "text/event-stream", "application/x-ndjson"
STREAMS = (EVENTS, LINES)
PIECE_BYTES = 64 * 1024  # what one write carries at most
# After the first byte of a character of several bytes, and between the two bytes of a line end.
_CUTS = re.compile(rb"[\xc0-\xff](?=.)|\r(?=\n)", re.DOTALL)

REASONS = {
    200: "OK",
    302: "Found",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    413: "Content Too Large",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    524: "A Timeout Occurred",
}


class End(StrEnum):
    """A way to end a body before its time."""

    HOLD = "hold"  # send nothing more and keep the connection open until the client leaves
    CLOSE = "close"  # FIN, as a process that ends
    RESET = "reset"  # RST, as a process that is killed or a firewall that has had enough


class Pause(msgspec.Struct, frozen=True):
    """Send nothing for a while."""

    seconds: float


class Torn(bytes):
    """The beginning of a chunk of HTTP whose size line promises more; where there are no chunks, bytes as others."""


Step = bytes | Pause | End
Headers = list[tuple[str, str]]


class Answer(msgspec.Struct, kw_only=True):
    """One answer. Scenarios change it before it is sent.

    Attributes:
        headers: in order, without those of the transfer; may be any iterable, also a long one.
        body: what is sent, step by step.
        transfer: how the body's end is told: chunks, `Content-Length`, or the end of the connection.
        length: the `Content-Length` that is claimed; None is the true one where `transfer` is `length`.
        is_cut: whether writes are cut inside characters and line ends.
        is_terminated: whether the last chunk, the one of size 0, is sent.
        before: bytes that go out before the status line, or instead of it where `has_head` is false.
    """

    status: int = 200
    headers: Iterable[tuple[str, str]] = ()
    body: Iterable[Step] = ()
    transfer: Literal["chunked", "length", "close"] = "chunked"
    length: int | None = None
    is_cut: bool = True
    is_terminated: bool = True
    before: tuple[Step, ...] = ()
    has_head: bool = True

    @property
    def is_success(self) -> bool:
        """Whether the status is 2xx."""
        return self.status // 100 == 2  # noqa: PLR2004 - RFC 9110, section 15.3

    @property
    def is_stream(self) -> bool:
        """Whether this is a success that is labelled a stream, of events or of lines."""
        return self.is_success and self.header("content-type").startswith(STREAMS)

    @property
    def is_events(self) -> bool:
        """Whether this is a success that is labelled an event stream."""
        return self.is_success and self.header("content-type").startswith(EVENTS)

    def header(self, name: str) -> str:
        """Give the first value of a header, or an empty text."""
        return next((v for n, v in self.headers if n.lower() == name), "")

    def with_header(self, name: str, *values: str) -> Answer:
        """Replace a header by these values; without any it is left out."""
        self.headers = [(n, v) for n, v in self.headers if n.lower() != name.lower()] + [(name, v) for v in values]
        return self

    def with_body(self, body: bytes, media_type: str) -> Answer:
        """Replace the body by a whole one of this type."""
        self.with_header("Content-Type", media_type)
        self.body, self.transfer, self.length = (body,), "length", None
        return self


def whole(status: int, value: object, *headers: tuple[str, str]) -> Answer:
    """Give an answer whose body is one JSON value."""
    body = msgspec.json.encode(value)
    return Answer(
        status=status, headers=[("Content-Type", "application/json"), *headers], body=(body,), transfer="length"
    )


def page(status: int, title: str) -> Answer:
    """Give a page of HTML, as an edge in front of a provider does."""
    html = (
        f"<!DOCTYPE html>\n<html><head><title>{title}</title></head><body><h1>{title}</h1>café — 日本</body></html>\n"
    )
    headers = [("Server", "edge"), ("Content-Type", "text/html; charset=utf-8")]
    return Answer(status=status, headers=headers, body=(html.encode(),), transfer="length")


def cut(piece: bytes) -> Iterator[bytes]:
    """Cut bytes where it hurts: inside every character of several bytes, and between CR and LF."""
    if piece.isascii() and b"\r\n" not in piece:
        yield from _bounded(piece, 0, len(piece))
        return
    start = 0
    for found in _CUTS.finditer(piece):
        yield from _bounded(piece, start, found.end())
        start = found.end()
    yield from _bounded(piece, start, len(piece))


def _bounded(piece: bytes, start: int, end: int) -> Iterator[bytes]:
    for at in range(start, end, PIECE_BYTES):
        yield piece[at : min(end, at + PIECE_BYTES)]


def mapped(body: Iterable[Step], change: Callable[[bytes], Iterable[Step]]) -> Iterator[Step]:
    """Change the bytes of a body, leaving its waits, its end and what is torn as they are."""
    for step in body:
        if isinstance(step, bytes) and not isinstance(step, Torn):
            yield from change(step)
        else:
            yield step


def joined(body: Iterable[Step]) -> bytes:
    """Collect the bytes of a body that ends and does not wait."""
    return b"".join(step for step in body if isinstance(step, bytes))
