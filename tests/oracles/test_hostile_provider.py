"""The hostile provider is real enough for the official clients: what they ask it answers, and they read it in full."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest

from contracts.testing import HostileProvider
from tests.oracles import clients, sdks
from tests.oracles.sdks import Sdks
from tests.oracles.told import Notes, Told

CALLS = (("weather", {"city": "São Paulo"}), ("weather", {"city": "東京"}))


@pytest.fixture(autouse=True)
def nothing_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in filter(sdks.is_theirs, list(os.environ)):
        monkeypatch.delenv(name)


def read(dialect: str, scenario: str) -> Iterator[tuple[str, Told]]:
    """Let each client of a dialect ask for a stream and for a whole answer, of a model that is served."""
    with HostileProvider(scenario, dialect=dialect) as provider, Sdks(provider.origin, provider.models[0]) as official:
        for streamed in (True, False):
            for name, client in clients.of(dialect, streamed=streamed).items():
                notes = Notes()
                client(official, notes, streamed, "")
                yield name, notes.told()


@pytest.mark.parametrize("dialect", clients.CLIENTS)
def test_every_client_reads_an_honest_reply_in_full(dialect: str) -> None:
    told = dict(read(dialect, "honest"))
    assert set(told) == set(clients.CLIENTS[dialect])
    assert {one.text for one in told.values()} == {((0, HostileProvider.text),)}
    assert {one.finishes for one in told.values()} <= {
        ("stop",),
        ("STOP",),
        ("end_turn",),
        ("COMPLETE",),
        ("completed",),
    }
    assert {one.errors for one in told.values()} == {()}


@pytest.mark.parametrize("dialect", [name for name in clients.CLIENTS if name != "openai-completions"])
def test_every_client_reads_the_calls_that_are_made(dialect: str) -> None:
    for _, told in read(dialect, "tool-calls"):
        assert tuple((name, json.loads(arguments)) for name, arguments in told.calls) == CALLS
        assert told.text == ()
