"""What was gathered is judged, remembered, and given to other runs: soon where others may wait, else at the end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from contracts.state.answer import Share

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from contracts.evidence.memory import Memory
    from contracts.evidence.subject import Subject
    from contracts.model import Finding

TOGETHER_S = 0.2  # providers that are done within it are told in one transaction


class Telling:
    """Tells what one run came to."""

    def __init__(
        self, memory: Memory, judge: Callable[[Subject], list[Finding]], began_at: datetime, *, complete: bool
    ) -> None:
        """Begin, with nothing told.

        Args:
            memory: what remembers it.
            judge: gives the findings of a provider by what was gathered.
            began_at: when the run began, by the clock of the memory.
            complete: every contract and model of the providers is judged.
        """
        self._memory, self._judge, self._began_at, self._complete = memory, judge, began_at, complete
        self._is_heard = asyncio.Event()

    def heard(self) -> None:
        """Note that another provider is done."""
        self._is_heard.set()

    async def soon(self, subjects: Sequence[Subject]) -> None:
        """Tell whatever is done, for ever. Nobody waits for what has no key: that is told at the end, all at once."""
        while True:
            await self._is_heard.wait()
            await asyncio.sleep(TOGETHER_S)
            self._is_heard.clear()
            self._tell([s for s in subjects if s.key is not None and s.is_whole and s.judged is None])

    def rest(self, subjects: Iterable[Subject]) -> None:
        """Tell what was not told yet. What was left to another run is told to the user alone: that run remembers it."""
        rest = [s for s in subjects if s.answer is None and s.judged is None]
        self._tell([s for s in rest if not s.is_left])
        for subject in rest:
            if subject.is_left:
                subject.judged = self._judge(subject)
                subject.told = subject.judged

    def _tell(self, subjects: Sequence[Subject]) -> None:
        if not subjects:
            return
        polled = {}
        shared = {}
        # Judging learns what changed in a listing, once: a run that is killed must not be the only one that knew.
        with self._memory.together():
            for subject in subjects:
                subject.judged = polled[subject.row.name] = self._judge(subject)
                if subject.key is not None and subject.is_an_answer:
                    shared[subject.row.name] = Share(subject.key, subject.polled_at or self._began_at, subject.beyond)
            told = self._memory.see_all(polled, self._began_at, complete=self._complete, shared=shared)
        # Only now: who finds a lock free looks for the answer.
        self._memory.release([subject.key for subject in subjects if subject.key is not None])
        for subject in subjects:
            subject.told = told[subject.row.name]
