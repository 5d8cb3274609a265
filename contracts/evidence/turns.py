"""Whose turn it is to ask: of all runs with one state, one asks a provider, and the others wait for its answer."""

from __future__ import annotations

import asyncio
import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from contracts import __version__
from contracts.state.address import is_postgres
from contracts.state.answer import Key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from contracts.evidence.memory import Memory
    from contracts.evidence.subject import Subject
    from contracts.state.answer import Answer

USUAL_EVERY_S = 600.0  # where several hosts share a state: a timer that polls more often than this is a rare one
LOOK_S = 0.25  # how often a run that waits looks again; one question for all providers that it waits for


def interval(every_s: float | None, state: str | None) -> timedelta | None:
    """Tell how long an answer is shared, None where none is.

    Unless it is said, ten minutes in PostgreSQL, which several hosts share, and not at all in a file, of which one run
    at a time has the use: there each run asks.
    """
    if state is None:
        return None
    seconds = every_s or (USUAL_EVERY_S if is_postgres(state) else 0.0)
    return timedelta(seconds=seconds) if seconds else None


def key_of(subject: Subject, today: date, *, has_key: bool) -> Key:
    """Name what is asked of a provider, by all that the answer depends on and that may differ between hosts.

    That is the row, the contracts with their parameters, the models, this version, which waivers have ended, and
    whether there is a key; the key itself is in no digest, which would tell whoever reads the state when he has guessed
    it.
    """
    parts = (
        __version__,
        subject.row,
        [(bound.contract, bound.params) for bound in subject.bound],
        subject.models,
        [waiver.until < today for waiver in subject.row.waivers],
        has_key,
    )
    plain = msgspec.to_builtins(parts, enc_hook=repr, order="deterministic")
    data = msgspec.json.encode(plain, order="deterministic")
    return Key(subject.row.name, hashlib.sha256(data).hexdigest())


class Turns:
    """The turns of one run. Without an interval it is always this run's."""

    def __init__(self, memory: Memory, every: timedelta | None, *, fresh: bool) -> None:
        """Share answers that are younger than an interval; a `fresh` run takes none and gives its own."""
        self._memory, self._every = memory, None if fresh else every
        self._waiting: set[Key] = set()
        self._held: set[Key] = set()
        self._free: set[Key] = set()
        self._looked_at = 0.0

    def answered(self, keys: Iterable[Key]) -> dict[Key, Answer]:
        """Give the answers that there are already, by one question."""
        return {} if self._every is None else dict(self._memory.answers(keys, self._every))

    async def take(self, key: Key | None, room: asyncio.Semaphore) -> Answer | None:
        """Wait for a turn: another run's answer, or None with a place in the room, which the caller gives back."""
        while True:
            await room.acquire()
            if key is None or self._every is None:
                return None
            try:
                claimed = self._memory.claim(key, self._every)
            except BaseException:
                room.release()
                raise
            if claimed is True:
                return None
            room.release()
            if claimed is not False:
                return claimed
            self._held.add(key)
            await self._freed(key)
            self._held.discard(key)

    def is_held(self, key: Key | None) -> bool:
        """Tell whether another run was asking when this one last looked."""
        return key in self._held

    async def _freed(self, key: Key) -> None:
        """Wait until nobody polls what a key names: its run has answered, or is no more."""
        loop = asyncio.get_running_loop()
        self._waiting.add(key)
        try:
            while True:
                await asyncio.sleep(LOOK_S)
                if loop.time() - self._looked_at >= LOOK_S:
                    self._looked_at = loop.time()
                    self._free = set(self._memory.freed(self._waiting))
                if key in self._free:
                    return
        finally:
            self._waiting.discard(key)
