"""What the store needs of a database: the statements are common to both, how they are run is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

Rows = list[tuple[Any, ...]]


class Connection(Protocol):
    """One open database. A statement has `?` for each value. Every method may raise StateError but `close`."""

    where: str
    """The file or address, without a password."""

    def read(self, statement: str, *values: object) -> Rows:
        """Read rows."""

    def write(self, statement: str, *values: object) -> int:
        """Write, and give how many rows that changed."""

    def many(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Write the same with each row of values, in as few round trips as there can be."""

    def transaction(self) -> AbstractContextManager[None]:
        """Do all of a block or nothing; what it reads nobody changes meanwhile. One within another is part of it."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Read all of a block as if at one instant, without the right to write."""

    def close(self) -> None:
        """Close it; what was not written by now is said already."""
