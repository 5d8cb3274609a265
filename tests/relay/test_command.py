"""The command: its exit status, what it prints, and what it refuses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest

from contracts.errors import ConfigError
from contracts.relay.promises import PROMISES
from contracts.relay.question import RelaySettings, address, base_url, key_in
from contracts.relay.trial import trials
from contracts.testing import writers
from contracts_cli.commands import explain, relay_check
from tests.relay.relays import Relay, held
from tests.relay.test_relays import Buffers, CleanEnd, Latin1, Reframes, Refuses

ROOT = Path(__file__).parent.parent.parent
KEY = "sk-relais-0123456789abcdef"  # no key of anybody's


def ran(relay: Relay, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the program against a relay; its upstream is the port that is given to --listen."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    relay.upstream = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "contracts_cli", "relay-check", f"{relay.url}/v1", "--listen", f"127.0.0.1:{port}"]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT}:{ROOT}/cli", "PYTHONUTF8": "1", "RELAY_KEY": KEY}
    return subprocess.run(
        [*command, *arguments], env=environ, check=False, capture_output=True, encoding="utf-8", timeout=60
    )


@pytest.mark.parametrize(
    ("relay", "scenario", "status"),
    [(Relay, "honest", 0), (Buffers, "pause-mid-stream", 0), (CleanEnd, "chunked-cut", 1), (Refuses, "honest", 3)],
    ids=str,
)
def test_the_exit_status_is_that_of_a_check(relay: type[Relay], scenario: str, status: int) -> None:
    with relay() as started:
        done = ran(started, "--scenario", scenario, "--key", "RELAY_KEY")
    assert done.returncode == status, done.stdout + done.stderr
    assert "the provider listens on http://127.0.0.1:" in done.stderr.splitlines()[0]
    assert KEY not in done.stdout + done.stderr


def test_json_is_what_the_published_schema_says_and_holds_no_key() -> None:
    with Latin1() as relay:
        done = ran(relay, "--scenario", "honest", "--scenario", "server-error", "-f", "json", "--key", "RELAY_KEY")
    found = msgspec.json.decode(done.stdout)
    schema = (ROOT / "contracts" / "library" / "schemas" / "relay-check.json").read_text(encoding="utf-8")
    jsonschema_rs.validator_for(schema).validate(found)
    assert (done.returncode, found["outcome"]) == (1, "violated")
    assert [one["promise"] for one in found["findings"]] == ["relay.bytes"]
    assert found["findings"][0]["where"]["event"] == 1
    assert KEY not in done.stdout


def view(relay: type[Relay], *scenarios: str, verbose: bool = False) -> str:
    """What people are shown of a run."""
    with relay() as started:
        found = held(started, *scenarios)
    return relay_check.view(found, 100, colour=False, verbose=verbose)


def test_people_are_shown_what_was_sent_and_what_arrived() -> None:
    shown = view(Latin1, "honest", "tool-calls", "declared")
    assert "violated  relay.bytes           2 of 3 trials" in shown
    assert "! honest: event 1: double-encoded: read as latin-1, written as UTF-8" in shown
    assert "expected …" in shown
    assert "Déjà vu" in shown
    assert "3 trials of http://127.0.0.1:" in shown
    assert "1 holds, 2 violated" in shown


def test_what_may_differ_is_a_note_and_a_warning_is_told_as_one() -> None:
    shown = view(Reframes, "honest", "declared", verbose=True)
    assert "note honest, declared: re-framed: line ends CRLF became LF" in shown
    assert "holds     honest               Behaves, but declares no charset" in shown
    assert "warned of relay.buffering       1 of 1 trial" in view(Buffers, "pause-mid-stream")
    assert "? honest: the provider was not asked" in view(Refuses, "honest")


REFUSED = [
    (lambda: base_url("ftp://größe/v1"), "expected http://HOST/PATH without user and query, found 'ftp://größe/v1'"),
    (lambda: base_url(f"http://me:{KEY}@host/v1"), "found 'http://host/v1'"),
    (lambda: base_url(f"http://host/v1?key={KEY}"), "found 'http://host/v1'"),
    (lambda: base_url("http://host/größe"), "expected a URL in ASCII"),
    (lambda: address("größe"), "--listen: expected HOST:PORT, found 'größe'"),
    (lambda: address("127.0.0.1:99999"), "--listen: expected HOST:PORT, found '127.0.0.1:99999'"),
    (lambda: key_in(KEY, {}), "--key: expected the name of a variable, found something else"),
    (lambda: key_in("SCHLUESSEL", {"ANDERS": "é"}), "--key: SCHLUESSEL is not set"),
    (lambda: chosen("honnest"), "expected a scenario, found 'honnest' (did you mean 'honest'?)"),
    (lambda: chosen("listing:honest"), "only chats are sent through a relay"),
    (lambda: chosen("listing-bare"), "only chats that have a key are sent through a relay"),
    (lambda: chosen("tls-expired"), "TLS ends at the relay"),
    (lambda: chosen("endless-body"), "it has no end to be held to"),
]


def chosen(word: str) -> object:
    """The trials of one name."""
    return trials([word], writers.load("openai-chat"))


@pytest.mark.parametrize(("refused", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_cannot_be_is_refused_in_words_without_a_key(refused: Callable[[], object], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        refused()
    assert said in str(error.value)
    assert KEY not in str(error.value)


def test_a_port_that_cannot_be_had_is_told_of() -> None:
    with socket.socket() as taken, Relay() as relay:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = relay_check.Settings(url=relay.url, listen=listen, scenarios=("honest",))
        with pytest.raises(ConfigError, match=f"--listen {listen}: "):
            relay_check.run(settings)


def test_each_promise_says_why_and_where_it_is_written() -> None:
    assert all(
        one.id.startswith("relay.") and one.why and one.source.startswith("https://") for one in PROMISES.values()
    )
    for name, one in PROMISES.items():
        told = explain.explain(explain.Settings(id=name))
        assert (told.contract, told.kind) == (None, name)
        assert one.promise in told.documentation
        assert f"{one.source}, read 2026-11-30" in told.documentation
    with pytest.raises(ConfigError, match=r"did you mean 'relay\.bytes'"):
        explain.explain(explain.Settings(id="relay.byttes"))
    assert RelaySettings(url="http://größe").listen == "127.0.0.1:8977"
