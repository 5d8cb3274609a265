"""Nothing is spent: whatever the listing says, however requests interleave, and whoever writes the request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.dialects.openai_chat_ask import FreeChat
from contracts.errors import SpendRefused
from contracts.evidence.guard import SpendGuard
from contracts.evidence.ledger import Ledger
from contracts.evidence.memory import Forgetful
from contracts.evidence.prices import ZeroPrice, prove
from contracts.evidence.rules import PROBE_MODEL, Allowed, RowRules, Sending, decide
from contracts.evidence.transport import Incoming, Outgoing
from contracts.facts import Fault, Listing
from contracts.listed import Model
from contracts.testing import HostileProvider, known_scenarios
from tests.live.conftest import ENDPOINT, FREE, Check, row

HOST = "https://api.example:8443"
RULES = RowRules(
    provider="cafe",
    base_url=f"{HOST}/v1",
    catalogue=(("GET", "/v1/models"), ("GET", "/v1/models/{id}/endpoints"), ("POST", "/v1/show")),
    chat_path="/v1/chat/completions",
    declares_key=True,
    free=FreeChat,
)
PROOFS = {FREE: ZeroPrice(model=FREE, components=("completion", "prompt"))}
KEYED = {"authorization": "Bearer sk-1", "content-type": "application/json"}
CHAT = {"model": FREE, "stream": True, "max_tokens": 64, "messages": [{"role": "user", "content": "Größe 你好"}]}


def sending(method: str = "POST", path: str = "/v1/chat/completions", **changes: Any) -> Sending:
    body = changes.pop("body", CHAT)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Sending(method, changes.pop("host", HOST) + path, changes.pop("headers", KEYED), data)


ALLOWED = {
    "the listing": sending("GET", "/v1/models", body=b""),
    "another page of it": sending("GET", "/v1/models?after=größe", body=b""),
    "what serves a model": sending("GET", "/v1/models/a/b:free/endpoints", body=b""),
    "a POST of the catalogue": sending("POST", "/v1/show", body={"model": "größe"}),
    "a chat that is proven free": sending(),
    "a chat without a key": sending(headers={"content-type": "x"}, body={"model": PROBE_MODEL}),
}
REFUSED = {
    "another host": sending("GET", "/v1/models", host="https://evil.example:8443", body=b""),
    "another port": sending("GET", "/v1/models", host="https://api.example", body=b""),
    "another scheme": sending("GET", "/v1/models", host="http://api.example:8443", body=b""),
    "credentials in the URL": sending("GET", "/v1/models", host="https://a:b@api.example:8443", body=b""),
    "a host that only begins alike": sending("GET", "/v1/models", host="https://api.example:8443.evil", body=b""),
    "another path": sending("GET", "/v1/credits", body=b""),
    "a path that climbs": sending("GET", "/v1/models/../../x/endpoints", body=b""),
    "a path that climbs in disguise": sending("GET", "/v1/models/%2e%2e/x/endpoints", body=b""),
    "a path that climbs twice disguised": sending("GET", "/v1/models/%252e%252e/x/endpoints", body=b""),
    "a path that climbs with backslashes": sending("GET", "/v1/models/..%5c..%5cx/endpoints", body=b""),
    "another method": sending("DELETE", "/v1/models", body=b""),
    "a method in small letters": sending("post"),
    "a GET that says it is a POST": sending(
        "GET", "/v1/models", headers={**KEYED, "x-http-method-override": "POST"}, body=b""
    ),
    "another host by its header": sending("GET", "/v1/models", headers={"host": "evil.example"}, body=b""),
    "another path by its header": sending("GET", "/v1/models", headers={"x-original-url": "/v1/chat/completions"}),
    "a coded body": sending(headers={**KEYED, "content-encoding": "gzip"}),
    "a paid model": sending(body={**CHAT, "model": "loopback/grand"}),
    "a model in other letters": sending(body={**CHAT, "model": FREE.upper()}),
    "a model named twice": sending(body=b'{"model":"loopback/libre","max_tokens":9,"model":"loopback/grand"}'),
    "a model named twice, free at last": sending(body=b'{"model":"x","max_tokens":9,"model":"loopback/libre"}'),
    "no model": sending(body={"max_tokens": 9}),
    "a model that is a list": sending(body={**CHAT, "model": [FREE]}),
    "further models": sending(body={**CHAT, "models": ["loopback/grand"]}),
    "plugins": sending(body={**CHAT, "plugins": [{"id": "web"}]}),
    "tools": sending(body={**CHAT, "tools": []}),
    "many choices": sending(body={**CHAT, "n": 100}),
    "no cap": sending(body={k: v for k, v in CHAT.items() if k != "max_tokens"}),
    "a high cap": sending(body={**CHAT, "max_tokens": 65}),
    "a cap that is true": sending(body={**CHAT, "max_tokens": True}),
    "a second, higher cap": sending(body={**CHAT, "max_completion_tokens": 100_000}),
    "a body that is no JSON": sending(body=b"model=loopback/libre"),
    "a query behind a chat": sending("POST", "/v1/chat/completions?model=loopback/grand"),
    "a slash behind a chat": sending("POST", "/v1/chat/completions/"),
    "a chat in other letters": sending("POST", "/v1/Chat/completions"),
    "the probe's model with a key": sending(body={"model": PROBE_MODEL}),
    "the probe's model with a key of another name": sending(headers={"x-auth": "sk-1"}, body={"model": PROBE_MODEL}),
    "another model without a key": sending(headers={}, body={"model": "loopback/grand"}),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_what_is_free_may_be_sent(name: str) -> None:
    assert isinstance(decide(ALLOWED[name], RULES, PROOFS), Allowed)


@pytest.mark.parametrize("name", REFUSED)
def test_whatever_else_there_is_may_not(name: str) -> None:
    assert not isinstance(decide(REFUSED[name], RULES, PROOFS), Allowed)


def test_no_row_can_list_the_endpoint_that_bills_as_its_catalogue() -> None:
    import msgspec

    rules = msgspec.structs.replace(RULES, catalogue=(("POST", "/v1/chat/completions"), ("POST", "/v1/{id}")))
    for path in ("/v1/chat/completions", "/v1//chat/completions", "/v1/chat%2Fcompletions", "/v1/CHAT/completions/"):
        assert not isinstance(decide(sending("POST", path, body={"model": "x"}), rules, {}), Allowed), path


def test_a_row_without_a_key_is_never_asked_without_one() -> None:
    import msgspec

    rules = msgspec.structs.replace(RULES, declares_key=False)
    assert not isinstance(decide(ALLOWED["a chat without a key"], rules, {}), Allowed)


DEAR = [
    *[("completion", text) for text in ("1e-400", "free", "1E-99999999", "None", "0x0", "0,0")],
    *[("request", text) for text in ("-1", "-0", "", "NaN", "-Infinity", "٠", "０")],
]
FREE_PRICES = (("completion", "0"), ("image", "0.000"), ("prompt", "0"))


def listing(*prices: tuple[tuple[str, str], ...], faults: tuple[Fault, ...] = ()) -> Listing:
    return Listing(models=tuple(Model(id=FREE, prices=p) for p in prices), faults=faults)


def test_only_a_price_of_exactly_nothing_in_every_component_is_a_proof() -> None:
    assert prove(FREE, [listing(FREE_PRICES)]) is not None
    for name, text in DEAR:
        said = (*(p for p in FREE_PRICES if p[0] != name), (name, text))
        assert prove(FREE, [listing(said)]) is None, (name, text)


def test_an_entry_that_says_it_twice_proves_nothing() -> None:
    dear = (("completion", "0"), ("prompt", "0"), ("…", "0.01"), ("…", "0"))
    assert prove(FREE, [listing(dear)]) is None
    assert prove(FREE, [listing(FREE_PRICES), listing((("completion", "1"), ("prompt", "0")))]) is None
    assert prove(FREE, [listing(FREE_PRICES, faults=(Fault(kind="duplicate-id"),))]) is None
    assert prove(FREE, [listing()]) is None
    assert prove(FREE, []) is None


def test_an_id_that_a_paid_model_has_for_an_alias_is_not_proven_free() -> None:
    def page(price: str, *, own: bool = True) -> Listing:
        prices = (("completion", price), ("prompt", "0"))
        dear = Model(id="loopback/groß", aliases=("x", FREE), prices=prices)
        return Listing(models=(*((Model(id=FREE, prices=FREE_PRICES),) if own else ()), dear))

    assert prove(FREE, [page("1")]) is None
    assert prove(FREE, [page("0")]) is not None
    assert prove(FREE, [page("0", own=False)]) is None


def test_an_endpoint_without_a_price_is_no_proof() -> None:
    from contracts.dialects import EndpointQuery
    from contracts.dialects.listing import read_endpoints

    query = EndpointQuery(count="data.endpoints", prices="data.endpoints[].pricing")
    free = {"name": "größe", "pricing": dict(FREE_PRICES)}
    for endpoints, is_free in (([free], True), ([free, free], True), ([free, {"name": "b"}], False), ([{}], False)):
        count, found = read_endpoints({"data": {"endpoints": endpoints}}, query, FREE)
        assert count == len(endpoints)
        assert found is not None
        assert (prove(FREE, [found]) is not None) is is_free, endpoints


def test_a_price_of_more_components_than_are_read_is_no_proof() -> None:
    from contracts.dialects import ListingQuery
    from contracts.dialects.listing import read

    pricing = {"prompt": "0", "completion": "0", **{f"a{n}": "0" for n in range(40)}, "zuschlag": "9"}
    found = read({"data": [{"id": FREE, "pricing": pricing}]}, ListingQuery(prices="pricing"))
    assert prove(FREE, [found]) is None


class Free:
    """A transport that only counts, and lets other tasks run before it answers."""

    def __init__(self) -> None:
        self.chats = 0

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        del phase
        await asyncio.sleep(0)
        self.chats += request.method == "POST"
        return Incoming(200, [], _nothing(), lambda: None)

    async def aclose(self) -> None:
        """End nothing."""


async def _nothing() -> Any:
    for _ in ():
        yield b""


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 5))
def test_no_interleaving_sends_more_free_chats_than_are_left(yields: list[int], left: int) -> None:
    async def run() -> tuple[int, int]:
        wire, ledger = Free(), Ledger(free_chats={"cafe": left})
        guard = SpendGuard(wire, RULES, ledger)
        guard.proofs.update(PROOFS)

        async def one(turns: int) -> None:
            for _ in range(turns):
                await asyncio.sleep(0)
            headers = tuple((n.title(), v) for n, v in KEYED.items())
            try:
                await guard.send(Outgoing("POST", f"{HOST}/v1/chat/completions", headers, sending().body), [""])
            except SpendRefused:
                return

        await asyncio.gather(*map(one, yields))
        return wire.chats, ledger.totals.refused

    sent, refused = asyncio.run(run())
    assert sent == min(left, len(yields))
    assert refused == len(yields) - sent


@given(
    st.decimals(0, 10, places=4),
    st.lists(st.tuples(st.decimals(0, 4, places=4), st.decimals(0, 4, places=4) | st.none(), st.integers(0, 3))),
)
def test_no_interleaving_passes_the_budget(budget: Decimal, wanted: list[tuple[Decimal, Decimal | None, int]]) -> None:
    ledger, highest = Ledger(budget), Decimal(0)

    async def one(most: Decimal, cost: Decimal | None, turns: int) -> None:
        nonlocal highest
        held = ledger.reserve(most)
        for _ in range(turns):
            await asyncio.sleep(0)
        if held is not None:
            ledger.settle(held, None if cost is None else min(cost, most))
        highest = max(highest, ledger.totals.spend_usd)

    async def run() -> None:
        await asyncio.gather(*(one(*w) for w in wanted))

    asyncio.run(run())
    assert highest <= budget


def test_a_guard_refuses_a_header_that_stands_twice() -> None:
    async def run() -> None:
        guard = SpendGuard(Free(), RULES, Ledger())
        headers = (("Content-Type", "a"), ("content-type", "b"))
        with pytest.raises(SpendRefused):
            await guard.send(Outgoing("GET", f"{HOST}/v1/models", headers), [""])

    asyncio.run(run())


PRICES = [s for s in known_scenarios() if s.startswith("price-")] + ["listing-changes", "listing-duplicate"]


@pytest.mark.parametrize("scenario", PRICES)
@pytest.mark.parametrize("polls", [1, 2, 3])
def test_no_paid_model_is_ever_asked(
    scenario: str, polls: int, hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared", scenario)
    models = ["loopback/café", "loopback/grand", FREE]
    # Without memory every poll would chat again, which is the more dangerous case.
    for _ in range(polls):
        check({"cafe": row(provider, models=models, endpoint=ENDPOINT)})
    assert provider.paid_chats == ()


def test_the_chat_goes_to_the_free_model_and_to_no_other(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared")
    got = check({"cafe": row(provider, models=["loopback/grand", FREE])})
    assert [a.model for a in provider.requests if a.kind == "chat" and a.keyed] == [FREE]
    assert (got.report.requests.get, got.report.requests.post_free, got.report.requests.post_paid) == (1, 2, 0)
    assert got.report.spend_usd == 0


NEVER: Mapping[str, Mapping[str, Any]] = {
    "a row that allows none": {"free_chats_per_day": 0},
    "a row that names no prices": {"listing": {"path": "/models"}},
    "a row of paid models": {"models": ["loopback/grand"]},
    "a row without a listing": {"listing": None},
}


@pytest.mark.parametrize("name", NEVER)
def test_no_chat_is_sent_for(name: str, hostile_provider: Callable[..., HostileProvider], check: Check) -> None:
    provider = hostile_provider("declared")
    got = check({"cafe": row(provider, **NEVER[name])})
    assert [a for a in provider.requests if a.kind == "chat" and a.keyed] == []
    assert got.outcome("reply.finish") == "unknown"


def test_no_chat_is_sent_where_the_price_of_the_endpoints_could_not_be_read(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared", "endpoints:server-error")
    got = check({"cafe": row(provider, endpoint=ENDPOINT)})
    assert provider.chats_of(FREE) == ()
    assert got.outcome("reply.finish") == "unknown"


def test_no_chat_is_sent_where_a_page_that_could_not_be_read_may_say_another_price(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared", "listing-endless")
    got = check({"cafe": row(provider)})
    assert provider.chats_of(FREE) == ()
    assert got.outcome("reply.finish") == "unknown"


def test_a_day_has_no_more_free_chats_than_the_row_says(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    memory = Forgetful()
    provider = hostile_provider("declared")
    rows = {"cafe": row(provider, evidence_max_age="0s", free_chats_per_day=2)}
    found = [check(rows, memory=memory) for _ in range(4)]
    assert len(provider.chats_of(FREE)) == 2
    assert "used up" in found[3].reason("reply.finish")
    assert found[3].status == 0  # nothing that was within reach is missing


def test_a_chat_that_was_refused_speaks_for_no_later_run(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    memory = Forgetful()
    busy, later = hostile_provider("declared", "chat:rate-limited"), hostile_provider("declared")
    assert "http.status" in check({"cafe": row(busy)}, memory=memory).violated
    same_day = check({"cafe": row(busy, models=["loopback/grand"])}, memory=memory)
    assert same_day.violated == set()
    assert check({"cafe": row(later, free_chats_per_day=2)}, memory=memory).outcome("reply.finish") == "holds"


def test_kept_evidence_of_another_host_speaks_for_nobody(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    memory = Forgetful()
    first, second = hostile_provider("honest"), hostile_provider("declared")
    assert "sse.charset" in check({"cafe": row(first)}, memory=memory).violated
    moved = check({"cafe": row(second, free_chats_per_day=2)}, memory=memory)
    assert moved.outcome("sse.charset") == "holds"
    assert len(second.chats_of(FREE)) == 1


def test_kept_evidence_of_another_path_of_the_host_speaks_for_nobody(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    memory = Forgetful()
    provider = hostile_provider("honest")
    assert "sse.charset" in check({"cafe": row(provider)}, memory=memory).violated
    moved = check({"cafe": row(provider.base_url.removesuffix("/v1"), free_chats_per_day=0)}, memory=memory)
    assert moved.outcome("sse.charset") == "unknown"


def test_a_row_that_bills_nothing_may_chat_with_a_model_of_any_price(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared")
    got = check({"cafe": row(provider, billing="none", listing=None, models=["loopback/grand"])})
    assert [a.model for a in provider.requests if a.kind == "chat" and a.keyed] == ["loopback/grand"]
    assert got.outcome("reply.finish") == "holds"
