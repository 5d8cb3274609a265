"""What is written reads as it was, here and in vcrpy, and a folder changes whole or not at all."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import vcr  # type: ignore[import-untyped]  # has no stubs
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts import captures
from contracts.captures import folder as folders
from contracts.captures import timing, vcr_write
from contracts.errors import CaptureError, ConfigError
from contracts.model import Ended, Exchange, Request, Source

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CHUNKS = st.lists(st.binary(min_size=1, max_size=40) | st.text(min_size=1).map(lambda t: t.encode("utf-8", "replace")))


def exchange(*chunks: bytes, ended: Ended = Ended.COMPLETE, **request: Any) -> Exchange:
    return Exchange(
        request=Request(method="POST", url="https://größe.example/v1/chat/completions", body=b"{}", **request),
        status=200,
        headers=(("Content-Type", "text/event-stream"), ("Vary", "a"), ("vary", "b")),
        body=chunks,
        ref="chat-stream",
        ended=ended,
        arrivals_ms=tuple(float(n) for n in range(len(chunks))),
    )


def put(folder: str, *exchanges: Exchange, synthetic: bool = False) -> str:
    path = os.path.join(folder, "chat-stream.yaml")
    with open(path, "wb") as file:
        file.write(vcr_write.cassette(exchanges, NOON, by="contracts record", synthetic=synthetic))
    with open(captures.timing_of(path), "wb") as file:
        file.write(timing.written(exchanges))
    return path


@settings(max_examples=60, deadline=None)
@given(st.lists(CHUNKS, min_size=1, max_size=3), st.sampled_from(list(Ended)))
def test_any_bytes_come_back_cut_and_timed_as_they_arrived(bodies: list[list[bytes]], ended: Ended) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        written = [exchange(*chunks, ended=ended) for chunks in bodies]
        path = put(folder, *written)
        read = captures.read(path)
        assert [e.body for e in read] == [e.body for e in written]
        assert [e.arrivals_ms for e in read] == [e.arrivals_ms for e in written]
        assert {e.ended for e in read} == {ended}
        with open(path, encoding="utf-8") as file:
            plain = yaml.load(file, Loader=yaml.CSafeLoader)
        bodies_ = [i["response"]["body"]["string"] for i in plain["interactions"]]
        raw = [body if isinstance(body, bytes) else body.encode() for body in bodies_]
        assert raw == [b"".join(chunks) for chunks in bodies]


def test_a_cassette_says_what_it_is(tmp_path: Any) -> None:
    read = captures.read(put(str(tmp_path), exchange(b"\xc3", b"\xa9"), exchange(b"x", keyless=True), synthetic=True))
    assert [(e.source, e.at, e.request.keyless) for e in read] == [
        (Source.SYNTHETIC, NOON, False),
        (Source.SYNTHETIC, NOON, True),
    ]
    assert read[0].body == (b"\xc3", b"\xa9")
    recorded = captures.read(put(str(tmp_path), exchange(b"\xc3\xa9")))
    assert recorded[0].source is Source.RECORDED
    assert recorded[0].headers == (("Content-Type", "text/event-stream"), ("Vary", "a"), ("Vary", "b"))


def test_vcrpy_plays_what_was_written(tmp_path: Any) -> None:
    body = "data: Größe, 你好\r\n\r\n".encode()
    written = exchange(body[:8], body[8:])
    request = Request(method="POST", url="https://provider.example/v1/chat/completions", body=b"{}")
    path = put(str(tmp_path), structs.replace(written, request=request))
    with vcr.use_cassette(path, record_mode="none") as played:
        answer = httpx.post("https://provider.example/v1/chat/completions", content=b"{}")
    assert (answer.status_code, answer.content) == (200, body)
    assert answer.headers["content-type"] == "text/event-stream"
    assert played.all_played


def test_without_its_sidecar_a_cassette_is_one_chunk(tmp_path: Any) -> None:
    path = put(str(tmp_path), exchange(b"\xc3", b"\xa9"))
    os.unlink(captures.timing_of(path))
    (read,) = captures.read(path)
    assert (read.body, read.arrivals_ms, read.ended) == ((b"\xc3\xa9",), None, Ended.UNKNOWN)


@pytest.mark.parametrize(
    ("sidecar", "message"),
    [
        ('{"schema": "contracts.timing/1", "interactions": []}', "expected the timing of 1 interactions, found fewer"),
        (
            '{"schema": "contracts.timing/1", "interactions": [{"chunks": [[1, 3]]}]}',
            r"interactions\[0\]: expected chunks of 2 bytes, found chunks of 3",
        ),
        (
            '{"schema": "contracts.timing/1", "interactions": [{"chunks": [[1, 2], [1, 0]]}]}',
            r"interactions\[0\]: expected chunks of 2 bytes, found an empty chunk",
        ),
        (
            '{"schema": "contracts.timing/1", "interactions": [{"chunks": [[2, 1], [1, 1]]}]}',
            r"interactions\[0\]: expected arrivals in order, found one before another",
        ),
        ('{"schema": "größe/1", "interactions": []}', "expected the schema 'contracts.timing/1', found another"),
        ('{"interactions": []}', "expected the member 'schema', found none"),
        ("kein JSON — é", "expected JSON, found"),
    ],
)
def test_a_sidecar_that_does_not_fit_is_refused(tmp_path: Any, sidecar: str, message: str) -> None:
    path = put(str(tmp_path), exchange(b"\xc3\xa9"))
    with open(captures.timing_of(path), "w", encoding="utf-8") as file:
        file.write(sidecar)
    with pytest.raises(CaptureError, match=rf"chat-stream\.timing\.json.*: {message}"):
        captures.read(path)


def listed(folder: Any) -> dict[str, bytes]:
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def accept(_: str) -> None:
    """Have nothing against it."""


def test_files_are_put_beside_those_that_are_there(tmp_path: Any) -> None:
    target = tmp_path / "cassettes" / "größe"
    folders.write(str(target), {"a.yaml": b"1", "b.yaml": b"2"}, accept)
    folders.write(str(target), {"b.yaml": b"3", "c.yaml": b"4"}, accept)
    assert listed(tmp_path) == {
        "cassettes/größe/a.yaml": b"1",
        "cassettes/größe/b.yaml": b"3",
        "cassettes/größe/c.yaml": b"4",
    }


def test_a_folder_behind_a_link_is_changed_and_the_link_stays(tmp_path: Any) -> None:
    (tmp_path / "echt").mkdir()
    (tmp_path / "größe").symlink_to("echt")
    folders.write(str(tmp_path / "größe"), {"a.yaml": b"1"}, accept)
    assert (tmp_path / "größe").is_symlink()
    assert listed(tmp_path / "echt") == {"a.yaml": b"1"}


@pytest.mark.parametrize("fault", [CaptureError("é"), ConfigError("é"), OSError("é"), KeyboardInterrupt()])
@pytest.mark.parametrize("there", [True, False])
def test_whatever_goes_wrong_leaves_everything_as_it_was(tmp_path: Any, fault: BaseException, there: bool) -> None:
    target = tmp_path / "größe"
    if there:
        folders.write(str(target), {"a.yaml": b"1"}, accept)
    before = listed(tmp_path)

    def refuse(staged: str) -> None:
        assert listed(staged) == {"a.yaml": b"2", "b.yaml": b"3"}
        raise fault

    with pytest.raises((CaptureError, ConfigError, KeyboardInterrupt)):
        folders.write(str(target), {"a.yaml": b"2", "b.yaml": b"3"}, refuse)
    assert listed(tmp_path) == before
    assert os.listdir(tmp_path) == (["größe"] if there else [])


def test_a_disk_that_is_full_in_the_middle_leaves_everything_as_it_was(tmp_path: Any) -> None:
    import resource
    import signal

    target = tmp_path / "größe"
    folders.write(str(target), {"a.yaml": b"1"}, accept)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(ConfigError, match="expected a folder to write, found: File too large"):
            folders.write(str(target), {"a.yaml": b"2", "b.yaml": b"x" * 5000}, accept)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert listed(tmp_path) == {"größe/a.yaml": b"1"}


def test_a_file_in_the_place_of_the_folder_is_an_error_of_the_user(tmp_path: Any) -> None:
    (tmp_path / "größe").write_bytes(b"1")
    with pytest.raises(ConfigError, match="expected a folder to write"):
        folders.write(str(tmp_path / "größe"), {"a.yaml": b"2"}, accept)
    assert listed(tmp_path) == {"größe": b"1"}


def test_every_file_that_is_there_is_named(tmp_path: Any) -> None:
    folders.write(str(tmp_path / "é"), {"a.yaml": b"1", "b.yaml": b"1"}, accept)
    with pytest.raises(ConfigError) as refused:
        folders.refuse_overwriting(str(tmp_path / "é"), ["a.yaml", "b.yaml", "c.yaml"])
    assert len(refused.value.problems) == 2
    assert all(p.endswith("expected no such file, found one; --force overwrites it") for p in refused.value.problems)
