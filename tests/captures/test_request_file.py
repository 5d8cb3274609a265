"""What was asked, as the user writes it down: bytes as they stand, nothing written anew."""

from __future__ import annotations

import json
import os

import pytest

from contracts import captures
from contracts.model import Request


def read(folder: os.PathLike[str], data: str | bytes) -> Request:
    path = os.path.join(folder, "né.request.json")
    with open(path, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return captures.read_request(path)


@pytest.mark.parametrize(
    "body",
    [
        '{"model": "m",  "content":"— e\u0301 世界 👨\u200d👩\u200d👧", "n": 1.0}',
        '{"n": 123456789012345678901234567890, "n": 1e2, "escaped": "\\u00e9\\ud83d\\udc68"}',
        "[1,\n 2]",
        "0",
        "{}",
    ],
)
def test_a_body_keeps_the_bytes_that_stand_in_the_file(tmp_path: os.PathLike[str], body: str) -> None:
    assert read(tmp_path, f'{{"method": "POST", "body": {body}, "path": "/v1"}}').body == body.encode()


def test_a_body_that_is_text_is_the_text_in_utf_8(tmp_path: os.PathLike[str]) -> None:
    assert read(tmp_path, '{"body": "{\\"a\\": \\"—é\\\\u00e9\\"}"}').body == '{"a": "—é\\u00e9"}'.encode()
    assert read(tmp_path, '{"body": "\\ud800é"}').body == b"\xed\xa0\x80\xc3\xa9"
    assert read(tmp_path, '{"body": ""}').body == b""


def test_an_unpaired_surrogate_survives_as_the_escape_it_was(tmp_path: os.PathLike[str]) -> None:
    body = read(tmp_path, '{"body": {"content": "é \\ud800 世界 \\udc00\\\\ud800"}}').body
    assert body == '{"content": "é \\ud800 世界 \\udc00\\\\ud800"}'.encode()
    assert json.loads(body) == {"content": "é \ud800 世界 \udc00\\ud800"}


@pytest.mark.parametrize(("method", "body"), [("GET", b""), ("head", b""), ("POST", None), ("DELETE", None)])
def test_no_body_is_empty_where_the_method_has_none_and_else_not_known(
    tmp_path: os.PathLike[str], method: str, body: bytes | None
) -> None:
    assert read(tmp_path, json.dumps({"method": method})).body == body
    assert read(tmp_path, json.dumps({"method": method, "body": None})).body == body


def test_headers_and_a_deliberate_lack_of_credentials_are_told(tmp_path: os.PathLike[str]) -> None:
    text = '\ufeff{"method": "POST", "path": "/v1/é", "headers": {"X-B": "1", "a": "é"}, "keyless": true, "body": {}}'
    assert read(tmp_path, text) == Request(
        method="POST", url="/v1/é", headers=(("X-B", "1"), ("a", "é")), body=b"{}", keyless=True
    )
