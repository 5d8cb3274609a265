"""The breaker's own rows: a trip that stands is found however long ago it was written, without reading all of a table.

Whoever writes decisions writes each trip that stands again once a day, and says in every row of his that he knew all of
them (`knows_all`). So the latest such row tells how far back to read: a day before it. Where the last days have none,
all of a table is read once, as it lies: by an index a month of it takes longer (of 10^8 rows in SQLite 90 s, all 18 s).
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import MsgspecError, Struct, json, structs

from contracts.breaker.decide import REFRESH
from contracts.breaker.memory import Decision, Memory, State
from contracts.breaker.novelty import DAY
from contracts.breaker.tally import Key
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

WHOLE_PROVIDER = "*"  # in the column of the model, which may not be empty in a router's table
SKEW = timedelta(hours=1)  # by which the clocks of two hosts may differ; what is later than this decides nothing
LOOK_BACK = timedelta(days=4)  # where nothing is written
STEPS = (REFRESH + SKEW, LOOK_BACK)
BEGINNING = datetime(2020, 1, 1, tzinfo=UTC)  # what is earlier is no instant: seconds among milliseconds, `-infinity`
LONGEST_WHY = 300  # characters
LEFT = "another --apply decided on it meanwhile"

Rows = list[tuple[str, str, str, object, datetime]]


class Told(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The detail of a decision's row, as JSON.

    `knows_all`: whoever wrote it knew every trip that stood then.
    """

    until: datetime | None = None
    attempt: int = 0
    signature: str = ""
    by: str = ""
    count: int = 0
    calls: int = 0
    since: datetime | None = None
    why: str = ""
    knows_all: bool = False


class Remembered(NamedTuple):
    """The last decision on each key.

    Attributes:
        memories: by key.
        read_from: earlier ones were not looked for; None where every trip that stands is among them.
        proved_at: when somebody wrote last who knew all; None where that was not found.
    """

    memories: dict[Key, Memory]
    read_from: datetime | None
    proved_at: datetime | None

    @property
    def knows_all(self) -> bool:
        """Whether every trip that stands is among them."""
        return self.read_from is None


def remember(read: Callable[[datetime, datetime], Rows], now: datetime, *, to_the_beginning: bool) -> Remembered:
    """Read the last decision on each key.

    Args:
        read: gives the last row of each key from an instant on and before another.
        now: the instant of the poll.
        to_the_beginning: read as far back as it takes, else no further than LOOK_BACK.
    """
    memories: dict[Key, Memory] = {}
    proved_at: datetime | None = None
    reached = now + SKEW

    def go_back(to: datetime) -> None:
        nonlocal proved_at, reached
        for provider, model, verdict, detail, at in read(to, reached):
            memory, knows_all = _memory(State(verdict), at, detail)
            memories.setdefault(key_of(provider, model), memory)
            if knows_all and (proved_at is None or at > proved_at):
                proved_at = at
        reached = to

    for step in (*(now - step for step in STEPS), BEGINNING):
        go_back(step)
        if proved_at is not None:
            if proved_at - REFRESH - SKEW < reached:
                go_back(proved_at - REFRESH - SKEW)
            break
        if step <= now - LOOK_BACK and not to_the_beginning:
            break
    knows_all = proved_at is not None or reached == BEGINNING
    return Remembered(memories, None if knows_all else reached, proved_at)


def anchored(
    decisions: Sequence[Decision], providers: Collection[str], known: Remembered, now: datetime
) -> list[Decision]:
    """Have one decision written down as it stands where nothing else is to be written and nothing was for a day.

    Without it every poll of a fleet that is well would read the table to its beginning. It is of a provider that
    answered, as a name that is none may be refused by the router's table; if there is none, nothing is added.
    """
    is_recent = known.proved_at is not None and now - known.proved_at < DAY
    if not known.knows_all or is_recent or any(one.skip_reason is None for one in decisions):
        return list(decisions)
    wholes = [one for one in decisions if one.model is None and one.provider in providers and one.provider]
    chosen = min(wholes, key=lambda one: one.state is not State.CLOSED, default=None)
    return [_written_again(one) if one is chosen else one for one in decisions]


def left_to_others(decisions: Sequence[Decision], known: Mapping[Key, Memory], recent: Rows) -> list[Decision]:
    """Leave every key to whoever decided on it since the memories were read that the decisions were made from."""
    taken = {
        key
        for provider, model, verdict, _, at in recent
        if (memory := known.get(key := key_of(provider, model))) is None or (memory.at, memory.state) != (at, verdict)
    }
    return [
        structs.replace(one, by=None, skip_reason=LEFT) if one.key in taken and one.skip_reason is None else one
        for one in decisions
    ]


def key_of(provider: str, model: str) -> Key:
    """Name whom a row is on."""
    return Key(provider, None if model == WHOLE_PROVIDER else model)


def detail_of(decision: Decision, *, knows_all: bool) -> str:
    """Write the detail of a decision's row."""
    told = Told(
        until=decision.until,
        attempt=decision.attempt,
        signature=decision.signature,
        by=decision.by or "",
        count=decision.count,
        calls=decision.calls,
        since=decision.since,
        why=scrub(decision.why, LONGEST_WHY),
        knows_all=knows_all,
    )
    return json.encode(told).decode()


def _written_again(decision: Decision) -> Decision:
    # A closed row is no reason to make the next trip longer: whatever was before it is forgiven after a day.
    attempt = 0 if decision.state is State.CLOSED else decision.attempt
    return structs.replace(decision, by="time", skip_reason=None, attempt=attempt)


def _memory(state: State, at: datetime, detail: object) -> tuple[Memory, bool]:
    """Remember a decision; one whose detail cannot be read has no end but a clean answer."""
    try:
        told = json.decode(str(detail), type=Told)
    except (MsgspecError, ValueError):
        told = Told()
    until, since_at = map(_instant, (told.until, told.since))
    # Where somebody wrote a row by hand, nothing may count before these, and for ever.
    if since_at is not None and since_at > at + SKEW:
        since_at = None
    if state is State.HALF_OPEN and until is not None and until > at + SKEW:
        until = None
    memory = Memory(state=state, at=at, until=until, attempt=told.attempt, signature=told.signature, since=since_at)
    return memory, told.knows_all


def _instant(value: datetime | None) -> datetime | None:
    """Read an instant that anybody may have written: one without a zone is none, nor is one that UTC cannot name."""
    try:
        return None if value is None or value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        return None
