"""A router's table as it stands: counted where it lies, written as the router writes, never made or altered."""

from __future__ import annotations

import random
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from contracts.breaker.decide import decide
from contracts.breaker.memory import Decision, State
from contracts.breaker.observed import Row, Span, count, since, span
from contracts.breaker.tally import Key, Tally
from contracts.errors import ConfigError
from contracts.verifications.catalogue import look_up
from contracts.verifications.errors import TableError
from contracts.verifications.place import parse
from contracts.verifications.sqlite import SqliteDatabase
from contracts.verifications.statements import APART, MOST_GROUPS, aggregate
from contracts.verifications.store import Verifications
from tests.verifications.conftest import POSTGRES, SQLITE, Router, postgres_router, sqlite_router

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
WINDOW_S = 3600.0
ROWS = [
    ("ok", ""), ("ok", "ASCII only"), ("ok", "größer als gedacht"), ("malformed", "empty response"),
    ("malformed", "irgendwas 7"), ("mangled", "double-utf8-latin1 [provider]: 3 × U+00E2"),
    ("unverifiable", "tool call"),
    ("mangled", "double-utf8-latin1 [provider]: 9 × U+00C3"), ("unverifiable", "status 429"), ("looping", "38 × 40"),
    ("unverifiable", "status 4290"), ("mangled", "替换"), ("refused", "withheld"),
]  # fmt: skip


def traffic(seed: int = 6, number: int = 400) -> list[Row]:
    """Answers of three days, in no order."""
    chance = random.Random(seed)  # noqa: S311 - the same at each run
    found = []
    for _ in range(number):
        verdict, detail = chance.choice(ROWS)
        found.append(
            Row(
                at=NOON - timedelta(seconds=chance.randrange(3 * 86_400)),
                provider=chance.choice(["openrouter", "größe"]),
                model=chance.choice(["智谱/模型:free", "b"]),
                verdict=verdict,
                detail=detail,
                model_attributable=verdict in ("malformed", "mangled", "looping"),
            )
        )
    return found


def in_order(tallies: list[Tally]) -> list[Tally]:
    return sorted(tallies, key=lambda t: (t.provider, t.model, t.verdict, t.signature, t.attributable))


def test_the_database_counts_what_would_be_counted_one_by_one(router: Router) -> None:
    seen = traffic(number=2000)
    table = router.open()
    table.record(seen)
    table.close()
    table = router.open()
    over = span(NOON, WINDOW_S)
    assert in_order(table.tallies(over)) == in_order(count(seen, over))
    late = since(NOON - 2 * HOUR, NOON, WINDOW_S)
    later = since(NOON - HOUR / 3, NOON, WINDOW_S)
    asked = [(Key("größe", None), late), (Key("größe", "b"), later), (Key("openrouter", "智谱/模型:free"), late)]
    found = table.after([*asked, (Key("niemand", None), late)])
    assert len(found) == len(asked)
    for key, its in asked:
        own = [
            structs.replace(one, model=one.model if one.verdict == "mangled" else "")
            for one in seen
            if one.provider == key.provider and key.model in (None, one.model)
        ]
        assert in_order(list(found[key])) == in_order(count(own, its))
    table.close()


WRITTEN = {
    "sqlite-iso": "2026-11-30T12:00:00.250000+00:00", "sqlite-z": "2026-11-30T12:00:00Z",
    "sqlite-current": "2026-11-30 12:00:00", "sqlite-real": 1_796_040_000.25, "sqlite-seconds": 1_796_040_000,
    "sqlite-ms": 1_796_040_000_250, "postgres-tz": NOON + timedelta(milliseconds=250),
    "postgres-naive": datetime(2026, 11, 30, 12, 0, 0, 250_000),  # noqa: DTZ001 - as the column has it
    "postgres-text": "2026-11-30 12:00:00.250000", "postgres-double": 1_796_040_000.25,
}  # fmt: skip


def test_instants_are_written_as_the_router_writes_them(router: Router) -> None:
    table = router.open()
    table.record(damaged(1, NOON + timedelta(milliseconds=250)))
    table.close()
    assert router.run("SELECT applied_at FROM verifications WHERE kind = 'structural'") == [(WRITTEN[router.shape],)]


def schema(router: Router) -> list[Any]:
    if router.url.startswith("sqlite"):
        return router.run("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2")
    return router.run(
        "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns "
        "WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, 3"
    )


def fold(router: Router, where: str) -> list[Any]:
    """What a router makes of its table: quality by model, from what clients saw."""
    flag = "CAST(model_attributable AS TEXT) IN ('1', 'true')"
    return router.run(
        "SELECT provider, model, COUNT(*), SUM(CASE WHEN verdict = 'ok' THEN 1 ELSE 0 END), MAX(applied_at) "  # noqa: S608
        f"FROM verifications WHERE {flag} AND {where} GROUP BY provider, model ORDER BY 1, 2"
    )


def test_nothing_of_ours_is_ever_folded_into_quality(router: Router) -> None:
    yes = "true" if "BOOLEAN" in router.shape or router.shape in ("postgres-tz", "postgres-double") else "1"
    table = router.open()
    table.record(traffic(number=5))
    router.run(
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "  # noqa: S608
        f"SELECT 'client_outcome', 'failed', 'Kunde', {yes}, applied_at, provider, model FROM verifications "
        "WHERE kind = 'structural'"
    )
    asked = ["kind = 'client_outcome'", "kind <> 'structural'", "kind NOT IN ('structural')"]
    before = [schema(router), *(fold(router, where) for where in asked)]
    assert before[1]
    table.record(traffic(7))
    decisions = decide(count(damaged(), span(NOON, WINDOW_S)), {}, NOON, lambda _: 0.5)
    assert written(table.apply(decisions, table.read(span(NOON, WINDOW_S), NOON, WINDOW_S), NOON)) == 1
    assert [schema(router), *(fold(router, where) for where in asked)] == before
    for late in (NOON + HOUR, NOON + 26 * HOUR):  # a clean answer, and a day on which nothing is to be decided
        table.record([Row(at=late, provider="openrouter", model="b", verdict="ok", detail="größer")])
        assert written(list(poll(table, late).values())) == 1
    assert [schema(router), *(fold(router, where) for where in asked)] == before
    table.close()


def damaged(number: int = 3, at: datetime = NOON - HOUR / 2) -> list[Row]:
    one = Row(
        at=at, provider="openrouter", model="智谱/模型", verdict="mangled", detail="double-utf8-latin1 [provider]: 3 ×",
        model_attributable=True,
    )  # fmt: skip
    return [structs.replace(one, at=at + n * timedelta(seconds=1)) for n in range(number)]


def poll(table: Verifications, now: datetime) -> dict[Key, Decision]:
    known = table.read(span(now, WINDOW_S), now, WINDOW_S, to_write=True)
    decisions = decide(known.tallies, known.memories, now, lambda _: 0.0)
    return {one.key: one for one in table.apply(decisions, known, now)}


def written(decisions: list[Decision]) -> int:
    return sum(one.skip_reason is None for one in decisions)


def test_what_was_decided_is_remembered_in_the_table_itself(router: Router) -> None:
    provider = Key("openrouter", None)
    table = router.open()
    table.record(damaged())
    tripped = poll(table, NOON)[provider]
    assert (tripped.state, tripped.by, tripped.until) == (State.OPEN, "novelty", NOON + HOUR / 12)
    table.close()
    table = router.open()
    assert poll(table, NOON + HOUR / 20)[provider].skip_reason == "open until 2026-11-30 12:05:00Z"
    assert poll(table, NOON + HOUR / 10)[provider].state is State.HALF_OPEN
    whole = Row(at=NOON + HOUR / 8, provider="openrouter", model="b", verdict="ok")
    table.record([whole])
    closed = poll(table, NOON + HOUR / 6)[provider]
    assert (closed.state, closed.by, closed.since) == (State.CLOSED, "clean", whole.at)
    after = poll(table, NOON + HOUR / 5)[provider]
    assert (after.state, after.attempt) == (State.CLOSED, 1)
    table.record(damaged(2, NOON + HOUR / 4))
    assert poll(table, NOON + HOUR / 3)[provider].attempt == 2
    kinds = router.run("SELECT verdict, model FROM verifications WHERE kind = 'breaker' ORDER BY applied_at")
    assert kinds == [("open", "*"), ("half-open", "*"), ("closed", "*"), ("open", "*")]
    table.close()


def test_the_model_s_row_names_the_model(router: Router) -> None:
    empty = Row(
        at=NOON, provider="größe", model="b", verdict="malformed", detail="empty response", model_attributable=True
    )
    table = router.open()
    table.record([empty] * 25)
    assert poll(table, NOON)[Key("größe", "b")].by == "rate"
    assert poll(table, NOON + HOUR / 60)[Key("größe", "b")].state is State.OPEN
    ((detail,),) = router.run("SELECT detail FROM verifications WHERE kind = 'breaker' AND model = 'b'")
    assert '"signature":"empty response"' in detail
    table.close()


def test_a_day_is_found_by_the_index_and_only_groups_are_read(tmp_path: Path) -> None:
    made = sqlite_router(
        tmp_path / "große.db", SQLITE.format(at="TEXT NOT NULL"), "CREATE INDEX am ON verifications (applied_at)"
    )
    with sqlite3.connect(tmp_path / "große.db") as connection:
        connection.executemany(
            "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "
            "VALUES ('structural', 'mangled', ?, 1, ?, 'größe', 'b')",
            ((f"double-utf8-latin1: {n} ×", (NOON - n * timedelta(seconds=30)).isoformat()) for n in range(50_000)),
        )
    connection.close()
    table = made.open()
    (tally,) = table.tallies(span(NOON, WINDOW_S))
    table.close()
    assert (tally.day, tally.window, tally.before) == (2881, 121, 2880)
    database = SqliteDatabase(parse(made.url))
    statement, values = aggregate(look_up(database, parse(made.url), NOON), span(NOON, WINDOW_S))
    plan = " ".join(str(row[3]) for row in database.read(f"EXPLAIN QUERY PLAN {statement}", values))
    assert "USING INDEX am (applied_at>? AND applied_at<?)" in plan
    database.close()


def test_postgresql_finds_a_day_by_its_index(postgres_url: str) -> None:
    from contracts.verifications.postgres import PostgresDatabase

    made = postgres_router(
        postgres_url,
        POSTGRES.format(at="TIMESTAMPTZ NOT NULL", flag="BOOLEAN"),
        "CREATE INDEX am ON verifications (applied_at)",
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "
        "SELECT 'structural', 'mangled', 'double-utf8-latin1: ' || n || ' ×', true, "
        "TIMESTAMPTZ '2026-11-30 12:00:00Z' - n * INTERVAL '30 seconds', 'größe', 'b' FROM generate_series(0, 49999) n",
        "ANALYZE verifications",
    )
    table = made.open()
    (tally,) = table.tallies(span(NOON, WINDOW_S))
    table.close()
    assert (tally.day, tally.window, tally.before) == (2881, 121, 2880)
    database = PostgresDatabase(parse(made.url))
    statement, values = aggregate(look_up(database, parse(made.url), NOON), span(NOON, WINDOW_S))
    plan = " ".join(row[0] for row in database.read(f"EXPLAIN {statement}", values))
    assert "Index Cond: ((applied_at >=" in plan
    assert "Seq Scan" not in plan
    database.close()


NAMES = {'Anbieter "?"': "provider", "mo%dell": "model", "größe; DROP TABLE x": "verifications"}


def test_names_are_only_names(tmp_path: Path, postgres_url: str) -> None:
    query = "?table=gr%C3%B6%C3%9Fe%3B%20DROP%20TABLE%20x&provider=anbieter%20%22%3F%22&model=mo%25dell"
    for made in (
        sqlite_router(tmp_path / "r.db", renamed(SQLITE.format(at="TEXT")), query=query),
        postgres_router(postgres_url, renamed(POSTGRES.format(at="TEXT", flag="BOOLEAN")), query="&" + query[1:]),
    ):
        table = made.open()
        table.record(damaged())
        key = Key("openrouter", "智谱/模型")
        assert [tally.day for tally in table.after([(key, span(NOON, WINDOW_S))])[key]] == [3]
        assert poll(table, NOON)[Key("openrouter", None)].state is State.OPEN
        assert poll(table, NOON)[Key("openrouter", None)].skip_reason
        table.close()


def renamed(statement: str) -> str:
    for name, was in NAMES.items():
        quoted = name.replace('"', '""')
        statement = statement.replace(f"{was} (", f'"{quoted}" (', 1) if was == "verifications" else statement
        statement = statement.replace(f" {was} TEXT", f' "{quoted}" TEXT').replace(
            f" {was} VARCHAR", f' "{quoted}" VARCHAR'
        )
    return statement


def test_values_are_only_values(router: Router) -> None:
    hostile = ["'; DROP TABLE verifications; --", 'a"b?%s', "\ud83d halb", "nul\0", "*"]
    table = router.open()
    table.record([structs.replace(one, model=model) for model in hostile for one in damaged(1)])
    models = {tally.model for tally in table.tallies(span(NOON, WINDOW_S))}
    assert models == {hostile[0], hostile[1], "\\ud83d halb", "nul\\x00", ""}
    table.close()


def test_the_breakers_rows_may_share_the_kind_where_a_table_allows_no_other(tmp_path: Path) -> None:
    strict = SQLITE.format(at="TEXT").replace("kind TEXT NOT NULL", "kind TEXT CHECK (kind IN ('structural', 'größe'))")
    made = sqlite_router(tmp_path / "r.db", strict)
    table = made.open()
    table.record(damaged())
    with pytest.raises(TableError, match="CHECK constraint failed"):
        poll(table, NOON)
    table.close()
    shared = made._replace(url=f"{made.url}?decisions=structural")
    table = shared.open()
    assert poll(table, NOON)[Key("openrouter", None)].state is State.OPEN
    assert poll(table, NOON + HOUR / 60)[Key("openrouter", None)].skip_reason
    assert {tally.verdict for tally in table.tallies(span(NOON, WINDOW_S))} == {"mangled"}
    table.close()


def names(router: Router, number: int, provider: str, model: str) -> None:
    """Clients ask for models that do not exist, once each; `n` counts them in the columns."""
    is_large = router.url.startswith("postgres")
    router.run(
        f"WITH RECURSIVE g(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g WHERE n < {number}) "  # noqa: S608
        "INSERT INTO verifications (kind, verdict, detail, model_attributable, applied_at, provider, model) "
        f"SELECT 'structural', 'unverifiable', 'status 404', {'false' if is_large else 0}, "
        f"{'TIMESTAMP' if is_large else ''} '2026-11-30 11:59:00', {provider}, {model} FROM g"
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def large(request: pytest.FixtureRequest, tmp_path: Path) -> Router:
    """A router's table with either database."""
    if request.param == "sqlite":
        return sqlite_router(tmp_path / "r.db", SQLITE.format(at="TEXT DEFAULT CURRENT_TIMESTAMP"))
    statement = POSTGRES.format(at="TIMESTAMP", flag="BOOLEAN")
    return postgres_router(request.getfixturevalue("postgres_url"), statement)


def test_names_that_clients_invent_hide_nobody(large: Router) -> None:
    names(large, MOST_GROUPS + 1, "'größe'", "'erfunden-' || n")
    table = large.open()
    empty = {"verdict": "malformed", "detail": "empty response", "model_attributable": True, "provider": "größe"}
    table.record([structs.replace(one, model="b", **empty) for one in damaged(40)])
    # One sighting of each of two that are not told apart: what is damaged on the wire is the provider's all the same.
    table.record([structs.replace(damaged(1)[0], model=f"selten-{n}") for n in range(APART + 2)])
    known = table.read(span(NOON, WINDOW_S), NOON, WINDOW_S, to_write=True)
    assert (known.apart, sum(tally.day for tally in known.tallies)) == (APART, MOST_GROUPS + 1 + 40 + APART + 2)
    assert len({(tally.provider, tally.model) for tally in known.tallies if tally.model}) == APART
    (rest,) = (one for one in known.tallies if one.model == "" and one.provider == "openrouter")
    assert (rest.name, rest.arm, rest.day) == ("double-utf8-latin1", "encoding", 3)
    decisions = {one.key: one for one in decide(known.tallies, known.memories, NOON, lambda _: 0.0)}
    tripped = {key for key, one in decisions.items() if one.state is State.OPEN}
    assert tripped == {Key("openrouter", None), Key("größe", "b")}
    assert decisions[Key("openrouter", None)].count == APART + 2
    assert decisions[Key("größe", "")].skip_reason
    assert written(table.apply(decisions.values(), known, NOON)) == 2
    late = NOON + HOUR
    names(large, MOST_GROUPS + 1, "'größe'", "'neu-' || n")
    table.record([Row(at=late, provider="openrouter", model="b", verdict="ok", detail="größer")])
    found = poll(table, late)
    assert (found[Key("openrouter", None)].by, found[Key("größe", "b")].state) == ("clean", State.HALF_OPEN)
    table.close()


def test_too_many_providers_are_told_and_not_read(large: Router) -> None:
    names(large, MOST_GROUPS + 1, "'größe-' || n", "'b'")
    table = large.open()
    with pytest.raises(TableError, match="expected at most 50000 groups"):
        table.tallies(span(NOON, WINDOW_S))
    table.close()


@pytest.mark.parametrize(
    ("query", "statement", "expected"),
    [
        ("?table=größe", SQLITE, "expected the table 'größe', found 'verifications'"),
        ("?model=modell", SQLITE, "expected the column of 'verifications' 'modell', found 'id', 'kind', 'verdict'"),
        ("", "CREATE TABLE verifications (kind, verdict)", "'detail', found 'kind', 'verdict'"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(tmp_path: Path, query: str, statement: str, expected: str) -> None:
    made = sqlite_router(tmp_path / "r.db", statement.format(at="TEXT"), query=query)
    with pytest.raises(ConfigError) as raised:
        made.open()
    assert expected in str(raised.value)


def test_instants_that_are_not_utc_are_refused(tmp_path: Path) -> None:
    made = sqlite_router(tmp_path / "r.db", SQLITE.format(at="TEXT"))
    made.run(
        "INSERT INTO verifications (kind, verdict, applied_at, provider, model) "
        "VALUES ('structural', 'ok', '30.11.2026 12:00', 'größe', 'b')"
    )
    with pytest.raises(ConfigError, match=r"expected instants in UTC .*, found '30\.11\.2026 12:00'"):
        made.open()


def test_a_row_that_needs_more_than_is_known_is_not_written(tmp_path: Path) -> None:
    needy = SQLITE.format(at="TEXT").replace("score REAL", "anfrage TEXT NOT NULL")
    table = sqlite_router(tmp_path / "r.db", needy).open()
    with pytest.raises(ConfigError, match="nothing can be written: 'verifications' needs a value for 'anfrage'"):
        table.record(damaged())
    table.close()


LOOSE = "CREATE TABLE verifications (kind, verdict, detail, model_attributable, applied_at, provider, model)"
SIGN = "double-utf8-latin1 [provider]: 3 × U+00E2"


@pytest.mark.parametrize(
    ("verdict", "detail", "flag"),
    [
        ("mangled", SIGN, 1), ("mangled", SIGN.encode(), 1), (b"mangled", SIGN, 1), ("mangled", SIGN, 1.0),
        ("mangled", SIGN.encode() + b" \xff", "1"),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_column_of_no_type_holds_is_read_as_a_text(tmp_path: Path, verdict: Any, detail: Any, flag: Any) -> None:
    made = sqlite_router(tmp_path / "r.db", LOOSE)
    for _ in range(2):
        made.run(
            "INSERT INTO verifications VALUES ('structural', ?, ?, ?, '2026-11-30T11:59:00Z', 7, CAST(? AS TEXT))",
            verdict, detail, flag, b"gr\xf6\xdfe",
        )  # fmt: skip
    table = made.open()
    (tally,) = table.tallies(span(NOON, WINDOW_S))
    assert (tally.provider, tally.model, tally.name, tally.arm, tally.day) == (
        "7", "gr\\xf6\\xdfe", "double-utf8-latin1", "encoding", 2
    )  # fmt: skip
    assert poll(table, NOON)[Key("7", None)].state is State.OPEN
    made.run("INSERT INTO verifications VALUES ('structural', 'ok', '', 0, '2026-11-30T12:30:00Z', 7, 'b')")
    assert poll(table, NOON + HOUR)[Key("7", None)].state is State.CLOSED
    table.close()


def test_postgresqls_own_types_are_read_as_a_text(postgres_url: str) -> None:
    made = postgres_router(
        postgres_url,
        "CREATE TYPE wort AS ENUM ('ok', 'malformed')",
        "CREATE TABLE verifications (kind TEXT, verdict wort, detail JSONB, model_attributable NUMERIC(2,1), "
        "applied_at TIMESTAMPTZ, provider CHAR(10), model UUID)",
        "INSERT INTO verifications VALUES ('structural', 'ok', '\"größe\"', 0, '2026-11-30 11:59:00Z', 'a', "
        "'00000000-0000-0000-0000-00000000000f')",
    )
    table = made.open()
    tallies, remembered, *_ = table.read(span(NOON, WINDOW_S), NOON, WINDOW_S)
    assert [(t.provider, t.model[-1], t.verdict, t.day, t.attributable) for t in tallies] == [
        ("a", "f", "ok", 1, False)
    ]
    assert remembered.memories == {}
    key = Key("a", tallies[0].model)
    assert [tally.day for tally in table.after([(key, since(NOON - HOUR, NOON, WINDOW_S))])[key]] == [1]
    table.close()


def test_an_answer_whose_model_is_not_known_trips_nobody(router: Router) -> None:
    table = router.open()
    bad = {"verdict": "malformed", "detail": "empty response", "model_attributable": True}
    unknown = [structs.replace(one, model="", **bad) for one in damaged(40)]
    table.record([*unknown, *(structs.replace(one, verdict="ok", detail="größer") for one in damaged(40))])
    found = poll(table, NOON)
    assert {one.state for one in found.values()} == {State.CLOSED}
    assert "not known" in found[Key("openrouter", "")].why
    assert found[Key("openrouter", "")].skip_reason
    assert not router.run("SELECT 1 FROM verifications WHERE kind = 'breaker' AND verdict <> 'closed'")
    table.close()


def test_instants_of_no_type_that_is_known_are_refused(tmp_path: Path) -> None:
    made = sqlite_router(tmp_path / "r.db", LOOSE)
    made.run("INSERT INTO verifications VALUES ('structural', 'ok', '', 0, ?, 'größe', 'b')", b"gestern")
    with pytest.raises(ConfigError, match="applied_at: expected a number, a text or a type of instants, found"):
        made.open()


def test_no_database_is_made(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a router's database, found none"):
        Verifications(parse(f"sqlite:///{tmp_path}/größe.db"))
    assert not list(tmp_path.iterdir())


def test_all_rows_are_written_or_none(router: Router) -> None:
    table = router.open()
    with pytest.raises(TableError):
        table.record([*damaged(), structs.replace(damaged(1)[0], verdict=None)])
    assert table.tallies(span(NOON, WINDOW_S)) == []
    table.close()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("mysql://größe", "found another scheme"),
        ("sqlite:größe.db", "found no path of a file"),
        ("sqlite:////r.db?tabelle=größe", "found an unknown parameter 'tabelle'"),
        ("sqlite:////r.db?table=", "found a name twice, or empty"),
        ("sqlite:////r.db?table=a&table=b", "found a name twice, or empty"),
        ("sqlite:////r.db?provider=größe&model=größe", "found one column for provider and model"),
        ("postgresql://nutzer:ge@heim@host/db", "found @ or # in it"),
        ("postgresql://nutzer:geheim#1@host/db", "found @ or # in it"),
        ("postgresql://nutzer:geheim/db", "or a port that is none"),
    ],
)
def test_a_bad_url_is_refused_without_its_password(url: str, expected: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(url)
    assert expected in str(raised.value)
    assert "heim" not in str(raised.value)


def test_a_server_that_refuses_is_told_without_its_password() -> None:
    place = parse("postgresql://nutzer:gehe%69m-gr%C3%B6%C3%9Fe@127.0.0.1:1/db?connect_timeout=2&table=größe")
    assert place.shown == "postgresql://127.0.0.1:1/db"
    assert place.where.endswith("/db?connect_timeout=2")
    with pytest.raises(TableError) as raised:
        Verifications(place)
    assert "geheim" not in str(raised.value)
    assert "gehe%69m" not in str(raised.value)
    assert str(raised.value).startswith("postgresql://127.0.0.1:1/db: ")


def test_a_decision_that_cannot_be_read_waits_for_a_clean_answer(tmp_path: Path) -> None:
    made = sqlite_router(tmp_path / "r.db", SQLITE.format(at="TEXT"))
    made.run(
        "INSERT INTO verifications (kind, verdict, detail, applied_at, provider, model) "
        "VALUES ('breaker', 'open', 'kein JSON {', '2026-11-30T11:00:00+00:00', 'größe', '*')"
    )
    table = made.open()
    assert poll(table, NOON)[Key("größe", None)].state is State.HALF_OPEN
    table.record([Row(at=NOON, provider="größe", model="b", verdict="ok")])
    assert poll(table, NOON + HOUR)[Key("größe", None)].state is State.CLOSED
    table.close()


def test_a_span_holds_what_is_written_down_in_this_very_second(router: Router) -> None:
    table = router.open()
    table.record(damaged(1, NOON))
    assert isinstance(span(NOON, WINDOW_S), Span)
    (tally,) = table.tallies(span(NOON, WINDOW_S))
    assert (tally.window, tally.first_at, tally.name) == (1, NOON, "double-utf8-latin1")
    table.close()


def test_what_is_tried_and_closed_within_a_second_is_closed_once(router: Router) -> None:
    provider, over = Key("openrouter", None), NOON + HOUR / 12
    table = router.open()
    table.record(damaged())
    assert poll(table, NOON)[provider].state is State.OPEN
    assert poll(table, over)[provider].state is State.HALF_OPEN
    table.record([Row(at=over, provider="openrouter", model="größe", verdict="ok")])
    assert poll(table, over + timedelta(milliseconds=300))[provider].by == "clean"
    again = poll(table, over + timedelta(seconds=30))
    assert (again[provider].state, again[provider].was, written(list(again.values()))) == ("closed", "closed", 0)
    table.close()


FOLLOWING = ("half-open", "closed", "throttled", "open")


def test_of_two_in_one_second_that_counts_which_may_have_followed(router: Router) -> None:
    table = router.open()
    pairs = [(first, last) for first in FOLLOWING for last in FOLLOWING if first != last]
    for states in zip(*pairs, strict=True):
        known = table.read(span(NOON, WINDOW_S), NOON, WINDOW_S)
        decisions = [
            Decision(provider="größe", model=f"日本/{number}", state=State(state), was=State.CLOSED)
            for number, state in enumerate(states)
        ]
        assert written(table.apply(decisions, known, NOON)) == len(pairs)
    found = table.read(span(NOON, WINDOW_S), NOON, WINDOW_S).memories
    for number, pair in enumerate(pairs):
        assert found[Key("größe", f"日本/{number}")].state == max(pair, key=FOLLOWING.index)
    table.close()
