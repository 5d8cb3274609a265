"""The tables of docs/relay-check.md: what a relay promises, and the trials that show whether it keeps that."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from contracts.relay.promises import PROMISES
from contracts.relay.trial import trials
from contracts.testing import writers
from tools.doc_tables import Row


def promise_rows() -> Iterator[Row]:
    """Every promise in the order in which it is judged."""
    yield "promise", "what must hold", "why", "breach", "source"
    for one in PROMISES.values():
        yield f"`{one.id}`", one.promise, one.why, one.severity, f"<{one.source}>"


def trial_rows() -> Iterator[Row]:
    """The trials of dialect `openai-chat` that are run when none is named."""
    yield "trial", "what the provider does"
    for one in trials((), writers.load(writers.USUAL)):
        yield f"`{one.name}`", one.does


TABLES: dict[str, Callable[[], Iterator[Row]]] = {"promises": promise_rows, "trials": trial_rows}
