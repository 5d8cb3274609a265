"""Content codings: a body that is still compressed in the capture is decompressed, within bounds.

`curl -i` without `--compressed` and vcrpy without `decode_compressed_response` keep the bytes that came over the
wire; HAR, and most other recorders, keep the decoded body beside the header that speaks of the coding. The header
alone therefore says nothing: a body is decoded only where it begins as the coding has to begin, and stays as it
is where decoding fails at once, which is what vcrpy itself does when it plays a cassette.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contracts.captures.intake import LIMIT_BYTES
from contracts.captures.parts import values
from contracts.errors import CaptureError

if TYPE_CHECKING:
    from contracts.model import Headers

# A stream of JSON chunks compresses to a tenth, an extreme one to a hundredth; deflate cannot pass 1,032.
RATIO_LIMIT = 500
# Bytes. Below this a bomb does no harm, and short repetitive bodies do reach high ratios.
RATIO_FREE = 1024 * 1024

# What zlib calls the window bits of the two formats.
_ZLIB, _GZIP = 15, 15 | 16
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# Bytes looked at to tell a compressed body from text where the coding has no magic number.
_PROBE = 256
_CONTROL = frozenset(range(0x20)) - frozenset(b"\t\n\r\x1b") | {0x7F}


class CodingError(CaptureError):
    """A body whose coding cannot be taken off. Of a capture with many entries it spoils this one only."""


class Decoded(NamedTuple):
    """A body with its coding taken off.

    `whole` is False where the compressed stream stops short, None where nothing was decoded.
    """

    body: bytes
    whole: bool | None = None


def decoded(headers: Headers, body: bytes, ref: str, limit: int = LIMIT_BYTES) -> Decoded:
    """Take the content coding off a body that still has one.

    Raises:
        CodingError: when it grows beyond `limit` bytes or `RATIO_LIMIT` times its size, or when it is
            compressed with a coding that the standard library does not know (`br`, `zstd`).
    """
    codings = coded_as(headers)
    # Several codings on top of each other are not seen in this field; what cannot be undone in full stays.
    if len(codings) != 1 or not body:
        return Decoded(body)
    coding = codings[0]
    if coding in ("gzip", "x-gzip") and body.startswith(_GZIP_MAGIC):
        return _inflated(body, _GZIP, ref, limit)
    if coding == "deflate" and _has_zlib_header(body):
        return _inflated(body, _ZLIB, ref, limit)
    if (coding == "zstd" and body.startswith(_ZSTD_MAGIC)) or (coding == "br" and _is_binary(body[:_PROBE])):
        raise CodingError(f"{ref}: expected a body that is plain, gzip or deflate, found one compressed with {coding}")
    return Decoded(body)


def coded_as(headers: Headers) -> list[str]:
    """Content codings that the headers name, in lower case, without `identity`."""
    named = ",".join(values(headers, "content-encoding")).lower().split(",")
    return [coding for coding in map(str.strip, named) if coding not in ("", "identity")]


def _inflated(body: bytes, window_bits: int, ref: str, limit: int) -> Decoded:
    import zlib

    bound = min(limit, max(RATIO_FREE, len(body) * RATIO_LIMIT))
    pieces: list[bytes] = []
    size = 0
    rest = body
    while rest:
        stream = zlib.decompressobj(window_bits)
        try:
            piece = stream.decompress(rest, bound - size + 1)
        except zlib.error:
            if not pieces:
                return Decoded(body)
            # Bytes behind the last member that are none: gzip itself ignores them too.
            break
        pieces.append(piece)
        size += len(piece)
        if size > bound:
            raise CodingError(f"{ref}: expected at most {bound} bytes after decompression, found more")
        if not stream.eof:
            return Decoded(b"".join(pieces), whole=False)
        # A gzip body may have several members, one after the other.
        rest = stream.unused_data if window_bits == _GZIP else b""
    return Decoded(b"".join(pieces), whole=True)


def _has_zlib_header(body: bytes) -> bool:
    # RFC 1950, 2.2: method 8, and the first two bytes are a multiple of 31.
    method, check = 8, 31
    return body[0] & 0x0F == method and int.from_bytes(body[:2], "big") % check == 0


def _is_binary(probe: bytes) -> bool:
    if not _CONTROL.isdisjoint(probe):
        return True
    try:
        probe.decode("utf-8")
    except UnicodeDecodeError as error:
        # The probe may end inside a character.
        return error.start < len(probe) - 3
    return False
