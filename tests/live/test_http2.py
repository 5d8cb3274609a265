"""HTTP/2, against a server that is not ours."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from hypercorn.asyncio import serve
from hypercorn.config import Config

from tests.live.conftest import KEY, Check, row

LISTING = '{"object":"list","data":[{"id":"größe-1","object":"model","created":1,"owned_by":"café"}]}'
NO_KEY = '{"error":{"message":"Schlüssel fehlt","type":"x","code":"invalid_api_key"}}'


@pytest.fixture
def http2_provider(tmp_path: Path) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """An HTTP/2 server with a certificate of its own: base URL, authority's file, and what was asked how."""
    asked: list[tuple[str, str]] = []
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    for name, blob in (("key", issued.private_key_pem), ("authority", authority.cert_pem)):
        blob.write_to_path(str(tmp_path / f"{name}.pem"))
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "certificate.pem"))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                message = await receive()
                await send({"type": f"{message['type']}.complete"})
                if message["type"] == "lifespan.shutdown":
                    return
        while (await receive()).get("more_body"):
            pass
        asked.append((scope["http_version"], scope["path"]))
        headers = [(b"content-type", b"application/json")]
        status, body = (200, LISTING) if scope["path"].endswith("/models") else (401, NO_KEY)
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for piece in (body.encode()[:30], body.encode()[30:]):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    listener = socket.create_server(("127.0.0.1", 0))
    config = Config()
    port = listener.getsockname()[1]
    config.bind = [f"fd://{listener.detach()}"]  # hypercorn closes it
    config.certfile, config.keyfile = str(tmp_path / "certificate.pem"), str(tmp_path / "key.pem")
    config.errorlog = None
    stop = threading.Event()

    async def run() -> None:
        await serve(app, config, shutdown_trigger=lambda: asyncio.to_thread(stop.wait))

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{port}/v1", str(tmp_path / "authority.pem"), asked
    finally:
        stop.set()
        thread.join(5)


def test_http2_is_spoken_where_the_provider_speaks_it(
    http2_provider: tuple[str, str, list[tuple[str, str]]], check: Check
) -> None:
    base_url, authority, asked = http2_provider
    got = check(
        {"cafe": row(base_url, models=["größe-1"], free_chats_per_day=0)},
        environ={"LOOPBACK_KEY": KEY, "SSL_CERT_FILE": authority},
    )
    assert got.outcome("models.resolve") == "holds", got.report.findings
    assert got.outcome("error.shape") == "holds"
    assert {version for version, _ in asked} == {"2"}
