"""How instants are written is learnt from what most rows hold; what is none, or of the future, counts for nothing."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from contracts.breaker.observed import span
from contracts.breaker.tally import Key
from contracts.errors import ConfigError
from tests.breaker.traffic import HOUR, NOON, WINDOW_S
from tests.verifications.conftest import POSTGRES, SQLITE, Router, postgres_router, sqlite_router
from tests.verifications.test_decided import DAY, OTHER, ask, operate, written

TEXTS = ["zuletzt größer", "9999-12-31T23:59:59+00:00", "9999-12-31 23:59:59", "2027-02-29", "30.11.2026 12:00", ""]
NUMBERS = [9.9e15, float("inf"), -1.0, 1e300, 253_402_300_799]
# Within the range that is counted, as texts are compared.
NEAR = ["2026-11-30", "2026-11-30T", "2026-11-30Tzuletzt", "2026-11-30T99:99:99Z", "2026-11-30 größer"]


def insert(router: Router, *values: Any, verdict: str = "mangled", kind: str = "structural") -> None:
    no = "false" if router.url.startswith("postgres") else 0
    for value in values:
        router.run(
            "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "  # noqa: S608
            f"VALUES ('{kind}', '{verdict}', 'double-utf8-latin1 [provider]: 3', {no}, ?, 'größe', '*')",
            value,
        )


def small(folder: Path, at: str) -> Router:
    return sqlite_router(folder / "größe.db", SQLITE.format(at=at))


def of_shape(request: pytest.FixtureRequest, folder: Path, database: str, at: str) -> Router:
    if database == "sqlite":
        return small(folder, at)
    return postgres_router(request.getfixturevalue("postgres_url"), POSTGRES.format(at=at, flag="BOOLEAN"))


SHAPES: list[tuple[str, str, Any, list[Any]]] = [
    ("sqlite", "TEXT", "2026-11-30T11:00:00.000001Z", [*TEXTS, *NEAR, 7, b"\xff"]),
    ("sqlite", "", 1_796_036_400_000, [*NUMBERS, *TEXTS, b"\xff"]),
    ("sqlite", "INTEGER", 1_796_036_400, [*NUMBERS, *TEXTS]),
    ("postgresql", "TEXT", "2026-11-30 11:00:00+00", [*TEXTS, *NEAR]),
    ("postgresql", "DOUBLE PRECISION", 1_796_036_400.5, [*NUMBERS, float("nan"), float("-inf")]),
    ("postgresql", "TIMESTAMPTZ", "2026-11-30 11:00:00+00", ["infinity", "-infinity", "9999-12-31 12:00:00+00"]),
    ("postgresql", "TIMESTAMP", "2026-11-30 11:00:00", ["infinity", "-infinity", "9999-12-31 12:00:00"]),
]


@pytest.mark.parametrize("shape", SHAPES, ids=[f"{one[0]}-{one[1]}" for one in SHAPES])
def test_no_instant_of_another_keeps_the_rest_from_being_judged(
    request: pytest.FixtureRequest, tmp_path: Path, shape: tuple[str, str, Any, list[Any]]
) -> None:
    database, at, good, bad = shape
    number = len(bad) + 1
    router = of_shape(request, tmp_path, database, at)
    insert(router, *[good] * number, verdict="ok")
    insert(router, *bad)
    insert(router, *bad, verdict="open", kind="breaker")
    table = router.open()
    known, decisions = ask(table, NOON)
    assert [(tally.verdict, tally.day) for tally in known.tallies] == [("ok", number)]
    assert {(one.key, one.state) for one in decisions} == {
        (Key("größe", None), "closed"),
        (Key("größe", ""), "closed"),
    }
    assert (known.memories, written(router).count(("closed", "größe", "*"))) == ({}, 1)
    ((last,),) = router.run("SELECT applied_at FROM verifications WHERE verdict = 'closed'")
    assert type(last) is type(good) or at.startswith("TIMESTAMP")
    assert ask(table, NOON + HOUR)[1][0].skip_reason
    table.close()


def test_what_sorts_after_every_instant_may_be_much(tmp_path: Path) -> None:
    router = small(tmp_path, "TEXT")
    insert(router, "2026-11-30T11:00:00Z", verdict="ok")
    router.run(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        "INSERT INTO verifications (kind, verdict, applied_at, provider, model) "
        "SELECT 'structural', 'ok', 'Montag der ' || i || '.', 'größe', 'b' FROM n"
    )
    table = router.open()
    assert [tally.day for tally in table.tallies(span(NOON, WINDOW_S))] == [1]
    table.close()


def test_a_router_whose_clock_was_ahead_is_read_as_it_writes(tmp_path: Path) -> None:
    router = small(tmp_path, "TEXT")
    insert(router, "2031-01-01 11:00:00", "2031-01-01 11:00:00", "größer", verdict="ok")
    table = router.open()
    table.record([structs.replace(OTHER, at=NOON)])
    table.close()
    assert router.run("SELECT applied_at FROM verifications WHERE provider = 'openrouter'") == [
        ("2026-11-30 12:00:00",)
    ]


@pytest.mark.parametrize("bad", [["größer"] * 3, [b"\xff"], [float("inf")]], ids=str)
def test_where_nothing_can_be_read_it_is_said(tmp_path: Path, bad: list[Any]) -> None:
    router = small(tmp_path, "")
    insert(router, *bad)
    with pytest.raises(ConfigError, match=r"applied_at: expected (instants in UTC|a number)"):
        router.open()


def test_a_trip_stands_whatever_another_row_holds(tmp_path: Path) -> None:
    router = small(tmp_path, "TEXT")
    operate(router, NOON - 60 * DAY)
    router.run("UPDATE verifications SET model = '*'")
    insert(router, "zuletzt", "2026-11-30T99:00:00Z", verdict="closed", kind="breaker")
    table = router.open()
    table.record([structs.replace(OTHER, at=NOON - timedelta(minutes=1))])
    assert ask(table, NOON)[0].memories[Key("größe", None)].state == "open"
    table.close()
