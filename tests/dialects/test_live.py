"""A live check in every dialect, against a server on loopback that plays the captures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from msgspec import structs

from contracts import dialects, live
from contracts.evidence.memory import Forgetful, Memory
from contracts.model import Exchange, Finding
from contracts.settings import Settings
from tests.dialects.folding import NAMES, asked, capture

OTHERS = [name for name in NAMES if name != "openai-chat"]
KEY = "sk-loopback-schluessel"
ASKED = (
    "http.media-type",
    "reply.json",
    "reply.schema",
    "reply.finish",
    "reply.error",
    "reply.not-empty",
    "text.intact",
)


class Player(ThreadingHTTPServer):
    """Answers a GET with the listing, a POST with a key with the stream, and one without with the error."""

    def __init__(self, name: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.listing, self.stream = capture(f"{name}-listing-ok"), capture(f"{name}-stream-ok")
        self.refusal = capture(f"{name}-bad-key")
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []


class Handler(BaseHTTPRequestHandler):
    server: Player

    def do_GET(self) -> None:
        self._answer(self.server.listing)

    def do_POST(self) -> None:
        self._answer(
            self.server.stream if any(KEY in value for value in self.headers.values()) else self.server.refusal
        )

    def _answer(self, exchange: Exchange) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.command, self.path, headers, sent))
        body = b"".join(exchange.body)
        self.send_response(exchange.status)
        for name, value in exchange.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        del format, args


@pytest.fixture
def player(request: pytest.FixtureRequest) -> Iterator[Player]:
    with Player(request.param) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def model_of(player: Player, name: str) -> str:
    """Name the model whose stream is played, as its request does."""
    return str(asked(name, player.stream.request.url, player.stream.request.body).model)


def judged(
    player: Player, name: str, folder: Path, *, memory: Memory | None = None, **changes: Any
) -> dict[str, Finding]:
    """Check one provider live; gives the findings by contract, of which a violation or an unknown is kept."""
    model = model_of(player, name)
    row = {"dialect": name, "base_url": f"http://127.0.0.1:{player.server_port}/api", "api_key": "LOOPBACK_KEY",
           "models": [model], "listing": {"path": "/models"}, **changes}  # fmt: skip
    path = folder / "providers.yaml"
    path.write_text(json.dumps({"version": 1, "providers": {"cafe": row}}, ensure_ascii=False), encoding="utf-8")
    report, _ = live.check(Settings(config=str(path), timeout_s=10.0), memory=memory, environ={"LOOPBACK_KEY": KEY})
    assert report.spend_usd == 0
    worst = ("violated", "unknown", "holds", "not-applicable", "waived")
    found = sorted(report.findings, key=lambda f: -worst.index(f.outcome.value))
    return {f.contract: f for f in found}


@pytest.mark.parametrize(("player", "name"), [(n, n) for n in OTHERS], indirect=["player"], ids=OTHERS)
def test_what_is_free_is_asked_and_what_is_not_is_told(player: Player, name: str, tmp_path: Path) -> None:
    found = judged(player, name, tmp_path)
    assert found["models.shape"].outcome.value == "holds"
    assert found["models.resolve"].outcome.value == "holds"
    assert found["reply.finish"].outcome.value == "unknown"
    assert found["reply.finish"].reason
    posts = [one for one in player.requests if one[0] == "POST"]
    ((_, _, headers, _),) = posts
    assert not any(KEY in value for value in headers.values())
    assert found["error.shape"].outcome.value == "holds"


@pytest.mark.parametrize(("player", "name"), [(n, n) for n in OTHERS], indirect=["player"], ids=OTHERS)
def test_where_nothing_is_billed_the_chat_is_sent_and_judged(player: Player, name: str, tmp_path: Path) -> None:
    found = judged(player, name, tmp_path, billing="none")
    chats = [one for one in player.requests if one[0] == "POST" and KEY in str(one[2])]
    ((_, path, headers, body),) = chats
    asking = dialects.load_asking(name)
    assert asking is not None
    assert path == f"/api{asking.chat_path(model_of(player, name))}"
    assert dict(asking.headers()).items() <= headers.items()
    assert asked(name, path, body).stream is True
    assert {c: found[c].outcome.value for c in ASKED} == dict.fromkeys(ASKED, "holds")


def priced(player: Player, components: dict[str, str]) -> dict[str, str]:
    """Price every model of the listing alike; gives the row's listing that reads it."""
    listing = json.loads(b"".join(player.listing.body))
    (entries,) = [v for v in listing.values() if isinstance(v, list)]
    for entry in entries:
        entry["pricing"] = components
    player.listing = structs.replace(player.listing, body=(json.dumps(listing, ensure_ascii=False).encode(),))
    return {"path": "/models", "prices": "pricing"}


@pytest.mark.parametrize(("player", "name"), [(n, n) for n in OTHERS], indirect=["player"], ids=OTHERS)
@pytest.mark.parametrize("price", ["0", "0.0000001"])
def test_a_model_that_the_listing_prices_at_nothing_is_asked_on_a_row_that_bills_and_no_other(
    player: Player, name: str, price: str, tmp_path: Path
) -> None:
    row: dict[str, Any] = {"listing": priced(player, {"prompt": "0", "completion": price}), "free_chats_per_day": 1}
    found = judged(player, name, tmp_path, **row)
    chats = [one for one in player.requests if one[0] == "POST" and KEY in str(one[2])]
    assert len(chats) == (price == "0")
    expected = "holds" if price == "0" else "unknown"
    of_chats = [c for c in ASKED if not c.startswith("http.")]  # which the listing shows too
    assert {c: found[c].outcome.value for c in of_chats} == dict.fromkeys(of_chats, expected)


@pytest.mark.parametrize(("player", "name"), [("gemini", "gemini")], indirect=["player"])
@pytest.mark.parametrize("prefix", ["", "models/"])
def test_what_a_chat_showed_is_kept_by_whatever_spelling_the_row_has_of_its_model(
    player: Player, name: str, prefix: str, tmp_path: Path
) -> None:
    memory, model = Forgetful(), prefix + model_of(player, name)
    for _ in range(2):
        row: dict[str, Any] = {"billing": "none", "free_chats_per_day": 5, "evidence_max_age": "1h", "models": [model]}
        assert judged(player, name, tmp_path, memory=memory, **row)["reply.finish"].outcome.value == "holds"
    assert len([one for one in player.requests if one[0] == "POST" and KEY in str(one[2])]) == 1
