"""Dumps as `curl -i` writes them: header blocks, a blank line, the body.

- The last block is the answer. A block before it is one that has no body on disk: 1xx, a proxy's answer to CONNECT,
  a redirect that `-L` followed, a 401 or 407 that curl answered with credentials, or one that says `Content-Length: 0`.
  Whatever else follows a blank line is body, even where it begins with `HTTP/1.1`.
- Lines end in LF or CRLF, also mixed. Names and values are latin-1 and stay as they were sent; a folded line
  is joined by one space (RFC 9112, 5.2).
- curl takes chunked framing off, so `Transfer-Encoding: chunked` beside a plain body is normal. Dumps of nc or
  tcpdump still have it: it is taken off where the header announces it and the *whole* body is framed so, up to its
  end or, after at least one whole chunk, up to where it was cut.
- `Content-Length` tells whether the body is whole, unless curl's `--compressed` decoded it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from contracts.captures.coding import coded_as, decoded
from contracts.captures.intake import found
from contracts.captures.parts import instant, values
from contracts.errors import CaptureError
from contracts.model import Ended, Exchange, Request

if TYPE_CHECKING:
    from contracts.model import Headers

_STATUS_LINE = re.compile(rb"HTTP/\d(?:\.\d)? ([1-9]\d\d)(?: [^\n]*)?\r?\n")
# RFC 9110, 5.6.2: a name is a token. RFC 9112, 5.1: white space before the colon is not part of it.
_NAME = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+[ \t]*:")
_CUT_TRAILER = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]*(?::[^\n]*|\r)?")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r\n")
# As far as it arrived.
_CUT_SIZE = re.compile(rb"[0-9A-Fa-f]{0,15}[ \t]*(?:;[^\r\n]*)?\r?")
# curl itself gives up at 300 KiB of headers.
_HEAD_LIMIT_BYTES = 1024 * 1024
# Hundreds of a status.
_SUCCESS, _REDIRECT = 2, 3
_NO_BODY = (204, 304)
# What makes curl send the request once more.
_ACTED_UPON = {401: "www-authenticate", 407: "proxy-authenticate"}
# RFC 9110, 8.6. No body has a length of twenty digits, and int() has a limit of its own.
_LENGTH = re.compile(r"[0-9]{1,19}")


class _Block(NamedTuple):
    """One header block. `end` is the offset behind its blank line, `end_line` the line there, counted from 1."""

    status: int
    headers: Headers
    end: int
    end_line: int


class _Unframed(NamedTuple):
    chunks: tuple[bytes, ...]
    whole: bool


def exchange(data: bytes, path: str, request: Request | None = None) -> Exchange:
    """Read a dump. A request that is not given is not known.

    Raises:
        CaptureError: when there is no status line, a header line is none, or the dump ends inside its headers.
    """
    # Editors put a byte order mark before text; HTTP never does.
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    asked = request or Request()
    block = _block(data, start, 1, path)
    while _is_interim(block, followed=_STATUS_LINE.match(data, block.end) is not None):
        block = _block(data, block.end, block.end_line, path)
    body, ended = _body(block, data[block.end :], asked.method.upper(), path)
    return Exchange(
        request=asked,
        status=block.status,
        headers=block.headers,
        body=body,
        ref=path,
        ended=ended,
        at=instant(next(iter(values(block.headers, "date")), None)),
    )


def _block(data: bytes, at: int, line: int, path: str) -> _Block:
    start = at
    match = _STATUS_LINE.match(data, at)
    if match is None:
        raise CaptureError(f"{path}:{line}: expected a status line like 'HTTP/1.1 200 OK', found {found(data[at:])}")
    headers: list[tuple[str, str]] = []
    end = match.end()
    while True:
        line, at = line + 1, end
        end = data.find(b"\n", at) + 1
        if not end:
            rest = found(data[at:]) if at < len(data) else "the end of the file"
            raise CaptureError(f"{path}:{line}: expected a blank line after the headers, found {rest}")
        if end - start > _HEAD_LIMIT_BYTES:
            raise CaptureError(f"{path}:{line}: expected at most {_HEAD_LIMIT_BYTES} bytes of headers, found more")
        text = data[at : end - 1].removesuffix(b"\r")
        if not text:
            return _Block(int(match[1]), tuple(headers), end, line + 1)
        if text[:1] in (b" ", b"\t") and headers:
            name, value = headers[-1]
            headers[-1] = (name, f"{value} {_text(text)}".strip(" "))
        elif _NAME.match(text):
            name_bytes, _, value_bytes = text.partition(b":")
            headers.append((_text(name_bytes), _text(value_bytes)))
        else:
            raise CaptureError(f"{path}:{line}: expected a header line 'Name: value', found {found(data[at:end])}")


def _text(field: bytes) -> str:
    return field.strip(b" \t\r").decode("latin-1")


def _is_interim(block: _Block, *, followed: bool) -> bool:
    """Tell whether a block has no body on disk, so that the status line that follows begins the next one."""
    kind = block.status // 100
    if kind == 1:
        return True
    if not followed:
        return False
    if values(block.headers, "content-length") == ["0"]:
        return True
    names = {name.lower() for name, _ in block.headers}
    if kind == _SUCCESS:
        # An answer to CONNECT: RFC 9110, 9.3.6 forbids it the fields that speak of a body.
        return not names & {"content-type", "content-length", "transfer-encoding"}
    # curl drops the body of an answer that it acts upon itself, whatever length the headers tell.
    return _ACTED_UPON.get(block.status, "location" if kind == _REDIRECT else None) in names


def _body(block: _Block, raw: bytes, method: str, path: str) -> tuple[tuple[bytes, ...], Ended]:
    """Give the body's chunks, free of transfer framing and content coding, and how the connection ended."""
    codings = [coding.strip() for coding in ",".join(values(block.headers, "transfer-encoding")).lower().split(",")]
    unframed = _unframed(raw) if codings == ["chunked"] else None
    framed = unframed is not None
    chunks = unframed.chunks if unframed else ((raw,) if raw else ())
    plain = decoded(block.headers, b"".join(chunks), path)
    if plain.whole is not None:
        chunks = (plain.body,) if plain.body else ()
    if plain.whole is False or (unframed and not unframed.whole):
        return chunks, Ended.CUT
    if framed or plain.whole:
        return chunks, Ended.COMPLETE
    lengths = set(values(block.headers, "content-length"))
    length = lengths.pop() if len(lengths) == 1 else ""
    # The length of what was sent says nothing of a body that is decoded already, or was never to come.
    comparable = method != "HEAD" and block.status not in _NO_BODY and not coded_as(block.headers)
    if not comparable or not _LENGTH.fullmatch(length) or len(raw) > int(length):
        return chunks, Ended.UNKNOWN
    return chunks, Ended.COMPLETE if len(raw) == int(length) else Ended.CUT


def _unframed(raw: bytes) -> _Unframed | None:
    """Take chunked framing off; None where the body is not framed so as a whole."""
    chunks: list[bytes] = []
    at = 0
    while match := _CHUNK_SIZE.match(raw, at):
        size = int(match[1], 16)
        start, end = match.end(), match.end() + size
        if size == 0:
            whole = _has_all_trailers(raw[start:])
            return None if whole is None or not (whole or chunks) else _Unframed(tuple(chunks), whole)
        if end + 2 > len(raw):
            # What is there of the cut chunk was received. Its line end may be cut in two as well.
            whole_line = b"\r\n".startswith(raw[end:])
            return _Unframed((*chunks, raw[start:end]), whole=False) if chunks and whole_line else None
        if raw[end : end + 2] != b"\r\n":
            return None
        chunks.append(raw[start:end])
        at = end + 2
    is_cut = _CUT_SIZE.fullmatch(raw, at) is not None
    return _Unframed(tuple(chunks), whole=False) if chunks and is_cut else None


def _has_all_trailers(rest: bytes) -> bool | None:
    """Tell whether what follows the last chunk is trailer lines and a blank line (True) or their start (False).

    None: it is neither.
    """
    *lines, last = rest.split(b"\r\n")
    if lines and not lines[-1]:
        return True if not last and all(map(_NAME.match, lines[:-1])) else None
    return False if all(map(_NAME.match, lines)) and _CUT_TRAILER.fullmatch(last) else None
