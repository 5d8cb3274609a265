"""What no tidy server sends: heads and trailers in single bytes, bytes ahead of TLS, names that nobody resolves."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from contracts.errors import EvidenceError
from contracts.evidence import http1, network
from tests.live.conftest import ENDPOINT, KEY, Check, row
from tests.live.test_wire import HEAD, answered

CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


@contextmanager
def raw(speak: Callable[[socket.socket], None]) -> Iterator[int]:
    """Listen on a port of loopback, and let a function speak on every connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=spoken, args=(connection,), daemon=True).start()

        def spoken(connection: socket.socket) -> None:
            with connection:
                try:
                    speak(connection)
                except OSError:
                    return  # the other side has had enough

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.parametrize("status", [b"204 Leer", b"304 Gleich"])
def test_an_answer_that_can_have_no_body_has_none_whatever_it_says(status: bytes) -> None:
    said = b"HTTP/1.1 " + status + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert answered([said])[2:] == (b"", True)
    assert answered([said + b"3\r\nabc\r\n0\r\n\r\n"])[2:] == (b"", False)


def test_chunks_before_http_1_1_are_read_and_the_connection_is_left() -> None:
    said = b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
    assert answered([said])[2:] == (b"abc", False)


NONE = {
    "a length after a vertical tab": HEAD + b"Content-Length: \x0b3\r\n\r\nabc",
    "a transfer that is not named": HEAD + b"Transfer-Encoding:\r\nContent-Length: 3\r\n\r\nabc",
    "a header folded for ever": HEAD + b"X-Falte: \xc3\xa9\r\n" + b" x\r\n" * 20_000 + b"\r\n",
    "headers that came all at once": HEAD + b"X-Flut: \xc3\xa9\r\n" * 10_000 + b"\r\n",
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_answer_is_told(name: str) -> None:
    started_at = time.process_time()
    with pytest.raises(EvidenceError):
        answered([NONE[name]])
    assert time.process_time() - started_at < 1


@pytest.mark.parametrize(
    "end", [b"0\r\n\r\n", b"0\r\nX: \xc3\xa9\r\n\r\n", b"0\n\n", b"0\r\n\r\nmehr", b"0\r\nX: y\n\r\n\n"]
)
def test_where_the_network_cuts_trailers_does_not_matter(end: bytes) -> None:
    whole = CHUNKED + b"3\r\nabc\r\n" + end
    behind = end.endswith((b"mehr", b"\n\r\n\n"))
    assert answered([whole])[2:] == (b"abc", not behind)
    for cut in range(1, len(whole)):
        got = answered([whole[:cut], whole[cut:]])
        # What has not arrived when an answer ends is looked for before the next request.
        assert got[2] == b"abc"
        assert behind or got[3], cut


@pytest.mark.parametrize("name", ["head", "trailers"])
def test_what_never_ends_in_single_bytes_takes_no_time_that_grows_with_its_square(name: str) -> None:
    begin = b"HTTP/1.1 200 OK\r\nX: " if name == "head" else CHUNKED + b"0\r\nX: "
    pieces = [begin] + [b"\xe9"] * (http1.MAX_HEAD_BYTES + 100)
    started_at = time.process_time()
    with pytest.raises((EvidenceError, http1.CutError)):
        answered(pieces)
    assert time.process_time() - started_at < 20  # it was a minute, and is two seconds


def test_a_name_server_that_says_nothing_holds_no_run_beyond_its_deadline(
    check: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, silent = socket.getaddrinfo, threading.Event()

    def slow(host: Any, *rest: Any, **more: Any) -> Any:
        if host == "schweigt.invalid":
            silent.wait(20)
            raise socket.gaierror(socket.EAI_AGAIN, "später")
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    rows = {f"bistro-{n}": row("http://schweigt.invalid/v1") for n in range(8)}
    started_at = time.monotonic()
    try:
        with raw(lambda connection: connection.sendall(HEAD + b"Content-Length: 0\r\n\r\n")) as port:
            got = check({**rows, "cafe": row(f"http://localhost:{port}/v1")}, timeout_s=0.5)
    finally:
        silent.set()
    assert time.monotonic() - started_at < 4
    assert "deadline" in got.reason("models.shape", "bistro-0")
    assert "deadline" not in got.reason("models.shape"), "the silence of others held it up"


def test_bytes_that_a_proxy_puts_ahead_of_tls_are_never_taken_for_what_came_within_it(
    hostile_provider: Callable[..., Any], check: Check, tmp_path: Any
) -> None:
    provider = hostile_provider("declared", tls=True)
    bundle = tmp_path / "ca.pem"
    bundle.write_bytes(provider.authority_pem)
    listing = b'{"data": [{"id": "gef\xc3\xa4lscht"}]}'
    forged = HEAD + b"Content-Length: %d\r\n\r\n" % len(listing) + listing

    def proxy(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        time.sleep(0.02)
        connection.sendall(forged)
        with socket.create_connection(("127.0.0.1", int(provider.base_url.split(":")[2].split("/")[0]))) as onward:
            pump = threading.Thread(target=passed, args=(onward, connection), daemon=True)
            pump.start()
            passed(connection, onward)

    with raw(proxy) as port:
        environ = {"LOOPBACK_KEY": KEY, "https_proxy": f"http://127.0.0.1:{port}", "SSL_CERT_FILE": str(bundle)}
        got = check({"cafe": row(provider)}, environ=environ, timeout_s=5)
    assert "models.shape" not in got.violated
    assert "gefälscht" not in repr(got.report)


def passed(source: socket.socket, to: socket.socket) -> None:
    """Pass bytes on until there are no more."""
    try:
        while data := source.recv(65536):
            to.sendall(data)
    except OSError:
        return


@pytest.mark.parametrize("said", [b"", HEAD + b"Content-Length: 0\r\n\r\n"])
def test_what_came_unasked_is_seen_before_the_loop_has_read_it(said: bytes) -> None:
    """Or the next answer would be taken from it. Without bytes, the other side has gone."""
    go, gone = threading.Event(), threading.Event()

    def speak(connection: socket.socket) -> None:
        go.wait(5)
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        gone.set()

    async def run(port: int) -> tuple[bool, bool]:
        connection = await network.connect("127.0.0.1", port)
        before = connection.is_readable
        go.set()
        gone.wait(5)
        time.sleep(0.05)  # noqa: ASYNC251 - the loop must not look
        after = connection.is_readable
        connection.abort()
        return before, after

    with raw(speak) as port:
        assert asyncio.run(run(port)) == (False, True)


def test_a_server_that_leaves_without_a_word_after_each_answer_is_asked_again_for_what_is_safe(check: Check) -> None:
    kinds: list[bytes] = []

    def speak(connection: socket.socket) -> None:
        asked = connection.recv(65536)
        kinds.append(asked.split(b" ")[0])
        path = asked.split(b" ")[1]
        served = b'{"data": {"endpoints": [{"name": "gr\xc3\xb6\xc3\x9fe"}]}}'
        body = served if path.endswith(b"/endpoints") else b'{"data": [{"id": "gr\xc3\xb6\xc3\x9fe"}]}'
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    models = [f"größe/{n}" for n in range(30)]
    with raw(speak) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1", models=models, endpoint=ENDPOINT)})
    assert got.outcome("models.resolve") == "holds"
    assert kinds.count(b"POST") == 1


def test_bytes_that_wait_when_tls_begins_are_refused() -> None:
    def speak(connection: socket.socket) -> None:
        connection.sendall(HEAD + b"\r\n")
        connection.recv(1)

    async def run(port: int) -> None:
        connection = await network.connect("127.0.0.1", port)
        await asyncio.sleep(0.05)
        await connection.start_tls(ssl.create_default_context(), "localhost")

    with raw(speak) as port, pytest.raises(EvidenceError, match="ahead of the TLS handshake") as caught:
        asyncio.run(run(port))
    assert caught.value.phase == "tls"


@pytest.mark.parametrize("head", [CHUNKED, HEAD + b"Content-Length: 40\r\n\r\n"])
@pytest.mark.parametrize("came", [b"", b"1", b"22\r\n", b'22\r\n{"data": [{"id": "gr\xc3'])
def test_an_answer_that_was_cut_says_nothing_of_the_provider(head: bytes, came: bytes, check: Check) -> None:
    def speak(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(head + (came if head is CHUNKED else came[4:]))

    with raw(speak) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1")}, contracts=("models.shape", "reply.json"))
    assert (got.violated, got.status) == (set(), 3)
    assert "cut within the answer" in got.reason("models.shape")
