"""A state that may only be read: another user's, on a read-only disk, or in a database that takes no writes."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from contracts.state import tables
from contracts.state.errors import StateError
from contracts.state.opening import open_state, open_to_read
from contracts.state.postgres import LOCK
from contracts.state.reading import connect
from contracts.state.sqlite import SqliteConnection
from contracts.state.store import State
from tests.cli.conftest import environment
from tests.history.conftest import POLLS, remember
from tests.history.test_history_command import cells
from tests.postgres import Server

NEWEST = len(tables.MIGRATIONS)
NOBODY = 65534
# What makes root one user among others: the right to what is another's is not handed on.
POWERLESS = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search,-fowner") if os.geteuid() == 0 else ()
needs_setpriv = pytest.mark.skipif(bool(POWERLESS) and not shutil.which("setpriv"), reason="root may write anything")

Contracts = Callable[..., "subprocess.CompletedProcess[bytes]"]


@contextmanager
def kept_from(*paths: Path) -> Iterator[None]:
    """Take from the program the right to write these files and folders, which another may own."""
    was = [(path, path.stat()) for path in paths]
    for path, found in was:
        if POWERLESS:
            os.chown(path, NOBODY, -1)
        path.chmod(0o755 if found.st_mode & 0o100 and POWERLESS else 0o555 if found.st_mode & 0o100 else 0o444)
    try:
        yield
    finally:
        for path, found in was:
            path.chmod(found.st_mode)
            if POWERLESS:
                os.chown(path, found.st_uid, -1)


@pytest.fixture
def contracts(tmp_path: Path) -> Contracts:
    """Run `contracts` with no more rights than its files give it, in a folder of its own."""
    folder = tmp_path / "eigener"
    folder.mkdir()

    def run(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        command = [*POWERLESS, sys.executable, "-m", "contracts_cli", *map(str, arguments)]
        variables = environment(PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run(command, cwd=folder, env=variables, check=False, capture_output=True, timeout=60)

    return run


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state in a folder whose name no URI may take as it is."""
    made = tmp_path / "zustand ?#%41 größe" / "état.db"
    remember(str(made), POLLS)
    return made


@pytest.mark.parametrize("which", ["folder", "file", "both"])
@needs_setpriv
def test_history_and_report_need_no_right_to_write_and_leave_nothing(
    contracts: Contracts, state: Path, which: str
) -> None:
    kept = {"folder": [state.parent], "file": [state], "both": [state, state.parent]}[which]
    before = state.read_bytes()
    with kept_from(*kept):
        shown = contracts("history", "--state", state)
        page = contracts("report", "--html", "-", "--state", state)
        assert sorted(os.listdir(state.parent)) == ["état.db"]
    assert (shown.returncode, shown.stderr, page.returncode, page.stderr) == (0, b"", 0, b"")
    assert cells(shown.stdout.decode())["sse.charset"] == "·VVw·"
    assert "größe" in page.stdout.decode()
    assert state.read_bytes() == before


@needs_setpriv
def test_what_another_is_writing_right_now_is_shown(contracts: Contracts, state: Path) -> None:
    with closing(open_state(str(state))) as writer:
        assert writer.last_polls(["größe"])
        remember(str(state), POLLS[1:2], max(writer.last_polls(["größe"]).values()).replace(hour=12))
        beside = sorted(state.parent.glob("*-*"))
        assert [path.name for path in beside] == ["état.db-shm", "état.db-wal"]
        assert beside[1].stat().st_size > 0
        with kept_from(state, *beside, state.parent):
            shown = contracts("history", "--state", state)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert cells(shown.stdout.decode())["sse.charset"] == "·VVw·V"


@needs_setpriv
def test_changes_that_cannot_be_read_are_not_left_out_silently(
    contracts: Contracts, state: Path, tmp_path: Path
) -> None:
    copied = tmp_path / "kopie" / "état.db"
    copied.parent.mkdir()
    with closing(open_state(str(state))) as writer:
        writer.record_free_chats("größe", "2026-11-30", 1)
        for end in ("", "-wal"):
            shutil.copy(f"{state}{end}", f"{copied}{end}")
    with kept_from(copied, copied.parent):
        shown = contracts("history", "--state", copied)
    assert (shown.returncode, shown.stdout) == (2, b"")
    assert f"{copied.name}-wal holds changes that only who may write here can read" in shown.stderr.decode()


@needs_setpriv
def test_what_would_have_to_be_written_is_said(contracts: Contracts, state: Path) -> None:
    with kept_from(state, state.parent):
        done = contracts("history", "--state", state, "--prune", "1d")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "is read-only" in done.stderr.decode()


@needs_setpriv
@pytest.mark.parametrize(("version", "found"), [(NEWEST - 1, f"one of version {NEWEST - 1}"), (0, "an empty database")])
def test_an_older_state_that_may_not_be_written_says_how_it_is_brought_here(
    contracts: Contracts, state: Path, version: int, found: str
) -> None:
    if version:
        with closing(sqlite3.connect(state)) as raw:
            raw.execute(f"PRAGMA user_version = {version}")
    else:
        state.write_bytes(b"")
    before = state.read_bytes()
    with kept_from(state, state.parent):
        done = contracts("history", "--state", state)
    assert (done.returncode, done.stdout) == (2, b"")
    said = done.stderr.decode()
    assert f"expected a state of version {NEWEST}, found {found}" in said
    assert "run `contracts check` once, which may write it" in said
    assert state.read_bytes() == before
    # With the right to write it is brought to this version as it is opened.
    if version:
        with closing(sqlite3.connect(state)) as raw:
            raw.execute(f"PRAGMA user_version = {NEWEST}")
        assert contracts("history", "--state", state).returncode == 0


def test_a_file_that_was_written_while_it_was_read_is_no_answer(state: Path) -> None:
    held = SqliteConnection(str(state), *connect(str(state)))
    assert len(State(held).timelines(None, 9)) == 2
    remember(str(state), POLLS[:1])
    with pytest.raises(StateError, match="another run wrote it at the same time; try again"):
        State(held).timelines(None, 9)
    held.close()


@pytest.mark.parametrize("odd", ["nirgends.db", "ordner", "brief.txt", "nul\0byte"])
def test_what_is_no_state_is_refused_and_not_made(tmp_path: Path, odd: str) -> None:
    (tmp_path / "ordner").mkdir()
    (tmp_path / "brief.txt").write_text("ein Brief über Größe — kein Zustand\n" * 40, encoding="utf-8")
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(StateError, match="the state cannot be read: "):
        connect(f"{tmp_path}/{odd}")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_database_that_takes_no_writes_is_read(contracts: Contracts, postgres_url: str) -> None:
    remember(postgres_url, POLLS)
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute(f'ALTER DATABASE "{admin.info.dbname}" SET default_transaction_read_only = on'.encode())
    shown = contracts("history", "--state", postgres_url)
    page = contracts("report", "--html", "-", "--state", postgres_url)
    assert (shown.returncode, shown.stderr, page.returncode, page.stderr) == (0, b"", 0, b"")
    assert cells(shown.stdout.decode())["sse.charset"] == "·VVw·"
    assert "größe" in page.stdout.decode()
    with pytest.raises(StateError, match="the database is read-only"):
        open_state(postgres_url)


def test_who_may_only_select_reads_a_database_while_another_writes(postgres_url: str) -> None:
    remember(postgres_url, POLLS)
    reader = f"{postgres_url}&options=-c%20role%3Dleserin"
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS leserin")
        admin.execute("CREATE ROLE leserin")
        admin.execute("GRANT USAGE ON SCHEMA contracts TO leserin")
        admin.execute("GRANT SELECT ON ALL TABLES IN SCHEMA contracts TO leserin")
        try:
            admin.execute("BEGIN")
            admin.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))  # that of whoever writes
            with closing(open_to_read(reader)) as state:
                assert [one.provider for one in state.timelines(None, 9)] == ["größe", "中文"]
                with pytest.raises(StateError, match="cannot be written"):
                    state.record_free_chats("größe", "2026-11-30", 1)
            admin.execute("ROLLBACK")
        finally:
            admin.execute("DROP OWNED BY leserin")
            admin.execute("DROP ROLE leserin")


def test_a_standby_is_read(contracts: Contracts) -> None:
    server = Server()
    try:
        remember(server.url(), POLLS)
        server.stop()
        (server.data / "standby.signal").touch()
        server.start()
        with psycopg.connect(server.url()) as standby:
            assert standby.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
        shown = contracts("history", "--state", server.url())
        pruned = contracts("history", "--state", server.url(), "--prune", "1d")
    finally:
        server.remove()
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert cells(shown.stdout.decode())["sse.charset"] == "·VVw·"
    assert (pruned.returncode, pruned.stdout) == (2, b"")
    assert b"the database is read-only" in pruned.stderr


def test_older_tables_are_left_to_a_run_that_judges(postgres_url: str) -> None:
    with pytest.raises(StateError, match=rf"expected a state of version {NEWEST}, found an empty database"):
        open_to_read(postgres_url)
    open_state(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        admin.execute("UPDATE contracts.schema_version SET version = 2")
        with pytest.raises(
            StateError, match=rf"version {NEWEST}, found one of version 2, which an older contracts wrote"
        ):
            open_to_read(postgres_url)
        assert admin.execute("SELECT version FROM contracts.schema_version").fetchall() == [(2,)]
