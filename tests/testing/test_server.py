"""The server: keep-alive, pipelines, errors, TLS; it leaks nothing, stays small, and closes within a second."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import threading
import time
import tracemalloc
from typing import Any

import pytest

from contracts.testing import TEXT, HostileProvider, known_scenarios, text_of
from contracts.testing.answer import PIECE_BYTES

CLOSE_S = 1.0
ENDLESS = ("endless-body", "line-200mb", "gzip-bomb", "listing-huge", "keep-alive-for-ever", "slow-headers")
MOST_BYTES = 8 * 1024 * 1024  # that the server may hold while it sends hundreds of megabytes


def test_one_connection_serves_many_requests(client: Any) -> None:
    requests = [client.request_for(shown) for shown in ("listing", "chat", "stream", "endpoints", "keyless")]
    with HostileProvider() as provider, client.connect(provider) as connection:
        for request in requests:
            connection.sendall(client.to_bytes(request))
            data = b""
            while not client.parse(data, request).is_whole if b"\r\n\r\n" in data else True:
                data += connection.recv(1 << 16)
        assert [a.kind for a in provider.requests] == ["listing", "chat", "chat", "endpoints", "chat"]


def test_pipelined_requests_are_answered_in_order(client: Any) -> None:
    requests = [client.request_for("listing", url=f"/v1/models/loopback/{name}") for name in ("café", "libre", "none")]
    with HostileProvider() as provider:
        answered = client.talk(provider, requests)
    bodies = [json.loads(part.partition(b"\r\n\r\n")[2]) for part in answered.split(b"HTTP/1.1 ")[1:]]
    assert [body.get("id") for body in bodies] == ["loopback/café", "loopback/libre", None]


def test_a_request_may_come_byte_by_byte_and_in_chunks(client: Any) -> None:
    body = client.request_for("stream").body
    head = b"POST /v1/chat/completions HTTP/1.1\r\nX-Api-Key: k\r\nTransfer-Encoding: chunked\r\n\r\n"
    sent = (
        head + b"5;ext=1\r\n" + body[:5] + b"\r\n" + b"%x\r\n%s\r\n0\r\nTrailer: x\r\n\r\n" % (len(body) - 5, body[5:])
    )
    with HostileProvider() as provider, client.connect(provider) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(sent)):
            connection.sendall(sent[at : at + 1])
        connection.shutdown(socket.SHUT_WR)
        got = client.parse(b"".join(client.received(connection, 1 << 20)), client.request_for("stream"))
        assert provider.requests[0].body_bytes == len(body)
    assert text_of(got.body) == TEXT


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"BONJOUR\r\n\r\n", 400),
        (b"GET / SSH/2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: \xb2\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", 413),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\xc3\xa9\r\n", 400),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000, 431),
    ],
)
def test_a_request_that_cannot_be_read_is_refused(sent: bytes, status: int, client: Any) -> None:
    with HostileProvider() as provider, client.connect(provider) as connection:
        connection.sendall(sent)
        data = b"".join(client.received(connection, 1 << 20))
        assert data[:12] == f"HTTP/1.1 {status}".encode()
        assert provider.request_count == 0


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/models", 200, None),
        ("GET", "/api/v1/models", 200, None),
        ("GET", "/models?key=geheim", 200, None),
        ("GET", "http://proxied.invalid/v1/models", 200, None),
        ("GET", "/v1/models/loopback/caf%C3%A9/endpoints", 200, None),
        ("GET", "/v1/models/loopback/nichts/endpoints", 404, "model_not_found"),
        ("DELETE", "/v1/models", 405, None),
        ("GET", "/v1/chat/completions", 405, None),
        ("GET", "/v1/größe", 404, "unknown_url"),
        ("POST", "/v1/chat/completions", 401, "invalid_api_key"),
    ],
)
def test_paths_and_errors_are_those_of_the_dialect(
    method: str, path: str, status: int, code: str | None, client: Any
) -> None:
    with HostileProvider() as provider, client.connect(provider) as connection:
        connection.sendall(f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        got = client.parse(b"".join(client.received(connection, 1 << 20)), client.request_for("listing"))
    assert got.status == status
    assert json.loads(got.body).get("error", {}).get("code") == code


def test_the_cap_of_a_request_is_kept(client: Any) -> None:
    with HostileProvider() as provider:
        got = client.ask(provider, client.request_for("stream", max_tokens=2))
    assert text_of(got.body) == "Déjà vu — naïve cafe"
    assert b'"finish_reason":"length"' in got.body


def test_the_error_for_an_unknown_model_names_it(client: Any) -> None:
    with HostileProvider() as provider:
        got = client.ask(provider, client.request_for("chat", model="vendor/größer"))
    assert got.status == 404
    assert "'vendor/größer'" in json.loads(got.body)["error"]["message"]


def test_tls_is_served_with_a_certificate_that_its_authority_vouches_for(client: Any) -> None:
    with HostileProvider("declared", tls=True) as provider:
        assert provider.base_url.startswith("https://127.0.0.1:")
        with client.connect(provider) as connection:
            request = client.request_for("stream")
            connection.sendall(client.to_bytes(request))
            data = b""
            while not data.endswith(b"0\r\n\r\n"):
                data += connection.recv(1 << 16)
    assert text_of(client.parse(data, request).body) == TEXT


@pytest.mark.parametrize("name", known_scenarios())
def test_closing_ends_within_a_second_whatever_is_being_sent(name: str, client: Any) -> None:
    scenario = known_scenarios()[name]
    if scenario.stage == "certificate":
        pytest.skip("no client gets in")
    with HostileProvider(name, interval_s=3600.0) as provider, client.connect(provider) as connection:
        connection.sendall(client.to_bytes(client.request_for(scenario.shown)))
        if name != "stall-before-headers":
            try:
                connection.recv(1)
            except ConnectionResetError:
                assert name == "reset-at-once"
        started = time.monotonic()
        provider.__exit__(None, None, None)
        assert time.monotonic() - started < CLOSE_S
        assert provider.open_connections == 0
    assert not [t for t in threading.enumerate() if t.name == "hostile-provider"]


@pytest.mark.parametrize("name", known_scenarios())
def test_a_client_that_leaves_leaves_nothing_behind(name: str) -> None:
    scenario = known_scenarios()[name]
    if scenario.stage == "certificate":
        pytest.skip("no client gets in")

    async def leave() -> None:
        async with HostileProvider(name, interval_s=0.0) as provider, asyncio.timeout(5):
            port = int(provider.base_url.rpartition(":")[2].removesuffix("/v1"))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            kind = b"POST /v1/chat/completions" if scenario.shown in ("stream", "chat") else b"GET /v1/models"
            body = b'{"model":"loopback/libre","stream":true}'
            writer.write(kind + b" HTTP/1.1\r\nX-Api-Key: k\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            if name not in ("stall-before-headers", "reset-at-once"):
                await reader.read(1)
            writer.transport.abort()
            while provider.open_connections or not provider.request_count:  # noqa: ASYNC110 - nothing tells
                await asyncio.sleep(0)
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(leave())


@pytest.mark.parametrize("name", ENDLESS)
def test_what_is_sent_is_made_while_it_is_sent(name: str, client: Any) -> None:
    shown = known_scenarios()[name].shown
    limit = PIECE_BYTES if name in ("keep-alive-for-ever", "slow-headers") else 1 << 25
    with HostileProvider(name, interval_s=0.0) as provider, client.connect(provider) as connection:
        connection.sendall(client.to_bytes(client.request_for(shown)))
        connection.shutdown(socket.SHUT_WR)
        gc.collect()
        tracemalloc.start()
        try:
            for _ in client.received(connection, limit):
                pass
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < MOST_BYTES


def test_a_client_that_does_not_read_holds_the_server_back(client: Any) -> None:
    async def ignore() -> int:
        async with HostileProvider("endless-body") as provider, asyncio.timeout(5):
            request = client.to_bytes(client.request_for("stream"))
            with client.connect(provider) as connection:
                connection.sendall(request)
                # Once everything between the two is full, the one task that sends has to wait.
                while not provider.request_count:  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0)
                written = -1
                while written != provider.bytes_sent:
                    written = provider.bytes_sent
                    for _ in range(200):
                        await asyncio.sleep(0)
                return written

    assert 0 < asyncio.run(ignore()) < 64 * 1024 * 1024


def test_slow_is_as_slow_as_it_is_told_to_be(client: Any) -> None:
    with HostileProvider("slow-loris", interval_s=3600.0) as provider, client.connect(provider) as connection:
        request = client.request_for("stream")
        connection.sendall(client.to_bytes(request))
        data = b""
        while not data.endswith(b"1\r\n:\r\n"):
            data += connection.recv(1 << 16)
        connection.setblocking(False)  # noqa: FBT003 - socket's own signature
        with pytest.raises(BlockingIOError):
            connection.recv(1)


def test_a_port_that_is_taken_is_said_where_the_provider_is_started() -> None:
    with HostileProvider() as first:
        port = int(first.base_url.rpartition(":")[2].removesuffix("/v1"))
        with pytest.raises(OSError, match=str(port)), HostileProvider(port=port):
            pass


def test_a_connection_that_is_being_accepted_is_not_lost_when_the_server_closes() -> None:
    async def arrive(turns: int) -> None:
        async with HostileProvider("stall-before-headers") as provider:
            address = ("127.0.0.1", int(provider.base_url.rpartition(":")[2].removesuffix("/v1")))
            with socket.create_connection(address):
                for _ in range(turns):
                    await asyncio.sleep(0)
                await provider.__aexit__(None, None, None)
                assert provider.open_connections == 0

    for turns in range(8):
        asyncio.run(arrive(turns))
    gc.collect()  # what was lost warns here, and a warning is an error


def test_closing_leaves_no_task_that_waits(client: Any) -> None:
    async def close() -> int:
        async with HostileProvider("slow-loris", interval_s=3600.0) as provider, asyncio.timeout(5):
            port = int(provider.base_url.rpartition(":")[2].removesuffix("/v1"))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(client.to_bytes(client.request_for("stream")))
            await reader.readuntil(b"1\r\n:\r\n")
            await provider.__aexit__(None, None, None)
            writer.close()
            return len(asyncio.all_tasks())

    assert asyncio.run(close()) == 1
