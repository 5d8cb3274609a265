"""A provider that says in its answers what it should keep to itself, and a row for it."""

from __future__ import annotations

import base64
import gzip
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

KEY = "acme-Zwiebel-0815-geheim"
MODEL = "größe/libre"

Row = Callable[..., str]


class Leaky(BaseHTTPRequestHandler):
    """Quotes the key in every way it can, and names accounts, in headers and in bodies."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if self.server.is_private and not key:  # type: ignore[attr-defined]
            self._answer(401, "application/json", '{"error": {"message": "kein Schlüssel"}}'.encode())
            return
        listing = {
            "data": [{"id": MODEL, "pricing": {"prompt": "0", "completion": "0"}, "owned_by": "größe"}],
            "debug": base64.b64encode(f"Schlüssel: {key}".encode()).decode(),
            "organization_id": "org-AbCd1234EfGh5678",
            "contact": "maria@post.example.org",
        }
        self._answer(200, "application/json", json.dumps(listing).encode())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not key:
            told = {"error": {"message": 'no key; yours may be "sk-proj-aBcD1234efgh5678"', "user_id": "user_9f8e7d6c"}}
            self._answer(401, "application/json", json.dumps(told).encode())
            return
        pieces = [key[:7], key[7:]] if self.server.in_pieces else [json.dumps({"key": key}), " — größe"]  # type: ignore[attr-defined]
        events = [self._event(asked["model"], {"role": "assistant", "content": piece}, None) for piece in pieces]
        events += [self._event(asked["model"], {}, "stop"), b"data: [DONE]\n\n"]
        self._answer(200, "text/event-stream", b"".join(events))

    def _event(self, model: str, delta: dict[str, str], finish: str | None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": [choice]}
        return b"data: " + json.dumps(chunk).encode() + b"\n\n"

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        if self.server.is_coded:  # type: ignore[attr-defined]
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "__cf_bm=7f3a9c; path=/")
        self.send_header("OpenAI-Organization", "größe-gmbh".encode().decode("latin-1"))
        self.send_header("X-Api-Key", KEY)
        self.send_header("X-RateLimit-Reset-Requests", "6s")
        self.send_header("Cache-Control", f"private, token={KEY}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the method that is overridden
        """Say nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    in_pieces = False
    is_private = False
    is_coded = False


@pytest.fixture
def leaky() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Leaky) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def row(tmp_path: Any) -> Row:
    """Write a providers file with one row, `acme`, and give its path."""

    def write(base_url: str, *models: str, **more: Any) -> str:
        path = str(tmp_path / "providers.yaml")
        members = {
            "dialect": "openai-chat",
            "base_url": base_url,
            "api_key": "ACME_API_KEY",
            "models": list(models),
            "listing": {"path": "/models", "items": "data", "id": "id", "prices": "pricing"},
            "free_chats_per_day": 1,
            **more,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "providers": {"acme": members}}, file, ensure_ascii=False)
        return path

    return write
