"""The provider behind a relay: what it plays can be changed while it listens, and what it sent is noted as it was."""

from __future__ import annotations

import socket

import httpx
import pytest

from contracts.errors import ConfigError
from contracts.relay.sent import Watcher
from contracts.testing import HostileProvider, text_of

ASKED = {"model": "größe/irgendein", "stream": True, "messages": [{"role": "user", "content": "wort-1"}]}
KEY = {"Authorization": "Bearer test"}


def ask(provider: HostileProvider, word: str = "wort-1") -> httpx.Response:
    """Ask for a stream on a model that no listing names."""
    asked = {**ASKED, "messages": [{"role": "user", "content": word}]}
    return httpx.post(f"{provider.base_url}/chat/completions", json=asked, headers=KEY, trust_env=False)


def test_any_model_is_answered_where_that_was_said_and_else_none_that_is_not_served() -> None:
    with HostileProvider(any_model=True) as provider:
        assert text_of(ask(provider).content) == provider.text
        assert not provider.paid_chats
    with HostileProvider() as provider:
        assert ask(provider).status_code == 404


def test_other_scenarios_are_played_from_the_next_request_on() -> None:
    with HostileProvider("server-error", any_model=True) as provider:
        assert ask(provider).status_code == 500
        provider.play("lf")
        assert b"\r" not in ask(provider).content
        with pytest.raises(ConfigError, match="did you mean 'honest'"):
            provider.play("honnest")
        assert b"\r" not in ask(provider).content


def test_it_listens_where_it_was_told_to() -> None:
    with HostileProvider(host="127.0.0.2", any_model=True) as provider:
        assert provider.base_url.startswith("http://127.0.0.2:")
        assert text_of(ask(provider).content) == provider.text


def test_what_was_sent_is_noted_byte_for_byte_and_only_of_the_trial_under_way() -> None:
    watcher = Watcher()
    with HostileProvider(any_model=True, watch=watcher) as provider:
        watcher.begin(b"wort-2")
        ask(provider, "wort-1")
        first, second = ask(provider, "wort-2"), ask(provider, "wort-2 é")
        noted = watcher.finish()
    assert [bytes(one.body) for one in noted] == [first.content, second.content]
    assert [(one.status, one.ending, one.has_begun, one.gap) for one in noted] == [(200, "whole", True, None)] * 2


@pytest.mark.parametrize(
    ("scenario", "status", "ending"),
    [
        ("chunked-cut", 200, "cut"),
        ("chunk-cut", 200, "cut"),
        ("reset-mid-event", 200, "reset"),
        ("length-too-long", 200, "cut"),
        ("close-at-once", None, "cut"),
        ("until-close", 200, "whole"),
        ("pause-mid-stream", 200, "whole"),
    ],
)
def test_how_an_answer_ended_is_noted(scenario: str, status: int | None, ending: str) -> None:
    watcher = Watcher()
    watcher.begin(b"wort-1")
    with HostileProvider(scenario, any_model=True, watch=watcher, interval_s=0.01) as provider:
        try:
            ask(provider)
        except httpx.TransportError:
            assert ending != "whole"
        else:
            assert ending == "whole"
        (sent,) = watcher.finish()
    assert (sent.status, sent.ending) == (status, ending)
    assert (sent.gap is not None) == (scenario == "pause-mid-stream")


def test_a_chunk_that_is_torn_is_noted_without_its_frame() -> None:
    watcher = Watcher()
    watcher.begin(b"wort-1")
    with HostileProvider(any_model=True) as provider:
        honest = ask(provider).content
    with HostileProvider("chunk-cut", any_model=True, watch=watcher) as provider:
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            ask(provider)
        (sent,) = watcher.finish()
    events = honest.split(b"\r\n\r\n")
    whole, torn = bytes(sent.body).rsplit(b"\r\n\r\n", 1)
    assert 2 < len(whole.split(b"\r\n\r\n")) < len(events)
    assert honest.startswith(whole)
    assert torn == b'data: {"id":"chatcmpl-\xc3'  # a size line would stand before it


def test_the_size_line_of_a_torn_chunk_promises_more_than_comes() -> None:
    with HostileProvider("chunk-cut", any_model=True) as provider:
        request = httpx.Request("POST", f"{provider.base_url}/chat/completions", json=ASKED, headers=KEY)
        head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
        with socket.create_connection((request.url.host, request.url.port or 80)) as asking:
            asking.sendall(f"POST {request.url.path} HTTP/1.1\r\n{head}\r\n".encode() + request.content)
            raw = b"".join(iter(lambda: asking.recv(65536), b""))
    size, torn = raw.rsplit(b"\r\n", 2)[1:]
    assert int(size, 16) > len(torn) > 0


def test_what_a_client_did_not_wait_for_counts_as_sent() -> None:
    watcher = Watcher()
    watcher.begin(b"wort-1")
    with HostileProvider("slow-loris", any_model=True, watch=watcher, interval_s=0.5) as provider:
        url = f"{provider.base_url}/chat/completions"
        with httpx.stream("POST", url, json=ASKED, headers=KEY, trust_env=False) as answer:
            next(answer.iter_raw())
            (sent,) = watcher.finish()
    assert bytes(sent.body).endswith(b"data: [DONE]\r\n\r\n")
