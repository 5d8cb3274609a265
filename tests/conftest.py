"""What holds for every test: nobody talks to anything beyond this machine."""

from __future__ import annotations

import ipaddress
import signal
import socket
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.postgres import Server

NUMBERS = count(1)


def refuse_beyond_loopback(address: object) -> None:
    """Raise for an address that is not on this machine. Unix sockets and `localhost` are."""
    if not isinstance(address, tuple) or address[0] in ("", "localhost"):
        return
    try:
        loopback = ipaddress.ip_address(address[0]).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        pytest.fail(f"a test tried to reach {address[0]!r}; only loopback is allowed")


@pytest.fixture(scope="session", autouse=True)
def loopback_only() -> Iterator[None]:
    """Refuse every connection beyond loopback, whoever asks for it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))
        yield


def _guarded(method: Any) -> Any:
    def guarded(self: socket.socket, *args: Any) -> Any:
        refuse_beyond_loopback(args[-1])
        return method(self, *args)

    return guarded


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> None:
    """Let the processes that tests start be interrupted, also where this one was started in the background.

    A shell without job control starts what it puts there with SIGINT ignored, and that is inherited.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def state_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see what another remembered, nor what the user's own runs did."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.delenv("CONTRACTS_STATE", raising=False)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this run."""
    server = Server()
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """The address of an empty database, by a Unix socket."""
    import psycopg

    name = f"größe_{next(NUMBERS)}"
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
        yield postgres.url(name)
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())
