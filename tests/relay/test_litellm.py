"""A real gateway that reads and writes anew what it forwards: LiteLLM's proxy, in an environment of its own.

What is pinned is what release 1.106.12 was seen to do, by promise and trial. It is no verdict on its purpose, which is
to give every provider one shape; a router that promises bytes cannot stand on it, and that is what has to be found.
"""

from __future__ import annotations

import pytest

from contracts.relay.check import check
from contracts.relay.question import RelaySettings
from contracts.relay.told import Checked
from tests.relay.conftest import KEY, Real
from tests.relay.relays import broken

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found(litellm: Real) -> Checked:
    """What comes of all the usual trials."""
    settings = RelaySettings(url=litellm.url, listen=litellm.upstream, key=KEY)
    return check(settings, lambda _: None, litellm.environ)


def test_every_trial_reaches_the_provider_and_is_judged(found: Checked) -> None:
    assert {one.reason for one in found.trials} == {None}
    assert {one.requests for one in found.trials} == {1}


CUT = {
    "chunked-cut",
    "chunk-cut",
    "length-too-long",
    "reset-mid-event",
}  # what becomes of them depends on when it notices


def test_it_writes_every_event_anew(found: Checked) -> None:
    streams = {one.name for one in found.trials if one.sent is not None and one.sent.events > 1}
    assert broken(found)["relay.bytes"] >= streams - CUT
    changes = {change for one in found.findings if one.trial == "honest" for change in one.changes}
    assert {"rewrote created", "dropped choices[0].finish_reason"} <= changes
    escaped = next(one for one in found.findings if one.trial == "escaped")
    assert "re-serialised: escapes" in escaped.changes


def test_it_damages_no_text_and_holds_nothing_back(found: Checked) -> None:
    assert not [change for one in found.findings for change in one.changes if "encoded" in change or "U+FFFD" in change]
    assert not {"relay.buffering", "relay.once"} & set(broken(found))


def test_it_asks_the_provider_what_it_was_asked_and_keeps_its_key(found: Checked) -> None:
    assert not {"relay.request", "relay.request-headers"} & set(broken(found))
    assert {one.judged for one in found.promises if one.id.startswith("relay.request")} == {len(found.trials)}
    assert "the key for the relay was passed on to the provider" not in str(found)


def test_it_makes_whole_what_was_cut_or_puts_an_error_of_its_own_in_its_place(found: Checked) -> None:
    told = broken(found)
    assert {"done-missing", "sse-cut-short"} <= told["relay.end"]
    assert told["relay.end"] | told["relay.error"] >= CUT


def test_it_words_errors_itself_and_keeps_when_to_come_back(found: Checked) -> None:
    assert {
        "error-mid-stream",
        "rate-limited",
        "no-credit",
        "server-error",
        "bad-gateway",
        "error-in-success",
    } <= broken(found)["relay.error"]
    assert broken(found)["relay.headers"] == {"rate-limited", "bad-gateway"}


def test_its_key_is_shown_nowhere(found: Checked, litellm: Real) -> None:
    assert litellm.environ[KEY] not in str(found)
