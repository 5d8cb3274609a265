"""One client's request, within which an answer that is tapped as it comes and again as it is sent counts once.

    came (a tap beside the client's library) → the application → sent (the tap of the middleware)

What came waits for what was sent, a moment as a rule. Where both came to the same, what came is written, as it is what
the provider did. Where it came whole and was sent damaged, that is the application's doing: it is written in its place,
as a fault of our own that is held against nobody else. Answers of other providers, and attempts before, are answers of
their own. No byte waits for any of it.
"""

from __future__ import annotations

import os
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.model import Scope
from contracts.observations.kinds import same_word
from contracts.text.rules import FAULTS
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Callable, MutableMapping, Sequence

    from contracts.observations import Observation

WAIT_S = 10.0  # how long what came waits for what is sent, which a client that reads slowly holds up
KEPT = 16  # answers of one request that are written and still compared with what is sent; no more are tried


class Once:
    """Holds what came until it is known what was sent."""

    def __init__(self, write: Callable[[Observation], None], waiting: MutableMapping[Once, float]) -> None:
        """Begin with a request; `waiting` tells who looks after it which requests hold something, and since when."""
        self._write, self._waiting = write, waiting
        # One thread may come back while it is in here: a generator that is collected ends its tap.
        self._lock = RLock()
        self._open = 1  # taps that have not ended, and the one that sends
        self._is_sending = True
        self._held: list[Observation] = []
        self._told: list[Observation] = []
        self._sent: Observation | None = None
        self._early: Observation | None = None  # written before all that came had ended
        self._pid = os.getpid()

    @property
    def is_here(self) -> bool:
        """Whether this is the process that serves the request, and not one that was forked off since."""
        return self._pid == os.getpid()

    def began(self) -> Callable[[Observation], None]:
        """Know of an answer that comes; gives who has to be told what it came to."""
        with self._lock:
            if not self._open:
                return self._write
            self._open += 1
        return self._ended

    def came(self, seen: Observation) -> None:
        """Take an answer that came."""
        with self._lock:
            self._hold(seen)
            if self._open:
                return
        self.release()

    def sent(self, seen: Observation) -> None:
        """Take what was sent; nothing more will be."""
        with self._lock:
            if self._is_sending:
                self._sent = seen
                self._waiting.setdefault(self, monotonic())
        self.over()

    def over(self) -> None:
        """Wait for nothing more to be sent."""
        with self._lock:
            if self._is_sending:
                self._is_sending = False
                self._close()

    def release(self) -> None:
        """Write what is held, whatever is still to come."""
        with self._lock:
            self._waiting.pop(self, None)
            held, self._held = self._held, []
            sent, self._sent = self._sent, None
            given_up, instead = (None, None) if sent is None else compared([*self._told, *held], sent)
            self._told = [*self._told, *held][-KEPT:]
            self._early = sent if sent is not None and instead is sent else self._early
        for one in held:
            if one is not given_up:
                self._write(one)
        if instead is not None:
            self._write(instead)

    def _ended(self, seen: Observation) -> None:
        with self._lock:
            self._hold(seen)
            self._close()

    def _hold(self, seen: Observation) -> None:
        early = self._early
        if early is not None and early.provider == seen.provider and same_word(early.verification, seen.verification):
            self._early = None
            return
        self._held.append(seen)
        self._waiting.setdefault(self, monotonic())

    def _close(self) -> None:
        self._open -= 1
        if not self._open:
            self.release()


def compared(came: Sequence[Observation], sent: Observation) -> tuple[Observation | None, Observation | None]:
    """Tell which of what came is given up for what was sent, and what is written of that; None is nothing."""
    own = [one for one in came if one.provider == sent.provider]
    if not own:
        return None, sent
    if any(same_word(one.verification, sent.verification) for one in own):
        return None, None
    first = next((one for one in reversed(own) if is_success(one.facts.status)), own[-1])
    if _was_hidden(first):
        return first, sent
    if sent.verification.verdict in FAULTS:
        return (None, None) if _explains(first, sent) else (first, _our_own(first, sent))
    # A failure does not turn into a good answer: that one came from a call without a tap.
    is_other = sent.verification.verdict != "unverifiable" and not is_success(first.facts.status)
    return None, sent if is_other else None


def _was_hidden(came: Observation) -> bool:
    """Tell whether the tap could not read what came, because of its coding, where the application could."""
    return came.facts.coding is not None and came.facts.coding.fault is not None


def _explains(came: Observation, sent: Observation) -> bool:
    """Tell whether what was wrong with what came is reason enough for what was sent."""
    if came.verification.verdict in FAULTS:
        return True
    is_whole = is_success(came.facts.status) and not came.facts.errors and came.facts.ended != "cut"
    return not is_whole and sent.verification.verdict != "mangled"


def _our_own(came: Observation, sent: Observation) -> Observation:
    """Say of an answer what was sent, and that the provider is not to blame: all but the text is of what came."""
    word, facts = sent.verification, came.facts
    if word.verdict == "mangled" and facts.reply is not None and sent.facts.reply is not None:
        text = structs.replace(sent.facts.reply.text, came_intact=True)
        facts = structs.replace(facts, reply=structs.replace(facts.reply, text=text))
    bracket = "" if word.scope is None else f"[{word.scope.value}]"
    return structs.replace(
        came,
        at=sent.at,
        facts=facts,
        verification=structs.replace(
            word,
            detail=word.detail.replace(bracket, f"[{Scope.PIPELINE.value}]", 1) if bracket else word.detail,
            model_attributable=False,
            scope=Scope.PIPELINE,
        ),
    )
