"""Time several ways of doing the same: in turns, in CPU time of this thread, as medians and ratios."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import thread_time


def alternate(ways: Mapping[str, Callable[[], object]], rounds: int = 9) -> dict[str, float]:
    """Median CPU seconds of each way.

    The ways take turns, in another order each round, so that what else the machine does hits all of them.
    """
    names = list(ways)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for name in names:
        ways[name]()
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            gc.collect()
            begin = thread_time()
            ways[name]()
            seconds[name].append(thread_time() - begin)
    return {name: median(times) for name, times in seconds.items()}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, columns aligned."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )
