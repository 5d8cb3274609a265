"""Answers as a router writes them down, made for the tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec import structs

from contracts.breaker.decide import decide
from contracts.breaker.memory import Decision, Memory, State
from contracts.breaker.observed import Row, count, observed, since, span
from contracts.breaker.rate import Limits
from contracts.breaker.tally import Key
from contracts.text.charset import RequestCharset, profile
from contracts.text.verdict import Verification, verify_response

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)
WINDOW_S = 3600.0
ASCII = profile(["Summarize, please."])

WHOLE = verify_response("Grüße — alles gut", "stop", False, request_charset=ASCII)  # noqa: FBT003 - the router's order
PLAIN = verify_response("All is well.", "stop", False, request_charset=ASCII)  # noqa: FBT003
EMPTY = verify_response("", "stop", False, request_charset=ASCII)  # noqa: FBT003
CALL = verify_response("", "tool_calls", True, request_charset=ASCII)  # noqa: FBT003
MANGLED = verify_response("fine \u00e2\u0080\u0094 then", "stop", False, request_charset=ASCII)  # noqa: FBT003
THROTTLED = verify_response("", None, False, status=429, request_charset=ASCII)  # noqa: FBT003


def status(code: int) -> Verification:
    return verify_response("", None, False, status=code, request_charset=ASCII)  # noqa: FBT003


def answer(
    text: str, charset: RequestCharset | None = ASCII, *, finish: str = "stop", calls: bool = False
) -> Verification:
    return verify_response(text, finish, calls, request_charset=charset)


def spread(
    provider: str,
    model: str,
    answers: Sequence[Verification],
    begin: datetime = NOON - HOUR / 2,
    every: timedelta = SECOND,
) -> list[Row]:
    """Answers one after the other."""
    return [observed(begin + number * every, provider, model, one) for number, one in enumerate(answers)]


class Router:
    """A router that writes down what came, and asks for decisions at polls. It obeys none: a probe is what comes."""

    def __init__(self, jitter: float = 0.0, limits: Limits | None = None) -> None:
        self.seen: list[Row] = []
        self.memories: dict[Key, Memory] = {}
        self.jitter = jitter
        self.limits = limits

    def poll(self, now: datetime) -> dict[Key, Decision]:
        """Decide, and remember what changed."""
        decisions = decide(
            count(self.seen, span(now, WINDOW_S)), self._remembered(now), now, lambda _: self.jitter, self.limits
        )
        for one in decisions:
            if one.skip_reason is None:
                self.memories[one.key] = Memory(
                    state=one.state, at=now, until=one.until, attempt=one.attempt, signature=one.signature,
                    since=one.since,
                )  # fmt: skip
        return {one.key: one for one in decisions}

    def _remembered(self, now: datetime) -> dict[Key, Memory]:
        return {key: self._after(key, memory, now) for key, memory in self.memories.items()}

    def _after(self, key: Key, memory: Memory, now: datetime) -> Memory:
        own = (one for one in self.seen if one.provider == key.provider and key.model in (None, one.model))
        return structs.replace(memory, after=tuple(count(own, since(memory.counts_from, now, WINDOW_S))))


def opened(decisions: dict[Key, Decision]) -> set[Key]:
    """The keys that tripped now."""
    return {key for key, one in decisions.items() if one.state is State.OPEN and one.skip_reason is None}


def decided(observations: Iterable[Row], now: datetime = NOON, **limits: Any) -> dict[Key, Decision]:
    """Decide once, with nothing remembered."""
    router = Router(limits=Limits(**limits))
    router.seen = list(observations)
    return router.poll(now)
