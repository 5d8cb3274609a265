"""The provider's row in a router's own database: only its note columns, only in its row, or nothing at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import ConfigError
from contracts.model import Outcome, Scope, Severity, Source
from contracts.report import Note, NotedContract, encode
from contracts.sinks import notes as note_sinks
from contracts.sinks import row_note

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LINE = "SSE declares no charset — größe; decode as UTF-8"
TABLE = """CREATE TABLE providers (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, url TEXT, contract_note TEXT, state TEXT, facts TEXT)"""
OTHERS = [(1, "größe", "https://größe.example", None, None, None), (2, "另一个", None, "eigenes", "x", "{}")]


def note(provider: str = "größe", **given_: Any) -> Note:
    broken = NotedContract(
        contract="sse.charset",
        model=None,
        outcome=Outcome.VIOLATED,
        scope=Scope.PROVIDER,
        severity=Severity.ERROR,
        detail="was 报告",
    )
    filled: dict[str, Any] = {
        "provider": provider,
        "status": "violated",
        "severity": Severity.ERROR,
        "line": LINE,
        "at": NOON,
        "sources": (Source.LIVE,),
        "synthetic": False,
        "replay": False,
        "contracts": (broken,),
    }
    return Note(**{**filled, **given_})


def healed(**given_: Any) -> Note:
    return note(**{"status": "holds", "severity": None, "line": "", "contracts": (), **given_})


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "router größe?#%.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute(TABLE)
        made.executemany("INSERT INTO providers VALUES (?, ?, ?, ?, ?, ?)", OTHERS)
        made.commit()
    return path


def sink(path: Path, query: str = "table=providers&key=name&note=contract_note") -> str:
    return f"sqlite:///{quote(str(path))}?{query}"


ALL = "table=providers&key=name&note=contract_note&status=state&json=facts"


def rows(path: Path, table: str = "providers") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute(f'SELECT * FROM "{table}" ORDER BY 1').fetchall()  # noqa: S608 - a name of the test's own


def test_the_note_columns_of_the_named_row_are_written_and_nothing_else(database: Path) -> None:
    with closing(sqlite3.connect(database)) as opened:
        schema = opened.execute("SELECT sql FROM sqlite_master").fetchall()
    assert row_note.write(sink(database, ALL), [note()]) == []
    mine, other = rows(database)
    assert mine[:5] == (*OTHERS[0][:3], LINE, "violated")
    assert msgspec.json.decode(mine[5], type=Note) == note()
    assert other == OTHERS[1]
    with closing(sqlite3.connect(database)) as opened:
        assert opened.execute("SELECT sql FROM sqlite_master").fetchall() == schema


def test_columns_that_the_sink_does_not_name_are_left_alone(database: Path) -> None:
    row_note.write(sink(database), [note("另一个")])
    assert rows(database)[1] == (2, "另一个", None, LINE, "x", "{}")


@pytest.fixture
def writes(database: Path) -> Iterator[Any]:
    """Counts the commits of others that changed the file."""
    with closing(sqlite3.connect(database)) as opened:
        yield lambda: opened.execute("PRAGMA data_version").fetchone()[0]


def test_the_same_facts_write_nothing_but_once_whatever_the_time(database: Path, writes: Any) -> None:
    row_note.write(sink(database, ALL), [note()])
    first, data = writes(), database.read_bytes()
    assert row_note.write(sink(database, ALL), [note(at=NOON + timedelta(hours=1))]) == []
    assert (writes(), database.read_bytes()) == (first, data)
    row_note.write(sink(database, ALL), [note(severity=Severity.WARNING)])
    assert writes() != first


def test_the_database_of_a_router_that_writes_all_the_time_is_waited_for_only_where_something_changed(
    database: Path,
) -> None:
    row_note.write(sink(database), [note()])
    with closing(sqlite3.connect(database, isolation_level=None)) as router:
        router.execute("BEGIN IMMEDIATE")
        assert row_note.write(sink(database), [note(at=None)]) == []


@pytest.mark.parametrize("status", ["holds", "waived"])
def test_what_heals_clears_its_note(database: Path, status: str) -> None:
    row_note.write(sink(database, ALL), [note()])
    row_note.write(sink(database, ALL), [healed(status=status)])
    assert rows(database)[0][3:5] == (None, status)


def test_what_could_not_be_judged_clears_nothing_unless_earlier_polls_are_known(database: Path) -> None:
    row_note.write(sink(database, ALL), [note()])
    row_note.write(sink(database, ALL), [healed(status="unknown")])
    assert rows(database)[0][3:5] == (LINE, "unknown")
    row_note.write(sink(database, ALL), [healed(status="unknown")], {"größe"})
    assert rows(database)[0][3:5] == (None, "unknown")


def test_a_column_that_may_not_be_null_is_cleared_by_an_empty_text(tmp_path: Path) -> None:
    path = tmp_path / "router.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE providers (name TEXT PRIMARY KEY, contract_note TEXT NOT NULL DEFAULT '')")
        made.execute("INSERT INTO providers (name) VALUES ('größe')")
        made.commit()
    for one, held in ((note(), LINE), (healed(), ""), (healed(), "")):
        assert row_note.write(sink(path), [one]) == []
        assert rows(path) == [("größe", held)]


ODD = 'no"te; DROP TABLE "x" — é'


def test_every_name_that_a_column_may_have_is_only_a_name(tmp_path: Path) -> None:
    path = tmp_path / "router.db"
    with closing(sqlite3.connect(path)) as made:
        quoted = ODD.replace('"', '""')
        made.execute(f'CREATE TABLE "{quoted}" ("{quoted}" TEXT, "key\'" TEXT, "sele""ct" TEXT)')
        made.execute(f'INSERT INTO "{quoted}" ("{quoted}") VALUES (?)', ("größe",))  # noqa: S608 - quoted
        made.commit()
    query = f"table={quote(ODD)}&key={quote(ODD)}&note={quote(chr(115) + 'ele' + chr(34) + 'ct')}&status=key'"
    assert row_note.write(sink(path, query), [note()]) == []
    assert rows(path, quoted) == [("größe", "violated", LINE)]


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_text_is_a_command(tmp_path_factory: pytest.TempPathFactory, provider: str, line: str) -> None:
    path = tmp_path_factory.mktemp("db") / "router.db"
    name = provider.encode("utf-8", "backslashreplace").decode()
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE providers (name TEXT, contract_note TEXT)")
        made.executemany("INSERT INTO providers VALUES (?, 'alt')", [(name,), (name + "x",)])
        made.commit()
    lost = row_note.write(sink(path), [note(provider, line=f"é{line}")])
    assert lost == []
    (_, written), (_, other) = sorted(rows(path), key=lambda row: len(row[0]))
    assert (written.startswith("é"), written.isprintable(), other) == (True, True, "alt")


def test_names_are_found_as_the_database_tells_them_apart(database: Path) -> None:
    assert row_note.write(sink(database, "table=Providers&key=NAME&note=Contract_Note"), [note()]) == []
    assert rows(database)[0][3] == LINE


MISSING = [
    (
        "table=provider&key=name&note=contract_note",
        "expected the table 'provider' to write notes to, found 'providers'",
    ),
    (
        "table=providers&key=name&note=notiz",
        "expected the column of 'providers' 'notiz' to write notes to, found 'id', 'name'",
    ),
    ("table=providers&key=rowid&note=contract_note", "expected the column of 'providers' 'rowid'"),
    ("table=providers&key=name&note=contract_note&json=größe", "expected the column of 'providers' 'größe'"),
    ("table=sqlite_master&key=name&note=sql", "expected the table 'sqlite_master'"),
    ("table=sicht&key=name&note=contract_note", "expected the table 'sicht'"),
    ("table=rechnend&key=name&note=doppelt", "expected the column of 'rechnend' 'doppelt'"),
]


@pytest.mark.parametrize(("query", "said"), MISSING, ids=[query for query, _ in MISSING])
def test_a_table_or_column_that_is_not_there_loses_no_note_and_writes_nothing(
    database: Path, query: str, said: str
) -> None:
    with closing(sqlite3.connect(database)) as made:
        made.execute("CREATE VIEW sicht AS SELECT * FROM providers")
        made.execute("CREATE TABLE rechnend (name TEXT, doppelt TEXT AS (name || name))")
        made.commit()
    before = database.read_bytes()
    (lost,) = row_note.write(sink(database, query), [note()])
    assert lost.note == note()
    assert said in lost.why
    assert database.read_bytes() == before


def test_a_row_that_is_not_there_loses_its_own_note_alone(database: Path) -> None:
    lost = row_note.write(sink(database), [note("fehlt — 缺"), note()])
    assert [(one.note.provider, one.why.partition(": ")[2]) for one in lost] == [
        ("fehlt — 缺", "expected one row of 'providers' with name = 'fehlt — 缺', found none")
    ]
    assert [row[3] for row in rows(database)] == [LINE, "eigenes"]
    assert len(rows(database)) == 2


def test_of_two_rows_with_one_name_none_is_written(database: Path) -> None:
    with closing(sqlite3.connect(database)) as made:
        made.execute("INSERT INTO providers (name) VALUES ('größe')")
        made.commit()
    (lost,) = row_note.write(sink(database), [note()])
    assert lost.why.endswith("with name = 'größe', found more than one")
    assert [row[3] for row in rows(database)] == [None, "eigenes", None]


def test_all_rows_are_written_or_none(database: Path) -> None:
    with closing(sqlite3.connect(database)) as made:
        made.execute(
            """CREATE TRIGGER nein BEFORE UPDATE ON providers WHEN NEW.name = '另一个'
               BEGIN SELECT RAISE(ABORT, 'nein — 不'); END"""
        )
        made.commit()
    lost = row_note.write(sink(database), [note(), note("另一个")])
    assert [one.note.provider for one in lost] == ["größe", "另一个"]
    assert all("nein — 不" in one.why for one in lost)
    assert rows(database) == OTHERS


@pytest.mark.parametrize("content", [None, b"", "kein SQLite — 不是".encode() * 99])
def test_what_is_no_database_loses_no_note_and_is_left_as_it_is(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "router.db"
    if content is not None:
        path.write_bytes(content)
    (lost,) = row_note.write(sink(path), [note()])
    assert lost.why.startswith(f"{path}: ")
    assert (path.read_bytes() if path.exists() else None) == content


REFUSED = [
    "sqlite:router.db?table=t&key=k",
    "sqlite:///router.db?table=t&key=k&note=n&tabel=x",
    "sqlite:///router.db?table=t&key=k&note=n&note=m",
    "sqlite:///router.db?table=t&key=k&note=K",
    "sqlite:///router.db?table=t&key=k&note=n&json=n",
    "sqlite:///router.db?table=t&key=k&note=",
    "sqlite:///router.db?table=t&key=k&note=%00",
    "sqlite:///router.db",
    "sqlite:///?table=t&key=k&note=n",
    "sqlite://router.db?table=t&key=k&note=n",
    "sqlite://host/router.db?table=t&key=k&note=n",
    "sqlite://[größe/router.db?table=t&key=k&note=n",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_sink_that_names_too_little_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--note sqlite:"):
        note_sinks.check(text)


def test_a_scheme_that_nobody_knows_is_refused_without_what_may_be_a_password() -> None:
    with pytest.raises(ConfigError, match="found 'mysql'") as error:
        note_sinks.check("mysql://größe:geheim@h/d")
    assert "geheim" not in str(error.value)


def test_three_slashes_are_a_relative_path_and_four_an_absolute_one() -> None:
    query = "?table=t&key=k&note=n"
    assert row_note.parse(f"sqlite:///d%C3%A4ten/r.db{query}").path == "däten/r.db"
    assert row_note.parse(f"sqlite:////var/lib/r.db{query}").path == "/var/lib/r.db"


HELD = [{"synthetic": True}, {"replay": True}]


@pytest.mark.parametrize("why", HELD, ids=["synthetic", "replay"])
def test_what_was_not_judged_from_the_provider_reaches_a_row_only_by_force(database: Path, why: dict[str, Any]) -> None:
    said: list[str] = []
    both = [note(**why), note("另一个")]
    assert note_sinks.deliver(sink(database), both, say=said.append) == []
    assert [row[3] for row in rows(database)] == [None, LINE]
    (line,) = said
    assert line.startswith("note of größe held back: it was judged from captures and not from the provider (--force")
    assert note_sinks.deliver(sink(database), both, force=True, say=said.append) == []
    assert [row[3] for row in rows(database)] == [LINE, LINE]
    assert len(said) == 1


def test_a_file_that_cannot_be_appended_to_loses_no_note(tmp_path: Path) -> None:
    (lost,) = note_sinks.deliver(str(tmp_path / "nirgends" / "é.jsonl"), [note(replay=True)])
    assert lost.note == note(replay=True)
    assert "expected a file to append notes to" in lost.why
    path = tmp_path / "é.jsonl"
    assert note_sinks.deliver(str(path), [note(replay=True)]) == []
    assert path.read_bytes() == encode(note(replay=True)) + b"\n"
