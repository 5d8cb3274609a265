"""Read and write a router's `verifications` table as it stands. Nothing of it is ever made or altered.

What is read is counted in the database: a day of a large table comes back as one row for each provider, model, verdict
and signature.

Two kinds of rows are written. `structural` ones are what an answer came to. The breaker's own decisions have a kind of
their own, are never attributable, and name a provider alone by the model `*`. A router that folds quality from client
outcomes with `model_attributable = 1` sees neither: the first are no client outcomes, the second neither that nor
attributable, whichever of the two it asks for.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import MsgspecError, Struct, json, structs

from contracts.breaker.memory import Decision, Memory, State, state_at
from contracts.breaker.novelty import DAY
from contracts.breaker.observed import since
from contracts.breaker.tally import Key, Tally
from contracts.errors import ConfigError
from contracts.text.scrub import scrub
from contracts.verifications.catalogue import look_up
from contracts.verifications.errors import TableError
from contracts.verifications.statements import KIND, MOST_GROUPS, WHOLE_PROVIDER, aggregate, insert, latest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.breaker.observed import Row, Span
    from contracts.verifications.catalogue import Database
    from contracts.verifications.place import Place

STATES = frozenset(state.value for state in State)
LONGEST_WHY = 300  # characters


class Told(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The detail of a decision's row, as JSON."""

    until: datetime | None = None
    attempt: int = 0
    signature: str = ""
    by: str = ""
    count: int = 0
    calls: int = 0
    since: datetime | None = None
    why: str = ""


class Verifications:
    """One open table. Every method may raise TableError."""

    def __init__(self, place: Place) -> None:
        """Open it.

        Raises:
            ConfigError: for a database, table or column that is not there.
            TableError: where it cannot be reached.
        """
        self._place = place
        self._database = _connect(place)
        try:
            self._table = look_up(self._database, place)
        except BaseException:
            self._database.close()
            raise

    def tallies(self, over: Span, key: Key | None = None) -> list[Tally]:
        """Count what answers came to, of all or of one key."""
        statement, values = aggregate(self._table, over, key)
        rows = self._database.read(statement, values)
        if len(rows) > MOST_GROUPS:
            raise TableError(f"{self._database.shown}: expected at most {MOST_GROUPS} groups to count, found more")
        read = self._table.clock.read
        return [
            Tally(
                provider=provider, model=model, verdict=verdict or "", signature=signature or "",
                attributable=bool(attributable), day=int(day), window=int(window), before=int(before),
                first_at=read(first), last_at=read(last), before_last_at=read(before_last),
            )
            for provider, model, verdict, signature, attributable, day, window, before, first, last, before_last in rows
            if verdict not in STATES  # the breaker's own, where a router's table lets it have no kind of its own
        ]  # fmt: skip

    def memories(self, now: datetime, window_s: float) -> dict[Key, Memory]:
        """Read the last decision on each key, and what came after those that were trips."""
        statement, values = latest(self._table, self._place.decisions, now)
        found: dict[Key, Memory] = {}
        for provider, model, verdict, detail, at in self._database.read(statement, values):
            decided_at = self._table.clock.read(at)
            if decided_at is None:
                continue
            key = Key(provider, None if model == WHOLE_PROVIDER else model)
            memory = _memory(State(verdict), decided_at, detail)
            if _is_asked_for(memory, now):
                over = since(memory.counts_from, now, window_s)
                memory = structs.replace(memory, after=tuple(self.tallies(over, key)))
            found[key] = memory
        return found

    def read(self, over: Span, now: datetime, window_s: float) -> tuple[list[Tally], dict[Key, Memory]]:
        """Read counts and decisions as they stood at one instant."""
        with self._database.reading():
            return self.tallies(over), self.memories(now, window_s)

    def record(self, observations: Iterable[Row]) -> None:
        """Write what answers came to, all of them or none."""
        self._write([
            (KIND, one.verdict, one.detail, self._flag(value=one.model_attributable), one.at, one.provider, one.model)
            for one in observations
        ])  # fmt: skip

    def apply(self, decisions: Iterable[Decision], at: datetime) -> int:
        """Write the decisions that changed something, all of them or none, and give their number."""
        rows = [
            (
                self._place.decisions, one.state.value, json.encode(_told(one)).decode(), self._flag(value=False), at,
                one.provider, WHOLE_PROVIDER if one.model is None else one.model,
            )
            for one in decisions
            if one.skip_reason is None
        ]  # fmt: skip
        self._write(rows)
        return len(rows)

    def close(self) -> None:
        """Close it."""
        self._database.close()

    def _flag(self, *, value: bool) -> object:
        return value if self._table.is_boolean else int(value)

    def _write(self, rows: Sequence[tuple[object, ...]]) -> None:
        table = self._table
        if table.refusal:
            raise ConfigError(f"{self._database.shown}: nothing can be written: {table.refusal}")
        if not rows:
            return
        self._database.write(insert(table), [tuple(map(self._storable, row)) for row in rows])

    def _storable(self, value: object) -> object:
        if isinstance(value, datetime):
            return self._table.clock.write(value)
        if isinstance(value, str):
            return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
        return value


def _connect(place: Place) -> Database:
    if place.engine == "sqlite":
        from contracts.verifications.sqlite import SqliteDatabase

        return SqliteDatabase(place)
    try:
        from contracts.verifications.postgres import PostgresDatabase
    except ImportError:
        raise ConfigError(
            f"{place.shown}: PostgreSQL needs psycopg, which is not installed; "
            "pip install 'provider-contracts[postgres]'"
        ) from None
    return PostgresDatabase(place)


def _is_asked_for(memory: Memory, now: datetime) -> bool:
    """Whether a decision depends on what came since: each is a count of its own, and a table may be large."""
    match state_at(memory, now):
        case State.OPEN:
            return False
        case State.HALF_OPEN:
            return True
        case _:
            return memory.since is not None and now - memory.since <= DAY


def _told(decision: Decision) -> Told:
    return Told(
        until=decision.until,
        attempt=decision.attempt,
        signature=decision.signature,
        by=decision.by or "",
        count=decision.count,
        calls=decision.calls,
        since=decision.since,
        why=scrub(decision.why, LONGEST_WHY),
    )


def _memory(state: State, at: datetime, detail: object) -> Memory:
    """Remember a decision; one whose detail cannot be read has no end but a clean answer."""
    try:
        told = json.decode(str(detail), type=Told)
    except (MsgspecError, ValueError):
        told = Told()
    until, since_at = (None if one is None or one.tzinfo is None else one for one in (told.until, told.since))
    return Memory(state=state, at=at, until=until, attempt=told.attempt, signature=told.signature, since=since_at)
