"""The provider's row in a router's PostgreSQL: a real server, and nothing of it written but the note columns."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import msgspec
import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from contracts.errors import ConfigError
from contracts.model import Severity
from contracts.report import Note
from contracts.sinks import notes as note_sinks
from contracts.sinks import row_note
from tests.notes.test_row_note import ALL, LINE, NOON, healed, note
from tests.postgres import Server

ONE = "table=providers&key=name&note=contract_note"
PASSWORD = "größe:geheim@/?#%"
TABLE = """CREATE TABLE providers (
    id integer GENERATED ALWAYS AS IDENTITY, name varchar(80) NOT NULL, url text, contract_note text, state text,
    facts jsonb, doppelt text GENERATED ALWAYS AS (name || name) STORED)"""


@pytest.fixture
def router(postgres_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(TABLE)
        connection.execute("INSERT INTO providers (name, url) VALUES ('größe', 'https://größe.example')")
        connection.execute("INSERT INTO providers (name, contract_note, state) VALUES ('另一个', 'eigenes', 'x')")
        yield connection


def rows(router: psycopg.Connection) -> list[tuple[Any, ...]]:
    return router.execute("SELECT name, url, contract_note, state, facts FROM providers ORDER BY id").fetchall()


OTHER = ("另一个", None, "eigenes", "x", None)


def test_the_note_columns_of_the_named_row_are_written_and_nothing_else(
    router: psycopg.Connection, postgres_url: str
) -> None:
    assert row_note.write(f"{postgres_url}&{ALL}", [note()]) == []
    mine, other = rows(router)
    assert mine[:4] == ("größe", "https://größe.example", LINE, "violated")
    assert msgspec.convert(mine[4], type=Note) == note()
    assert other == OTHER
    assert router.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace").fetchone() == (
        2,  # the table and what counts its rows
    )


def test_the_same_facts_write_nothing_but_once_whatever_the_time(router: psycopg.Connection, postgres_url: str) -> None:
    def version() -> Any:
        return router.execute("SELECT xmin, ctid, facts::text FROM providers WHERE name = 'größe'").fetchone()

    row_note.write(f"{postgres_url}&{ALL}", [note()])
    was = version()
    assert row_note.write(f"{postgres_url}&{ALL}", [note(at=NOON + timedelta(hours=1))]) == []
    assert version() == was
    row_note.write(f"{postgres_url}&{ALL}", [note(severity=Severity.WARNING)])
    assert version() != was


def test_what_heals_clears_its_note_and_what_could_not_be_judged_does_not(
    router: psycopg.Connection, postgres_url: str
) -> None:
    sink = f"{postgres_url}&{ALL}"
    row_note.write(sink, [note()])
    row_note.write(sink, [healed(status="unknown")])
    assert rows(router)[0][2:4] == (LINE, "unknown")
    row_note.write(sink, [healed()])
    assert rows(router)[0][2:4] == (None, "holds")
    router.execute("UPDATE providers SET contract_note = ''")
    router.execute("ALTER TABLE providers ALTER contract_note SET NOT NULL")
    for one, held in ((note(), LINE), (healed(), "")):
        assert row_note.write(sink, [one]) == []
        assert rows(router)[0][2] == held


ODD = 'no"te; DROP TABLE "x" — é % %s ? {}'


def test_every_name_that_a_schema_a_table_or_a_column_may_have_is_only_a_name(
    router: psycopg.Connection, postgres_url: str
) -> None:
    odd = Identifier(ODD)
    router.execute(SQL("CREATE SCHEMA {}").format(odd))
    router.execute(SQL("CREATE TABLE {0}.{0} ({0} text, {1} text, state text)").format(odd, Identifier("select")))
    router.execute(SQL("INSERT INTO {0}.{0} ({0}) VALUES ('größe')").format(odd))
    query = f"table={quote(f'{ODD}.{ODD}')}&key={quote(ODD)}&note=select"
    assert row_note.write(f"{postgres_url}&{query}", [note()]) == []
    assert router.execute(SQL("SELECT * FROM {0}.{0}").format(odd)).fetchall() == [("größe", LINE, None)]
    assert rows(router)[1] == OTHER


def test_a_table_is_found_by_the_search_path_or_by_its_schema_and_never_guessed(
    router: psycopg.Connection, postgres_url: str
) -> None:
    router.execute("CREATE SCHEMA routing")
    router.execute("CREATE TABLE routing.providers (name text, contract_note text)")
    router.execute("INSERT INTO routing.providers VALUES ('größe')")
    row_note.write(f"{postgres_url}&table=Routing.Providers&key=NAME&note=Contract_Note", [note()])
    assert router.execute("SELECT contract_note FROM routing.providers").fetchall() == [(LINE,)]
    assert rows(router)[0][2] is None
    row_note.write(f"{postgres_url}&{ONE}", [note()])
    assert rows(router)[0][2] == LINE
    path = quote("-c search_path=routing")
    row_note.write(f"{postgres_url}&options={path}&{ONE}", [healed()])
    assert router.execute("SELECT contract_note FROM routing.providers").fetchall() == [(None,)]
    router.execute('CREATE TABLE "routing.providers" (name text, contract_note text)')
    (lost,) = row_note.write(f"{postgres_url}&table=routing.providers&key=name&note=contract_note", [note()])
    assert 'found several: \'"public"."routing.providers"\', \'"routing"."providers"\'' in lost.why


MISSING = [
    ("table=provider&key=name&note=contract_note", "expected the table 'provider' to write notes to, found 'providers"),
    ("table=providers&key=name&note=notiz", "expected the column of 'providers' 'notiz' to write notes to, found 'nam"),
    ("table=providers&key=ctid&note=contract_note", "expected the column of 'providers' 'ctid'"),
    ("table=providers&key=name&note=doppelt", "expected the column of 'providers' 'doppelt'"),
    ("table=providers&key=name&note=id", "expected the column of 'providers' 'id'"),
    ("table=pg_catalog.pg_class&key=relname&note=reloptions", "expected the table 'pg_catalog.pg_class'"),
    ("table=sicht&key=name&note=contract_note", "expected the table 'sicht'"),
    ("table=providers&key=id&note=url", "expected the column of 'providers' 'id'"),
    ("table=providers&key=name&note=state&json=zahl", 'invalid input syntax for type integer: "{'),
    ("table=providers&key=name&note=kurz", "value too long for type character varying(3)"),
]


@pytest.mark.parametrize(("query", "said"), MISSING, ids=[query for query, _ in MISSING])
def test_a_table_or_column_that_is_not_there_or_does_not_fit_loses_no_note_and_writes_nothing(
    router: psycopg.Connection, postgres_url: str, query: str, said: str
) -> None:
    router.execute("ALTER TABLE providers ADD zahl integer, ADD kurz varchar(3)")
    router.execute("CREATE VIEW sicht AS SELECT * FROM providers")
    before = rows(router)
    (lost,) = row_note.write(f"{postgres_url}&{query}", [note()])
    assert lost.note == note()
    assert said in lost.why
    assert "\n" not in lost.why
    assert rows(router) == before


def test_a_row_that_is_not_there_or_is_there_twice_loses_its_own_note_alone(
    router: psycopg.Connection, postgres_url: str
) -> None:
    router.execute("INSERT INTO providers (name) VALUES ('zwei'), ('zwei')")
    lost = row_note.write(f"{postgres_url}&{ONE}", [note("zwei"), note("fehlt — 缺"), note()])
    assert [(one.note.provider, one.why.rpartition(": ")[2]) for one in lost] == [
        ("fehlt — 缺", "expected one row of 'providers' with name = 'fehlt — 缺', found none"),
        ("zwei", "expected one row of 'providers' with name = 'zwei', found more than one"),
    ]
    assert [row[2] for row in rows(router)] == [LINE, "eigenes", None, None]


def test_all_rows_are_written_or_none(router: psycopg.Connection, postgres_url: str) -> None:
    router.execute(
        """CREATE FUNCTION nein() RETURNS trigger LANGUAGE plpgsql AS
           $$ BEGIN IF NEW.name = '另一个' THEN RAISE EXCEPTION 'nein — 不'; END IF; RETURN NEW; END $$"""
    )
    router.execute("CREATE TRIGGER nein BEFORE UPDATE ON providers FOR EACH ROW EXECUTE FUNCTION nein()")
    before = rows(router)
    lost = row_note.write(f"{postgres_url}&{ONE}", [note(), note("另一个")])
    assert [one.note.provider for one in lost] == ["größe", "另一个"]
    assert all("nein — 不" in one.why for one in lost)
    assert rows(router) == before


def test_a_row_that_the_router_is_writing_is_waited_for_only_where_something_changed(
    router: psycopg.Connection, postgres_url: str
) -> None:
    row_note.write(f"{postgres_url}&{ONE}", [note()])
    with psycopg.connect(postgres_url) as busy:
        busy.execute("UPDATE providers SET url = 'neu' WHERE name = 'größe'")
        assert row_note.write(f"{postgres_url}&{ONE}", [note(at=None)]) == []
        lost: list[Any] = []
        one = threading.Thread(target=lambda: lost.extend(row_note.write(f"{postgres_url}&{ONE}", [healed()])))
        one.start()
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'contracts'"
        )
        while one.is_alive() and router.execute(waiting).fetchone() != (1,):
            pass
        busy.commit()
        one.join()
    assert lost == []
    assert rows(router)[0][1:3] == ("neu", None)


def test_a_router_that_never_ends_what_it_writes_loses_no_note(router: psycopg.Connection, postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as busy:
        busy.execute("LOCK TABLE providers")
        (lost,) = row_note.write(f"{postgres_url}&options=-clock_timeout%3D50&{ONE}", [note()])
    assert "canceling statement due to lock timeout" in lost.why
    assert rows(router)[0][2] is None


def test_a_database_or_server_that_is_not_there_loses_no_note(postgres: Server) -> None:
    (lost,) = row_note.write(f"{postgres.url(quote('fehlt — 缺'))}&{ONE}", [note()])
    assert 'database "fehlt — 缺" does not exist' in lost.why
    (lost,) = row_note.write(f"postgresql://u:{quote(PASSWORD, safe='')}@127.0.0.1:1/d?{ONE}", [note()])
    assert lost.why.startswith("postgresql://127.0.0.1:1/d: connection failed")
    assert lost.note == note()


def test_by_loopback_and_by_a_socket_it_is_the_same_row(
    router: psycopg.Connection, postgres: Server, postgres_url: str
) -> None:
    name = postgres_url.partition("@/")[2].partition("?")[0]
    url = postgres.tcp_url(quote(name), quote(PASSWORD, safe=""))
    assert row_note.write(f"{url}?sslmode=prefer&{ONE}&application_name=w%C3%A4hrend", [note()]) == []
    assert rows(router)[0][2] == LINE


WRONG = [
    f"postgresql://u:{PASSWORD}@h/d?{ONE}",
    f"postgresql://u:geheim/1@h/d?{ONE}",
    f"postgresql://u:geheim?1@h/d?{ONE}",
    f"postgresql://u:1?geheim@h/d?{ONE}",
    f"postgresql://u:1/geheim@h/d?{ONE}",
    f"postgresql://u:geheim#1@h/d?{ONE}",
    f"postgresql://u:[geheim@h/d?{ONE}",
    f"postgresql://u:geheim@h:port/d?{ONE}",
    f"postgresql:u:geheim@h/d?{ONE}",
    "postgresql://u:geheim@h/d?table=geheim",
    "postgresql://u:geheim@h/d",
    "postgres://u:geheim@h/d?table=t&key=k&note=geheim&json=geheim",
    "postgres://u:geheim@h/d?table=t&key=k&note=n&note=geheim",
    "postgres://u:geheim@h/d?table=t&key=k&note=%00geheim",
    f"postgresql://h/d?{ONE}&password=geheim&tabel=x",
    f"postgresql+psycopg://u:geheim@h/d?{ONE}",
]


@pytest.mark.parametrize("text", WRONG)
def test_a_sink_that_is_none_is_refused_without_what_may_be_a_password(text: str) -> None:
    with pytest.raises(ConfigError, match="--note postgres") as told:
        note_sinks.check(text)
    error = told.value
    seen = [str(error), repr(error.__cause__), "" if error.__suppress_context__ else repr(error.__context__)]
    assert not [one for one in seen if "geheim" in one]


def test_no_error_of_a_server_holds_the_password(postgres: Server) -> None:
    url = f"{postgres.tcp_url('geheim', 'geheim')}?{ONE}"
    (lost,) = row_note.write(url, [note()])
    assert lost.why.replace("/geheim: ", "/: ").endswith('database "***" does not exist')


def test_without_psycopg_it_is_said_what_to_install_before_anything_is_judged() -> None:
    program = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from contracts.sinks import notes\n"
        f"sink = 'postgresql://u:geheim@h/d?{ONE}'\n"
        "notes.lint(sink)\n"
        "try: notes.check(sink)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    assert done.stdout == (
        "ConfigError --note postgresql://h/d?…: notes to PostgreSQL need psycopg: "
        "pip install 'provider-contracts[postgres]'\n"
    )


def test_what_is_written_is_looked_at_without_psycopg() -> None:
    program = (
        "import sys\nfrom contracts.sinks import notes\n"
        f"notes.lint('postgresql://u@h/d?{ONE}')\nassert not {{'psycopg', 'sqlite3'}} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


HELD = [{"synthetic": True}, {"replay": True}]


@pytest.mark.parametrize("why", HELD, ids=["synthetic", "replay"])
def test_what_was_not_judged_from_the_provider_reaches_a_row_only_by_force(
    router: psycopg.Connection, postgres_url: str, why: dict[str, Any]
) -> None:
    said: list[str] = []
    both = [note(**why), note("另一个")]
    assert note_sinks.deliver(f"{postgres_url}&{ONE}", both, say=said.append) == []
    assert [row[2] for row in rows(router)] == [None, LINE]
    assert note_sinks.deliver(f"{postgres_url}&{ONE}", both, force=True, say=said.append) == []
    assert [row[2] for row in rows(router)] == [LINE, LINE]
    assert len(said) == 1
