"""What of an exchange is kept: headers by name, a URL without its key, a body that was cut where it was."""

from __future__ import annotations

import pytest

from contracts.captures.scrubbing import ANSWERED, cleaned
from contracts.model import Exchange, Headers, Request

KEY = "acme-Zwiebel-0815-geheim"


def exchange(
    url: str = "https://größe.example/v1/models", headers: Headers = (), body: tuple[bytes, ...] = ()
) -> Exchange:
    return Exchange(request=Request(method="GET", url=url, body=b""), status=200, headers=headers, body=body, ref="é")


@pytest.mark.parametrize("name", ["key", "api_key", "api-key", "access_token", "token", "sig"])
def test_a_key_in_the_url_is_overwritten_whatever_it_looks_like(name: str) -> None:
    clean = cleaned(exchange(f"https://größe.example/v1/models?alt=sse&{name}=été&page=2"), [])
    assert clean.exchange is not None
    assert clean.exchange.request.url == f"https://größe.example/v1/models?alt=sse&{name}=xxx&page=2"
    assert clean.removed == {"key in the URL": 1}


def test_an_account_in_the_path_is_overwritten() -> None:
    clean = cleaned(exchange("https://größe.example/client/v4/accounts/9f8e7d6c5b4a/ai/v1/models"), [])
    assert clean.exchange is not None
    assert clean.exchange.request.url.startswith("https://größe.example/client/v4/accounts/1x1x1x1x1x1x/ai")


def test_headers_that_nobody_thought_of_are_left_out_and_named() -> None:
    kept = (("Content-Type", "text/event-stream"), ("X-RateLimit-Reset-Tokens", "6s"), ("ratelimit-reset", "1"))
    gone = (("Set-Cookie", "a"), ("set-cookie", "b"), ("X-Größe", "é"), ("x-ratelimit-limit-tokens", "1"))
    clean = cleaned(exchange(headers=(*kept, *gone)), [])
    assert clean.exchange is not None
    assert clean.exchange.headers == kept
    assert clean.removed == {"header set-cookie": 2, "header x-größe": 1, "header x-ratelimit-limit-tokens": 1}


def test_no_header_that_names_an_account_is_on_the_list() -> None:
    for part in ("cookie", "auth", "organi", "account", "user", "project", "request-id", "ray", "key"):
        assert not [name for name in ANSWERED if part in name]


def test_a_key_over_the_cut_of_two_chunks_is_overwritten_and_the_cut_stays() -> None:
    body = f'{{"é": "{KEY}"}}'.encode()
    for at in range(1, len(body)):
        clean = cleaned(exchange(body=(body[:at], body[at:])), [KEY])
        assert clean.exchange is not None
        assert [len(piece) for piece in clean.exchange.body] == [at, len(body) - at]
        assert b"Zwiebel" not in b"".join(clean.exchange.body)
        assert clean.removed == {"key in the body": 1}
