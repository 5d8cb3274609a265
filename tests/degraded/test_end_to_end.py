"""Both incidents from the wire on: a hostile provider, a proxy on `requests`, a tap, the table, the warning, the note.

The proxy has the bug: it reads text without a declared charset as `requests` guesses, and encodes that as UTF-8.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import requests

from contracts import dialects
from contracts.breaker.observed import Row, observed
from contracts.config import catalogue
from contracts.observations import Observation
from contracts.taps import Spoken, Taps, of_requests
from contracts.testing.plugin import Factory, hostile_provider
from contracts.verifications.place import parse
from contracts.verifications.store import Verifications
from tests.degraded.test_degraded import Degraded, asked, degraded, note_of, router, url_of

__all__ = ["degraded", "hostile_provider", "router"]

FREE = "nvidia/nemotron:free"
OTHERS = {"openrouter": ("z-ai/glm",), "neuralwatt": ("qwen", "智谱/模型")}
KEY = {"Authorization": "Bearer test"}


class Proxy(NamedTuple):
    """A router's forwarding loop with the bug, and a tap beside what it hands on."""

    taps: Taps
    session: requests.Session

    def ask(self, provider: str, url: str, model: str, *, decodes: bool) -> bytes:
        """Ask a provider, and hand on what came: its bytes, or what was read and written again."""
        body: dict[str, Any] = {"model": model, "stream": True, "messages": [{"role": "user", "content": "In French!"}]}
        with self.session.post(f"{url}/chat/completions", json=body, stream=True, timeout=10, headers=KEY) as response:
            tap = of_requests.tap(self.taps, provider, response)
            handed_on = []
            for piece in response.iter_content(chunk_size=None, decode_unicode=decodes):
                chunk = piece.encode() if isinstance(piece, str) else piece
                tap.feed(chunk)
                handed_on.append(chunk)
            tap.finish("complete")
        assert tap.failure is None
        return b"".join(handed_on)


@pytest.fixture
def rows() -> list[Row]:
    """What taps told."""
    return []


@pytest.fixture
def proxy(rows: list[Row]) -> Iterator[Proxy]:
    """A proxy whose taps write rows of the router's table."""
    known = catalogue.load(None)
    spoken = Spoken(dialects.load("openai-chat"), known.tables("openai-chat"))

    def write(one: Observation) -> None:
        rows.append(observed(one.at, one.provider, one.model or "", one.verification, one.count))

    with requests.Session() as session:
        yield Proxy(Taps({"openrouter": spoken, "neuralwatt": spoken}, write), session)


def served(names: tuple[str, ...]) -> dict[str, str]:
    return dict.fromkeys(names, "0")


def test_mojibake_trips_the_provider_and_blames_the_transport(
    proxy: Proxy, rows: list[Row], router: Path, degraded: Degraded, hostile_provider: Factory
) -> None:
    models = {"openrouter": (FREE, *OTHERS["openrouter"]), "neuralwatt": OTHERS["neuralwatt"]}
    for provider, scenario in (("openrouter", "honest"), ("neuralwatt", "declared")):
        server = hostile_provider(scenario, models=served(models[provider]))
        for model in models[provider]:
            for _ in range(3):
                proxy.ask(provider, server.base_url, model, decodes=True)
    assert Counter((row.provider, row.verdict) for row in rows) == {
        ("openrouter", "mangled"): 6,
        ("neuralwatt", "ok"): 6,
    }
    record(router, rows)
    done = degraded("--verifications", url_of(router), "--apply", "--fail-on", "warning", "--note", note_of(router))
    assert done.returncode == 1
    assert "Z: double-utf8-latin1 6 × at 2 of 2 models, new after a day without it, none at neuralwatt" in done.stdout
    assert "the transport did it, not the models" in done.stdout
    decided = asked(router, "SELECT verdict, anbieter, modell FROM verifications WHERE kind = 'breaker'")
    assert decided == [("open", "openrouter", "*")]
    notes = dict(asked(router, "SELECT name, degraded FROM providers"))
    assert notes["openrouter"].startswith("Text is damaged on the wire (double-utf8-latin1, 6 × in 24 h at 2 models)")
    assert notes["neuralwatt"] is None


def test_the_same_proxy_that_forwards_bytes_shows_nothing(
    proxy: Proxy, rows: list[Row], hostile_provider: Factory
) -> None:
    server = hostile_provider("honest", models=served((FREE,)))
    proxy.ask("openrouter", server.base_url, FREE, decodes=False)
    assert [row.verdict for row in rows] == ["ok"]


def test_empty_answers_with_status_200_trip_the_model_that_sends_them(
    proxy: Proxy, rows: list[Row], router: Path, degraded: Degraded, hostile_provider: Factory
) -> None:
    silent = hostile_provider("empty-success", models=served((FREE,)))
    calling = hostile_provider("call-id-repeated", models=served((FREE,)))
    fine = hostile_provider("declared", models=served(OTHERS["openrouter"]))
    other = hostile_provider("declared", models=served(OTHERS["neuralwatt"]))
    for number in range(108):  # 38 of them empty, 70 with a tool call
        server = calling if number % 54 >= 19 else silent
        proxy.ask("openrouter", server.base_url, FREE, decodes=False)
    for provider, server, model, calls in (
        ("openrouter", fine, "z-ai/glm", 18), ("neuralwatt", other, "qwen", 8), ("neuralwatt", other, "智谱/模型", 2),
    ):  # fmt: skip
        for _ in range(calls):
            proxy.ask(provider, server.base_url, model, decodes=False)
    of_free = Counter((row.verdict, row.detail, row.model_attributable) for row in rows if row.model == FREE)
    assert of_free == {("malformed", "empty response", True): 38, ("unverifiable", "tool call", False): 70}
    record(router, rows)
    done = degraded("--verifications", url_of(router), "--apply", "--fail-on", "warning", "--note", note_of(router))
    assert done.returncode == 1
    assert f"! openrouter [{FREE}]: malformed, empty response: 38 of 38 judged (100.0%), 108 answers" in done.stdout
    assert "1 warning, 136 answers in 24 h; 1 decision written" in done.stdout
    decided = asked(router, "SELECT verdict, anbieter, modell FROM verifications WHERE kind = 'breaker'")
    assert decided == [("open", "openrouter", FREE)]
    ((note,),) = asked(router, "SELECT degraded FROM providers WHERE name = 'openrouter'")
    assert note.startswith(f"{FREE}: 38 of 38 empty responses in 24 h: ")


def record(router: Path, rows: list[Row]) -> None:
    table = Verifications(parse(url_of(router)))
    table.record(rows)
    table.close()
    with closing(sqlite3.connect(router)) as connection:
        assert connection.execute("SELECT count(*) FROM verifications").fetchone() == (len(rows),)
