"""How far a long run has come: one line on standard error, where that is a terminal, and gone at the end.

A thread draws it, and imports Rich for it, only once a run has taken a while: most runs are short, and a timer's or a
CI job's has nobody who looks. The run itself only notes names.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING

from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from contracts.run import Progress as Told
    from contracts.run import Step

AFTER_S = 0.6  # what is over sooner needs no line that flashes up
EVERY_S = 0.1  # as often as the line is drawn anew
MOST_NAMES = 3
NAME_COLUMNS = 32


@contextmanager
def shown(*, quiet: bool) -> Iterator[Told]:
    """Give who is told how far a run has come, and take the line away at the end, however the run ends."""
    if not is_wanted(quiet=quiet):
        yield lambda *_: None
        return
    from threading import Thread

    line = Line()
    thread = Thread(target=line.draw, daemon=True, name="progress")
    thread.start()
    try:
        yield line.tell
    finally:
        line.ended.set()
        thread.join()


def is_wanted(*, quiet: bool) -> bool:
    """Whether somebody looks: standard error is a terminal that can go back in a line, and no CI job's."""
    return not (quiet or os.environ.get("CI") or os.environ.get("TERM") == "dumb") and sys.stderr.isatty()


class Line:
    """What is known of a run; `draw` shows it until `ended`."""

    def __init__(self) -> None:
        """Start before anybody is asked."""
        from threading import Event

        self.ended = Event()
        self._since = monotonic()
        self._asking: dict[str, None] = {}  # in the order in which they were begun
        self._done = 0
        self._of = 0

    def tell(self, provider: str, step: Step, of: int) -> None:
        """Note a step of one of `of` providers."""
        self._of = of
        if step == "asking":
            self._asking[provider] = None
        else:
            self._asking.pop(provider, None)
            self._done += 1

    def draw(self) -> None:
        """Draw the line, if the run is not over before."""
        if self.ended.wait(AFTER_S):
            return
        progress = _progress()
        task = progress.add_task("", total=None)
        progress.tasks[task].start_time = self._since
        with suppress(OSError), progress:  # a terminal that has gone takes nothing from the run
            while not self.ended.wait(EVERY_S):
                progress.update(task, description=self._names(), completed=self._done, total=self._of or None)
                progress.refresh()

    def _names(self) -> str:
        """Name the providers that are being asked; those that have waited longest come first."""
        asking = list(self._asking)
        more = len(asking) - MOST_NAMES
        return " ".join(scrub(name, NAME_COLUMNS) for name in asking[:MOST_NAMES]) + (f" +{more}" if more > 0 else "")


def _progress() -> Progress:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    names = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    return Progress(
        TextColumn("asked", markup=False),
        MofNCompleteColumn(),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        # A name may hold what Rich takes for markup.
        TextColumn("{task.description}", markup=False, table_column=names),
        console=_console(),
        transient=True,
        expand=True,
        auto_refresh=False,
        redirect_stdout=False,
    )


def _console() -> Console:
    from rich.console import Console

    class Steady(Console):
        """Leaves the cursor as it is: who is killed cannot bring it back."""

        def show_cursor(self, show: bool = True) -> bool:  # noqa: FBT001, FBT002 - its base's
            del show
            return False

    return Steady(file=sys.stderr)
