"""A state as a large router has it after a year: written by the program's own writer, changes as rare as they are."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from decimal import Decimal

from contracts.config import catalogue
from contracts.state.opening import open_state
from tests.history.conftest import HOUR, findings
from tests.report_page.made import NEXT

Told = dict[tuple[str, str | None], str]

PROVIDERS = 300
CONTRACTS = 22
BEGIN = datetime(2025, 9, 1, tzinfo=UTC)
CHANGES = (1, 2, 3, 4, 6)  # providers that change at a poll; a line changes about every two thousand polls


def make(where: str, polls: int) -> None:
    """Make a state of hourly polls of all providers."""
    luck = random.Random("größe")  # noqa: S311 - nothing secret hangs on it
    ids = list(catalogue.load(None).contracts)
    names = [f"anbieter-{number:03}-größe" for number in range(PROVIDERS)]
    now: dict[str, Told] = {
        name: {(contract, None): luck.choices(list(NEXT), (84, 2, 2, 2, 10))[0] for contract in ids} for name in names
    }
    roster = dict.fromkeys(names, ids)
    with closing(open_state(where)) as state:
        changed = set(names)
        for number in range(polls):
            at = BEGIN + number * HOUR
            # Who did not change is not written: the writer would find nothing to write.
            state.see_all({name: findings(name, now[name]) for name in sorted(changed)}, at)
            state.record_run(at, at, 0, (1, 0, 0, 0), Decimal(0), roster)
            changed = set(_change(luck, names, now))


def _change(luck: random.Random, names: list[str], now: dict[str, Told]) -> Iterator[str]:
    """Change some outcomes, mostly back to what is in order, and name whose they are."""
    for _ in range(luck.choice(CHANGES)):
        name = luck.choice(names)
        bad = [key for key, outcome in now[name].items() if outcome not in ("holds", "not-applicable")]
        key = luck.choice(bad) if bad and luck.random() < 0.5 else luck.choice(list(now[name]))
        now[name][key] = luck.choice(NEXT[now[name][key]])
        yield name
