"""Recording over the wire: what is asked, what is kept, what is removed, what it may cost."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import captures
from contracts.captures.secrets import scrubbed
from contracts.dialects.openai_chat_ask import FreeChat
from contracts.errors import ConfigError, EvidenceError, SpendRefused
from contracts.evidence.budget import ADDED_TOKENS, BudgetGuard, most_usd
from contracts.evidence.ledger import Ledger
from contracts.evidence.memory import Forgetful
from contracts.evidence.rules import RowRules
from contracts.evidence.transport import Incoming, Outgoing
from contracts.facts import Listing
from contracts.listed import Model
from contracts.model import Ended, Source
from contracts.record import RecordSettings, is_loopback, record
from contracts.testing import HostileProvider

KEY = "acme-Zwiebel-0815-geheim"
ENVIRON = {"ACME_API_KEY": KEY}
LIBRE, CAFE, GRAND = "loopback/libre", "loopback/café", "loopback/grand"
NAMES = ["chat-stream.timing.json", "chat-stream.yaml", "keyless.timing.json", "keyless.yaml"]
NAMES += ["models.timing.json", "models.yaml"]


def folder_of(path: str) -> str:
    return os.path.join(os.path.dirname(path), "cassettes", "acme")


def all_bytes(folder: str) -> bytes:
    held = b""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            held += file.read()
    return held


def test_free_evidence_is_kept_as_it_came_and_is_named_synthetic(row: Any) -> None:
    with HostileProvider() as provider:
        path = row(provider.base_url, CAFE, LIBRE)
        recorded = record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
        assert [(a.kind, a.model, a.keyed) for a in provider.requests if a.keyed or a.kind != "chat"]
        assert provider.paid_chats == ()
        assert len([a for a in provider.requests if a.keyed and a.kind == "chat"]) == 1
    folder = folder_of(path)
    assert sorted(os.listdir(folder)) == NAMES
    assert sorted(recorded.files) == [os.path.join(folder, name) for name in NAMES]
    (chat,) = captures.read(os.path.join(folder, "chat-stream.yaml"))
    assert provider.text in _text(b"".join(chat.body))
    assert chat.source is Source.SYNTHETIC
    assert chat.ended is Ended.COMPLETE
    (keyless,) = captures.read(os.path.join(folder, "keyless.yaml"))
    assert keyless.request.keyless
    assert recorded.totals.spend_usd == 0
    assert (recorded.totals.get, recorded.totals.post_free, recorded.totals.post_paid) == (1, 2, 0)


def test_when_pieces_arrived_is_kept_beside_the_cassette(row: Any) -> None:
    with HostileProvider("chat:pause-mid-stream", interval_s=0.01) as provider:
        path = row(provider.base_url, LIBRE)
        record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
    (chat,) = captures.read(os.path.join(folder_of(path), "chat-stream.yaml"))
    assert chat.arrivals_ms is not None
    assert len(chat.body) == len(chat.arrivals_ms) > 1
    assert max(b - a for a, b in pairwise(chat.arrivals_ms)) > 100  # twenty intervals are 200 ms


def _text(body: bytes) -> str:
    from contracts.testing import text_of

    return text_of(body)


def test_nothing_secret_reaches_a_file_and_all_that_was_removed_is_told(row: Any, leaky: Any) -> None:
    path = row(f"http://127.0.0.1:{leaky.server_port}/v1", "größe/libre")
    recorded = record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
    held = all_bytes(folder_of(path))
    for secret in (b"Zwiebel", b"0815", b"sk-proj", b"maria@", b"org-AbCd", b"user_9f8e", b"__cf_bm", b"gmbh"):
        assert secret not in held
    assert b"reset-requests" in held.lower()
    for exchange in [e for n in NAMES if n.endswith(".yaml") for e in captures.read(os.path.join(folder_of(path), n))]:
        assert not scrubbed(b"".join(exchange.body), [KEY])[1]
    removed = {(name, what) for name, what, _ in recorded.removed}
    assert {
        ("models", "key in the body"),
        ("models", "e-mail address in the body"),
        ("models", "account or organisation id in the body"),
        ("models", "header set-cookie"),
        ("models", "header openai-organization"),
        ("models", "header x-api-key"),
        ("models", "key in header cache-control"),
        ("models", "request header authorization"),
        ("keyless", "key in the body"),
        ("keyless", "account or organisation id in the body"),
        ("chat-stream", "key in the body"),
    } <= removed


def test_a_stream_that_says_the_key_in_pieces_is_not_kept(row: Any, leaky: Any) -> None:
    leaky.in_pieces = True
    path = row(f"http://127.0.0.1:{leaky.server_port}/v1", "größe/libre")
    recorded = record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
    assert sorted(os.listdir(folder_of(path))) == NAMES[2:]
    assert ("chat-stream", "the whole answer: key in pieces over its events", 1) in recorded.removed


def test_a_body_that_was_coded_is_looked_into_and_kept_plain(row: Any, leaky: Any) -> None:
    leaky.is_coded = True
    path = row(f"http://127.0.0.1:{leaky.server_port}/v1", "größe/libre")
    record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
    for name in ("models", "chat-stream", "keyless"):
        (exchange,) = captures.read(os.path.join(folder_of(path), f"{name}.yaml"))
        body = b"".join(exchange.body)
        assert body.startswith((b"{", b"data: {"))
        assert not scrubbed(body, [KEY])[1]
        assert not {"content-length", "content-encoding"} & {header.lower() for header, _ in exchange.headers}


def test_what_is_there_is_not_overwritten_and_nothing_is_asked(row: Any) -> None:
    with HostileProvider() as provider:
        path = row(provider.base_url, LIBRE)
        record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
        before, asked = all_bytes(folder_of(path)), provider.request_count
        with pytest.raises(ConfigError, match=r"models\.yaml: expected no such file, found one; --force overwrites it"):
            record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
        assert provider.request_count == asked
        assert all_bytes(folder_of(path)) == before
        record(RecordSettings(provider="acme", config=path, force=True), environ=ENVIRON)
        assert all_bytes(folder_of(path)) != before


def test_a_chat_counts_among_the_free_ones_of_the_day(row: Any) -> None:
    memory = Forgetful()
    with HostileProvider() as provider:
        path = row(provider.base_url, LIBRE)
        record(RecordSettings(provider="acme", config=path), environ=ENVIRON, memory=memory)
        again = record(RecordSettings(provider="acme", config=path, force=True), environ=ENVIRON, memory=memory)
        assert len([a for a in provider.requests if a.keyed and a.kind == "chat"]) == 1
    assert "chat-stream: today's free chats are used up" in again.missing


def test_without_a_key_what_needs_none_is_kept(row: Any) -> None:
    with HostileProvider("keyless") as provider:
        path = row(provider.base_url, LIBRE)
        recorded = record(RecordSettings(provider="acme", config=path), environ={})
    assert "models.yaml" in os.listdir(folder_of(path))
    assert any("ACME_API_KEY is not set" in line for line in recorded.missing)


def test_an_answer_that_is_about_the_key_is_no_evidence_of_the_provider(row: Any, leaky: Any) -> None:
    leaky.is_private = True
    path = row(f"http://127.0.0.1:{leaky.server_port}/v1", "größe/libre")
    recorded = record(RecordSettings(provider="acme", config=path), environ={})
    assert sorted(os.listdir(folder_of(path))) == ["keyless.timing.json", "keyless.yaml"]
    assert "models: GET /v1/models: not kept, it is about the key (status 401)" in recorded.missing


@pytest.mark.parametrize("scenario", ["gzip", "byte-by-byte", "until-close", "bom", "cr", "listing:gzip"])
def test_legal_ways_to_send_are_kept_decoded_and_read_again(row: Any, scenario: str) -> None:
    with HostileProvider(scenario) as provider:
        path = row(provider.base_url, LIBRE)
        recorded = record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
        text = provider.text
    assert recorded.missing == ()
    (chat,) = captures.read(os.path.join(folder_of(path), "chat-stream.yaml"))
    assert _text(b"".join(chat.body)) == text
    for exchange in (chat, *captures.read(os.path.join(folder_of(path), "models.yaml"))):
        headers = {name.lower(): value for name, value in exchange.headers}
        size = len(b"".join(exchange.body))
        assert "content-encoding" not in headers
        assert headers.get("content-length", str(size)) == str(size)


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ("chat:gzip-cut", "chat-stream: POST /v1/chat/completions: not kept, the gzip body ends too early"),
        ("listing:gzip-bomb", "models: GET /v1/models: not kept, "),
        ("listing:redirect-loop", "models: GET /v1/models: not kept, it leads elsewhere (status 30"),
    ],
)
def test_what_cannot_be_looked_into_is_not_kept(row: Any, scenario: str, told: str) -> None:
    with HostileProvider(scenario) as provider:
        path = row(provider.base_url, LIBRE, billing="none")
        recorded = record(RecordSettings(provider="acme", config=path, timeout_s=20), environ=ENVIRON)
    assert any(line.startswith(told) for line in recorded.missing), recorded.missing


def test_what_was_not_read_to_its_end_is_not_kept(row: Any) -> None:
    with HostileProvider("chat:stall-mid-stream") as provider:
        path = row(provider.base_url, LIBRE)
        recorded = record(RecordSettings(provider="acme", config=path, timeout_s=2), environ=ENVIRON)
    assert "chat-stream.yaml" not in os.listdir(folder_of(path))
    assert any(line.endswith("not kept, it was not read to its end") for line in recorded.missing)


def test_a_connection_that_is_cut_is_kept_as_cut(row: Any) -> None:
    with HostileProvider("chat:reset-mid-event") as provider:
        path = row(provider.base_url, LIBRE)
        record(RecordSettings(provider="acme", config=path), environ=ENVIRON)
    (chat,) = captures.read(os.path.join(folder_of(path), "chat-stream.yaml"))
    assert chat.ended is Ended.CUT


def test_where_nothing_came_nothing_is_written(row: Any) -> None:
    with HostileProvider() as provider:
        path = row(provider.base_url, LIBRE)
    with pytest.raises(EvidenceError, match=r"acme: nothing to record: .*refused the connection"):
        record(RecordSettings(provider="acme", config=path, timeout_s=5), environ=ENVIRON)
    assert not os.path.exists(os.path.dirname(folder_of(path)))


def test_a_budget_pays_for_every_model_of_the_row_and_for_no_other(row: Any) -> None:
    with HostileProvider() as provider:
        path = row(provider.base_url, LIBRE, CAFE)
        settings_ = RecordSettings(provider="acme", config=path, max_spend_usd=Decimal("0.01"))
        recorded = record(settings_, environ=ENVIRON)
        assert [a.model for a in provider.paid_chats] == [CAFE]
        assert provider.chats_of(GRAND) == ()
    chats = captures.read(os.path.join(folder_of(path), "chat-stream.yaml"))
    assert len(chats) == 2
    assert recorded.missing == ()
    assert recorded.totals.post_paid == 1
    assert Decimal(0) < recorded.totals.spend_usd <= Decimal("0.01")


@pytest.mark.parametrize("budget", ["0", "0.0005"])
def test_a_budget_that_does_not_cover_the_worst_pays_for_nothing(row: Any, budget: str) -> None:
    with HostileProvider() as provider:
        path = row(provider.base_url, LIBRE, CAFE, GRAND)
        settings_ = RecordSettings(provider="acme", config=path, max_spend_usd=Decimal(budget))
        recorded = record(settings_, environ=ENVIRON)
        assert provider.paid_chats == ()
    assert recorded.totals.spend_usd == 0
    told = [line for line in recorded.missing if "not sent, it may cost" in line]
    assert len(told) == (0 if budget == "0" else 2)


@pytest.mark.parametrize("scenario", ["price-words", "price-negative", "price-missing", "price-partial", "unlisted"])
def test_a_price_that_bounds_nothing_is_not_paid(row: Any, scenario: str) -> None:
    with HostileProvider(scenario) as provider:
        path = row(provider.base_url, CAFE)
        settings_ = RecordSettings(provider="acme", config=path, max_spend_usd=Decimal(100))
        recorded = record(settings_, environ=ENVIRON)
        assert provider.chats_of(CAFE) == ()
    assert any("does not bound what" in line for line in recorded.missing)


def entry(**prices: str) -> Model:
    return Model(id="é", prices=tuple(prices.items()))


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["prompt", "completion", "request", "image", "internal_reasoning"]),
        st.decimals(min_value=0, max_value=1000, places=9),
    ),
    st.integers(1, 500),
    st.integers(1, 64),
)
def test_the_most_is_never_less_than_any_bill(prices: dict[str, Decimal], bytes_: int, cap: int) -> None:
    most = most_usd([entry(**{n: str(p) for n, p in prices.items()})], bytes_, cap)
    if not {"prompt", "completion"} <= set(prices):
        assert most is None
        return
    paid = {n: p * (bytes_ + ADDED_TOKENS if n == "prompt" else cap) for n, p in prices.items()}
    assert most is not None
    assert most >= sum(paid.values())


class Counting:
    """A transport that answers nothing and counts what reached it, at whatever turn of the loop."""

    def __init__(self, order: list[int]) -> None:
        self.sent, self._order = 0, order

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        del request, phase
        self.sent += 1
        for _ in range(self._order.pop() if self._order else 0):
            await asyncio.sleep(0)
        return Incoming(500, [], _nothing(), lambda: None)

    async def aclose(self) -> None:
        """Hold nothing."""


async def _nothing() -> AsyncIterator[bytes]:
    for chunk in list[bytes]():
        yield chunk


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=8), st.integers(0, 5), st.integers(1, 8))
def test_no_interleaving_of_chats_passes_the_budget(order: list[int], affordable: int, chats: int) -> None:
    base = "http://127.0.0.1:9/v1"
    rules = RowRules(
        provider="p", base_url=base, catalogue=(), chat_path="/v1/chat/completions", declares_key=True, free=FreeChat
    )
    body = '{"model":"é","messages":[],"max_tokens":1}'.encode()
    price = entry(prompt="0.001", completion="0")
    each = most_usd([price], len(body), 1)
    assert each is not None
    ledger = Ledger(each * affordable)
    wire = Counting(order)
    guard = BudgetGuard(wire, rules, ledger)
    guard.listings = [Listing(models=(price,))]
    request = Outgoing("POST", f"{base}/chat/completions", (("Authorization", "Bearer é"),), body)

    async def all_at_once() -> list[Any]:
        asked = (guard.send(request, [""]) for _ in range(chats))
        return list(await asyncio.gather(*asked, return_exceptions=True))

    came = asyncio.run(all_at_once())
    assert wire.sent == min(affordable, chats)
    assert sum(isinstance(c, SpendRefused) for c in came) == chats - wire.sent
    assert ledger.totals.spend_usd == each * wire.sent


@pytest.mark.parametrize(
    "change",
    [
        {"url": "http://127.0.0.1:8/v1/chat/completions"},
        {"url": "http://127.0.0.1:9/v1/images"},
        {"body": '{"model":"é","messages":[]}'.encode()},
        {"body": '{"model":"é","messages":[],"max_tokens":4000}'.encode()},
        {"body": '{"model":"é","messages":[],"max_tokens":1,"n":100}'.encode()},
        {"body": '{"model":"é","model":"é","messages":[],"max_tokens":1}'.encode()},
        {"headers": (("Authorization", "a"), ("authorization", "b"))},
        {"method": "DELETE"},
    ],
)
def test_a_budget_buys_tiny_chats_and_nothing_else(change: dict[str, Any]) -> None:
    base = "http://127.0.0.1:9/v1"
    rules = RowRules(
        provider="p", base_url=base, catalogue=(), chat_path="/v1/chat/completions", declares_key=True, free=FreeChat
    )
    wire = Counting([])
    guard = BudgetGuard(wire, rules, Ledger(Decimal(10**6)))
    guard.listings = [Listing(models=(entry(prompt="0.001", completion="0"),))]
    body = '{"model":"é","messages":[],"max_tokens":1}'.encode()
    right = Outgoing("POST", f"{base}/chat/completions", (("Authorization", "Bearer é"),), body)
    asyncio.run(guard.send(right, [""]))
    with pytest.raises(SpendRefused):
        asyncio.run(guard.send(right._replace(**change), [""]))
    assert wire.sent == 1


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:1", True),
        ("https://localhost", True),
        ("http://größe.localhost.:1/v1", True),
        ("https://127.0.0.1.example.org", False),
        ("https://größe.example", False),
        ("https://localhost.example.org", False),
    ],
)
def test_loopback_is_told_by_the_host(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected


def command(path: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environ}
    return subprocess.run(
        [sys.executable, "-m", "contracts_cli", "record", "acme", "--config", path, *arguments],
        check=False, capture_output=True, text=True, env=own, timeout=60, cwd=os.path.dirname(path),
    )  # fmt: skip


def test_the_command_lists_files_on_standard_output_and_what_was_removed_on_standard_error(
    row: Any, leaky: Any, tmp_path: Any
) -> None:
    path = row(f"http://127.0.0.1:{leaky.server_port}/v1", "größe/libre")
    target = str(tmp_path / "anders")
    done = command(path, "-o", target, ACME_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == [os.path.join(target, "acme", name) for name in NAMES]
    lines = done.stderr.splitlines()
    assert "models: removed header set-cookie" in lines
    assert "models: removed key in the body" in lines
    assert lines[-1] == "1 GET, 2 free POST, 0 paid POST, 0 refused; spent at most 0 USD"
    assert KEY not in done.stdout + done.stderr
    again = command(path, "-o", target, ACME_API_KEY=KEY)
    assert (again.returncode, again.stdout) == (2, "")
    assert "--force overwrites it" in again.stderr


@pytest.mark.parametrize("amount", ["viel", "-1", "NaN", "inf", "1e999999999999999999", "1001", "１"])
def test_a_budget_that_is_no_amount_is_a_mistake_of_the_user(row: Any, amount: str) -> None:
    done = command(row("http://127.0.0.1:9/v1", "é"), f"--max-spend={amount}")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--max-spend: expected an amount in USD such as 0.05" in done.stderr


def test_a_provider_that_is_not_there_is_no_violation(row: Any) -> None:
    done = command(row("http://127.0.0.1:9/v1", "é"), "--timeout", "5s", ACME_API_KEY=KEY)
    assert done.returncode == 3
    assert "refused the connection" in done.stderr
