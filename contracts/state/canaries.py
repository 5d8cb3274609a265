"""What is remembered of canaries: which model was asked when, and what a day of them cost, whoever runs beside whom.

Money is booked before it is spent: a run that dies between the two has spent all that it held back.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from contracts.state import runs, tables
from contracts.state.written import instant

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from contracts.state.connection import Connection

SKEW = timedelta(days=1)  # what is dated further ahead was written by a clock that was wrong


class Canaries:
    """The canaries of one state. Every method may raise StateError."""

    def __init__(self, connection: Connection) -> None:
        """Use a database that is open and of this version."""
        self._connection = connection

    def oldest_first(self, provider: str, models: Iterable[str]) -> list[str]:
        """Sort models by when their canary was begun last, those without one first, else in their order."""
        rows = self._connection.read("SELECT model, at FROM canaries WHERE provider = ?", provider)
        begun = {str(model): str(at) for model, at in rows}
        return sorted(models, key=lambda model: begun.get(model, ""))

    def begin(self, provider: str, model: str, at: datetime, since: datetime) -> bool:
        """Note that a model is asked now; False where another run has begun to since an instant."""
        with self._connection.transaction():
            taken = self._connection.write(
                """INSERT INTO canaries (provider, model, at) VALUES (?, ?, ?)
                   ON CONFLICT (provider, model) DO UPDATE SET at = excluded.at
                   WHERE canaries.at < ? OR canaries.at > ?""",
                provider, model, instant(at), instant(since), instant(at + SKEW),
            ) > 0  # fmt: skip
            self._connection.write(tables.TIDY_CANARIES, provider, provider, tables.CANARIES)
        return taken

    def forget(self, provider: str, model: str) -> None:
        """Note that a model was not asked after all, so that it is the next one's turn again."""
        self._connection.write("DELETE FROM canaries WHERE provider = ? AND model = ?", provider, model)

    def spent_usd(self, day: str) -> Decimal:
        """Tell what canaries cost on a day, `2026-11-30` in UTC; what is held back counts."""
        rows = self._connection.read("SELECT usd FROM canary_days WHERE day = ?", day)
        return runs.amount(rows[0][0]) if rows else Decimal(0)

    def reserve(self, provider: str, at: datetime, usd: Decimal, limit_usd: Decimal | None) -> bool:
        """Book the most that a question can cost, unless the day's canaries would then cost more than a limit."""
        with self._connection.transaction():
            total = runs.EXACT.add(self.spent_usd(day_of(at)), usd)
            if limit_usd is not None and total > limit_usd:
                return False
            self._book(provider, at, usd, total)
        return True

    def settle(self, provider: str, at: datetime, held_usd: Decimal, cost_usd: Decimal) -> None:
        """Put what a question did cost in the place of what was booked for it; `at` is when it was booked."""
        with self._connection.transaction():
            change = runs.EXACT.subtract(cost_usd, held_usd)
            self._book(provider, at, change, runs.EXACT.add(self.spent_usd(day_of(at)), change))

    def _book(self, provider: str, at: datetime, change_usd: Decimal, total_usd: Decimal) -> None:
        self._connection.write(
            """INSERT INTO canary_days (day, usd) VALUES (?, ?)
               ON CONFLICT (day) DO UPDATE SET usd = excluded.usd""",
            day_of(at), str(total_usd),
        )  # fmt: skip
        self._connection.write(tables.TIDY_CANARY_DAYS, tables.DAYS)
        runs.add_spend(self._connection, provider, at, change_usd)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def day_of(at: datetime) -> str:
    """Name the day of an instant in UTC."""
    return instant(at)[:10]
