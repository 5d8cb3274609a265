"""Token counts while they are being folded: how often they came, where, and whether they add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from contracts.facts import Fault, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

Placed = Literal["last", "early", "finish", "chunk", "body"]
BESIDE = "beside"  # where a dialect puts counts that stand beside the others, as those of Gemini's thoughts


class Names(NamedTuple):
    """The members in which a dialect reports counts. `total` None: the dialect sends no sum.

    `reasoning` is a part of the output or beside it, `cached` a part of the input; each by its two members.
    """

    input: str
    output: str
    total: str | None
    reasoning: tuple[str, str] | None = None
    cached: tuple[str, str] | None = None


class UsageRecord:
    """Usage of one reply. `last` turns into `early` when another event follows."""

    __slots__ = ("_byte", "_counts", "_ends", "_event", "_faults", "_most", "_placed", "count", "merged")

    def __init__(self, *, ends: bool = True) -> None:
        """Start with none seen; `ends`: no event but the close may come after it."""
        self._ends = ends
        self.count = self._most = 0
        self.merged: dict[str, object] = {}  # for dialects whose reports add to earlier ones
        self._placed: Placed | None = None
        self._event: int | None = None
        self._byte: int | None = None
        self._counts: tuple[int | None, int | None, int | None, int | None] = (None, None, None, None)
        self._faults: dict[str, Fault] = {}

    def seen(self, value: object, names: Names, placed: Placed, event: int | None, byte: int | None) -> None:
        """Take one usage object as it came; anything but an object is a fault."""
        self.count += 1
        self._placed, self._event, self._byte = placed, event, byte
        if not isinstance(value, dict):
            self._fault("not-an-object", "usage is no object", event, byte)
            return
        counted = {n: self._number(value, n, event, byte) for n in (names.input, names.output, names.total) if n}
        reasoning, cached = (self._part(value, path, event, byte) for path in (names.reasoning, names.cached))
        inputs, outputs = counted[names.input], counted[names.output]
        total = counted.get(names.total) if names.total else None
        self._counts = (inputs, outputs, reasoning, total)
        if inputs is None or outputs is None or total is None:
            return
        # Some providers count reasoning beside the output, others within it: both add up.
        if total not in (inputs + outputs, inputs + outputs + (reasoning or 0)):
            self._fault("sum", f"{inputs} + {outputs} is not {total}", event, byte)
        elif names.cached and cached is not None and cached > inputs:
            self._fault("part", f"{names.cached[1]} is {cached}, and {names.input} {inputs}", event, byte)
        elif (
            names.reasoning and reasoning is not None and reasoning > outputs and _within(names, total, inputs, outputs)
        ):
            self._fault("part", f"{names.reasoning[1]} is {reasoning}, and {names.output} {outputs}", event, byte)

    def missing(self, event: int | None, byte: int | None) -> None:
        """Note that none came where the dialect always sends one."""
        self._fault("absent", "usage is absent", event, byte)

    def grows(self, number: object, name: str, event: int | None, byte: int | None) -> None:
        """Take one report of a count that is cumulative, so that it never becomes less; one left out says nothing."""
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            return
        if number < self._most:
            self._fault("less", f"{name} is cumulative and went from {self._most} to {number}", event, byte)
        self._most = max(self._most, number)

    def event_after(self) -> None:
        """Note that another event came, so that what stood last did not, where it has to."""
        if self._placed == "last" and self._ends:
            self._placed = "early"

    def _number(self, value: Mapping[str, object], name: str, event: int | None, byte: int | None) -> int | None:
        """Give a count, noting what is no non-negative whole number."""
        number = value.get(name)
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            return number
        found = (
            "absent" if name not in value else repr(number)[:40] if isinstance(number, (int, float)) else "no number"
        )
        self._fault("not-a-count", f"{name} is {found}", event, byte)
        return None

    def _part(
        self, value: Mapping[str, object], path: tuple[str, str] | None, event: int | None, byte: int | None
    ) -> int | None:
        """Give a count that stands one level down, or None where it is not sent; one below nought is none."""
        inner = value.get(path[0]) if path else None
        number = inner.get(path[1]) if path and isinstance(inner, dict) else None
        if not path or not isinstance(number, int) or isinstance(number, bool):
            return None
        if number < 0:
            self._fault("not-a-count", f"{path[1]} is {number!r}"[:80], event, byte)
            return None
        return number

    def _fault(self, kind: str, detail: str, event: int | None, byte: int | None) -> None:
        """Note a fault once per detail, at most eight."""
        if detail not in self._faults and len(self._faults) < 8:  # noqa: PLR2004 - more say nothing new
            self._faults[detail] = Fault(kind=kind, detail=detail, event=event, byte=byte)

    def facts(self) -> Usage:
        """Freeze what was seen."""
        inputs, outputs, reasoning, total = self._counts
        return Usage(
            count=self.count,
            placed=self._placed,
            input_tokens=inputs,
            output_tokens=outputs,
            reasoning_tokens=reasoning,
            total_tokens=total,
            event=self._event,
            byte=self._byte,
            faults=tuple(self._faults.values()),
        )


def _within(names: Names, total: int, inputs: int, outputs: int) -> bool:
    """Tell whether reasoning is counted within the output, as the sum shows where the dialect does not say."""
    return names.reasoning is not None and names.reasoning[0] != BESIDE and total == inputs + outputs
