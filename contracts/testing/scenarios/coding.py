"""Content codings: compressed bodies, true and false, and a bomb."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

import gzip as coding
import zlib
from collections.abc import Iterable, Iterator
from itertools import islice, repeat

from contracts.testing.answer import Answer, Step, joined
from contracts.testing.ask import Ask
from contracts.testing.scenario import scenario

GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"  # RFC 1952, section 2.3: deflate, no time, unknown system
GZIP = zlib.MAX_WBITS | 16
BLANKS = b" " * 1024 * 1024
BOMB_BLOCKS = 1024  # of 1 MiB each: 1 GiB out of 1 MB


@scenario("answer")
def gzip(answer: Answer, ask: Ask) -> Answer:
    """Compresses its answers with gzip, unasked and rightly, flushed after every event."""
    answer.body = compressed(answer.body)
    answer.transfer, answer.length = "chunked", None
    return answer.with_header("Content-Encoding", "gzip")


def compressed(body: Iterable[Step]) -> Iterator[Step]:
    """Compress what a body sends, each piece so that it can be read at once."""
    packer = zlib.compressobj(wbits=GZIP)
    for step in body:
        yield packer.compress(step) + packer.flush(zlib.Z_SYNC_FLUSH) if isinstance(step, bytes) else step
    yield packer.flush()


@scenario("answer", violates="http.content-encoding")
def gzip_header_plain_body(answer: Answer, ask: Ask) -> Answer:
    """Says gzip and sends the body plain, so that every client fails to decode it."""
    return answer.with_header("Content-Encoding", "gzip")


@scenario("answer", violates="http.content-encoding")
def gzip_cut(answer: Answer, ask: Ask) -> Answer:
    """Sends a gzip body that ends 20 bytes too early."""
    answer.body = (coding.compress(joined(answer.body))[:-20],)
    return answer.with_header("Content-Encoding", "gzip")


@scenario("answer", violates="http.content-encoding")
def gzip_unlabelled(answer: Answer, ask: Ask) -> Answer:
    """Sends a gzip body and does not say so, so that it arrives as binary text."""
    answer.body = (coding.compress(joined(answer.body)),)
    return answer


@scenario("answer")
def gzip_bomb(answer: Answer, ask: Ask) -> Answer:
    """Sends 1 MB of gzip that becomes 1 GiB of blanks."""
    opening = b": bomb\r\n\r\n: " if answer.is_events else b'{"data":['
    answer.body, answer.transfer, answer.length = bomb(opening), "chunked", None
    return answer.with_header("Content-Encoding", "gzip")


def bomb(opening: bytes) -> Iterator[bytes]:
    """Give a gzip stream of a text and then blanks; each mebibyte of these is the same kilobyte again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    yield GZIP_HEAD + packer.compress(opening) + packer.flush(zlib.Z_FULL_FLUSH)
    # After a full flush nothing refers to what came before, so the block may be repeated.
    block = packer.compress(BLANKS) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum, size = zlib.crc32(opening), len(opening)
    for piece in islice(repeat(block), BOMB_BLOCKS):
        checksum, size = zlib.crc32(BLANKS, checksum), size + len(BLANKS)
        yield piece
    yield packer.flush() + checksum.to_bytes(4, "little") + (size % 2**32).to_bytes(4, "little")
