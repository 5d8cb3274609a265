"""`contracts fake`: a hostile provider on loopback, for tests of anything that talks to providers."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import ExitStack

from msgspec import Struct

from contracts.checks import counted
from contracts.errors import ConfigError
from contracts.evidence import stopping
from contracts_cli import terminal
from contracts_cli.commands.list import table

LAST_PORT = 65535


class Settings(Struct, frozen=True, kw_only=True):
    """What is to be played. `by_model` holds `MODEL=SCENARIO` each; a port of 0 is any that is free.

    `dialect` None plays the usual one, and explains the scenarios of all.
    """

    scenarios: tuple[str, ...] = ()
    by_model: tuple[str, ...] = ()
    dialect: str | None = None
    port: int = 0
    tls: bool = False
    interval_s: float = 1.0
    listed: bool = False


def run(settings: Settings) -> int:
    """Explain the scenarios, or serve until interrupted.

    Raises:
        ConfigError: for an unknown dialect or scenario, a port that cannot be had, or TLS without the package that it
            needs.
        KeyboardInterrupt: when the user has had enough.
    """
    if settings.listed:
        terminal.write(view(terminal.width_of(sys.stdout), settings.dialect))
        return 0
    asyncio.run(serve(settings))
    raise KeyboardInterrupt


def view(width: int, dialect: str | None = None) -> str:
    """Give every scenario of a dialect, or of all: its name, the contract that it violates, and what it does, by topic.

    Where it is of all, a scenario says in which dialects it exists if not in each.
    """
    from contracts.testing import known_scenarios
    from contracts.testing.writers import USUAL, load

    topics: dict[str, list[tuple[str, str, str]]] = {}
    writer = load(dialect or USUAL)
    for one in known_scenarios(dialect).values():
        broken = one.breaks(writer)[:1] if dialect else (one.violates,)
        told = one.does if dialect or not one.where() else f"{one.does} [{one.where()}]"
        topics.setdefault(one.topic, []).append((one.name, next(filter(None, broken), "-"), told))
    lines = []
    for topic, rows in topics.items():
        lines += [topic.replace("_", " "), *table(rows, width), ""]
    return "\n".join(lines)


async def serve(settings: Settings) -> None:
    """Play the provider until SIGINT or SIGTERM comes; standard output gets the base URL and nothing else."""
    from contracts.testing import HostileProvider
    from contracts.testing.writers import USUAL

    if settings.port > LAST_PORT:
        raise ConfigError(f"--port {settings.port}: expected a port from 0 (any that is free) to {LAST_PORT}")
    provider = HostileProvider(
        *settings.scenarios,
        by_model=scenarios_by_model(settings.by_model),
        dialect=settings.dialect or USUAL,
        port=settings.port,
        tls=settings.tls,
        interval_s=settings.interval_s,
    )
    try:
        await provider.__aenter__()
    except OSError as error:
        # asyncio's own words repeat the address; the system's say why.
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ConfigError(
            f"--port {settings.port}: expected a port that can be listened on, found: {reason}"
        ) from error
    # What ends a service or a job ends this as an interrupt does, so that it still tells what it was asked. A job in
    # the background of a script inherits that SIGINT is ignored; either ends it all the same.
    stop = stopping.on_signal(asyncio.get_running_loop())
    with ExitStack() as files:
        try:
            if provider.authority_pem is not None:
                authority = files.enter_context(tempfile.NamedTemporaryFile(prefix="contracts-fake-", suffix=".pem"))
                authority.write(provider.authority_pem)
                authority.flush()
                terminal.complain(f"the certificate to trust is {authority.name}")
            terminal.write(f"{provider.base_url}\n")
            await stop.wait()
        finally:
            await provider.__aexit__(None, None, None)
            paid = len(provider.paid_chats)
            asked = counted(provider.request_count, "time")
            terminal.complain(f"was asked {asked}, {paid} of them for chats that cost something")


def scenarios_by_model(pairs: tuple[str, ...]) -> dict[str, str]:
    """Read `MODEL=SCENARIO`, the scenarios of one model together.

    Raises:
        ConfigError: for a text without both.
    """
    by_model: dict[str, list[str]] = {}
    for pair in pairs:
        model, _, name = pair.rpartition("=")
        if not model or not name:
            raise ConfigError(f"--model-scenario: expected MODEL=SCENARIO, found '{pair}'")
        by_model.setdefault(model, []).append(name)
    return {model: " ".join(names) for model, names in by_model.items()}
