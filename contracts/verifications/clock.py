"""How a router writes its instants: learnt from its table, so that a range is compared with the bare column.

An index helps only where the column is compared as it stands; so what is compared is written as the router writes.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_TEXT = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]00(?::?00)?| ?UTC)?", re.ASCII)
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

    @property
    def pattern(self) -> str:
        """What an instant begins with, as GLOB and POSIX regular expressions both have it; empty but for texts."""
        if self.kind != "text":
            return ""
        day = "[0-9][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]"
        return f"{day}{self.between}[0-2][0-9]:[0-5][0-9]:[0-5][0-9]"

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


def learn(
    where: str, newest: Callable[[object | None], Sequence[object]], declared: str, default: str, now: datetime
) -> Clock:
    """Learn how instants are written: as most of the newest rows have it, whatever a few others hold.

    Args:
        where: what errors call the column.
        newest: gives the newest values of the column, of all or of those before a value.
        declared: the column's type.
        default: its default.
        now: what is a day later than this tells how instants are written only where nothing else does.

    Raises:
        ConfigError: where no instant in UTC is found, as other texts cannot be compared.
    """
    declared = declared.lower()
    if declared.endswith((" with time zone", " without time zone")):  # PostgreSQL's alone; a precision may stand before
        return Clock(kind="aware" if declared.endswith(" with time zone") else "naive")
    sample = list(newest(None))
    if not sample:
        return _declared(declared, default)
    soon = now + timedelta(days=1)
    found = _commonest(sample, soon)
    if found is None:
        # What sorts after every instant may be much: rows of a router that once wrote them in another way.
        is_number = not any(isinstance(value, (str, bytes)) for value in sample)
        before = int(soon.timestamp()) * 1000 if is_number else f"{soon:%Y-%m-%d}"
        found = _commonest(newest(before), soon) or _commonest(sample, None)
    if found is not None:
        return found
    if isinstance(sample[0], str):
        expected = "instants in UTC such as 2026-11-30T12:00:00Z"
        raise ConfigError(f"{where}: expected {expected}, found {scrub(sample[0])!r}")
    expected = "a number, a text or a type of instants"
    raise ConfigError(f"{where}: expected {expected}, found {scrub(str(sample[0]), 100)!r}")


def _commonest(sample: Iterable[object], until: datetime | None) -> Clock | None:
    """Give the way in which most instants of a sample are written; of two as common, that of the first."""
    clocks: Counter[Clock] = Counter()
    for value in sample:
        clock = _clock_of(value)
        at = None if clock is None else clock.read(value)
        if clock is not None and at is not None and (until is None or at <= until):
            clocks[clock] += 1
    return clocks.most_common(1)[0][0] if clocks else None


def _clock_of(value: object) -> Clock | None:
    """Tell how one value is written, None where it is no instant."""
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        return None if match is None else Clock(whole=match[2] is None, between=match[1], zone=match[3] or "")
    try:
        number = float(str(value))
    except ValueError:
        return None
    per_second = 1000 if abs(number) > _MILLISECONDS else 1
    return Clock(kind="epoch", per_second=per_second, whole=not isinstance(value, float))


def _declared(declared: str, default: str) -> Clock:
    """Guess how instants will be written into a column that holds none."""
    if any(word in declared for word in ("int", "real", "double", "numeric", "float")):
        return Clock(kind="epoch", whole="int" in declared)
    return Clock(whole=True, between=" ", zone="") if "current_timestamp" in default.lower() else Clock()
