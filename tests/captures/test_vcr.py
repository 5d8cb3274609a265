"""Cassettes: what vcrpy reads of them, our reader reads, and what they say of themselves too."""

from __future__ import annotations

import base64
import copy
import glob
import gzip
import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from vcr.filters import decode_response  # type: ignore[import-untyped] # vcrpy ships no types
from vcr.request import Request as VcrRequest  # type: ignore[import-untyped] # vcrpy ships no types
from vcr.serialize import deserialize, serialize  # type: ignore[import-untyped] # vcrpy ships no types
from vcr.serializers import jsonserializer, yamlserializer  # type: ignore[import-untyped] # vcrpy ships no types

from contracts import captures
from contracts.captures import vcr
from contracts.model import Ended, Exchange, Source

CASSETTES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "cassettes")
TEXT = "— e\u0301 世界 👨\u200d👩\u200d👧"


def interaction(**response: Any) -> dict[str, Any]:
    request = {"method": "POST", "uri": "https://demo.example/v1/é", "body": TEXT, "headers": {"A": ["1"]}}
    return {"request": request, "response": {"status": {"code": 200, "message": "OK"}, "headers": {}, **response}}


def read(*interactions: dict[str, Any], **top: Any) -> captures.Capture:
    document = {"interactions": list(interactions), "version": 1, **top}
    return vcr.from_yaml(yaml.safe_dump(document).encode(), "x.yaml")


def one(**response: Any) -> Exchange:
    (exchange,) = read(interaction(**response)).exchanges
    return exchange


def as_vcrpy_reads(text: str, serializer: Any) -> list[Any]:
    """Per interaction: method, URL, request body, request headers, status, headers in order, decoded body."""
    requests, responses = deserialize(text, serializer)[:2]
    found = []
    for request, response in zip(requests, responses, strict=True):
        plain = decode_response(copy.deepcopy(response))
        headers = [(name, value) for name, all_values in response["headers"].items() for value in all_values]
        body = plain["body"]["string"] or b""
        sent = request.body.encode() if isinstance(request.body, str) else request.body
        code = response["status"]["code"]
        found.append((request.method, request.uri, sent or b"", dict(request.headers), code, headers, body))
    return found


def as_we_read(taken: captures.Capture) -> list[Any]:
    found = []
    for exchange in taken.exchanges:
        request = exchange.request
        body = b"".join(exchange.body)
        headers = list(exchange.headers)
        sent = request.body or b""
        found.append((request.method, request.url, sent, dict(request.headers), exchange.status, headers, body))
    return found


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(CASSETTES, "*", "*.yaml"))))
def test_our_cassettes_read_as_vcrpy_reads_them(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert as_we_read(captures.read_capture(path)) == as_vcrpy_reads(text, yamlserializer)


NAME = st.text("-AZaz09", min_size=1, max_size=8)
VALUE = st.text(st.characters(codec="latin-1"), max_size=10)
BODY = st.binary(max_size=60) | st.text(max_size=40).map(str.encode)
RESPONSES = st.fixed_dictionaries(
    {
        "status": st.fixed_dictionaries({"code": st.integers(200, 599), "message": VALUE}),
        "headers": st.dictionaries(NAME, st.lists(VALUE, min_size=1, max_size=2), max_size=4),
        "body": st.fixed_dictionaries({"string": BODY}),
    }
)
REQUESTS = st.builds(
    VcrRequest,
    st.sampled_from(["GET", "POST"]),
    st.text(max_size=10).map("https://demo.example/".__add__),
    st.none() | BODY,
    st.dictionaries(NAME.map(str.lower), VALUE, max_size=3),
)


@given(st.lists(st.tuples(REQUESTS, RESPONSES), min_size=1, max_size=3))
@example(
    [
        (
            VcrRequest("GET", "/", "NO", {}),
            {"status": {"code": 200, "message": "é"}, "headers": {}, "body": {"string": b"1e3"}},
        )
    ]
)
def test_generated_cassettes_read_as_vcrpy_reads_them(pairs: list[tuple[VcrRequest, dict[str, Any]]]) -> None:
    text = serialize(
        {"requests": [r for r, _ in pairs], "responses": [r for _, r in copy.deepcopy(pairs)]}, yamlserializer
    )
    ours = as_we_read(vcr.from_yaml(text.encode(), "x.yaml"))
    assert ours == as_vcrpy_reads(text, yamlserializer)
    assert [row[-1] for row in ours] == [response["body"]["string"] for _, response in pairs]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=3))
def test_cassettes_in_json_read_as_vcrpy_reads_them(bodies: list[str]) -> None:
    requests = [VcrRequest("POST", "https://demo.example/é", body, {"A": "1"}) for body in bodies]
    responses = [interaction(body={"string": body}, headers={"É": ["1", "2"]})["response"] for body in bodies]
    text = serialize({"requests": requests, "responses": responses}, jsonserializer)
    ours = as_we_read(vcr.from_document(json.loads(text), "x.json"))
    assert ours == as_vcrpy_reads(text, jsonserializer)
    assert [row[-1] for row in ours] == [body.encode() for body in bodies]


# A body that only begins as gzip does was cut; vcrpy gives its raw bytes, which no client would make anything of.
@given(st.binary(max_size=200).filter(lambda body: not body.startswith(b"\x1f\x8b")))
def test_a_body_that_is_still_compressed_is_decompressed_as_vcrpy_does_it(body: bytes) -> None:
    for raw in (gzip.compress(body), body):
        response = interaction(body={"string": raw}, headers={"content-encoding": ["gzip"]})["response"]
        text = serialize({"requests": [VcrRequest("GET", "/é", None, {})], "responses": [response]}, yamlserializer)
        ours = as_we_read(vcr.from_yaml(text.encode(), "x.yaml"))
        assert ours == as_vcrpy_reads(text, yamlserializer)
        assert ours[0][-1] == body


@pytest.mark.parametrize(
    "response",
    [
        {"body": {"string": TEXT}},
        {"body": {"string": TEXT.encode()}},
        {"body": {"base64_string": base64.encodebytes(TEXT.encode()).decode()}},
        {"body": {"encoding": "UTF-8", "base64_string": base64.b64encode(TEXT.encode()).decode(), "string": None}},
        {"body": TEXT},
        {"body": TEXT.encode()},
        {"content": TEXT, "status_code": 200, "status": None},
        {"content": TEXT.encode(), "status_code": 200, "http_version": "HTTP/1.1", "status": None},
    ],
)
def test_a_body_reads_in_every_form_that_recorders_have_given_it(response: dict[str, Any]) -> None:
    exchange = one(**response)
    assert (exchange.status, exchange.body) == (200, (TEXT.encode(),))
    assert exchange.request.body == TEXT.encode()


@pytest.mark.parametrize("body", [None, {}, {"string": ""}, {"string": None}, ""])
def test_an_empty_body_is_empty(body: object) -> None:
    assert one(body=body).body == ()


def test_header_values_may_be_lists_texts_bytes_or_bare_numbers() -> None:
    headers = {"X-B": ["é", "2"], "x-a": "text/plain", "L": 12, "M": [b"caf\xe9"]}
    read_headers = one(body="é", headers=headers).headers
    assert set(read_headers) == {("L", "12"), ("M", "café"), ("X-B", "é"), ("X-B", "2"), ("x-a", "text/plain")}
    assert read_headers.index(("X-B", "é")) < read_headers.index(("X-B", "2"))


@pytest.mark.parametrize(("method", "body"), [("GET", b""), ("POST", None)])
def test_a_request_body_that_is_null_is_empty_only_where_the_method_has_none(method: str, body: bytes | None) -> None:
    record = interaction(body=TEXT)
    record["request"].update(method=method, body=None)
    assert read(record).exchanges[0].request.body == body


def test_a_compressed_body_that_stops_short_was_cut() -> None:
    exchange = one(body={"string": gzip.compress(TEXT.encode())[:-9]}, headers={"content-encoding": "gzip"})
    assert (exchange.body, exchange.ended) == ((TEXT.encode(),), Ended.CUT)


def test_one_body_that_cannot_be_decoded_spoils_no_other() -> None:
    packed = interaction(body={"string": b"\x0b\x02\x80\xe9"}, headers={"content-encoding": ["br"]})
    taken = read(packed, interaction(body=TEXT))
    assert [exchange.ref for exchange in taken.exchanges] == ["x.yaml#1"]
    assert taken.skipped == ("x.yaml#0: expected a body that is plain, gzip or deflate, found one compressed with br",)


def test_a_body_that_somebody_decoded_is_no_empty_answer() -> None:
    decoded = interaction(body=None)
    decoded["response"]["parsed_body"] = {"id": "größe"}
    taken = read(decoded, interaction(body=TEXT))
    assert [exchange.ref for exchange in taken.exchanges] == ["x.yaml#1"]
    assert taken.skipped == ("x.yaml#0: expected the bytes of a body, found 'parsed_body', which somebody decoded",)


def test_the_header_of_a_cassette_says_source_instant_and_which_requests_had_no_key() -> None:
    recorded = {"source": "synthetic", "at": "2026-11-30T12:00:00Z", "note": TEXT, "by": "é", "keyless": [1]}
    taken = read(interaction(body=TEXT), interaction(body=TEXT), recorded=recorded)
    assert [exchange.source for exchange in taken.exchanges] == [Source.SYNTHETIC] * 2
    assert [exchange.request.keyless for exchange in taken.exchanges] == [False, True]
    assert {exchange.at for exchange in taken.exchanges} == {datetime(2026, 11, 30, 12, tzinfo=UTC)}


def test_an_instant_in_the_header_may_be_a_yaml_timestamp() -> None:
    recorded = {"at": datetime(2026, 11, 30, 12, tzinfo=UTC)}
    assert read(interaction(body=TEXT), recorded=recorded).exchanges[0].at == recorded["at"]


def test_a_cassette_without_a_header_was_recorded_when_its_answer_says() -> None:
    exchange = one(body=TEXT, headers={"date": ["Mon, 30 Nov 2026 12:00:00 GMT"]})
    assert exchange.source is Source.RECORDED
    assert exchange.at == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert not exchange.request.keyless
    assert one(body=TEXT).at is None
