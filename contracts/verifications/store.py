"""Read and write a router's `verifications` table as it stands. Nothing of it is ever made or altered.

What is read is counted in the database: a day of a large table comes back as one row for each provider, model, verdict
and signature.

Two kinds of rows are written. `structural` ones are what an answer came to. The breaker's own decisions have a kind of
their own, are never attributable, and name a provider alone by the model `*`. A router that folds quality from client
outcomes with `model_attributable = 1` sees neither: the first are no client outcomes, the second neither that nor
attributable, whichever of the two it asks for.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import structs

from contracts.breaker.memory import Decision, Memory, State, state_at
from contracts.breaker.novelty import DAY
from contracts.breaker.observed import since
from contracts.breaker.tally import Key, Tally
from contracts.errors import ConfigError
from contracts.verifications.catalogue import look_up
from contracts.verifications.decided import (
    BEGINNING,
    SKEW,
    WHOLE_PROVIDER,
    Remembered,
    Rows,
    anchored,
    detail_of,
    left_to_others,
    remember,
)
from contracts.verifications.errors import TableError
from contracts.verifications.statements import APART, KIND, MOST_GROUPS, aggregate, each_since, insert, latest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.breaker.observed import Row, Span
    from contracts.verifications.catalogue import Database
    from contracts.verifications.place import Place

STATES = frozenset(state.value for state in State)
KEYS_AT_ONCE = 500  # of a statement, which may hold only so many values


class Known(NamedTuple):
    """What a table tells of one instant.

    Attributes:
        tallies: what answers came to.
        remembered: what was decided before.
        later: a condition that holds of the rows that came after, where the database has one.
        apart: how many models at most have a name in the tallies; None where all have.
    """

    tallies: list[Tally]
    remembered: Remembered
    later: str
    apart: int | None

    @property
    def memories(self) -> dict[Key, Memory]:
        """The last decision on each key."""
        return self.remembered.memories


class Verifications:
    """One open table. Every method may raise TableError."""

    def __init__(self, place: Place, now: datetime | None = None) -> None:
        """Open it.

        Args:
            place: where it is.
            now: the instant of the poll, None for this one.

        Raises:
            ConfigError: for a database, table or column that is not there.
            TableError: where it cannot be reached.
        """
        self._place = place
        self._database = _connect(place)
        try:
            self._table = look_up(self._database, place, now or datetime.now(UTC))
        except BaseException:
            self._database.close()
            raise

    def tallies(self, over: Span) -> list[Tally]:
        """Count what answers came to; models that are not told apart have no name."""
        return self._count(over)[0]

    def after(self, asked: Sequence[tuple[Key, Span]]) -> dict[Key, tuple[Tally, ...]]:
        """Count what the answers of keys came to, each in a span of its own; only damage has a model's name."""
        found: defaultdict[Key, list[Tally]] = defaultdict(list)
        for begin in range(0, len(asked), KEYS_AT_ONCE):
            some = asked[begin : begin + KEYS_AT_ONCE]
            for number, *row in self._limited(each_since(self._table, some)):
                found[some[number][0]].append(self._tally(row))
        return {key: tuple(tallies) for key, tallies in found.items()}

    def _count(self, over: Span) -> tuple[list[Tally], bool]:
        """Count, and tell whether all models are told apart."""
        rows = self._database.read(*aggregate(self._table, over))
        are_all_apart = len(rows) <= MOST_GROUPS
        if not are_all_apart:
            rows = self._limited(aggregate(self._table, over, APART))
        # Without the breaker's own, where a router's table lets it have no kind of its own.
        return [tally for tally in map(self._tally, rows) if tally.verdict not in STATES], are_all_apart

    def _limited(self, statement: tuple[str, list[object]]) -> list[tuple[Any, ...]]:
        rows = self._database.read(*statement)
        if len(rows) > MOST_GROUPS:
            raise TableError(f"{self._database.shown}: expected at most {MOST_GROUPS} groups to count, found more")
        return rows

    def _tally(self, row: Sequence[Any]) -> Tally:
        provider, model, verdict, signature, attributable, day, window, before, first, last, before_last = row
        read = self._table.clock.read
        # A model that a client calls `*` is nobody: a decision on it would be read as the provider's.
        named = "" if model == WHOLE_PROVIDER else model
        return Tally(
            provider=provider, model=named, verdict=verdict or "", signature=signature or "",
            attributable=bool(attributable), day=int(day), window=int(window), before=int(before),
            first_at=read(first), last_at=read(last), before_last_at=read(before_last),
        )  # fmt: skip

    def read(self, over: Span, now: datetime, window_s: float, *, to_write: bool = False) -> Known:
        """Read counts and decisions as they stood at one instant.

        With `to_write` every trip that stands is found, where there is anything to decide, however old it is; else
        those of the last days are.
        """
        with self._database.reading():
            tallies, are_all_apart = self._count(over)
            remembered = remember(self._decided, now, to_the_beginning=to_write and bool(tallies))
            asked = [
                (key, since(one.counts_from, now, window_s))
                for key, one in remembered.memories.items()
                if _is_asked_for(one, now)
            ]
            after = self.after(asked)
            memories = {key: structs.replace(one, after=after.get(key, ())) for key, one in remembered.memories.items()}
            later = self._database.later(self._table.name) if to_write else ""
            apart = None if are_all_apart else APART
            return Known(tallies, remembered._replace(memories=memories), later, apart)

    def record(self, observations: Iterable[Row]) -> None:
        """Write what answers came to, all of them or none."""
        self._check()
        rows = [
            (KIND, one.verdict, one.detail, self._flag(value=one.model_attributable), one.at, one.provider, one.model)
            for one in observations
        ]
        if rows:
            with self._database.writing():
                self._write(rows)

    def apply(self, decisions: Iterable[Decision], known: Known, at: datetime) -> list[Decision]:
        """Write the decisions that changed something, all of them or none.

        Returns:
            all decisions; those that were left to somebody else who decided meanwhile have a `skip_reason`, and where
            nothing changed for a day one has none, for the row that says that all was looked at.
        """
        self._check()
        providers = {tally.provider for tally in known.tallies}
        due = anchored(list(decisions), providers, known.remembered, at)
        if all(one.skip_reason is not None for one in due):
            return due
        with self._database.writing(alone=self._table.name):
            recent = self._decided(at - SKEW, at + SKEW, known.later)
            due = left_to_others(due, known.memories, recent)
            self._write([self._row(one, at, known.remembered) for one in due if one.skip_reason is None])
        return due

    def close(self) -> None:
        """Close it."""
        self._database.close()

    def _flag(self, *, value: bool) -> object:
        return value if self._table.is_boolean else int(value)

    def _decided(self, from_at: datetime, until: datetime, later: str = "") -> Rows:
        table = self._table
        if later or from_at == BEGINNING:  # what is later is found by that, and all is found best as it lies
            table = structs.replace(table, at=self._database.unindexed(table.at))
        statement, values = latest(table, self._place.decisions, from_at, until, later)
        return [
            (provider, model, verdict, detail, decided_at)
            for provider, model, verdict, detail, at in self._database.read(statement, values)
            if (decided_at := table.clock.read(at)) is not None
        ]

    def _row(self, one: Decision, at: datetime, known: Remembered) -> tuple[object, ...]:
        model = WHOLE_PROVIDER if one.model is None else one.model
        detail = detail_of(one, knows_all=known.knows_all)
        return self._place.decisions, one.state.value, detail, self._flag(value=False), at, one.provider, model

    def _check(self) -> None:
        if self._table.refusal:
            raise ConfigError(f"{self._database.shown}: nothing can be written: {self._table.refusal}")

    def _write(self, rows: Sequence[tuple[object, ...]]) -> None:
        self._database.write(insert(self._table), [tuple(map(self._storable, row)) for row in rows])

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
    """Whether a decision depends on what came since: a count of its own, and a table may be large."""
    match state_at(memory, now):
        case State.OPEN:
            return False
        case State.HALF_OPEN:
            return True
        case _:
            return memory.since is not None and now - memory.since <= DAY
