"""Run what asks the network, and leave name look-ups behind that nobody waits for any more.

asyncio looks names up in a few threads that all share, and joins them at its end. A name server that says nothing then
holds a run beyond its deadline, and the look-ups of other providers up. Here each has a thread of its own, which dies
with the program.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

T = TypeVar("T")


class Lookups(ThreadPoolExecutor):
    """Starts a daemon thread for each call, and never waits for one."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Call `fn` in a thread of its own."""
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it is told to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)

        Thread(target=call, daemon=True, name="lookup").start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - its base's
        """Leave threads to themselves."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine as `asyncio.run` does, except that look-ups which are under way at its end are left behind."""

    async def with_lookups() -> T:
        asyncio.get_running_loop().set_default_executor(Lookups())
        return await main

    return asyncio.run(with_lookups())
