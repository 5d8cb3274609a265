"""Relays of a few lines each: one that forwards as it should, and others with one fault each."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import httpx

from contracts.relay.check import check
from contracts.relay.question import RelaySettings
from contracts.relay.told import Checked
from contracts.testing.writers import load

HOP_BY_HOP = ("transfer-encoding", "content-length", "connection", "keep-alive")
UPSTREAM_S = 10.0


class Relay(ThreadingHTTPServer):
    """Forwards every POST to `upstream`, a base URL without its path, and the bytes of the answer as they come."""

    daemon_threads = True
    block_on_close = False
    upstream = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.client = httpx.Client(timeout=UPSTREAM_S, trust_env=False)

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()
        self.server_close()
        self.client.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer(self, handler: Handler, body: bytes) -> None:
        """Ask upstream and forward what comes."""
        try:
            with self.ask(handler, body) as answer:
                self.forward(handler, answer)
        except httpx.TransportError:
            handler.whole(502, b'{"error": {"message": "le fournisseur ne r\xc3\xa9pond pas"}}')

    def ask(self, handler: Handler, body: bytes) -> Any:
        headers = {n: v for n, v in handler.headers.items() if n.lower() not in (*HOP_BY_HOP, "host")}
        return self.client.stream("POST", self.upstream + handler.path, content=body, headers=headers)

    def forward(self, handler: Handler, answer: httpx.Response) -> None:
        handler.begin(self.status(answer), self.headers(answer))
        try:
            for piece in self.pieces(answer):
                handler.chunk(piece)
        except httpx.TransportError:
            self.cut(handler)
        else:
            self.end(handler)

    def status(self, answer: httpx.Response) -> int:
        return answer.status_code

    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        return [(n, v) for n, v in answer.headers.multi_items() if n.lower() not in HOP_BY_HOP]

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return answer.iter_raw()

    def cut(self, handler: Handler) -> None:
        """Leave out the last chunk: the connection is closed after every answer."""

    def end(self, handler: Handler) -> None:
        handler.wfile.write(b"0\r\n\r\n")


class Handler(BaseHTTPRequestHandler):
    """One connection of a client, for one request."""

    protocol_version = "HTTP/1.1"
    server: Relay

    def do_POST(self) -> None:
        self.close_connection = True
        self.server.answer(self, self.rfile.read(int(self.headers["content-length"])))

    def begin(self, status: int, headers: list[tuple[str, str]]) -> None:
        self.send_response_only(status)
        for name, value in (*headers, ("Transfer-Encoding", "chunked"), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()

    def chunk(self, piece: bytes) -> None:
        if piece:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    def whole(self, status: int, body: bytes) -> None:
        self.begin(status, [("Content-Type", "application/json")])
        self.chunk(body)
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of http.server
        """Say nothing."""


def blocks(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Give the events of a stream, with the blank line that ends each, and at last what none has ended."""
    kept = b""
    for piece in pieces:
        *whole, kept = (kept + piece).split(b"\r\n\r\n")
        yield from (block + b"\r\n\r\n" for block in whole)
    if kept:
        yield kept


def each_json(pieces: Iterator[bytes], change: Callable[[Any], bytes | None]) -> Iterator[bytes]:
    """Change the JSON of every event; an event of which nothing is left is dropped."""
    for block in blocks(pieces):
        if not block.startswith(b"data: {"):
            yield block
            continue
        changed = change(json.loads(block[6:]))
        if changed is not None:
            yield b"data: " + changed + b"\r\n\r\n"


def held(
    relay: Relay,
    *scenarios: str,
    dialect: str = "openai-chat",
    timeout_s: float = 10.0,
    environ: Mapping[str, str] | None = None,
    **options: Any,
) -> Checked:
    """Hold a relay to its promises; its upstream is where the provider then listens."""

    def tell(line: str) -> None:
        base = line.partition("http://")[2].partition(",")[0]
        relay.upstream = f"http://{base.partition('/')[0]}"

    settings = RelaySettings(
        url=relay.url + load(dialect).BASE,
        listen="127.0.0.1:0",
        dialect=dialect,
        scenarios=scenarios,
        timeout_s=timeout_s,
        **options,
    )
    return check(settings, tell, environ or {})


def broken(found: Checked) -> dict[str, set[str]]:
    """Give the promises that were broken, each with the trials that showed it."""
    told: dict[str, set[str]] = {}
    for one in found.findings:
        told.setdefault(one.promise, set()).add(one.trial)
    return told
