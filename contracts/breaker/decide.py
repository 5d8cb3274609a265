"""Decide from counts and from what is remembered whom to stop sending to, and say why of everybody.

Two arms that do not touch each other. Damaged bytes are a wire's doing and trip the provider, by novelty or by count;
faults of content (nothing, a loop, a broken call) are a model's and trip that model at that provider, by rate: any
model says nothing now and then, so neither one such answer nor a new one is worth a word. What closes the one is no
evidence for the other. 429 is a state of its own, and no status trips anything: what counts those stands elsewhere.

Nothing is closed but by a clean answer that came after the trip was over; for a provider it has to hold text beyond
ASCII, as any other would have come through a damaging wire unharmed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.breaker.counted import Counted, put_together, rate_of
from contracts.breaker.memory import Decision, Memory, State, cooldown, state_at
from contracts.breaker.novelty import DAY, is_novel, limit_of
from contracts.breaker.rate import Limits, compare
from contracts.breaker.tally import Key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from contracts.breaker.counted import Sign
    from contracts.breaker.memory import By
    from contracts.breaker.tally import Tally

REFRESH = timedelta(days=1)  # how often a trip that stands is written again: nobody has to look further back for it


def decide(
    tallies: Iterable[Tally],
    memories: Mapping[Key, Memory],
    now: datetime,
    jitter: Callable[[Key], float],
    limits: Limits | None = None,
) -> list[Decision]:
    """Decide on every key that answered or is remembered, providers before their models.

    Args:
        tallies: of one window, day and day before.
        memories: the last decision on each key.
        now: the instant up to which tallies were counted.
        jitter: gives a number from 0 to 1 for a key that trips.
        limits: None is the usual ones.
    """
    desk = _Desk(put_together(tallies), memories, now, jitter, limits or Limits())
    keys = {Key(provider, None) for provider in desk.counted.models} | set(desk.counted.by_model) | set(memories)
    return [desk.decide(key) for key in sorted(keys, key=lambda key: (key.provider, key.model or ""))]


class _Desk:
    """One round of decisions."""

    def __init__(
        self,
        counted: Counted,
        memories: Mapping[Key, Memory],
        now: datetime,
        jitter: Callable[[Key], float],
        limits: Limits,
    ) -> None:
        self.counted = counted
        self._memories, self._now, self._jitter, self._limits = memories, now, jitter, limits

    def decide(self, key: Key) -> Decision:
        """Decide on one key by the state it is in."""
        memory = self._memories.get(key)
        if not key.provider or key.model == "":
            return self._stays(
                key, None, "who answered is not known or one of too many, so that nobody can be tripped for it"
            )
        was = state_at(memory, self._now)
        if memory is not None and was is State.OPEN:
            until = f"{memory.until:%Y-%m-%d %H:%M:%S}Z" if memory.until else "it is probed"
            return self._again(self._stays(key, memory, f"open until {until}"), memory)
        if memory is not None and was is State.HALF_OPEN:
            return self._probed(key, memory)
        return self._provider(key, memory) if key.model is None else self._model(key, memory)

    def _stays(self, key: Key, memory: Memory | None, reason: str, **said: object) -> Decision:
        """Leave a key as it is."""
        state = state_at(memory, self._now)
        kept = memory if memory is not None and state is not State.CLOSED else None
        stays = Decision(
            provider=key.provider,
            model=key.model,
            state=state,
            was=state,
            signature=kept.signature if kept else "",
            until=kept.until if kept else None,
            attempt=memory.attempt if memory else 0,
            since=memory.since if memory else None,
            why=reason,
            skip_reason=reason,
        )
        return structs.replace(stays, **said)

    def _again(self, standing: Decision, memory: Memory) -> Decision:
        """Write down that a trip stands, where its row says something else or is a day old."""
        if memory.state is standing.state and self._now - memory.at < REFRESH:
            return standing
        return structs.replace(standing, was=memory.state, by="time", skip_reason=None)

    def _opens(self, key: Key, memory: Memory | None, by: By, why: str, **said: object) -> Decision:
        """Trip a key, for longer where it was tripped not long ago."""
        limits, now = self._limits, self._now
        recently = memory is not None and (now - memory.at).total_seconds() <= limits.forgiven_s
        attempt = memory.attempt + 1 if memory is not None and recently else 1
        opens = Decision(
            provider=key.provider,
            model=key.model,
            state=State.OPEN,
            was=state_at(memory, now),
            by=by,
            until=now + cooldown(attempt, self._jitter(key), limits),
            attempt=attempt,
            why=why,
        )
        return structs.replace(opens, **said)

    def _probed(self, key: Key, memory: Memory) -> Decision:
        """Judge what came after a trip was over: the first answer that shows anything decides."""
        arm = "encoding" if key.model is None else "content"
        faults = [tally for tally in memory.after if tally.arm == arm and tally.day]
        clean = [t for t in memory.after if (t.shows_wire if key.model is None else t.is_clean) and t.day]
        fault_at = min((tally.first_at for tally in faults if tally.first_at), default=None)
        clean_at = min((tally.first_at for tally in clean if tally.first_at), default=None)
        if fault_at is not None and (clean_at is None or fault_at <= clean_at):
            worst = max(faults, key=lambda tally: tally.day)
            seen = sum(tally.day for tally in faults)
            why = f"{_told(worst)} again when it was asked anew, {seen} ×"
            return self._opens(key, memory, "probe", why, signature=_told(worst), count=seen)
        if clean_at is not None:
            return Decision(
                provider=key.provider,
                model=key.model,
                state=State.CLOSED,
                was=State.HALF_OPEN,
                by="clean",
                signature=memory.signature,
                attempt=memory.attempt,
                since=clean_at,
                why="a clean answer" + (" with text beyond ASCII" if key.model is None else ""),
            )
        reason = "its time is over, and no answer since then shows anything"
        return self._again(self._stays(key, memory, reason), memory)

    def _provider(self, key: Key, memory: Memory | None) -> Decision:
        """Judge the bytes of a provider, whichever of its models sent them."""
        signs = self.counted.signs.get(key.provider, ())
        if memory is not None and self._counts_anew(memory):
            again = put_together(memory.after).signs.get(key.provider, ())
            fresh = {sign.name: sign for sign in again}
            signs = tuple(s._replace(day=fresh[s.name].day, models=fresh[s.name].models) for s in signs
                          if s.name in fresh)  # fmt: skip
        reasons = []
        for sign in signs:
            novel = sign.first_at is not None and is_novel(sign.last_before_at, sign.first_at)
            limit = limit_of(novel=novel, familiar_at=self._limits.familiar_at)
            said = {"signature": sign.name, "count": sign.day, "baseline": sign.before}
            if sign.day >= limit:
                why = self._blamed(key.provider, sign, novel=novel)
                return self._opens(key, memory, "novelty" if novel else "count", why, **said)
            if sign.day:
                kind = "new" if novel else "known from the day before"
                reasons.append((f"{sign.day} × {sign.name}, {kind}: it takes {limit}", said))
        if reasons:
            return self._stays(key, memory, reasons[0][0], **reasons[0][1])
        return self._stays(key, memory, self._unharmed(key.provider))

    def _model(self, key: Key, memory: Memory | None) -> Decision:
        """Judge the answers of one model at one provider by their rate."""
        group = self.counted.by_model.get(key, ())
        own = self.counted.rates.get(key)
        if memory is not None and self._counts_anew(memory):
            own = rate_of(memory.after)
        if own is None:
            return self._stays(key, memory, "no answer")
        others = self.counted.total.less(self.counted.rates[key]) if key in self.counted.rates else self.counted.total
        compared = compare(own, others, self._limits)
        faults = [tally for tally in group if tally.arm == "content"]
        worst = max(faults, key=lambda tally: (tally.window, tally.day), default=None)
        said = {
            "signature": _told(worst) if worst is not None and own.faults else "",
            "count": own.faults,
            "calls": own.calls,
            "baseline": sum(tally.before for tally in faults),
            "bound": compared.bound or None,
        }
        if compared.is_worse:
            return self._opens(key, memory, "rate", f"{said['signature']}: {compared.why}", **said)
        throttled = self._throttled(key, memory, group)
        if throttled is not None:
            return throttled
        calls = sum(tally.window for tally in group if tally.is_call)
        beside = f", beside {calls} with a tool call, of which none can be judged" if calls else ""
        return self._stays(key, memory, compared.why + beside, **said)

    def _throttled(self, key: Key, memory: Memory | None, group: tuple[Tally, ...]) -> Decision | None:
        """Say that a model asks for less, where a 429 was its last word and is not long ago."""
        refused = max((t.last_at for t in group if t.is_throttled and t.last_at), default=None)
        served = max((t.last_at for t in group if not t.is_throttled and t.last_at), default=None)
        if refused is None or (served is not None and served > refused):
            return None
        until = refused + timedelta(seconds=self._limits.throttle_s)
        if until <= self._now:
            return None
        was = state_at(memory, self._now)
        changed = was is not State.THROTTLED
        return Decision(
            provider=key.provider,
            model=key.model,
            state=State.THROTTLED,
            was=was,
            by="throttle" if changed else None,
            signature="status 429",
            count=sum(tally.window for tally in group if tally.is_throttled),
            until=until,
            attempt=memory.attempt if memory else 0,
            since=memory.since if memory else None,
            why="429 was its last word: a throttle, and no fault",
            skip_reason=None if changed else "throttled already",
        )

    def _counts_anew(self, memory: Memory) -> bool:
        """Whether a trip was closed within the day that is counted, so that what led to it does not count again."""
        return memory.since is not None and self._now - memory.since <= DAY

    def _blamed(self, provider: str, sign: Sign, *, novel: bool) -> str:
        """Say why damaged bytes are the transport's: who shows them, and who does not."""
        models, damaged = self.counted.models.get(provider, ()), frozenset(sign.models)
        intact = sum(
            key.model not in damaged and any(tally.shows_wire and tally.day for tally in self.counted.by_model[key])
            for key in models
        )
        elsewhere = sorted({
            key.provider for key, group in self.counted.by_model.items()
            if key.provider != provider and any(tally.shows_wire and tally.day for tally in group)
            and not self.counted.signs.get(key.provider)
        })  # fmt: skip
        kind = "new after a day without it" if novel else f"{sign.before} × the day before"
        whole = f", none at {', '.join(elsewhere[:5])}" if elsewhere else ""
        return (
            f"{sign.name} {sign.day} × at {len(sign.models)} of {len(models)} models, {kind}{whole}: "
            f"the transport did it, not the models{f', though {intact} of them came through whole' if intact else ''}"
        )

    def _unharmed(self, provider: str) -> str:
        groups = [self.counted.by_model[key] for key in self.counted.models.get(provider, ())]
        whole = sum(tally.day for group in groups for tally in group if tally.shows_wire)
        return f"no damage in {whole} answers that could have shown it"


def _told(tally: Tally) -> str:
    """Name a fault as people know it: an empty response, a signature, or the word."""
    return tally.signature if tally.verdict == "malformed" and tally.signature else tally.name
