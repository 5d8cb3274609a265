"""What the provider sent, noted down while it goes out: the bytes, when, and how they ended."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from contracts.testing.answer import End, Pause, Step

if TYPE_CHECKING:
    from contracts.model import Headers
    from contracts.testing.answer import Answer
    from contracts.testing.ask import Ask

MAX_BYTES = 16 * 1024 * 1024  # of a body, on either side; the usual trials have some KB
MAX_STEPS = 100_000  # of what the provider was still to send when its client had left
NOTICED_S = 0.2  # a pause from here on is one that a reader notices
MAX_HEADERS = 100

SentEnding = Literal["whole", "cut", "reset", "held"]


class Gap(Struct, frozen=True, kw_only=True):
    """A silence on purpose: how many bytes of the body came before it, and when the next one was sent."""

    size: int
    until_s: float


class Sent(Struct, kw_only=True):
    """One answer of the provider.

    Attributes:
        ask: the request that it answers.
        status: None where it sent no head at all.
        headers: without those of the transfer.
        body: as it was sent, under whatever coding the headers say; bounded, `is_over` says that there was more.
        ending: `whole`, `cut` and `reset` before its time, or `held` open for ever.
        has_begun: whether any byte of the body was sent.
    """

    ask: Ask
    status: int | None
    headers: Headers
    body: bytearray = field(default_factory=bytearray)
    ending: SentEnding = "whole"
    is_over: bool = False
    gap: Gap | None = None
    has_begun: bool = False


class Watcher:
    """Sees every answer, and keeps those to the chats of the trial under way, which a word in the request tells.

    `strays` are requests of the trial that are no chats, and chats that do not hold the word.
    """

    def __init__(self) -> None:
        """Start with none."""
        self._word = b""
        self._tries: list[tuple[Sent, Iterator[Step]]] = []
        self.strays: list[Ask] = []

    def begin(self, word: bytes) -> None:
        """Look for the requests of the next trial, which hold this word."""
        self._word, self._tries, self.strays = word, [], []

    def __call__(self, ask: Ask, answer: Answer) -> Answer:
        """Note an answer down as it goes out."""
        is_of_trial, is_chat = self._word in ask.body, ask.kind == "chat"
        if is_of_trial is not is_chat:
            self.strays.append(ask)
        elif is_chat:
            headers = answer.headers = tuple(islice(answer.headers, MAX_HEADERS))
            is_silent = not answer.has_head or any(isinstance(step, End) for step in answer.before)
            ending: SentEnding = "cut" if is_silent else "whole"
            sent = Sent(ask=ask, status=None if is_silent else answer.status, headers=headers, ending=ending)
            rest: Iterator[Step] = iter(())
            if sent.status is not None:
                answer.body = rest = _noted(answer, answer.body, sent)
            self._tries.append((sent, rest))
        return answer

    def is_held(self) -> bool:
        """Tell whether the latest answer has come to where nothing more is sent, and the connection stays open."""
        return bool(self._tries) and self._tries[-1][0].ending == "held"

    def finish(self) -> list[Sent]:
        """Give what was sent in the trial; what was still to be sent when the client left counts as sent."""
        for _, rest in self._tries:
            for _ in islice(rest, MAX_STEPS):
                pass
        return [sent for sent, _ in self._tries]


def _noted(answer: Answer, body: Iterable[Step], sent: Sent) -> Iterator[Step]:
    quiet = False
    for step in body:
        if isinstance(step, bytes):
            if quiet and sent.gap is None:
                sent.gap = Gap(size=len(sent.body), until_s=time.monotonic())
            sent.has_begun = sent.has_begun or bool(step)
            room = MAX_BYTES - len(sent.body)
            sent.body += step[:room]
            if len(step) > room:
                sent.is_over = True
        elif isinstance(step, Pause):
            quiet = step.seconds >= NOTICED_S
        else:
            sent.ending = _ENDINGS[step]
        yield step
        if sent.is_over:
            return
    short = answer.length is not None and len(sent.body) < answer.length
    if sent.ending == "whole" and (short or not answer.is_terminated):
        sent.ending = "cut"


_ENDINGS: dict[End, SentEnding] = {End.HOLD: "held", End.CLOSE: "cut", End.RESET: "reset"}
