"""States of both kinds: what holds of one holds of the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.state.raw import OPEN


@pytest.fixture(params=["sqlite", "postgres"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a state may be made: a file that is not there yet, or an empty database."""
    file = str(tmp_path / "zustand" / "état.db")
    yield str(request.getfixturevalue("postgres_url")) if request.param == "postgres" else file
    while OPEN:
        OPEN.pop().close()


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Where a state file may be made."""
    return str(tmp_path / "état.db")
