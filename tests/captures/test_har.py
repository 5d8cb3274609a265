"""HAR: every entry with an answer is an Exchange with the bytes that the recorder kept."""

from __future__ import annotations

import base64
import gzip
import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts import captures
from contracts.captures import har
from contracts.model import Ended, Exchange, Request

HERE = os.path.dirname(__file__)
PACKED = "UTF-8 — 世界 e\u0301".encode()


def entry(response: dict[str, Any], **members: Any) -> dict[str, Any]:
    request = {"method": "GET", "url": "https://demo.example/v1/models", "headers": []}
    return {"request": request, "response": {"status": 200, "headers": [], **response}, **members}


def read(*entries: dict[str, Any]) -> captures.Capture:
    return har.from_document({"log": {"entries": list(entries)}}, "x.har")


def one(response: dict[str, Any], **members: Any) -> Exchange:
    (exchange,) = read(entry(response, **members)).exchanges
    return exchange


def test_a_har_of_a_browser_reads_with_its_headers_its_text_and_its_request() -> None:
    path = os.path.join(HERE, "good", "text.har")
    (exchange,) = captures.read(path)
    assert exchange.request == Request(
        method="POST",
        url="https://demo.example/v1/chat/completions",
        headers=(("content-type", "application/json"),),
        body='{"model":"m","content":"Grüße — 世界"}'.encode(),
    )
    assert exchange.headers == (("X-b", "2"), ("content-encoding", "gzip"), ("x-B", "é"), ("X-b", ""))
    assert exchange.body == ('data: "— e\u0301 \\ud83d\\udc68"\n\n'.encode(),)
    assert exchange.ref == f"{path}#0"
    assert exchange.at == datetime(2026, 11, 30, 12, 0, 0, 250000, tzinfo=UTC)


@given(st.lists(st.binary(), min_size=1, max_size=4))
def test_base64_content_gives_back_every_byte_of_every_entry(bodies: list[bytes]) -> None:
    entries = [entry({"content": {"text": base64.b64encode(b).decode(), "encoding": "Base64"}}) for b in bodies]
    assert [b"".join(exchange.body) for exchange in read(*entries).exchanges] == bodies
    assert [exchange.ref for exchange in read(*entries).exchanges] == [f"x.har#{n}" for n in range(len(bodies))]


@given(st.text(st.characters(codec=None)))
def test_text_content_is_utf_8_and_half_a_character_survives(text: str) -> None:
    assert b"".join(one({"content": {"text": text}}).body) == text.encode("utf-8", "surrogatepass")


def test_a_file_with_half_a_character_reads(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "halb.har")
    with open(path, "w", encoding="utf-8") as file:
        half = json.dumps({"log": {"entries": [entry({"content": {"text": "é\ud800"}})]}})
        file.write("\ufeff" + half)
    assert captures.read(path)[0].body == (b"\xc3\xa9\xed\xa0\x80",)


GZIP = [{"name": "Content-Encoding", "value": "gzip"}]


@pytest.mark.parametrize(
    ("content", "body", "ended"),
    [
        ({"text": "— decoded"}, "— decoded".encode(), Ended.UNKNOWN),
        ({"text": base64.b64encode(gzip.compress(PACKED)).decode(), "encoding": "base64"}, PACKED, Ended.UNKNOWN),
        ({"text": base64.b64encode(gzip.compress(PACKED)[:-9]).decode(), "encoding": "base64"}, PACKED, Ended.CUT),
    ],
)
def test_a_gzip_header_stands_beside_a_decoded_or_a_compressed_body(
    content: dict[str, Any], body: bytes, ended: Ended
) -> None:
    exchange = one({"headers": GZIP, "content": content})
    assert (b"".join(exchange.body), exchange.ended) == (body, ended)


@pytest.mark.parametrize(
    ("response", "ended"),
    [
        ({"headers": [{"name": "content-length", "value": "3"}], "content": {"text": "é!"}}, Ended.COMPLETE),
        ({"headers": [{"name": "content-length", "value": "9"}], "content": {"text": "é!"}}, Ended.UNKNOWN),
        (
            {"headers": [*GZIP, {"name": "content-length", "value": "3"}], "content": {"text": "é!"}},
            Ended.UNKNOWN,
        ),
        ({"content": {"text": "é!"}, "_error": "net::ERR_INCOMPLETE_CHUNKED_ENCODING"}, Ended.CUT),
        ({"content": {"text": "é!"}, "_error": None}, Ended.UNKNOWN),
    ],
)
def test_how_the_connection_ended_is_told_where_the_har_shows_it(response: dict[str, Any], ended: Ended) -> None:
    assert one(response).ended is ended


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"status": 0}, "no answer arrived (status 0)"),
        ({"status": 0, "_error": "net::ERR_FAILED"}, "no answer arrived ('net::ERR_FAILED')"),
        ({"status": 200}, "the recorder did not keep the body"),
        ({"status": 200, "content": {"size": 12}}, "the recorder did not keep the body"),
        ({"status": 200, "content": {"size": -1}, "bodySize": -1}, "the recorder did not keep the body"),
        (
            {"headers": [{"name": "content-encoding", "value": "br"}], "content": {"text": "\x0b\x02\x80é"}},
            "expected a body that is plain, gzip or deflate, found one compressed with br",
        ),
    ],
)
def test_an_entry_without_an_answer_is_skipped_and_said_so(response: dict[str, Any], reason: str) -> None:
    taken = read(entry({"content": {"text": "世界"}}), entry(response))
    assert [exchange.ref for exchange in taken.exchanges] == ["x.har#0"]
    assert taken.skipped == (f"x.har#1: {reason}",)


@pytest.mark.parametrize(
    "response",
    [
        {"content": {"text": ""}},
        {"content": {"size": 0}},
        {"bodySize": 0},
        {"status": 204},
        {"status": 304, "content": {"size": 12}},
    ],
)
def test_an_answer_that_was_empty_is_kept(response: dict[str, Any]) -> None:
    assert one(response).body == ()


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-11-30T12:00:00Z", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("2026-11-30T12:00:00", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("Mon, 30 Nov 2026 12:00:00 GMT", datetime(2026, 11, 30, 12, tzinfo=UTC)),
        ("Sat, 31 Dec 2016 23:59:60 GMT", datetime(2017, 1, 1, tzinfo=UTC)),
        ("", None),
        ("vorgestern, um zwölf", None),
        ("Mon, 31 Feb 2026 12:00:00 GMT", None),
        ("Mon, 30 Növ 2026 12:00:00 GMT", None),
        ("0001-01-01T00:00:00+23:59", None),
        (1796040000, None),
        (None, None),
    ],
)
def test_the_instant_may_be_iso_8601_an_http_date_or_missing(written: object, at: datetime | None) -> None:
    assert one({"content": {"text": "é"}}, startedDateTime=written).at == at


@pytest.mark.parametrize(
    ("method", "post_data", "body"),
    [
        ("POST", {"text": "é — \ud800"}, b"\xc3\xa9 \xe2\x80\x94 \xed\xa0\x80"),
        ("POST", {"text": base64.b64encode(PACKED).decode(), "encoding": "base64"}, PACKED),
        ("POST", {"params": [{"name": "q é", "value": "世"}, {"name": "n"}]}, b"q+%C3%A9=%E4%B8%96&n="),
        ("POST", {"mimeType": "multipart/form-data; boundary=x", "params": [{"name": "é", "value": "1"}]}, None),
        ("POST", {"mimeType": "application/json", "text": ""}, b""),
        ("POST", {"mimeType": "application/json"}, None),
        ("POST", None, None),
        ("GET", None, b""),
    ],
)
def test_a_request_body_is_told_from_one_that_is_not_known(
    method: str, post_data: dict[str, Any] | None, body: bytes | None
) -> None:
    record = entry({"content": {"text": "é"}})
    record["request"] = {"method": method, "url": "/", "postData": post_data}
    assert read(record).exchanges[0].request.body == body


def test_a_request_that_the_user_gives_takes_the_place_of_the_recorded_one() -> None:
    asked = Request(method="POST", url="/v1/chat/completions", body=b"{}", keyless=True)
    (exchange,) = captures.read(os.path.join(HERE, "good", "text.har"), asked)
    assert exchange.request == asked
