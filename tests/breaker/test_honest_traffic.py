"""Honest traffic trips nobody, in whatever language and however much of it there is."""

from __future__ import annotations

import pytest

from benchmarks.breaker import honest_traffic


@pytest.mark.parametrize(
    "calls", [3_000, pytest.param(1_000_000, marks=pytest.mark.slow)], ids=["a little", "a million"]
)
def test_honest_traffic_trips_nobody(calls: int) -> None:
    found = honest_traffic(calls)
    assert found.tripped == ()
    assert found.languages >= 20
    assert found.verdicts.keys() == {"ok", "unverifiable", "malformed", "truncated"}
    assert sum(found.verdicts.values()) == calls
