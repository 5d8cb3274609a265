"""Dumps as curl and others write them: the last header block answers, the body stays what it is."""

from __future__ import annotations

import glob
import gzip
import os
import zlib
from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from contracts import captures
from contracts.captures import http_dump
from contracts.errors import CaptureError
from contracts.model import Ended, Exchange, Request, Source

CASES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "cases")
TEXT = "data: — e\u0301 世界 👨\u200d👩\u200d👧\u200d👦\n\n".encode()
GET, HEAD = Request(method="GET"), Request(method="HEAD")


def read(data: bytes, request: Request | None = None) -> Exchange:
    return http_dump.exchange(data, "x.http", request)


def body(exchange: Exchange) -> bytes:
    return b"".join(exchange.body)


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(CASES, "*.http"))), ids=os.path.basename)
def test_every_case_reads_with_its_body_untouched(path: str) -> None:
    (exchange,) = captures.read(path)
    with open(path, "rb") as file:
        data = file.read()
    assert data.endswith(b"\r\n\r\n" + body(exchange))
    head = data[: len(data) - len(body(exchange)) - 4].split(b"\r\n")
    assert head[0].startswith(b"HTTP/1.1 %d " % exchange.status)
    assert [f"{name}: {value}".encode("latin-1") for name, value in exchange.headers] == head[1:]
    assert exchange.source is Source.RECORDED
    assert exchange.ref == path


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(CASES, "*.request.json"))), ids=os.path.basename)
def test_every_request_of_a_case_reads(path: str) -> None:
    request = captures.read_request(path)
    assert request.method in ("GET", "POST")
    assert (request.body == b"") is (request.method == "GET")


@pytest.mark.parametrize(
    ("status_line", "status"),
    [
        (b"HTTP/2 200 \r\n", 200),
        (b"HTTP/2 200\n", 200),
        (b"HTTP/3 429 \r\n", 429),
        (b"HTTP/1.1 524 \r\n", 524),
        (b"HTTP/1.0 200 OK\n", 200),
        ("HTTP/1.1 500 Größter Fehler\r\n".encode(), 500),
    ],
)
def test_status_lines_of_every_version_read_with_or_without_a_reason(status_line: bytes, status: int) -> None:
    exchange = read(status_line + b"content-type: text/plain\n\n" + TEXT)
    assert (exchange.status, body(exchange)) == (status, TEXT)


def test_line_ends_may_be_mixed_and_the_body_keeps_its_own() -> None:
    exchange = read(b"HTTP/1.1 200 OK\nA: 1\r\nB: 2\n\r\n\r\n" + TEXT)
    assert exchange.headers == (("A", "1"), ("B", "2"))
    assert body(exchange) == b"\r\n" + TEXT


def test_header_names_order_duplicates_and_latin_1_values_are_kept() -> None:
    exchange = read(
        b"HTTP/1.1 200 OK\r\nX-b: 2\r\ncontent-TYPE:text/plain\r\nX-B:\t 1 \r\nX-b: \r\nNote: caf\xe9\r\n\r\n"
    )
    assert exchange.headers == (
        ("X-b", "2"),
        ("content-TYPE", "text/plain"),
        ("X-B", "1"),
        ("X-b", ""),
        ("Note", "café"),
    )
    assert exchange.body == ()


def test_a_folded_header_line_is_joined_by_one_space() -> None:
    exchange = read(b"HTTP/1.1 200 OK\r\nX: a;\r\n \t b\xe9\r\nY:\r\n c\r\n \r\nZ: 1\r\n\r\n")
    assert exchange.headers == (("X", "a; bé"), ("Y", "c"), ("Z", "1"))


@pytest.mark.parametrize(
    "before",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 200 Connection established\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nProxy-agent: caf\xe9\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 154\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm=x\r\nContent-Type: text/html\r\n\r\n",
        b"HTTP/1.1 407 No\nProxy-Authenticate: NTLM\n\nHTTP/1.1 200 Established\n\nHTTP/1.1 100 Continue\n\n",
        b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n",
    ],
)
def test_the_last_header_block_is_the_answer(before: bytes) -> None:
    exchange = read(before + b"HTTP/2 201 \r\ncontent-type: text/plain\r\n\r\n" + TEXT)
    assert (exchange.status, exchange.headers, body(exchange)) == (201, (("content-type", "text/plain"),), TEXT)


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\n",
        b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 401 Unauthorized\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 502 Bad Gateway\r\nLocation: /\r\nWWW-Authenticate: Basic\r\nContent-Type: text/plain\r\n\r\n",
        b"HTTP/1.1 300 Multiple Choices\r\nContent-Type: text/plain\r\n\r\n",
    ],
)
def test_a_body_that_looks_like_an_answer_stays_a_body_where_the_headers_speak_of_one(head: bytes) -> None:
    inner = b"HTTP/1.1 200 OK\r\n\r\n" + TEXT
    exchange = read(head + inner)
    assert exchange.status == int(head[9:12])
    assert body(exchange) == inner


TOKEN = st.text("!#$%&'*+-.^_`|~09AZaz", min_size=1, max_size=8)
VALUE = st.text(st.characters(codec="latin-1", exclude_characters="\r\n"), max_size=12).map(
    lambda text: text.strip(" \t\r")
)


@given(
    headers=st.lists(st.tuples(TOKEN, VALUE), max_size=5),
    sent=st.binary() | st.text().map(str.encode),
    end=st.sampled_from(["\n", "\r\n"]),
)
@example(headers=[], sent=b"HTTP/1.1 200 OK\r\n", end="\n")
@example(headers=[], sent=b"\r\n\r\n", end="\r\n")
def test_a_dump_gives_back_its_headers_and_its_body(headers: list[tuple[str, str]], sent: bytes, end: str) -> None:
    headers = [("Content-Type", "application/octet-stream"), *headers]
    lines = ["HTTP/1.1 200 OK", *(f"{name}: {value}" for name, value in headers), "", ""]
    exchange = read(end.join(lines).encode("latin-1") + sent)
    assert exchange.headers == tuple(headers)
    assert body(exchange) == sent


CUT, COMPLETE, UNKNOWN = Ended.CUT, Ended.COMPLETE, Ended.UNKNOWN


@pytest.mark.parametrize(
    ("status", "fields", "request_", "ended"),
    [
        (200, f"Content-Length: {len(TEXT)}", GET, COMPLETE),
        (200, f"Content-Length: {len(TEXT) + 1}", GET, CUT),
        (200, f"content-length: {len(TEXT) - 1}", GET, UNKNOWN),
        (200, "X: 1", GET, UNKNOWN),
        (200, f"Content-Length: {len(TEXT)}\nContent-Length: {len(TEXT)}", GET, COMPLETE),
        (200, f"Content-Length: {len(TEXT)}\nContent-Length: 9", GET, UNKNOWN),
        (200, "Content-Length: ²", GET, UNKNOWN),
        (200, "Content-Length: -1", GET, UNKNOWN),
        (200, "Content-Length: " + "9" * 5000, GET, UNKNOWN),
        (200, f"Content-Length: {len(TEXT) + 9}\nContent-Encoding: gzip", GET, UNKNOWN),
        (200, f"Content-Length: {len(TEXT)}\nContent-Encoding: identity", GET, COMPLETE),
        (200, f"Content-Length: {len(TEXT) + 9}", HEAD, UNKNOWN),
        (304, f"Content-Length: {len(TEXT) + 9}", GET, UNKNOWN),
    ],
)
def test_the_content_length_tells_how_the_answer_ended(
    status: int, fields: str, request_: Request, ended: Ended
) -> None:
    exchange = read(f"HTTP/1.1 {status} OK\n{fields}\n\n".encode("latin-1") + TEXT, request_)
    assert exchange.ended is ended
    assert body(exchange) == TEXT


FRAMED = b"%x\r\n%s\r\n5;q=1\r\nhello\r\n0\r\n" % (len(TEXT), TEXT)


@pytest.mark.parametrize(
    ("raw", "chunks", "ended"),
    [
        (FRAMED + b"\r\n", (TEXT, b"hello"), COMPLETE),
        (FRAMED + b"X-Sum: 1\r\n\r\n", (TEXT, b"hello"), COMPLETE),
        (b"0\r\n\r\n", (), COMPLETE),
    ],
)
def test_chunked_framing_that_is_still_there_is_taken_off(raw: bytes, chunks: tuple[bytes, ...], ended: Ended) -> None:
    exchange = read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n" + raw)
    assert (exchange.body, exchange.ended) == (chunks, ended)


def test_wherever_framing_was_cut_behind_its_first_chunk_all_that_arrived_is_read() -> None:
    whole = FRAMED + b"X-Sum: 1\r\n\r\n"
    first = FRAMED.index(b"5;q")
    for end in range(first, len(whole)):
        exchange = read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + whole[:end])
        arrived = whole[:end][first:].partition(b"5;q=1\r\n")[2].removesuffix(b"\r")[:5]
        assert (exchange.ended, body(exchange)) == (CUT, TEXT + arrived), whole[:end]


@pytest.mark.parametrize(
    "raw",
    [
        TEXT,
        FRAMED + b"\r\nand more",
        FRAMED + b"and more",
        FRAMED + b"X-Sum: 1\r\nno trailer\r\n\r\n",
        b"5\r\nhell",
        b"0\r\n",
        b"5\r\nhello, world\r\n0\r\n\r\n",
        b"5\nhello\n0\n\n",
        b"5\r\nhello\r\nzz\r\n",
        b"5\r\nhello\r\n2\r\nabX",
        b"5\r\nhelloXX0\r\n\r\n",
        b"0\r\n\r\n\r\n",
        b"2",
    ],
)
def test_what_is_not_framed_as_a_whole_is_left_alone(raw: bytes) -> None:
    exchange = read(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + raw)
    assert (exchange.body, exchange.ended) == ((raw,), UNKNOWN)


def test_framing_that_no_header_speaks_of_is_body() -> None:
    exchange = read(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + FRAMED + b"\r\n")
    assert body(exchange) == FRAMED + b"\r\n"


LONG = TEXT * 50


@pytest.mark.parametrize(
    ("coding", "raw", "expected", "ended"),
    [
        ("gzip", gzip.compress(LONG), LONG, COMPLETE),
        ("X-GZip", gzip.compress(LONG) + gzip.compress(TEXT), LONG + TEXT, COMPLETE),
        ("gzip", gzip.compress(LONG) + b"\0\0", LONG, COMPLETE),
        ("gzip", gzip.compress(LONG)[:-9], LONG, CUT),
        ("deflate", zlib.compress(LONG), LONG, COMPLETE),
        ("gzip", LONG, LONG, UNKNOWN),
        ("deflate", b"x^2 + y^2 = r\xc2\xb2", b"x^2 + y^2 = r\xc2\xb2", UNKNOWN),
        ("gzip", b"\x1f\x8b is no gzip", b"\x1f\x8b is no gzip", UNKNOWN),
        ("br", LONG, LONG, UNKNOWN),
        ("br", b"\x8b" + "é".encode() * 200, None, None),
        ("br", "é".encode() * 128 + b"\xe9", "é".encode() * 128 + b"\xe9", UNKNOWN),
        ("br", b"x" + "é".encode() * 200, b"x" + "é".encode() * 200, UNKNOWN),
        ("zstd", LONG, LONG, UNKNOWN),
        ("gzip, br", gzip.compress(LONG), gzip.compress(LONG), UNKNOWN),
    ],
)
def test_a_body_that_is_still_compressed_is_decompressed_and_all_else_is_left_alone(
    coding: str, raw: bytes, expected: bytes | None, ended: Ended | None
) -> None:
    data = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\n\r\n".encode() + raw
    if expected is None:
        with pytest.raises(CaptureError, match="found one compressed with br"):
            read(data)
        return
    exchange = read(data)
    assert (body(exchange), exchange.ended) == (expected, ended)


def test_a_byte_order_mark_before_the_dump_is_no_part_of_it() -> None:
    assert body(read(b"\xef\xbb\xbfHTTP/1.1 200 OK\n\n\xef\xbb\xbf" + TEXT)) == b"\xef\xbb\xbf" + TEXT


def test_headers_without_end_are_refused() -> None:
    assert len(read(b"HTTP/1.1 200 OK\n" + b"X: \xe9\n" * 150_000 + b"\n").headers) == 150_000
    with pytest.raises(CaptureError) as error:
        read(b"HTTP/1.1 200 OK\nX: \xe9\n" + b" \n" * 600_000 + b"\n")
    assert str(error.value) == "x.http:524280: expected at most 1048576 bytes of headers, found more"


def test_the_date_header_tells_when_the_answer_was_taken() -> None:
    assert read(b"HTTP/1.1 200 OK\nDate: Mon, 30 Nov 2026 12:00:09 GMT\n\n").at == datetime(
        2026, 11, 30, 12, 0, 9, tzinfo=UTC
    )
    assert read("HTTP/1.1 200 OK\nDate: gestern früh\n\n".encode("latin-1")).at is None


def test_a_request_that_is_not_given_is_not_known() -> None:
    assert read(b"HTTP/1.1 200 OK\n\n").request == Request()
    asked = Request(method="POST", url="/v1/é", body=b"{}")
    assert read(b"HTTP/1.1 200 OK\n\n", asked).request is asked
