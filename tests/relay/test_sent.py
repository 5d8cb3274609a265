"""The provider behind a relay: what it plays can be changed while it listens, and what it sent is noted as it was."""

from __future__ import annotations

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


def test_what_a_client_did_not_wait_for_counts_as_sent() -> None:
    watcher = Watcher()
    watcher.begin(b"wort-1")
    with HostileProvider("slow-loris", any_model=True, watch=watcher, interval_s=0.5) as provider:
        url = f"{provider.base_url}/chat/completions"
        with httpx.stream("POST", url, json=ASKED, headers=KEY, trust_env=False) as answer:
            next(answer.iter_raw())
            (sent,) = watcher.finish()
    assert bytes(sent.body).endswith(b"data: [DONE]\r\n\r\n")
