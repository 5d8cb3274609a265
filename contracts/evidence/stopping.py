"""How a run is ended from outside: it tells what is known by then."""

from __future__ import annotations

import asyncio
import signal


def on_signal(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    """Give an event that SIGINT and SIGTERM set; the next of either ends the program at once."""
    stopping = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, _stop, loop, number, stopping)
        except (NotImplementedError, RuntimeError, ValueError):  # another thread, or no Unix: nothing to hand over
            break
    return stopping


def _stop(loop: asyncio.AbstractEventLoop, number: int, stopping: asyncio.Event) -> None:
    loop.remove_signal_handler(number)
    stopping.set()
