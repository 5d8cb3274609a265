"""Whatever a file holds, reading it ends in Exchanges or in one message that says what is wrong and where."""

from __future__ import annotations

import glob
import json
import os
import tempfile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import captures
from contracts.captures.intake import file_bytes
from contracts.errors import CaptureError

BAD = os.path.join(os.path.dirname(__file__), "bad")
with open(os.path.join(BAD, "expect.json"), encoding="utf-8") as _file:
    MESSAGES: dict[str, str] = json.load(_file)

# What each format begins with, so that arbitrary bytes get past the first line of its reader.
STARTS = {
    "http": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
    "har": b'{"log": {"entries": [{"request": {"method": "GET"}, "response": {"status": 200, "content": {"text": "',
    "json": b'{"interactions": [{"request": {"uri": "/"}, "response": {"status": {"code": 200}, "body": {"string": "',
    "yaml": b"interactions:\n- request: {uri: /}\n  response:\n    status: {code: 200}\n    body: {string: ",
    "request.json": b'{"method": "POST", "body": ',
    "dat": b"",
}
# The last bytes of a whole file of that format.
ENDS = {"har": b'"}}}]}}', "json": b'"}}}]}', "yaml": b"}\n", "request.json": b"}"}


def test_every_bad_capture_has_a_message_and_every_message_a_capture() -> None:
    files = {os.path.basename(path) for path in glob.glob(os.path.join(BAD, "*"))}
    assert files - {"expect.json"} == set(MESSAGES)


@pytest.mark.parametrize("name", sorted(MESSAGES))
def test_a_bad_capture_is_refused_with_exactly_this_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(BAD)
    read = captures.read_request if name.endswith(".request.json") else captures.read
    with pytest.raises(CaptureError) as error:
        read(name)
    assert str(error.value) == MESSAGES[name]


def test_no_message_can_steer_a_terminal() -> None:
    assert all(message.isprintable() for message in MESSAGES.values())


def _read_or_refuse(ending: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"säule.{ending}")
        with open(path, "wb") as file:
            file.write(data)
        read = captures.read_request if ending == "request.json" else captures.read
        try:
            read(path)
        except CaptureError as error:
            assert str(error).startswith(path)  # noqa: PT017 - either way of ending is right


@settings(deadline=None)
@given(ending=st.sampled_from(sorted(STARTS)), data=st.binary(max_size=200))
def test_arbitrary_bytes_never_end_in_a_traceback(ending: str, data: bytes) -> None:
    _read_or_refuse(ending, data)


@settings(deadline=None)
@given(ending=st.sampled_from(sorted(STARTS)), data=st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_arbitrary_bytes_inside_a_capture_never_end_in_a_traceback(ending: str, data: bytes) -> None:
    _read_or_refuse(ending, STARTS[ending] + data + ENDS.get(ending, b""))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_MEMBERS = st.sampled_from(
    (
        "log",
        "entries",
        "request",
        "response",
        "status",
        "headers",
        "name",
        "value",
        "content",
        "text",
        "encoding",
        "url",
    )
) | st.sampled_from(
    ("interactions", "recorded", "code", "body", "string", "base64_string", "uri", "source", "keyless", "at", "params")
)


@settings(deadline=None, max_examples=200)
@given(
    st.sampled_from(["har", "json", "request.json"]),
    st.recursive(_JSON, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_MEMBERS, inner, max_size=5)),
)
def test_arbitrary_json_never_ends_in_a_traceback(ending: str, document: object) -> None:
    _read_or_refuse(ending, json.dumps(document).encode())


def test_a_document_of_the_right_shape_with_any_one_member_replaced_never_ends_in_a_traceback() -> None:
    with open(os.path.join(os.path.dirname(__file__), "good", "text.har"), encoding="utf-8") as file:
        text = file.read()
    odd: list[object] = [None, True, -1, 1e308, "é", "\ud800", [], ["é"], {}, {"é": 1}, [None], [[]]]
    for count in range(len(list(_spots(json.loads(text))))):
        for value in odd:
            document = json.loads(text)
            holder, key = list(_spots(document))[count]
            holder[key] = value
            _read_or_refuse("har", json.dumps(document).encode())


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a document that a value can be put into."""
    if not isinstance(value, dict | list):
        return []
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    return [(value, key) for key, _ in items] + [spot for _, inner in items for spot in _spots(inner)]


def test_a_file_beyond_the_limit_is_refused_and_one_at_the_limit_is_read(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "groß.http")
    with open(path, "wb") as file:
        file.write(b"0123456789")
    assert file_bytes(path, limit=10) == b"0123456789"
    with pytest.raises(CaptureError) as error:
        file_bytes(path, limit=9)
    assert str(error.value) == f"{path}: expected at most 9 bytes, found more"


def test_a_file_that_is_not_there_is_named(tmp_path: os.PathLike[str]) -> None:
    path = os.path.join(tmp_path, "né.http")
    with pytest.raises(CaptureError) as error:
        captures.read(path)
    assert str(error.value) == f"{path}: expected a readable file, found No such file or directory"


def test_a_folder_is_no_capture(tmp_path: os.PathLike[str]) -> None:
    with pytest.raises(CaptureError, match=": expected a readable file, found Is a directory"):
        captures.read(os.fspath(tmp_path))


def test_a_path_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(CaptureError, match="expected the path of a file"):
        captures.read("é\0.http")
