"""HTTP/1.1 from a connection: one request out, one answer in, and nothing taken for what it is not.

Written out because it is what a poll spends its time on: the parsers in Python that there are take four times as long.
RFC 9112, https://www.rfc-editor.org/rfc/rfc9112, read 2026-11-30.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from contracts.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from contracts.evidence.network import Connection

RawHeaders = list[tuple[bytes, bytes]]

MAX_HEAD_BYTES = 100 * 1024  # looked at for the end of the headers; the limit that is told of is lower
MAX_LINE_BYTES = 4096  # of a chunk's size with its extensions
MAX_FOLDS = 100  # lines that go on a header; nobody has folded one since 2014
MAX_HINTS = 8  # interim answers before the one that counts
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(rb"HTTP/1\.([01]) ([1-9][0-9]{2})(?: [^\r\n]*)?")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)", re.DOTALL)
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?")
SHOWN_BYTES = 40  # of what is no size of a chunk
LINE_END = 2  # CR and LF
LONGEST_END = 3  # bytes of the end of a head that may lie behind, when only its last one is missing
SWITCHING = 101
NO_BODY = (204, 304)


class CutError(Exception):
    """A connection that ended within an answer."""


class ChunkError(CutError):
    """A body that says it comes in chunks and does not, so that its end cannot be told; says what was found."""


class Head(NamedTuple):
    """The head of an answer; `length` is None where the body is chunked or ends with the connection."""

    status: int
    headers: RawHeaders
    is_chunked: bool
    length: int | None
    keeps: bool


async def head(connection: Connection) -> tuple[Head, bytes]:
    """Read the head of an answer, passing over interim ones, and give what came behind it.

    Raises:
        EvidenceError: where what came is no HTTP/1.1, or not in bounds.
        CutError: where the connection ended first; its argument is what had come.
    """
    buffer = b""
    hints = looked_at = 0
    while True:
        end = _HEAD_END.search(buffer, looked_at)
        if (len(buffer) if end is None else end.start()) > MAX_HEAD_BYTES:
            raise EvidenceError("the headers of the answer are too large to read", "headers")
        if end is None:
            looked_at = max(0, len(buffer) - LONGEST_END)
            data = await connection.read()
            if not data:
                raise CutError(buffer[:100])
            buffer += data
            continue
        looked_at = 0
        found = _parsed(buffer[: end.start()])
        buffer = buffer[end.end() :]
        if found.status >= 200:  # noqa: PLR2004 - RFC 9110, 1xx is interim
            return found, buffer
        hints += 1
        if found.status == SWITCHING or hints > MAX_HINTS:
            raise EvidenceError(f"what came is no answer: status {found.status}", "headers")


def _parsed(text: bytes) -> Head:
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    status = _STATUS.fullmatch(lines[0])
    if status is None:
        raise EvidenceError(f"what came is no HTTP: {ascii(lines[0][:60])[2:-1]}", "headers")
    headers: RawHeaders = []
    named: dict[bytes, list[bytes]] = {}
    folds = 0
    for line in lines[1:]:
        if line[:1] in (b" ", b"\t") and headers:  # a value that goes on, as RFC 9112, 5.2, lets a client read it
            folds += 1
            if folds > MAX_FOLDS:
                raise EvidenceError("what came is no HTTP: a header folded over too many lines", "headers")
            name, value = headers[-1][0], headers[-1][1] + b" " + line.strip(b" \t")
            headers[-1] = (name, value)
            named[name.lower()][-1] = value
            continue
        match = _HEADER.fullmatch(line)
        if match is None:
            raise EvidenceError(f"what came is no HTTP: a header that is none: {ascii(line[:60])[2:-1]}", "headers")
        name, value = match[1], match[2].rstrip(b" \t")
        headers.append((name, value))
        named.setdefault(name.lower(), []).append(value)
    code = int(status[2])
    is_chunked = b"transfer-encoding" in named
    if is_chunked and b",".join(named[b"transfer-encoding"]).lower() != b"chunked":
        raise EvidenceError("what came is no HTTP: an unknown Transfer-Encoding", "headers")
    length = None if is_chunked else _length(named.get(b"content-length", ()))
    said = b",".join(named.get(b"connection", ())).lower()
    ends = b"close" in said or (status[1] == b"0" and b"keep-alive" not in said)
    # Both a length and chunks, or chunks before HTTP/1.1, are what request smuggling looks like: not used again.
    keeps = not ends and not (is_chunked and (b"content-length" in named or status[1] == b"0"))
    if code in NO_BODY:
        is_chunked, length = False, 0  # whatever it says: RFC 9112, 6.3
    return Head(code, headers, is_chunked, length, keeps)


def _length(values: list[bytes] | tuple[()]) -> int | None:
    said = {part.strip(b" \t") for value in values for part in value.split(b",")}
    if not said:
        return None
    text = said.pop()
    if said or not text.isdigit() or len(text) > 15:  # noqa: PLR2004 - a petabyte
        raise EvidenceError("what came is no HTTP: a Content-Length that is no one number", "headers")
    return int(text)


class Body:
    """The body of an answer as it arrives. `is_whole` once its end was reached, with nothing behind it."""

    def __init__(self, connection: Connection, found: Head, rest: bytes) -> None:
        """Start behind the head; `rest` came with it."""
        self._connection, self._head, self._rest = connection, found, rest
        self.is_whole = False

    def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the bytes of the body, decoded from chunks.

        Raises:
            CutError: where the connection ends before it.
            ChunkError: where what should be a chunk is none.
        """
        if self._head.is_chunked:
            return self._chunked()
        return self._until_close() if self._head.length is None else self._counted(self._head.length)

    async def _more(self) -> bytes:
        try:
            return await self._connection.read()
        except ConnectionResetError as error:
            raise CutError from error

    async def _counted(self, left: int) -> AsyncIterator[bytes]:
        data = self._rest
        while True:
            if len(data) >= left:
                self.is_whole = len(data) == left and self._head.keeps
                if left:
                    yield data[:left]
                return
            left -= len(data)
            if data:
                yield data
            data = await self._more()
            if not data:
                raise CutError

    async def _until_close(self) -> AsyncIterator[bytes]:
        data = self._rest
        while True:
            if data:
                yield data
            data = await self._more()
            if not data:
                return

    async def _chunked(self) -> AsyncIterator[bytes]:
        """Give what each arrival held of chunks, joined: where a server cuts its chunks means nothing."""
        buffer, left = self._rest, 0
        while True:
            pieces: list[bytes] = []
            try:
                at, left, is_last = _unchunked(buffer, left, pieces)
            except ChunkError:
                yield b"".join(pieces)  # what came before is the provider's answer all the same
                raise
            if pieces:
                yield pieces[0] if len(pieces) == 1 else b"".join(pieces)
            buffer = buffer[at:]
            if is_last:
                break
            data = await self._more()
            if not data:
                raise CutError
            buffer += data
        await self._trailers(buffer)

    async def _trailers(self, buffer: bytes) -> None:
        """Pass over trailers, which nobody asked for, up to the empty line."""
        size = 0
        while True:
            *lines, last = buffer.split(b"\n")
            for number, line in enumerate(lines):
                if line.rstrip(b"\r") == b"":
                    self.is_whole = number == len(lines) - 1 and not last and self._head.keeps
                    return
            data = await self._more()
            size += len(data)
            if not data or size > MAX_HEAD_BYTES:
                raise CutError
            buffer = last + data


def _unchunked(buffer: bytes, left: int, pieces: list[bytes]) -> tuple[int, int, bool]:
    """Take chunks off a buffer into `pieces`.

    `left` is what the chunk under way lacks, its line end of two bytes included. Returns how much of the buffer was
    taken, what is left now, and whether the last chunk's line was read.
    """
    at, size = 0, len(buffer)
    while True:
        if left > LINE_END:
            taken = buffer[at : at + left - LINE_END]
            if not taken:
                return at, left, False
            pieces.append(taken)
            at, left = at + len(taken), left - len(taken)
        if left:
            if size - at < left:
                return at, left, False
            if buffer[at : at + LINE_END] != b"\r\n":
                found = ascii(buffer[at : at + LINE_END])[2:-1]
                raise ChunkError(f"a chunk is longer than its size says: '{found}' where its line should end")
            at, left = at + LINE_END, 0
        end = buffer.find(b"\n", at)
        if end < 0 and size - at <= MAX_LINE_BYTES:
            return at, 0, False
        length = _chunk(buffer[at : max(end, at)])
        at = end + 1
        if length == 0:
            return at, 0, True
        left = length + LINE_END


def _chunk(line: bytes) -> int:
    """Read the line that begins a chunk."""
    match = _SIZE.fullmatch(line.rstrip(b"\r"))
    if match is None:
        found = ascii(line.rstrip(b"\r")[:SHOWN_BYTES])[2:-1]
        raise ChunkError(f"a chunk's size should be a hexadecimal number, found '{found}'")
    return int(match[1], 16)
