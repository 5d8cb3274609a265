"""When a signature is new, and at which sighting it is worth a word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from contracts.breaker.novelty import DAY, is_novel, limit_of

MITTAG = datetime(2026, 11, 30, 12, tzinfo=UTC)
TICK = timedelta(microseconds=1)


def test_new_is_what_nobody_saw_in_the_24_hours_before() -> None:
    assert is_novel(None, MITTAG)
    assert is_novel(MITTAG, MITTAG + DAY + TICK)
    assert not is_novel(MITTAG, MITTAG + DAY)
    assert timedelta(hours=24) == DAY


def test_what_the_clock_dates_into_the_future_is_not_new() -> None:
    assert not is_novel(MITTAG + 9 * DAY, MITTAG)


def test_what_is_new_warns_at_its_second_sighting_and_what_is_familiar_at_the_configured_count() -> None:
    assert limit_of(novel=True, familiar_at=20) == 2
    assert limit_of(novel=False, familiar_at=20) == 20
