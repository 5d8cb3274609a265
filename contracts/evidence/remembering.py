"""A memory that may fail: it says so once, and the run goes on with what it learns itself.

Free chats are the exception. Where none can be counted none is sent, or a state that cannot be written would let every
run of a day send one.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

from contracts.errors import SpendRefused
from contracts.evidence.memory import Forgetful
from contracts.state.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime, timedelta
    from decimal import Decimal

    from contracts.evidence.memory import Memory
    from contracts.facts import Listing
    from contracts.listed import Change
    from contracts.model import Evidence, Finding
    from contracts.state.answer import Answer, Key, Share

T = TypeVar("T")


@contextmanager
def opened(path: str | None, warn: Callable[[str], None] | None = None) -> Iterator[Memory]:
    """Open the state at a path or address, or what remembers nothing for None.

    `warn` is told once why it cannot be used.
    """
    if path is None:
        yield Forgetful()
        return
    with ExitStack() as opened_:

        def open_() -> Memory:
            from contracts.state.opening import open_state

            state = open_state(path)
            opened_.callback(state.close)
            return state

        yield Careful(open_, warn or (lambda _: None))


class Careful:
    """Wraps a memory. `complain` is told once, in a sentence that names the file or database, why it is gone."""

    def __init__(self, open_: Callable[[], Memory], complain: Callable[[str], None]) -> None:
        """Open a memory, or go on without."""
        self._complain = complain
        self._fails = False
        self._memory: Memory = Forgetful()
        try:
            self._memory = open_()
        except StateError as error:
            self._lose(error)

    def kept(self, provider: str) -> list[Evidence]:
        """Give kept evidence."""
        return self._try(lambda memory: memory.kept(provider))

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence."""
        self._try(lambda memory: memory.keep(provider, evidence))

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing and give what changed."""
        return self._try(lambda memory: memory.remember_listing(provider, listing, at))

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a provider on a day."""
        return self._try(lambda memory: memory.free_chats_today(provider, day))

    def take_free_chat(self, provider: str, day: str, limit: int) -> bool:
        """Count one more free chat.

        Raises:
            SpendRefused: where it cannot be counted.
        """
        taken = self._try(lambda memory: memory.take_free_chat(provider, day, limit))
        if self._fails:
            raise SpendRefused(f"{provider}: no free chat was sent, as the state cannot count it")
        return taken

    def see_all(
        self,
        polled: Mapping[str, Sequence[Finding]],
        at: datetime,
        *,
        complete: bool = False,
        shared: Mapping[str, Share] | None = None,
    ) -> Mapping[str, list[Finding]]:
        """Remember what a run came to, and give the findings with what is new about each."""
        return self._try(lambda memory: memory.see_all(polled, at, complete=complete, shared=shared))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Keep all that is learnt within a block, or nothing of it; the block itself runs to its end."""
        with ExitStack() as stack:
            self._try(lambda memory: stack.enter_context(memory.together()))
            memory = self._memory
            yield
            try:
                if self._memory is memory:
                    stack.close()
                else:
                    # What failed within it must not be kept in part.
                    stack.__exit__(StateError, StateError(), None)
            except StateError as error:
                if self._memory is memory:
                    self._lose(error)

    def now(self) -> datetime:
        """Tell the time."""
        return self._try(lambda memory: memory.now())

    def answers(self, keys: Iterable[Key], every: timedelta) -> Mapping[Key, Answer]:
        """Give what other runs came to."""
        return self._try(lambda memory: memory.answers(keys, every))

    def claim(self, key: Key, every: timedelta) -> Answer | bool:
        """Give another run's answer, or tell whether it is for this run to ask."""
        return self._try(lambda memory: memory.claim(key, every))

    def freed(self, keys: Iterable[Key]) -> Iterable[Key]:
        """Tell which of these nobody asks now."""
        return self._try(lambda memory: memory.freed(keys))

    def release(self, keys: Iterable[Key]) -> None:
        """Let other runs have what this one had claimed."""
        self._try(lambda memory: memory.release(keys))

    def record_run(  # noqa: PLR0913, PLR0917 - what a run came to
        self,
        started_at: datetime,
        ended_at: datetime,
        exit_status: int,
        requests: Sequence[int],
        spend_usd: Decimal,
        roster: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Book a run."""
        self._try(lambda memory: memory.record_run(started_at, ended_at, exit_status, requests, spend_usd, roster))

    def last_polls(self, providers: Iterable[str]) -> Mapping[str, datetime]:
        """Tell when each provider was polled last."""
        return self._try(lambda memory: memory.last_polls(providers))

    def record_spend(self, provider: str, at: datetime, spend_usd: Decimal) -> None:
        """Add to what a provider may have cost."""
        self._try(lambda memory: memory.record_spend(provider, at, spend_usd))

    def _try(self, use: Callable[[Memory], T]) -> T:
        """Use the memory; at its first failure, and from then on, one that knows of this run alone."""
        try:
            return use(self._memory)
        except StateError as error:
            self._lose(error)
            return use(self._memory)

    def _lose(self, error: StateError) -> None:
        self._fails = True
        self._memory = Forgetful()
        self._complain(f"{error}; this run goes on without it")
