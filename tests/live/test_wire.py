"""The wire: HTTP/1.1 cut anywhere, codings cut anywhere, HTTP/2, redirects, and where the key goes."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import EvidenceError
from contracts.evidence import http1
from contracts.testing import HostileProvider
from contracts.wire import content_coding as coding
from tests.live.conftest import FREE, KEY, Check, row

BODY = 'data: {"content":"Größe — 你好 😀"}\r\n\r\n'.encode()


class Pieces:
    """A connection whose bytes arrive in given pieces, and which then ends, or is reset."""

    def __init__(self, pieces: list[bytes], *, is_reset: bool = False) -> None:
        self._pieces, self._is_reset = [p for p in pieces if p], is_reset

    async def read(self) -> bytes:
        if self._pieces:
            return self._pieces.pop(0)
        if self._is_reset:
            raise ConnectionResetError
        return b""


def answered(pieces: list[bytes], **options: bool) -> tuple[int, list[tuple[bytes, bytes]], bytes, bool]:
    """Read an answer: status, headers, body, and whether the connection may be used again."""

    async def run() -> Any:
        connection: Any = Pieces(pieces, **options)
        head, rest = await http1.head(connection)
        body = http1.Body(connection, head, rest)
        return head.status, head.headers, b"".join([chunk async for chunk in body]), body.is_whole

    result: tuple[int, list[tuple[bytes, bytes]], bytes, bool] = asyncio.run(run())
    return result


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x;x=y\r\n%s\r\n" % (len(c), c) for c in chunks) + b"0\r\nX-Trailer: \xc3\xa9\r\n\r\n"


HEAD = b"HTTP/1.1 200 OK\r\nX-Eins: \xc3\xa9\r\nx-eins:  zwei \r\n"
WHOLE = {
    "by length": HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY,
    "by chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(BODY[:9], BODY[9:]),
    "behind hints": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    + HEAD
    + b"Content-Length: %d\r\n\r\n" % len(BODY)
    + BODY,
}


@pytest.mark.parametrize("name", WHOLE)
def test_where_the_network_cuts_an_answer_does_not_matter(name: str) -> None:
    whole = WHOLE[name]
    want = answered([whole])
    assert want[0] == 200
    assert want[1][:2] == [(b"X-Eins", b"\xc3\xa9"), (b"x-eins", b"zwei")]
    assert want[2] == BODY
    assert want[3]
    assert answered([bytes([b]) for b in whole]) == want
    for cut in range(1, len(whole)):
        assert answered([whole[:cut], whole[cut:]]) == want, cut


@pytest.mark.parametrize("name", ["by length", "by chunks"])
@pytest.mark.parametrize("is_reset", [False, True])
def test_an_answer_that_ends_anywhere_before_its_end_is_cut(name: str, is_reset: bool) -> None:
    whole = WHOLE[name]
    for end in range(len(whole) - (2 if name == "by chunks" else 1)):
        with pytest.raises((http1.CutError, ConnectionResetError)):
            answered([whole[:end]], is_reset=is_reset)


def test_a_body_without_a_length_ends_with_the_connection_which_is_not_used_again() -> None:
    assert answered([HEAD + b"\r\n" + BODY])[2:] == (BODY, False)
    with pytest.raises(http1.CutError):
        answered([HEAD + b"\r\n" + BODY], is_reset=True)


UNUSABLE = {
    "bytes behind the body": WHOLE["by length"] + b"HTTP/1.1 200 OK\r\n",
    "bytes behind the chunks": WHOLE["by chunks"] + b"x",
    "a length beside chunks": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(BODY),
    "a close": HEAD + b"Connection: close\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc",
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_a_connection_is_not_used_again_after(name: str) -> None:
    assert answered([UNUSABLE[name]])[3] is False


NONE = {
    "another protocol": b"SSH-2.0-OpenSSH_9.6 \xc3\xa9\r\n\r\n",
    "another version": b"HTTP/2 200 OK\r\n\r\n",
    "a header without a name": HEAD + b": x\r\n\r\n",
    "a header with a blank before the colon": HEAD + b"Content-Length : 3\r\n\r\nabc",
    "two lengths": HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "a length with a sign": HEAD + b"Content-Length: +3\r\n\r\nabc",
    "a length in other digits": HEAD + "Content-Length: ３\r\n\r\nabc".encode(),
    "an unknown transfer": HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n",
    "another protocol by 101": b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n",
    "hints for ever": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20,
    "headers for ever": HEAD + b"X-Flut: \xc3\xa9\r\n" * 10_000,
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_answer_is_told_and_never_guessed_at(name: str) -> None:
    with pytest.raises(EvidenceError):
        answered([NONE[name]])


NO_CHUNKS = [
    b"g\r\n",
    b"-1\r\n",
    b"+3\r\nabc\r\n",
    b"3\r\nabcX\r\n",
    b"3\r\nabcXX0\r\n\r\n",
    b"f" * 20 + b"\r\n",
    b"\xc3\xa9",
]


@pytest.mark.parametrize("chunk", NO_CHUNKS)
def test_a_chunk_that_is_none_is_told_as_one(chunk: bytes) -> None:
    with pytest.raises(http1.CutError if chunk == NO_CHUNKS[-1] else http1.ChunkError):
        answered([HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunk])


def decoded(coding_: str, pieces: list[bytes], limit: int = 1 << 20) -> tuple[bytes, str | None]:
    decoder = coding.Decoder((coding_,) if coding_ else (), limit)
    out = [piece for chunk in pieces for piece in decoder.feed(chunk)]
    out += decoder.finish(cut=False)
    return b"".join(out), decoder.fault.kind if decoder.fault else None


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


TEXT = BODY * 3
CODED: dict[str, tuple[str, bytes, bytes, str | None]] = {
    "identity": ("", TEXT, TEXT, None),
    "gzip": ("gzip", gzip.compress(TEXT), TEXT, None),
    "gzip of two members": ("gzip", gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:]), TEXT, None),
    "gzip with padding": ("gzip", gzip.compress(TEXT) + b"\0\0", TEXT, None),
    "deflate": ("deflate", zlib.compress(TEXT), TEXT, None),
    "deflate without its header": ("deflate", raw_deflate(TEXT), TEXT, None),
    "plain called gzip": ("gzip", TEXT, TEXT, "not-coded"),
    "plain called deflate": ("deflate", TEXT, TEXT, "not-coded"),
    "gzip called nothing": ("", gzip.compress(TEXT), TEXT, "unlabelled"),
    "brotli": ("br", b"\x0b\x02\x80", b"", "not-asked"),
    "nothing called gzip": ("gzip", b"", b"", None),
}


@pytest.mark.parametrize("name", CODED)
def test_where_the_network_cuts_a_coded_body_does_not_matter(name: str) -> None:
    coding_, raw, text, fault = CODED[name]
    assert decoded(coding_, [raw]) == (text, fault)
    assert decoded(coding_, [bytes([b]) for b in raw]) == (text, fault)
    for cut in range(1, len(raw)):
        assert decoded(coding_, [raw[:cut], raw[cut:]]) == (text, fault), cut


@given(st.binary(max_size=300), st.integers(0, 300))
def test_a_gzip_body_that_ends_too_early_is_told(data: bytes, end: int) -> None:
    raw = gzip.compress(data)
    end = min(end, len(raw) - 1)
    out, fault = decoded("gzip", [raw[:end]])
    assert data.startswith(out) or fault == "not-coded"
    assert fault == (None if end == 0 else "not-coded" if end == 1 else "truncated")


@given(st.binary(max_size=200), st.integers(0, 10_000))
def test_no_bytes_make_the_decoder_fail(data: bytes, at: int) -> None:
    raw = bytearray(gzip.compress(data))
    raw[at % len(raw)] ^= 0xFF
    for coding_ in ("gzip", "deflate", "", "zstd", "x-gzip"):
        decoded(coding_, [bytes(raw)])


def test_a_bomb_is_given_up_before_it_takes_memory() -> None:
    bomb = gzip.compress(b" " * (64 << 20))
    out, fault = decoded("gzip", [bomb[at : at + 512] for at in range(0, len(bomb), 512)], limit=1 << 30)
    assert fault == "bomb"
    assert len(out) <= 3 << 20


def test_a_body_of_exactly_the_limit_is_read_whole() -> None:
    for raw, name in ((b"e" * 5000, ""), (gzip.compress(b"e" * 5000), "gzip")):
        assert decoded(name, [raw], limit=5000) == (b"e" * 5000, None)
        assert decoded(name, [raw], limit=4999)[0] == b"e" * 4999


def test_a_redirect_is_followed_on_the_origin_three_times_and_never_off_it(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    loop = hostile_provider("declared", "redirect-loop")
    got = check({"cafe": row(loop)})
    assert [a.query.get("hop") for a in loop.requests if a.kind == "listing"] == [None, "1", "2", "3"]
    assert "http.status" in got.violated
    away = hostile_provider("declared", "redirect-elsewhere")
    got = check({"cafe": row(away)})
    assert "http.status" in got.violated
    assert got.report.requests.refused == 0  # not even tried, though the guard would not let it pass
    assert away.strays == ()


def test_the_key_goes_where_it_belongs_and_into_no_report(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared")
    got = check({"cafe": row(provider)})
    keyed = {(a.kind, a.model): a.keyed for a in provider.requests}
    assert keyed[("listing", None)]
    assert keyed[("chat", FREE)]
    assert not keyed[("chat", "contracts-probe/no-such-model")]
    assert KEY not in repr(got.report)
