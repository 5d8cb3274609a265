"""A tap: what a router puts beside its forwarding loop to learn what a client is being sent.

    tap = Tap(request, response.status_code, headers, dialect, tables, asked=asked)
    for chunk in response.iter_raw():
        tap.feed(chunk)
        send(chunk)
    seen = tap.finish("complete")

It only looks: no byte is altered, none waits for another, and nothing it stumbles over reaches the caller. It holds no
text, but for a window of the end and what a scanner needs of a seam; a body that is not streamed is held until it has
ended, as it cannot be read before. `contracts.taps` makes taps from a providers file and writes down what they saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from contracts.facts import Timing
from contracts.fold import Fold, Limits
from contracts.text.looping import Tail
from contracts.text.verdict import Verification, verify_facts
from contracts.wire import content_coding

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.dialects import Dialect, Tables
    from contracts.facts import Asked, Facts
    from contracts.model import Headers, Request

Ended = Literal["complete", "cut", "unknown"]

# Of one answer. A router has hundreds at once, so that less is held than where one is judged alone.
LIMITS = Limits(event_bytes=4 * 1024 * 1024, body_bytes=16 * 1024 * 1024)
WINDOW = 16 * 1024  # bytes read at once: one by one, small events cost three times as much


class Seen(Struct, frozen=True, kw_only=True):
    """What a tap learnt of one answer.

    `facts` are those of a Fold of the whole, `verification` what a router writes down of it.
    """

    facts: Facts
    verification: Verification


class Waits:
    """How long the provider let wait: the times between arrivals, without what a slow client adds to them."""

    __slots__ = ("_arrivals", "_first_ms", "_longest_ms", "_total_ms")

    def __init__(self, head_ms: float) -> None:
        """Start when the headers have arrived."""
        self._total_ms, self._longest_ms, self._arrivals = head_ms, 0.0, 0
        self._first_ms: float | None = None

    def add(self, waited_ms: float) -> None:
        """Add the wait for one chunk."""
        self._arrivals += 1
        self._total_ms += waited_ms
        if self._first_ms is None:
            self._first_ms = self._total_ms
        elif waited_ms > self._longest_ms:
            self._longest_ms = waited_ms

    def timing(self) -> Timing | None:
        """Give the times; None where nobody measured them."""
        if self._first_ms is None:
            return None
        first_ms, total_ms, gap_ms = (round(ms, 1) for ms in (self._first_ms, self._total_ms, self._longest_ms))
        return Timing(first_byte_ms=first_ms, total_ms=total_ms, longest_gap_ms=gap_ms, arrivals=self._arrivals)


class Tap:
    """Reads along. `failure` is the exception that ended it, None as long as it works."""

    __slots__ = ("_coding", "_fold", "_held", "_size", "_tail", "_tell", "_waits", "failure")

    def __init__(  # noqa: PLR0913 - what is known when an answer begins
        self,
        request: Request,
        status: int,
        headers: Headers,
        dialect: Dialect,
        tables: Tables,
        *,
        asked: Asked | None = None,
        is_coded: bool = False,
        head_ms: float = 0.0,
        tell: Callable[[Seen], None] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        """Start on an answer, of which the body is still to come.

        Args:
            request: what was asked of the provider. Its body is read here, unless `asked` is given.
            status: of the answer.
            headers: of the answer, as text.
            dialect: the wire API that both speak.
            tables: what the catalogue holds for it.
            asked: what the request asked, learnt once for all attempts (`dialect.asked(request)`).
            is_coded: the chunks come as they are on the wire, with the Content-Encoding that the headers name.
            head_ms: how long the headers were waited for, since the request was sent.
            tell: is told at the end what was learnt, and may not block.
            limits: on what is held; what is larger is a fact.
        """
        self.failure: Exception | None = None
        self._fold: Fold | None = None
        self._held: list[bytes] = []
        self._size = 0
        self._waits = Waits(head_ms)
        self._coding: content_coding.Decoder | None = None
        self._tail, self._tell = Tail(), tell
        try:
            self._fold = Fold(
                request, status, headers, dialect, tables, limits=limits, asked=asked, tail=self._tail
            )  # fmt: skip
            codings = content_coding.declared(headers) if is_coded else ()
            if codings:
                self._coding = content_coding.Decoder(codings, limits.body_bytes + 1)
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer has to be forwarded
            self._fail(error)

    def feed(self, chunk: bytes, waited_ms: float | None = None) -> None:
        """Look at the next bytes of the body, in the order in which they are forwarded.

        `waited_ms` is how long the provider let wait for them: without the time that the client took for those before.
        """
        if self._fold is None:
            return
        try:
            if chunk:  # some clients give empty ones for as long as nothing comes
                self._held.append(chunk if type(chunk) is bytes else bytes(chunk))
                self._size += len(chunk)
            if waited_ms is not None:
                self._waits.add(waited_ms)
            if self._size >= WINDOW:
                self._read(self._fold)
        except Exception as error:  # noqa: BLE001 - the same
            self._fail(error)

    def finish(self, ended: Ended = "complete") -> Seen | None:
        """Tell what was learnt, once, after the last chunk.

        Args:
            ended: `cut` where the provider's connection broke, `unknown` where it was not waited for: the client left.

        Returns:
            None where the tap failed (see `failure`), and when it was finished before.
        """
        fold = self._fold
        if fold is None:
            return None
        try:
            self._read(fold)
            facts = self._facts(fold, ended)
            seen = Seen(facts=facts, verification=verify_facts(facts, self._tail))
            if self._tell is not None:
                self._tell(seen)
        except Exception as error:  # noqa: BLE001 - the same
            self._fail(error)
            return None
        else:
            return seen
        finally:
            self._fold = None

    @classmethod
    def failed(cls, error: Exception) -> Tap:
        """Give one that never worked, and why."""
        tap = cls.__new__(cls)
        tap._fold, tap._held, tap.failure = None, [], error  # noqa: SLF001 - its own
        return tap

    def _facts(self, fold: Fold, ended: Ended) -> Facts:
        timing = self._waits.timing()
        if self._coding is None:
            return structs.replace(fold.finish(ended), timing=timing)
        for piece in self._coding.finish(cut=ended != "complete"):
            fold.feed(piece)
        return structs.replace(fold.finish(ended), coding=self._coding.facts(), timing=timing)

    def _read(self, fold: Fold) -> None:
        """Read what was held; where the network cut it makes no difference to a fold."""
        data = b"".join(self._held)
        self._held.clear()
        self._size = 0
        for piece in (data,) if self._coding is None else self._coding.feed(data):
            fold.feed(piece)

    def _fail(self, error: Exception) -> None:
        self.failure, self._fold = error, None
        self._held.clear()
