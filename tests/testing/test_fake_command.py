"""`contracts fake` as a real process."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from contracts.testing import TEXT, HostileProvider, known_scenarios, text_of
from contracts.testing.writers import load, names

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = [sys.executable, "-m", "contracts_cli", "fake"]
ENVIRON = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli", "PYTHONIOENCODING": "utf-8"}


def fake(*argv: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *argv],
        env={**ENVIRON, **environ},
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )


@contextmanager
def running(*argv: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the command; gives the base URL that it printed."""
    with subprocess.Popen(
        [*COMMAND, *argv], env=ENVIRON, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def test_every_scenario_is_explained_with_the_contract_that_it_violates() -> None:
    done = fake("--list")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    told = {line.split()[0]: " ".join(line.split()[1:]) for line in lines if line.startswith("  ")}
    for one in known_scenarios(None).values():
        assert told[one.name].startswith(f"{one.violates or '-'} {one.does}")
        lacking = [name for name in names() if one.lacking(load(name))]
        assert told[one.name].endswith("]") == bool(lacking)


def test_the_scenarios_of_one_dialect_are_explained_as_they_are_there() -> None:
    done = fake("--list", "--dialect", "ollama")
    assert done.returncode == 0, done.stderr
    told = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if line.startswith("  ")}
    assert set(told) == set(known_scenarios("ollama"))
    assert (told["honest"], told["chunk-cut"], told["lines-joined"]) == ("-", "reply.json", "reply.json")
    assert "[" not in done.stdout.replace("[DONE]", "")


@pytest.mark.parametrize("dialect", names())
def test_it_speaks_the_dialect_that_was_asked_for(dialect: str, client: Any) -> None:
    with running("declared", "--dialect", dialect) as (url, _):
        answer = client.ask(SimpleNamespace(base_url=url), client.request_for("stream", dialect))
    assert urlsplit(url).path == load(dialect).BASE
    assert text_of(answer.body, dialect) == TEXT


def test_it_serves_what_was_asked_for_until_it_is_interrupted(client: Any) -> None:
    with running("declared", "--model-scenario", "loopback/café=double-encoded", "--interval", "10ms") as (
        url,
        process,
    ):
        provider = SimpleNamespace(base_url=url)
        intact = client.ask(provider, client.request_for("stream"))
        damaged = client.ask(provider, client.request_for("stream", model="loopback/café"))
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    assert text_of(intact.body) == TEXT
    assert text_of(damaged.body) == TEXT.encode().decode("latin-1")
    assert process.returncode == 130
    assert "was asked 2 times, 1 of them for chats that cost something" in said


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_with_tls_it_says_which_certificate_to_trust_and_leaves_none_behind(
    client: Any, ending: signal.Signals
) -> None:
    with running("--tls") as (url, process):
        assert process.stderr is not None
        path = process.stderr.readline().rpartition(" ")[2].strip()
        with open(path, "rb") as file:
            provider = SimpleNamespace(base_url=url, authority_pem=file.read())
        with client.connect(provider) as connection:
            connection.sendall(client.to_bytes(client.request_for("listing")))
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
        process.send_signal(ending)
        _, said = process.communicate(timeout=10)
    assert not os.path.exists(path)
    assert "was asked 1 time," in said


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["slow-lorris"], "did you mean 'slow-loris'?"),
        (["--model-scenario", "größe"], "expected MODEL=SCENARIO, found 'größe'"),
        (["--model-scenario", "größe=keines"], "expected a scenario, found 'keines'"),
        (["--port", "99999"], "--port 99999: expected a port from 0 (any that is free) to 65535"),
        (["--interval", "bald"], "bald"),
        (["--dialect", "größe"], "expected a dialect, one of anthropic-messages, cohere,"),
        (["--dialect", "geminy"], "found 'geminy' (did you mean 'gemini'?)"),
        (["--dialect", "gemini", "call-index-zero"], "does not exist in dialect gemini: calls have no index"),
        (["--dialect", "cohere", "--model-scenario", "größe=other-model"], "an answer does not name its model"),
        (["call-arguments-text"], "does not exist in dialect openai-chat: arguments are a text"),
    ],
)
def test_a_mistake_is_the_users_and_says_what_was_expected(argv: list[str], said: str) -> None:
    done = fake(*argv)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize("ending", ["INT", "TERM"])
def test_a_job_in_the_background_of_a_script_is_ended_by_either_signal(ending: str) -> None:
    # A shell without job control lets such a job ignore SIGINT, and Python leaves what is inherited so as it is.
    script = f"""{shlex.join(COMMAND)} declared > "$1" & \
        until [ -s "$1" ]; do sleep 0.05; done; kill -{ending} $!; wait $!"""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["/bin/sh", "-c", script, "sh", os.path.join(folder, "größe")],
            env=ENVIRON, check=False, capture_output=True, text=True, encoding="utf-8", timeout=60,
        )  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()) == (
        130,
        ["contracts: was asked 0 times, 0 of them for chats that cost something", "contracts: interrupted"],
    )


def test_a_port_that_is_taken_is_named() -> None:
    with HostileProvider() as provider:
        port = provider.base_url.rpartition(":")[2].removesuffix("/v1")
        done = fake("--port", port)
    assert done.returncode == 2
    assert f"--port {port}: expected a port that can be listened on, found: Address already in use" in done.stderr
