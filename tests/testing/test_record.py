"""What the provider keeps of what it was asked: enough to prove what was not sent, and nothing secret."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from contracts.testing import HostileProvider
from contracts.testing.ask import KEY_CAME, NO_KEY, Record, kept, read
from contracts.testing.listing import is_free, prices


def test_a_request_is_kept_without_its_key(client: Any) -> None:
    with HostileProvider() as provider:
        client.ask(provider, client.request_for("stream"))
        client.ask(provider, client.request_for("keyless"))
        client.ask(provider, client.request_for("listing", url=f"/v1/models?key={client.KEY}&page=é"))
        first, second, third = provider.requests
        assert client.KEY not in repr(provider.requests)
    assert (first.kind, first.keyed, first.model, first.streamed) == ("chat", True, client.MODEL, True)
    assert dict(first.headers)["Authorization"] == KEY_CAME
    assert (second.keyed, second.model, second.streamed) == (False, "contracts/no-such-model", False)
    assert third.query == {"key": KEY_CAME, "page": "é"}
    assert third.kind == "listing"


@pytest.mark.parametrize(
    ("value", "marker"), [("Bearer", NO_KEY), ("", NO_KEY), ("Bearer k", KEY_CAME), ("k", KEY_CAME)]
)
def test_an_empty_credential_is_none(value: str, marker: str) -> None:
    ask = read("GET", "/v1/models", (("Authorization", value),), b"")
    assert kept(ask, paid=False).headers == (("Authorization", marker),)
    assert ask.is_keyed == (marker == KEY_CAME)


def test_chats_of_a_model_are_counted_also_when_they_are_refused(client: Any) -> None:
    with HostileProvider("rate-limited") as provider:
        client.ask(provider, client.request_for("stream", model="loopback/café"))
        client.ask(provider, client.request_for("endpoints"))
        assert len(provider.chats_of("loopback/café")) == 1
        assert provider.chats_of(client.MODEL) == ()


PAID = [
    ((), "loopback/libre", False),
    ((), "loopback/café", True),
    ((), "contracts/no-such-model", False),
    (("price-hidden",), "loopback/libre", True),
    (("price-tiny",), "loopback/libre", True),
    (("price-negative",), "loopback/libre", True),
    (("price-words",), "loopback/libre", True),
    (("price-partial",), "loopback/libre", True),
    (("price-missing",), "loopback/libre", True),
    (("price-repeated",), "loopback/libre", True),
    (("price-in-listing-only",), "loopback/libre", False),
    (("price-in-listing-only",), "loopback/café", True),
    (("unlisted",), "loopback/café", True),
]


@pytest.mark.parametrize(("names", "model", "paid"), PAID, ids=[f"{' '.join(n) or 'honest'}: {m}" for n, m, _ in PAID])
def test_a_chat_is_paid_unless_the_model_is_free_in_all_that_is_said_of_it(
    names: tuple[str, ...], model: str, paid: bool, client: Any
) -> None:
    with HostileProvider(*names) as provider:
        client.ask(provider, client.request_for("stream", model=model))
        assert [a.model for a in provider.paid_chats] == ([model] if paid else [])


def test_what_is_paid_follows_the_latest_listing(client: Any) -> None:
    with HostileProvider("listing-changes") as provider:
        for paid in (0, 1, 1, 2):
            client.ask(provider, client.request_for("listing"))
            client.ask(provider, client.request_for("stream"))
            assert len(provider.paid_chats) == paid


def test_the_key_of_a_client_that_follows_a_redirect_is_seen_at_the_other_host(client: Any) -> None:
    with HostileProvider("redirect-elsewhere") as provider:
        got = client.ask(provider, client.request_for("listing"))
        location = got.header("location")
        assert location.startswith("http://localhost:")
        strays = [len(provider.strays)]
        host, _, path = location.removeprefix("http://").partition("/")
        elsewhere = SimpleNamespace(base_url=f"http://127.0.0.1:{host.rpartition(':')[2]}/v1")
        assert client.ask(elsewhere, client.request_for("listing", url=f"/{path}")).status == 200
        strays.append(sum(a.keyed for a in provider.strays))
        assert strays == [0, 1]
        assert provider.request_count == 1


def test_requests_that_were_forgotten_prove_nothing() -> None:
    record = Record(limit=2)
    asked = kept(read("POST", "/v1/chat/completions", (), b'{"model":"a/\xc3\xa9"}'), paid=True)
    for _ in range(2):
        record.add(asked)
    assert len(record.chats_of("a/é")) == 2
    record.add(asked)
    assert record.count == 3
    assert len(record.requests) == len(record.paid_chats) == 2
    with pytest.raises(LookupError, match="3 requests came and only the last 2 are kept"):
        record.chats_of("a/é")


@pytest.mark.parametrize(
    ("pricing", "free"),
    [
        (prices("0"), True),
        ({"prompt": "0.0", "completion": 0}, True),
        ({"prompt": "-0", "completion": "0e9"}, True),
        ({**prices("0"), "image": "0.001"}, False),
        ({"prompt": "0"}, False),
        ({}, False),
        (None, False),
        ("0", False),
        ({"prompt": "0", "completion": "NaN"}, False),
        ({"prompt": "0", "completion": None}, False),
        ({"prompt": "٠", "completion": "gratis"}, False),
    ],
)
def test_only_exactly_zero_is_free(pricing: object, *, free: bool) -> None:
    assert is_free(pricing) == free
