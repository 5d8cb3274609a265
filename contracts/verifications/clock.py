"""How a router writes its instants: learnt from its table, so that a range is compared with the bare column.

An index helps only where the column is compared as it stands; so what is compared is written as the router writes.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.text.scrub import scrub

_TEXT = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00:?00| ?UTC)?", re.ASCII)
_MILLISECONDS = 100_000_000_000  # as seconds this is in the year 5138


class Clock(Struct, frozen=True, kw_only=True):
    """One way to write an instant in UTC.

    Attributes:
        kind: `aware` and `naive` are PostgreSQL's own types, `epoch` a number, `text` ISO 8601.
        per_second: units of `epoch`.
        whole: `epoch` and `text` without parts of a unit or second.
        between: what `text` has between date and time.
        zone: what it ends in.
    """

    kind: str = "text"
    per_second: int = 1
    whole: bool = False
    between: str = "T"
    zone: str = "+00:00"

    def bound(self, at: datetime) -> object:
        """Write the beginning or end of a range, to the second: a text without its zone sorts before any with one."""
        at = at.astimezone(UTC).replace(microsecond=0)
        match self.kind:
            case "aware":
                return at
            case "naive":
                return at.replace(tzinfo=None)
            case "epoch":
                return int(at.timestamp()) * self.per_second
            case _:
                return f"{at:%Y-%m-%d}{self.between}{at:%H:%M:%S}"

    def write(self, at: datetime) -> object:
        """Write an instant as the router does."""
        at = at.astimezone(UTC)
        match self.kind:
            case "aware":
                return at
            case "naive":
                return at.replace(tzinfo=None)
            case "epoch":
                number = at.timestamp() * self.per_second
                return int(number) if self.whole else number
            case _:
                fraction = "" if self.whole else f".{at.microsecond:06d}"
                return f"{at:%Y-%m-%d}{self.between}{at:%H:%M:%S}{fraction}{self.zone}"

    def read(self, value: object) -> datetime | None:
        """Read an instant, None for none and for what is none."""
        try:
            match value:
                case None | bool():
                    return None
                case datetime():
                    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
                case str():
                    at = datetime.fromisoformat(value.removesuffix("UTC").strip())
                    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
                case _:
                    return datetime.fromtimestamp(float(str(value)) / self.per_second, UTC)
        except (ValueError, OverflowError, OSError):
            return None


def learn(where: str, sample: object, declared: str, default: str) -> Clock:
    """Learn how instants are written.

    Args:
        where: what errors call the column.
        sample: the latest value, None of an empty table.
        declared: the column's type.
        default: its default.

    Raises:
        ConfigError: for a text that is no instant in UTC, which cannot be compared as a text.
    """
    declared = declared.lower()
    if declared.endswith((" with time zone", " without time zone")):  # PostgreSQL's alone; a precision may stand before
        return Clock(kind="aware" if declared.endswith(" with time zone") else "naive")
    if isinstance(sample, str):
        match = _TEXT.fullmatch(sample)
        if match is None:
            raise ConfigError(
                f"{where}: expected instants in UTC such as 2026-11-30T12:00:00Z, found {scrub(sample)!r}"
            )
        return Clock(whole=match[2] is None, between=match[1], zone=match[3] or "")
    if sample is not None:
        try:
            number = float(str(sample))
        except ValueError:
            expected = "a number, a text or a type of instants"
            raise ConfigError(f"{where}: expected {expected}, found {scrub(str(sample), 100)!r}") from None
        return Clock(
            kind="epoch", per_second=1000 if abs(number) > _MILLISECONDS else 1, whole=not isinstance(sample, float)
        )
    if any(word in declared for word in ("int", "real", "double", "numeric", "float")):
        return Clock(kind="epoch", whole="int" in declared)
    return Clock(whole=True, between=" ", zone="") if "current_timestamp" in default.lower() else Clock()
