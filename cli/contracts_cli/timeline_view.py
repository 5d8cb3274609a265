"""Timelines on a terminal: a line for each contract and model, a column for each poll, the newest right.

Each outcome has a letter of its own, so that nothing hangs on colour. Every text that a provider or a file may have
written is scrubbed here, whoever scrubbed it before.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING

from msgspec import Struct, structs
from rich.console import Console
from rich.segment import Segment
from rich.style import Style

from contracts.state.stretches import ORDER, stretches
from contracts.text.scrub import scrub
from contracts_cli.terminal import UNBOUNDED, columns_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import ConsoleOptions

    from contracts.state.stretches import Stretch
    from contracts.state.timeline import Line, Timeline

LETTERS = {"holds": "·", "violated": "V", "unknown": "?", "waived": "w", "not-applicable": "-"}
COUNTED = {"holds": "hold", "not-applicable": "not applicable"}  # what follows a number
NOT_KNOWN = "#"  # an outcome that a newer version wrote
STYLES = {
    "holds": Style(color="green"),
    "violated": Style(color="red", bold=True),
    "unknown": Style(color="yellow"),
    "waived": Style(color="cyan"),
    "not-applicable": Style(dim=True),
}
BOLD = Style(bold=True)
DIM = Style(dim=True)
WIDE = 110  # columns from which there is room for the outcome as a word, and an instant to the minute
WORD_AND_SINCE = 2 + len("not-applicable  since 2026-11-30 20:25Z")
MIDDLE = 60  # columns from which there is room for a day
DAY = 2 + len("2026-11-30")
NARROW_LABEL = 21  # columns of `http.content-encoding`
FEWEST = 8  # cells that a line has, however narrow


class TimelineView(Struct, frozen=True, kw_only=True):
    """How timelines are shown. `width` is in columns; `dot` is what holds, where `·` cannot be written."""

    width: int = UNBOUNDED
    colour: bool = False
    dot: str = LETTERS["holds"]

    def render(self, timelines: Sequence[Timeline]) -> str:
        """The whole view, each line ended."""
        file = StringIO()
        console = Console(
            file=file, width=self.width, force_terminal=self.colour, no_color=not self.colour, legacy_windows=False,
            color_system="standard" if self.colour else None, highlight=False, markup=False, emoji=False,
        )  # fmt: skip
        console.print(_Shown(self, timelines), end="", crop=False)
        return file.getvalue()

    def lines(self, timelines: Sequence[Timeline]) -> Iterator[list[Segment]]:
        """Give the lines as segments of one style each."""
        labels = {label(line) for timeline in timelines for line in timeline.lines}
        size = min(max(map(columns_of, labels), default=0), max(NARROW_LABEL, self.width // 3))
        right = WORD_AND_SINCE if self.width >= WIDE else DAY if self.width >= MIDDLE else 0
        room = max(FEWEST, self.width - 4 - size - right)
        for timeline in timelines:
            shown = structs.replace(timeline, polls=timeline.polls[-room:])
            yield from self._head(shown)
            for line in shown.lines:
                yield self._line(line, shown.polls, size)
            yield []
        legend = [f"{self._letter(outcome)} {outcome}" for outcome in (ORDER[3], *ORDER[:3], ORDER[4])]
        text = wrap("   ".join((*legend, "blank: not judged yet")), self.width)
        yield from ([Segment(part, DIM)] for part in text.split("\n"))

    def _letter(self, outcome: str) -> str:
        return self.dot if outcome == "holds" else LETTERS.get(outcome, NOT_KNOWN)

    def _head(self, timeline: Timeline) -> Iterator[list[Segment]]:
        name = scrub(timeline.provider)
        counts = Counter(line.changes[-1].outcome for line in timeline.lines if line.changes)
        parts = [f"{counts[outcome]} {COUNTED.get(outcome, outcome)}" for outcome in ORDER if counts[outcome]]
        polls = timeline.polls
        if not polls:
            parts.append("not polled yet")
        elif len(polls) == 1:
            parts.append(f"1 poll, {minute(polls[0])}")
        else:
            parts.append(f"{len(polls)} polls, {minute(polls[0])} to {minute(polls[-1])}")
        first, *rest = wrap(" · ".join(parts), self.width, f"{name}  ", "    ").split("\n")
        yield [Segment(name, BOLD), Segment(first.removeprefix(name))]
        yield from ([Segment(line)] for line in rest)

    def _line(self, line: Line, polls: tuple[datetime, ...], size: int) -> list[Segment]:
        text = fitted(label(line), size)
        segments = [Segment(f"  {text}{' ' * (size - columns_of(text))}  ")]
        segments += self._cells(stretches(line, polls), len(polls))
        if self.width < MIDDLE or not line.changes:
            return segments
        last = line.changes[-1]
        if self.width < WIDE:
            return [*segments, Segment(f"  {minute(last.at)[:10]}", DIM)]
        segments.append(Segment(f"  {scrub(last.outcome):<14}", STYLES.get(last.outcome)))
        segments.append(Segment(f"  since {minute(last.at)}", DIM))
        return segments

    def _cells(self, strip: tuple[Stretch, ...], polls: int) -> Iterator[Segment]:
        at = 0
        for one in strip:
            if one.begin > at:
                yield Segment(" " * (one.begin - at))
            yield Segment(self._letter(one.outcome) * (one.end - one.begin), STYLES.get(one.outcome))
            at = one.end
        if at < polls:
            yield Segment(" " * (polls - at))


class _Shown:
    """What Rich prints."""

    def __init__(self, view: TimelineView, timelines: Sequence[Timeline]) -> None:
        self._view, self._timelines = view, timelines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        del console, options
        for line in self._view.lines(self._timelines):
            yield from line
            yield Segment.line()


def label(line: Line) -> str:
    """Name a line among those of its provider."""
    return scrub(line.contract) if line.model is None else f"{scrub(line.contract)} {scrub(line.model)}"


def fitted(text: str, columns: int) -> str:
    """Shorten a text that was scrubbed, at a grapheme boundary, so that it takes no more columns."""
    shown, limit = text, columns
    while columns_of(shown) > columns and limit > 0:
        shown, limit = scrub(text, limit), limit - 1
    return shown


def minute(at: datetime) -> str:
    """Show an instant to the minute, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
