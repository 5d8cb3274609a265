"""Content codings as they arrive: bytes of the wire in, decoded bytes out, within bounds, and never an exception.

What does not decode is a fact, not an error: the fault says what and where, and the bytes that were readable are given.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from contracts.facts import Coding, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.model import Headers

GZIP_MAGIC = b"\x1f\x8b\x08"  # RFC 1952: the magic number, and deflate, the only method there is
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"  # RFC 8878
PIECE_BYTES = 1024 * 1024  # decoded at once: what a bomb may take before its size is looked at
_GZIP, _ZLIB, _RAW = zlib.MAX_WBITS | 16, zlib.MAX_WBITS, -zlib.MAX_WBITS
PROBE_BYTES = 3


class Bomb(NamedTuple):
    """From when on a body is taken for a decompression bomb, and is not read on."""

    ratio: int = 500  # of decompressed to compressed: JSON reaches 20, an extreme one 100
    free_bytes: int = 1024 * 1024  # below this one does no harm, and short repetitive bodies do reach high ratios


BOMB = Bomb()


def declared(headers: Headers) -> tuple[str, ...]:
    """Give the codings that the headers name, in the order in which they were applied, without `identity`."""
    named = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    return tuple(c for c in (part.strip().lower() for part in named.split(",")) if c not in ("", "identity"))


def undecodable(fault: Fault | None) -> Fault | None:
    """Say of a body that broke within its coding that its end is not known; None of one that did not."""
    return unread(fault) if fault is not None and fault.kind in ("truncated", "corrupt") else None


def unread(fault: Fault) -> Fault:
    """Say of a body that was not read on why it was not."""
    return Fault(kind="coding", detail=f"the body could not be decoded: {fault.detail}")


class Decoder:
    """Takes a body's coding off. `fault` is the first thing that was wrong; `stopped` says that no more is wanted."""

    def __init__(self, codings: tuple[str, ...], limit: int, bomb: Bomb = BOMB) -> None:
        """Start on a body of these codings, of which at most `limit` decoded bytes are wanted."""
        self._codings, self._limit, self._bomb = codings, limit, bomb
        self._name = ", ".join(codings)[:60] or "identity"
        self._stream: zlib._Decompress | None = None
        self._head = b""
        self._window = 0
        self._begun = self._plain = self._between = False
        self.raw_bytes = self.decoded_bytes = 0
        self.fault: Fault | None = None
        self.stopped = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Decode the next bytes of the wire."""
        self.raw_bytes += len(chunk)
        if self.stopped:
            return
        if not self._begun:
            self._head += chunk
            if len(self._head) < PROBE_BYTES:
                return
            chunk, self._head = self._head, b""
            self._begin(chunk)
        yield from self._read(chunk)

    def finish(self, *, cut: bool) -> Iterator[bytes]:
        """Tell that the body has ended; `cut` is that it did before its time, which is no fault of the coding."""
        if not self._begun and self._head:
            chunk, self._head = self._head, b""
            self._begin(chunk)
            yield from self._read(chunk)
        unended = self._stream is not None and not self._stream.eof and not self._between
        if unended and not cut and not self.stopped:
            self._blame("truncated", f"the {self._name} body ends too early")

    def facts(self) -> Coding:
        """Give what was learnt."""
        return Coding(declared=self._name, raw_bytes=self.raw_bytes, decoded_bytes=self.decoded_bytes, fault=self.fault)

    def _begin(self, head: bytes) -> None:
        """Choose how to read, by what was declared and by how the body begins."""
        self._begun = True
        if not self._codings:
            if head.startswith(GZIP_MAGIC):
                self._blame("unlabelled", "the body is gzip, and no Content-Encoding says so", 0)
                self._window = _GZIP
            else:
                self._plain = True
        elif self._codings[-1] in ("gzip", "x-gzip"):
            self._window = _GZIP if head.startswith(GZIP_MAGIC[:2]) else 0
        elif self._codings[-1] == "deflate":
            # RFC 9110 means the zlib format, and some servers send bare deflate: both are read, as clients do.
            self._window = _ZLIB if head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0 else _RAW  # noqa: PLR2004 - RFC 1950, 2.2
        else:
            self._blame("not-asked", f"{self._name} was not asked for", 0)
            self.stopped = True
            return
        if len(self._codings) > 1:
            self._blame("not-asked", f"{self._name}: more than one coding was not asked for", 0)
            self.stopped = True
        elif self._window:
            self._stream = zlib.decompressobj(self._window)
        elif not self._plain:
            # Read it as it is, so that the wrong label is the one fault that is found.
            self._blame("not-coded", f"the body is not {self._name}", 0)
            self._plain = True

    def _read(self, chunk: bytes) -> Iterator[bytes]:
        return self._counted(chunk) if self._plain else self._inflated(chunk)

    def _inflated(self, chunk: bytes) -> Iterator[bytes]:
        rest, is_pending = chunk.lstrip(b"\0") if self._between else chunk, False
        if self._window == _RAW and not self.decoded_bytes and len(self._head) < PIECE_BYTES:
            self._head += chunk  # plain text may pass for bare deflate for some bytes
        while (rest or is_pending) and self._stream is not None and not self.stopped:
            try:
                piece = self._stream.decompress(rest, PIECE_BYTES)
            except zlib.error:
                yield from self._broken(rest)
                return
            self._between = False
            yield from self._counted(piece)
            is_pending = len(piece) == PIECE_BYTES  # there may be more, although all of the input was taken
            if self._stream.eof:
                # A gzip body may have several members; padding behind the last one is ignored, as gzip itself does.
                rest = self._stream.unused_data.lstrip(b"\0") if self._window == _GZIP else b""
                self._stream, self._between = zlib.decompressobj(self._window), True
            else:
                rest = self._stream.unconsumed_tail

    def _broken(self, rest: bytes) -> Iterator[bytes]:
        if self._window == _RAW and not self.decoded_bytes:
            self._blame("not-coded", f"the body is not {self._name}", 0)
            self._plain = True
            yield from self._counted(self._head)
            return
        at = self.raw_bytes - len(rest)
        if self._between:
            self._blame("trailing", f"bytes behind the end of the {self._name} body", at)
        else:
            self._blame("corrupt", f"the {self._name} body cannot be decoded beyond byte {at}", at)
        self.stopped = True

    def _counted(self, piece: bytes) -> Iterator[bytes]:
        """Give decoded bytes as far as the limits allow."""
        room = self._limit - self.decoded_bytes
        self.decoded_bytes += len(piece)
        bomb = self._bomb
        if self._stream is not None and self.decoded_bytes > max(bomb.free_bytes, bomb.ratio * self.raw_bytes):
            self._blame("bomb", f"{self.raw_bytes} bytes became more than {bomb.ratio} times as many")
            self.stopped = True
        elif len(piece) > room:
            self.stopped = True
        if piece[:room]:
            yield piece[: max(room, 0)]

    def _blame(self, kind: str, detail: str, byte: int | None = None) -> None:
        if self.fault is None:
            self.fault = Fault(kind=kind, detail=detail, byte=byte)
