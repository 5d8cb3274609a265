"""Record the cassettes: a loopback server plays the answers of tests/played, vcrpy records them over real sockets.

Those of the dialects are played by the hostile provider (`dialect_cassettes`).

No byte of them was ever sent by a provider, and each cassette says so in its first lines. What is recorded depends on
the files played and on nothing else: no clock, no port, no random number gets into a cassette.

    python tools/cassettes.py [FOLDER]      (default: cassettes)
"""

from __future__ import annotations

import copy
import glob
import http.client
import os
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Also where nothing is installed, the readers under test are those of this checkout.
sys.path.insert(0, ROOT)

import vcr  # type: ignore[import-untyped] # noqa: E402 - after the path; vcrpy ships no types

from contracts import captures  # noqa: E402 - after the path
from contracts.model import Exchange  # noqa: E402 - after the path
from tools import dialect_cassettes  # noqa: E402 - after the path

PLAYED = os.path.join(ROOT, "tests", "played")
# Where a client that replays a cassette believes it is talking to.
HOSTS = {"openrouter": "https://openrouter.ai", "neuralwatt": "https://api.neuralwatt.com"}
# Sent to the loopback server so that scrubbing has something to scrub; a test looks for it in every cassette.
KEY = "sk-loopback-0123456789abcdef"

# The least byte that begins a character of more than one byte in UTF-8.
_LEAD = 0xC0

HEADER = """\
# Synthetic: a loopback server of this project played tests/played/{name}.http,
# and vcrpy recorded it over a real socket (make cassettes). No byte of it was sent by the provider.
recorded:
  source: synthetic
  by: tools/cassettes.py
  at: 2026-11-30T12:00:00Z
  note: played by a loopback server of this project; not sent by the provider
  keyless: {keyless}
"""


def main(folder: str) -> None:
    """Record every answer of tests/played into `folder`/PROVIDER/NAME.yaml."""
    for path in sorted(glob.glob(os.path.join(PLAYED, "*", "*.http"))):
        name = os.path.relpath(path, PLAYED).removesuffix(".http")
        record(name, os.path.join(folder, name + ".yaml"))


def record(name: str, cassette: str) -> None:
    """Play and record one answer; `name` is PROVIDER/NAME."""
    path = os.path.join(PLAYED, name)
    (exchange,) = captures.read(f"{path}.http", captures.read_request(f"{path}.request.json"))
    if os.path.exists(cassette):
        os.remove(cassette)
    with played(exchange) as port:
        tape = vcr.VCR(
            before_record_request=_public(f"http://127.0.0.1:{port}", HOSTS[name.partition("/")[0]]),
            before_record_response=_without_cookies,
            record_mode="once",
        )
        with tape.use_cassette(cassette):
            _ask(port, exchange)
    with open(cassette, encoding="utf-8") as file:
        text = file.read()
    with open(cassette, "w", encoding="utf-8", newline="\n") as file:
        file.write(HEADER.format(name=name, keyless=[0] if exchange.request.keyless else []) + text)


def pieces(body: bytes) -> Iterator[bytes]:
    """Cut a body where it hurts: inside every character of more than one byte, and between two line ends.

    A blank line is two line ends, so every event of a stream arrives in at least two pieces.
    """
    start = 0
    for at, byte in enumerate(body, 1):
        if byte >= _LEAD or byte in b"\r\n":
            yield body[start:at]
            start = at
    if start < len(body):
        yield body[start:]


@contextmanager
def played(exchange: Exchange) -> Iterator[int]:
    """Serve one answer to one client on a loopback port, which is yielded."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, exchange))
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            # Should no client have come, this wakes the server up.
            with socket.socket() as visitor:
                visitor.connect_ex(server.getsockname())
            thread.join()


def _serve(server: socket.socket, exchange: Exchange) -> None:
    connection, _ = server.accept()
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not _has_read_request(connection):
            return
        chunked = any(name.lower() == "transfer-encoding" for name, _ in exchange.headers)
        head = "".join(f"{name}: {value}\r\n" for name, value in exchange.headers)
        status = f"HTTP/1.1 {exchange.status} {HTTPStatus(exchange.status).phrase}\r\n"
        connection.sendall(f"{status}{head}\r\n".encode("latin-1"))
        for piece in pieces(b"".join(exchange.body)):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)
        connection.sendall(b"0\r\n\r\n" if chunked else b"")


def _has_read_request(connection: socket.socket) -> bool:
    """Read a request to its end. False when the client said nothing."""
    with connection.makefile("rb") as file:
        if not file.readline():
            return False
        headers = http.client.parse_headers(file)
        file.read(int(headers.get("Content-Length", "0")))
    return True


def _ask(port: int, exchange: Exchange) -> None:
    request = exchange.request
    headers = {"Host": f"127.0.0.1:{port}", "User-Agent": "contracts-recorder", "Accept": "*/*"}
    if request.body:
        headers["Content-Type"] = "application/json"
    if not request.keyless:
        headers["Authorization"] = f"Bearer {KEY}"
    # http.client, because vcrpy keeps the case of header names with it and not with httpx.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(request.method, request.url, body=request.body or None, headers=headers)
    body = connection.getresponse().read()
    connection.close()
    if body != b"".join(exchange.body):
        raise SystemExit(f"{exchange.ref}: expected what was played, found {len(body)} other bytes")


def _public(loopback: str, host: str) -> Any:
    """Give the hook that makes a recorded request look as if sent to `host`, without its key."""

    def rewrite(request: Any) -> Any:
        request = copy.copy(request)
        request.uri = request.uri.replace(loopback, host)
        request.headers = {
            name: value for name, value in request.headers.items() if name.lower() not in ("authorization", "host")
        }
        return request

    return rewrite


def _without_cookies(response: Any) -> Any:
    kept = {name: value for name, value in response["headers"].items() if name.lower() != "set-cookie"}
    return {**response, "headers": kept}


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "cassettes")
    main(where)
    dialect_cassettes.main(os.path.join(where, dialect_cassettes.FOLDER))
