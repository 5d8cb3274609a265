"""The state: what earlier runs saw, kept in a database by statements that SQLite and PostgreSQL share."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import MsgspecError, json, structs

from contracts.facts import Facts
from contracts.model import Evidence, Source
from contracts.state import fleet, pruning, runs, tables
from contracts.state.changes import compare, is_broken, is_of_another
from contracts.state.sighting_rows import Seeing
from contracts.state.written import encoded, instant, plain, read_instant, read_listing, storable
from contracts.wire.status import is_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from decimal import Decimal

    from contracts.facts import Listing
    from contracts.listed import Change
    from contracts.model import Finding
    from contracts.state.answer import Answer, Key, Share
    from contracts.state.connection import Connection
    from contracts.state.timeline import Timeline

SKEW = timedelta(days=1)  # what is dated further ahead than this was kept by a clock that was wrong


def utc_now() -> datetime:
    """Tell the time."""
    return datetime.now(UTC)


class State:
    """One open state. Every method may raise StateError, after which the run goes on without it."""

    def __init__(self, connection: Connection, now: Callable[[], datetime] = utc_now) -> None:
        """Use a database that is open and of this version."""
        self._connection, self._now = connection, now

    def kept(self, provider: str) -> list[Evidence]:
        """Give the evidence that is kept of a provider.

        An entry that this version cannot read, or that a clock of the far future dated, is not there.
        """
        rows = self._connection.read(
            "SELECT at, source, ref, facts FROM evidence WHERE provider = ? AND at <= ? ORDER BY kind, model",
            provider, instant(self._now() + SKEW),
        )  # fmt: skip
        found = []
        for at, source, ref, facts in rows:
            try:
                decoded = json.decode(facts, type=Facts)
                found.append(Evidence(facts=decoded, source=Source(source), ref=ref, at=read_instant(at)))
            except (MsgspecError, ValueError, TypeError):
                continue
        return found

    def keep(self, provider: str, evidence: Evidence) -> None:
        """Keep evidence in place of what is kept of the same kind and model, unless that is newer.

        What was said of the last poll is left out, so that a change is told once, and so is the listing beside it.
        """
        facts = structs.replace(evidence.facts, catalogue=None)
        if facts.changes:
            facts = structs.replace(facts, changes=())
        asked = facts.asked.model if facts.asked else None
        kind = f"{facts.kind} {'error' if is_error(facts.status) else 'answer'}"
        self._connection.write(
            """INSERT INTO evidence (provider, kind, model, at, source, ref, facts) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (provider, kind, model) DO UPDATE SET at = excluded.at, source = excluded.source,
               ref = excluded.ref, facts = excluded.facts WHERE excluded.at >= evidence.at OR evidence.at > ?""",
            provider, kind, plain(asked or facts.about or ""), instant(evidence.at or self._now()),
            evidence.source.value, plain(evidence.ref), encoded(facts), instant(self._now() + SKEW),
        )  # fmt: skip

    def last_listing(self, provider: str) -> Listing | None:
        """Give the listing of the last poll, None where there was none or this version cannot read it."""
        rows = self._connection.read("SELECT listing FROM listings WHERE provider = ?", provider)
        return read_listing(rows[0][0]) if rows else None

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> tuple[Change, ...] | None:
        """Keep a listing in place of the last one and give what changed, None where there was none.

        That of another base URL is none: a row that was pointed elsewhere begins anew.
        Reading, comparing and writing are one transaction: of two runs at once only one learns a change. A listing
        that could not be read, or that was fetched before the one that is kept, teaches nothing and is not kept.
        """
        listing = storable(listing)
        if is_broken(listing) and not listing.models:
            return ()
        data = encoded(listing)
        with self._connection.transaction():
            rows = self._connection.read("SELECT at, listing FROM listings WHERE provider = ?", provider)
            # Only what lies in the past is later for certain; else the clock was set back since.
            if rows and instant(at) < str(rows[0][0]) <= instant(self._now()):
                return ()
            same = bool(rows) and rows[0][1] == data
            was = read_listing(rows[0][1]) if rows and not same else None
            changes = () if same else None if was is None or is_of_another(was, listing) else compare(was, listing)
            self._remember(provider, instant(at), None if same else data, changes or ())
        return changes

    def _remember(self, provider: str, at: str, data: bytes | None, changes: Sequence[Change]) -> None:
        """Write a listing and what changed; None is the same listing as before, seen at another time."""
        if data is None:
            self._connection.write("UPDATE listings SET at = ? WHERE provider = ?", at, provider)
            return
        self._connection.write(
            """INSERT INTO listings (provider, at, listing) VALUES (?, ?, ?)
               ON CONFLICT (provider) DO UPDATE SET at = excluded.at, listing = excluded.listing""",
            provider, at, data,
        )  # fmt: skip
        if changes:
            self._connection.many(
                "INSERT INTO changes (provider, at, model, member, was, now) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (provider, at, *(None if t is None else plain(t) for t in (c.model, c.member, c.was, c.now)))
                    for c in changes
                ],
            )
            self._connection.write(tables.TIDY_CHANGES, provider, provider, tables.CHANGES)

    def free_chats_today(self, provider: str, day: str) -> int:
        """Count the free chats of a provider on a day, `2026-11-30` in UTC."""
        rows = self._connection.read("SELECT chats FROM free_chats WHERE provider = ? AND day = ?", provider, day)
        return int(rows[0][0]) if rows and isinstance(rows[0][0], int) else 0

    def record_free_chats(self, provider: str, day: str, chats: int) -> None:
        """Add free chats to a day's count."""
        self._connection.write(
            """INSERT INTO free_chats (provider, day, chats) VALUES (?, ?, ?)
               ON CONFLICT (provider, day) DO UPDATE SET chats = free_chats.chats + excluded.chats""",
            provider, day, chats,
        )  # fmt: skip

    def take_free_chat(self, provider: str, day: str, limit: int) -> bool:
        """Count one more free chat on a day, unless there were `limit` of them; of two runs at once one gets it."""
        if limit <= 0:
            return False
        return self._connection.write(
            """INSERT INTO free_chats (provider, day, chats) VALUES (?, ?, 1)
               ON CONFLICT (provider, day) DO UPDATE SET chats = free_chats.chats + 1 WHERE free_chats.chats < ?""",
            provider, day, limit,
        ) > 0  # fmt: skip

    def record_run(  # noqa: PLR0913, PLR0917 - what a run came to
        self,
        started_at: datetime,
        ended_at: datetime,
        exit_status: int,
        requests: Sequence[int],
        spend_usd: Decimal,
        roster: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Book a run, and drop what is beyond the limits on what is kept.

        Args:
            started_at: when it began.
            ended_at: when it ended.
            exit_status: what it came to.
            requests: gets, free posts, paid posts and refusals.
            spend_usd: what it may have cost.
            roster: the contracts that were polled, by provider; without it the run is no poll in a timeline.
        """
        with self._connection.transaction():
            runs.record(self._connection, started_at, ended_at, exit_status, requests, spend_usd, roster)
            for statement, limit in tables.TIDY:
                self._connection.write(statement, limit)
            self._connection.write(tables.TIDY_ROSTERS)

    def last_polls(self, providers: Iterable[str]) -> dict[str, datetime]:
        """Tell when each provider was polled last, by the clock of `now`; one that never was is not named."""
        return runs.last_polls(self._connection, providers)

    def record_spend(self, provider: str, at: datetime, spend_usd: Decimal) -> None:
        """Add to what a provider may have cost."""
        with self._connection.transaction():
            runs.add_spend(self._connection, provider, at, spend_usd)

    def spend(self) -> dict[str, Decimal]:
        """Tell in USD what each provider may have cost; one that is not named cost nothing."""
        return runs.spend(self._connection)

    def see(self, provider: str, findings: Sequence[Finding], at: datetime) -> list[Finding]:
        """Remember what a poll of one provider came to, and give its findings with what is new about each."""
        return self.see_all({provider: findings}, at)[provider]

    def see_all(
        self,
        polled: Mapping[str, Sequence[Finding]],
        at: datetime,
        *,
        complete: bool = False,
        shared: Mapping[str, Share] | None = None,
    ) -> dict[str, list[Finding]]:
        """Remember what a run came to, all or nothing, and give the findings with what is new about each.

        Args:
            polled: findings by provider.
            at: when the run began, as `record_run` will be told.
            complete: every contract and model of these providers was judged, so that what is not named is gone.
            shared: as what other runs may take the answer, by provider.
        """
        with self._connection.transaction():
            seeing = Seeing(self._connection, polled, at)
            told = {name: seeing.see(name, findings, complete=complete) for name, findings in polled.items()}
            seeing.write()
            if shared:
                fleet.publish(self._connection, {share: told[name] for name, share in shared.items()})
        return told

    def together(self) -> AbstractContextManager[None]:
        """Do all of a block or nothing, so that what is learnt of a change is kept with what the poll came to."""
        return self._connection.transaction()

    def now(self) -> datetime:
        """Tell the time, by one clock for all hosts that share the state."""
        return fleet.now(self._connection, self._now())

    def answers(self, keys: Iterable[Key], every: timedelta) -> dict[Key, Answer]:
        """Give what other runs came to, if it is younger than an interval."""
        return fleet.answers(self._connection, keys, every, self.now())

    def claim(self, key: Key, every: timedelta) -> Answer | bool:
        """Give another run's answer, else tell whether it is for this run to ask (`fleet.claim`)."""
        return fleet.claim(self._connection, key, every, self.now())

    def freed(self, keys: Iterable[Key]) -> set[Key]:
        """Tell which of these nobody asks now."""
        return fleet.freed(self._connection, keys)

    def release(self, keys: Iterable[Key]) -> None:
        """Let other runs have what this one had claimed."""
        fleet.release(self._connection, keys)

    def timelines(self, providers: Sequence[str] | None, polls: int) -> list[Timeline]:
        """Give what the contracts of providers came to over the last polls of each; None is every provider, by name.

        A provider that nothing is known of has no polls and no lines.
        """
        from contracts.state import histories

        with self._connection.snapshot():
            return histories.timelines(self._connection, providers, polls)

    def prune(self, before: datetime) -> int:
        """Drop what was learnt before an instant, and give how many rows that were.

        The last listings stay, what a provider cost, and what the contracts of those came to that were polled since.
        """
        with self._connection.transaction():
            return pruning.prune(self._connection, before)

    def close(self) -> None:
        """Close the database; what was not written by now is said already."""
        self._connection.close()
