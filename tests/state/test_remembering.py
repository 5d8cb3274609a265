"""A memory that fails in the middle of a run is said once, and the run goes on with what it learns itself."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from contracts.errors import SpendRefused
from contracts.evidence.memory import Forgetful
from contracts.evidence.remembering import Careful, opened
from contracts.facts import Listing
from contracts.listed import Model
from contracts.state.errors import StateError

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LISTING = Listing(models=(Model(id="größe"),))


class Failing(Forgetful):
    """Works until it is told to fail."""

    fails = False

    def remember_listing(self, provider: str, listing: Listing, at: datetime) -> Any:
        if self.fails:
            raise StateError("état.db: the state cannot be written: disk is full")
        return super().remember_listing(provider, listing, at)


def test_a_memory_that_works_is_used() -> None:
    told: list[str] = []
    memory = Careful(Failing, told.append)
    assert memory.remember_listing("p", LISTING, NOON) is None
    assert memory.remember_listing("p", LISTING, NOON) == ()
    assert memory.take_free_chat("p", "2026-11-30", 1)
    assert not memory.take_free_chat("p", "2026-11-30", 1)
    assert memory.free_chats_today("p", "2026-11-30") == 1
    assert told == []


def test_a_failure_is_said_once_and_no_free_chat_is_sent_after_it() -> None:
    told: list[str] = []
    failing = Failing()
    memory = Careful(lambda: failing, told.append)
    memory.remember_listing("p", LISTING, NOON)
    failing.fails = True
    assert memory.remember_listing("p", LISTING, NOON) is None
    assert memory.remember_listing("p", LISTING, NOON) == ()
    memory.record_run(NOON, NOON, 0, (1, 0, 0, 0), Decimal(0))
    assert memory.kept("p") == []
    with pytest.raises(SpendRefused, match="p: no free chat was sent, as the state cannot count it"):
        memory.take_free_chat("p", "2026-11-30", 1)
    assert told == ["état.db: the state cannot be written: disk is full; this run goes on without it"]


def test_no_path_remembers_nothing() -> None:
    for _ in range(2):
        with opened(None) as memory:
            assert memory.remember_listing("p", LISTING, NOON) is None
            assert memory.take_free_chat("p", "2026-11-30", 1)


def test_a_path_is_opened_and_closed_again(tmp_path: Any) -> None:
    path = str(tmp_path / "état.db")
    with opened(path) as memory:
        assert memory.remember_listing("p", LISTING, NOON) is None
    with opened(path) as memory:
        assert memory.remember_listing("p", LISTING, NOON) == ()
    assert not os.path.exists(f"{path}-wal")  # the last to close the file folds it in
