"""HTTP/1.1 by hand: requests off a connection one after the other, and answers on it, true or not.

A library would set right what has to be wrong: lengths that lie, bodies without an end, headers by the thousand.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from contracts.testing import answer as answers
from contracts.testing.answer import PIECE_BYTES, REASONS, Answer, End, Pause, Step, Torn

MAX_HEAD_BYTES = 64 * 1024
MAX_BODY_BYTES = 16 * 1024 * 1024  # of a request; a long prompt with an image in it reaches some MB
MAX_AHEAD_BYTES = 64 * 1024  # of pipelined requests read while an answer holds
MISSING = 4000  # bytes that a torn chunk promises and that never come
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER on, for 0 s: close() sends RST instead of FIN


class Head(NamedTuple):
    """The first lines of a request."""

    method: str
    target: str
    version: str
    headers: tuple[tuple[str, str], ...]

    def header(self, name: str) -> str:
        """Give the first value of a header, or an empty text."""
        return next((v for n, v in self.headers if n.lower() == name), "")

    @property
    def keeps_alive(self) -> bool:
        """Whether the client wants to ask more on this connection."""
        return self.version == "HTTP/1.1" and "close" not in self.header("connection").lower()


class BadRequestError(Exception):
    """A request that cannot be read; carries the status that says so."""

    def __init__(self, status: int, message: str) -> None:
        """Keep the status."""
        super().__init__(message)
        self.status = status


class GoneError(Exception):
    """The client left."""


class Connection:
    """One connection: bytes that came and were not read yet, and the way to send."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: list[int]) -> None:
        """Send every write at once and on its own: nothing waits for more, or is kept back.

        The only item of `sent` counts the bytes that were written.
        """
        self._reader, self._writer = reader, writer
        self._ahead = bytearray()
        raw = writer.get_extra_info("socket")
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        writer.transport.set_write_buffer_limits(high=1, low=0)  # asyncio: TLS never resumes from 0
        self._sent = sent

    async def _more(self) -> None:
        data = await self._reader.read(PIECE_BYTES)
        if not data:
            raise GoneError
        self._ahead += data

    async def _exactly(self, size: int) -> bytes:
        while len(self._ahead) < size:
            await self._more()
        taken = bytes(self._ahead[:size])
        del self._ahead[:size]
        return taken

    async def _until(self, end: bytes, limit: int) -> bytes:
        seen = 0
        while (at := self._ahead.find(end, max(0, seen - len(end)))) < 0:
            seen = len(self._ahead)
            if seen > limit:
                raise BadRequestError(431, "The head of the request is too large.")
            await self._more()
        return (await self._exactly(at + len(end)))[: -len(end)]

    async def head(self) -> Head:
        """Read the head of the next request. Raises GoneError when there is none."""
        lines = (await self._until(b"\r\n\r\n", MAX_HEAD_BYTES)).decode("utf-8", "replace").lstrip("\r\n").split("\r\n")
        words = lines[0].split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 - method, target, version
            raise BadRequestError(400, "The request line is none of HTTP/1.1.")
        pairs = [line.partition(":") for line in lines[1:]]
        return Head(words[0], words[1], words[2], tuple((n.strip(), v.strip()) for n, _, v in pairs))

    async def body(self, head: Head) -> bytes:
        """Read the body of a request, by its length or in chunks."""
        if "100-continue" in head.header("expect").lower():
            await self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
        if "chunked" in head.header("transfer-encoding").lower():
            return await self._chunked()
        length = head.header("content-length") or "0"
        if not (length.isascii() and length.isdigit()):
            raise BadRequestError(400, "The Content-Length is no number.")
        if int(length) > MAX_BODY_BYTES:
            raise BadRequestError(413, "The body of the request is too large.")
        return await self._exactly(int(length))

    async def _chunked(self) -> bytes:
        body = bytearray()
        while True:
            line = (await self._until(b"\r\n", MAX_HEAD_BYTES)).partition(b";")[0].strip()
            try:
                size = int(line, 16)
            except ValueError:
                raise BadRequestError(400, "The size of a chunk is no number.") from None
            if size == 0:
                while await self._until(b"\r\n", MAX_HEAD_BYTES):
                    pass  # trailers
                return bytes(body)
            if size < 0 or len(body) + size > MAX_BODY_BYTES:
                raise BadRequestError(413, "The body of the request is too large.")
            body += await self._exactly(size)
            await self._exactly(2)

    async def send(self, answer: Answer, *, version: str, keep: bool) -> bool:
        """Send an answer; tells whether the connection can be asked again.

        Raises:
            GoneError: where the client left before the end.
        """
        body: Iterator[Step] = iter(answer.body)
        if answer.transfer == "length" and answer.length is None:
            whole = list(body)
            answer.length = len(answers.joined(whole))
            body = iter(whole)
        chunked = answer.transfer == "chunked" and version != "HTTP/1.0"
        keep = keep and (chunked or answer.transfer == "length")
        steps: Iterator[Step] = iter(answer.before)
        if answer.has_head:
            steps = chain(steps, head_of(answer, chunked=chunked, keep=keep))
        ended = await self._play(chain(steps, _transferred(answer, body, chunked=chunked)))
        return keep and ended is None and answer.has_head

    async def _play(self, steps: Iterator[Step]) -> End | None:
        for step in steps:
            if isinstance(step, bytes):
                await self._send(step)
            elif isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            else:
                await self._end(step)
                return step
        return None

    async def _send(self, data: bytes) -> None:
        if not data:
            return
        if self._writer.is_closing():
            raise GoneError
        self._sent[0] += len(data)
        self._writer.write(data)
        await self._writer.drain()
        # drain() does not wait while nothing is held back; others, and the client's leaving, get their turn here.
        await asyncio.sleep(0)

    async def _end(self, end: End) -> None:
        match end:
            case End.HOLD:
                while len(self._ahead) < MAX_AHEAD_BYTES:
                    await self._more()
                await self._writer.wait_closed()
            case End.RESET:
                self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
                self._writer.transport.abort()
            case End.CLOSE:
                pass

    async def linger(self) -> None:
        """Read what a refused client still sends: closing before that would reset the refusal away (RFC 9112, 9.6)."""
        if self._writer.can_write_eof():
            self._writer.write_eof()
            with contextlib.suppress(GoneError):
                while True:
                    self._ahead.clear()
                    await self._more()

    async def close(self) -> None:
        """End the connection once the client has taken what was sent."""
        self._writer.close()
        await self._writer.wait_closed()


def head_of(answer: Answer, *, chunked: bool, keep: bool) -> Iterator[bytes]:
    """Give status line and headers, the last line end cut in two."""
    buffer = bytearray(f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Unknown')}\r\n".encode())
    transfer = [("Transfer-Encoding", "chunked")] if chunked else []
    if answer.length is not None:
        transfer.append(("Content-Length", str(answer.length)))
    if not keep:
        transfer.append(("Connection", "close"))
    for name, value in chain(answer.headers, transfer):
        buffer += f"{name}: ".encode() + value.encode("utf-8") + b"\r\n"
        while len(buffer) > PIECE_BYTES:
            yield bytes(buffer[:PIECE_BYTES])
            del buffer[:PIECE_BYTES]
    yield bytes(buffer + b"\r")
    yield b"\n"


def _transferred(answer: Answer, body: Iterator[Step], *, chunked: bool) -> Iterator[Step]:
    """Give the body as it is sent: cut, and in chunks, each a write of its own."""
    for step in answers.mapped(body, answers.cut) if answer.is_cut else body:
        if not isinstance(step, bytes):
            yield step
        elif chunked and isinstance(step, Torn):
            yield b"%x\r\n%s" % (len(step) + MISSING, step)
        elif step:
            yield b"%x\r\n%s\r\n" % (len(step), step) if chunked else step
    if chunked and answer.is_terminated:
        yield b"0\r\n\r\n"
