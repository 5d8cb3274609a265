"""A state in PostgreSQL: what it needs, what it refuses, and what becomes of a run when the server is gone."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import psycopg
import pytest

from contracts.errors import SpendRefused
from contracts.evidence.remembering import Careful
from contracts.facts import Listing
from contracts.listed import Model
from contracts.state import tables
from contracts.state.errors import StateError
from contracts.state.opening import open_state
from tests.postgres import Server
from tests.state.findings import NOON, finding
from tests.state.raw import execute

SECRET = "Zwiebel-0815"
HOUR = timedelta(hours=1)


@contextmanager
def administered(url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def test_the_tables_stand_in_a_schema_of_their_own(postgres_url: str) -> None:
    with administered(postgres_url) as router:
        router.execute("CREATE TABLE runs (größe text)")
        router.execute("CREATE TABLE schema_version (version text)")
    open_state(postgres_url).close()
    with administered(postgres_url) as router:
        router.execute("INSERT INTO runs VALUES ('bleibt — 保留')")
        ours = router.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'contracts'").fetchall()
        others = router.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert {"states", "transitions", "runs", "rosters", "evidence", "spend"} <= {name for (name,) in ours}
    assert sorted(others) == [("runs",), ("schema_version",)]


def test_a_state_is_opened_again_as_it_was_left(postgres_url: str) -> None:
    with closing(open_state(postgres_url)) as state:
        state.see("größe", [finding()], NOON)
    with closing(open_state(postgres_url)) as state:
        (told,) = state.see("größe", [finding()], NOON + HOUR)
    assert told.novelty is not None
    assert told.novelty.state == "ongoing"
    assert execute(postgres_url, "SELECT version FROM schema_version") == [(len(tables.MIGRATIONS),)]


def test_a_newer_state_is_refused_and_left_as_it_is(postgres_url: str) -> None:
    open_state(postgres_url).close()
    execute(postgres_url, "UPDATE schema_version SET version = 99")
    with pytest.raises(StateError, match=rf"version {len(tables.MIGRATIONS)} or older, found 99; a newer contracts"):
        open_state(postgres_url)
    assert execute(postgres_url, "SELECT version FROM schema_version") == [(99,)]


def test_an_older_state_is_brought_to_this_version(postgres_url: str) -> None:
    open_state(postgres_url).close()
    execute(postgres_url, "DROP SCHEMA contracts CASCADE")
    from contracts.state.postgres import typed

    with administered(postgres_url) as raw:
        raw.execute("CREATE SCHEMA contracts")
        raw.execute("SET search_path = contracts")
        for version in tables.MIGRATIONS[:2]:
            for statement in version:
                if not statement.startswith("PRAGMA"):
                    raw.execute(typed(statement).encode())
        raw.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)")
        raw.execute("INSERT INTO schema_version VALUES (2)")
        raw.execute("INSERT INTO free_chats VALUES ('größe', '2026-11-30', 7)")
    with closing(open_state(postgres_url)) as state:
        assert state.free_chats_today("größe", "2026-11-30") == 7
        assert state.timelines(None, 3) == []


def test_tables_of_another_program_are_refused_and_left_alone(postgres_url: str) -> None:
    with administered(postgres_url) as other:
        other.execute("CREATE SCHEMA contracts")
        other.execute("CREATE TABLE contracts.verträge (text text)")
    with pytest.raises(StateError, match="in the schema contracts, found tables of another program"):
        open_state(postgres_url)
    assert execute(postgres_url, "SELECT count(*) FROM verträge") == [(0,)]


def test_a_migration_that_fails_leaves_nothing(postgres_url: str) -> None:
    with administered(postgres_url) as other:
        other.execute("CREATE SCHEMA contracts")
        other.execute("CREATE SEQUENCE contracts.spend")  # no table, and yet in the way of one
    with pytest.raises(StateError, match=r'the state cannot be written: relation "spend" already exists'):
        open_state(postgres_url)
    with administered(postgres_url) as other:
        assert other.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'contracts'").fetchall() == []


@pytest.fixture
def poor(postgres: Server, postgres_url: str) -> Iterator[str]:
    """The address of the database for a user who may make nothing in it."""
    with administered(postgres_url) as server:
        server.execute(f"CREATE ROLE \"ärmlich\" LOGIN PASSWORD '{SECRET}'".encode())
    try:
        yield postgres_url.replace("postgres@", f"%C3%A4rmlich:{SECRET}@")
    finally:
        with administered(postgres_url) as server:
            server.execute('DROP OWNED BY "ärmlich"')
            server.execute('DROP ROLE "ärmlich"')
    assert postgres.port


def test_who_may_make_no_schema_is_told_so_and_needs_not_where_there_is_one(poor: str, postgres_url: str) -> None:
    with pytest.raises(StateError, match="permission denied for database") as caught:
        open_state(poor)
    assert SECRET not in str(caught.value)
    with administered(postgres_url) as server:
        server.execute('CREATE SCHEMA contracts AUTHORIZATION "ärmlich"')
    with closing(open_state(poor)) as state:
        state.see("größe", [finding()], NOON)


def test_who_may_not_write_is_told_so_and_the_run_goes_on(poor: str, postgres_url: str) -> None:
    open_state(postgres_url).close()
    with administered(postgres_url) as server:
        server.execute('GRANT USAGE ON SCHEMA contracts TO "ärmlich"')
        server.execute('GRANT SELECT ON ALL TABLES IN SCHEMA contracts TO "ärmlich"')
    told: list[str] = []
    with closing(open_state(poor)) as state:
        memory = Careful(lambda: state, told.append)
        assert memory.see_all({"größe": [finding()]}, NOON) == {"größe": [finding()]}
    assert len(told) == 1
    assert "permission denied for table" in told[0]
    assert SECRET not in told[0]


def test_a_database_that_takes_no_writes_is_told_at_once(postgres_url: str) -> None:
    open_state(postgres_url).close()
    with pytest.raises(StateError, match="the database is read-only"):
        open_state(f"{postgres_url}&options=-c%20default_transaction_read_only%3Don")


def test_a_database_of_another_encoding_is_refused(postgres: Server, postgres_url: str) -> None:
    with administered(postgres_url) as server:
        server.execute("CREATE DATABASE latein ENCODING 'LATIN1' TEMPLATE template0")
    try:
        with pytest.raises(StateError, match="expected a database in UTF8, found LATIN1"):
            open_state(postgres.url("latein"))
    finally:
        with administered(postgres_url) as server:
            server.execute("DROP DATABASE latein WITH (FORCE)")


def test_a_database_that_is_not_there_and_a_server_that_is_not_there_are_told_without_the_password(
    postgres: Server,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    gone = f"postgresql://router:{SECRET}@127.0.0.1:{port}/größe"
    for where, why in ((postgres.tcp_url("nirgends", SECRET), "does not exist"), (gone, "refused")):
        with pytest.raises(StateError, match=why) as caught:
            open_state(where)
        assert SECRET not in str(caught.value)
        assert caught.value.__cause__ is None
        assert "\n" not in str(caught.value)


def test_a_server_that_says_nothing_is_waited_for_as_long_as_the_address_says() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"postgresql://router:{SECRET}@127.0.0.1:{silent.getsockname()[1]}/größe?connect_timeout=2"
        with pytest.raises(StateError, match="timeout expired") as caught:
            open_state(where)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "where", [f"postgresql://u:{SECRET}@[::1/g", f"postgresql://u:p@h/g?{SECRET}=1", "postgres://%zz"]
)
def test_an_address_that_cannot_be_read_is_told_without_quoting_it(where: str) -> None:
    with pytest.raises(StateError, match="expected an address such as postgresql://user@host/database") as caught:
        open_state(where)
    assert f"u:{SECRET}" not in str(caught.value)


def test_the_address_of_another_kind_of_database_is_refused() -> None:
    with pytest.raises(StateError, match=r"^mysql://u:\*\*\*@h/g: .* expected a path or an address postgresql://"):
        open_state(f"mysql://u:{SECRET}@h/g")


def test_without_psycopg_the_user_is_told_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('no psycopg')\n", encoding="utf-8")
    code = (
        "import sys\nfrom contracts.evidence.remembering import opened\n"
        "with opened(sys.argv[1], lambda text: print(text)) as memory: print(memory.kept('größe'))"
    )
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code, f"postgresql://u:{SECRET}@h/größe"],
        env=environ,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == (
        "postgresql://u:***@h/größe: the state cannot be used: PostgreSQL needs psycopg, which is not installed; "
        "pip install 'provider-contracts[postgres]'; this run goes on without it\n[]\n"
    )


def test_what_no_text_of_postgresql_can_hold_is_shown_and_kept(postgres_url: str) -> None:
    models = Listing(models=(Model(id="nul\0größe"), Model(id="half\ud800")))
    odd = finding(model="nul\0größe\ud83d", ref="ref\0")
    with closing(open_state(postgres_url, lambda: NOON)) as state:
        state.remember_listing("größe", models, NOON)
        state.remember_listing("größe", Listing(), NOON)
        told = [state.see("größe", [odd], NOON + n * HOUR)[0].novelty for n in range(2)]
        assert [n and n.state for n in told] == ["new", "ongoing"]
        (timeline,) = state.timelines(None, 1)
    assert timeline.lines[0].model == "nul\\x00größe\\ud83d"


@pytest.fixture
def enduring(postgres: Server) -> Iterator[str]:
    """The address of an empty database that nobody is connected to, so that the server may go and come back."""
    with administered(postgres.url()) as server:
        server.execute('CREATE DATABASE "größe stehend"')
    yield postgres.url("größe%20stehend")
    with administered(postgres.url()) as server:
        server.execute('DROP DATABASE "größe stehend" WITH (FORCE)')


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_goes_down_in_the_middle_is_told_once_and_the_run_goes_on(
    postgres: Server, enduring: str, how: str
) -> None:
    told: list[str] = []
    with closing(open_state(enduring)) as state:
        memory = Careful(lambda: state, told.append)
        memory.see_all({"größe": [finding()]}, NOON)
        execute(enduring, "CHECKPOINT")  # the server of the tests writes late, and a crash would lose it
        postgres.stop(how)
        try:
            assert memory.kept("größe") == []
            assert memory.see_all({"größe": [finding()]}, NOON + HOUR) == {"größe": [finding()]}
            memory.record_run(NOON, NOON, 1, (1, 0, 0, 0), Decimal(0))
            with pytest.raises(SpendRefused):
                memory.take_free_chat("größe", "2026-11-30", 1)
        finally:
            postgres.start()
    assert len(told) == 1
    assert told[0].endswith("; this run goes on without it")
    with closing(open_state(enduring)) as state:
        (again,) = state.see("größe", [finding()], NOON + 2 * HOUR)
    assert again.novelty is not None
    assert again.novelty.polls == 2


KILLED = """
import sys
from datetime import timedelta
from contracts.state.opening import open_state
from tests.state.findings import NOON, finding
state = open_state(sys.argv[1])
print("ready", flush=True)
for n in range(10**6):
    findings = [finding("vh"[n % 2], contract=f"area.{c:02}") for c in range(22)]
    state.see_all({f"anbieter-{p}": findings for p in range(20)}, NOON + n * timedelta(hours=1))
"""


def test_a_run_that_is_killed_has_written_what_all_its_providers_came_to_or_nothing(path: str) -> None:
    for round_ in range(5):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, path],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            # Nothing to wait for but time: killed at another moment in every round.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.15 + round_ * 0.023)
            process.kill()
        # The next writer gets in at once: no lock outlives its process.
        with closing(open_state(path)) as state:
            state.record_free_chats("größe", "2026-11-30", 1)
        states = execute(path, "SELECT outcome, count(*) FROM states GROUP BY outcome")
        assert [count for _, count in states] in ([], [440])
        seen = execute(path, "SELECT min(count), max(count), count(*) FROM sightings")
        assert seen[0][0] == seen[0][1]


def test_a_run_whose_findings_cannot_be_written_has_written_nothing(path: str) -> None:
    with closing(open_state(path)) as state:
        state.see_all({"größe": [finding("h")]}, NOON)
        execute(path, "DROP TABLE transitions")
        with pytest.raises(StateError, match="transitions"):
            state.see_all({"größe": [finding()], "другой": [finding("h")]}, NOON + HOUR)
        assert execute(path, "SELECT provider, outcome FROM states") == [("größe", "holds")]
        assert execute(path, "SELECT count(*) FROM sightings") == [(0,)]
        # And the session is of use again.
        state.record_free_chats("größe", "2026-11-30", 1)


def test_a_check_keeps_its_state_in_postgresql(tmp_path: Path, postgres_url: str) -> None:
    from tests.state.test_runs import runs_of

    with runs_of(tmp_path, "honest") as runs:
        first, error = runs.check("--state", postgres_url)
        second, _ = runs.check("--fresh", CONTRACTS_STATE=postgres_url)
        assert runs.chats == 1
    assert error == ""
    assert [f["sse.charset"]["novelty"]["state"] for f in (first, second)] == ["new", "ongoing"]
    with closing(open_state(postgres_url)) as state:
        (timeline,) = state.timelines(None, 10)
    assert (timeline.provider, len(timeline.polls)) == ("acme", 2)
    outcomes = {line.contract: line.changes[-1].outcome for line in timeline.lines}
    assert json.dumps(outcomes["sse.charset"]) == '"violated"'
    assert outcomes["reply.finish"] == "holds"
