"""A router's PostgreSQL, a provider that breaks a promise and mends it, and `contracts check` as a timer runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import psycopg
import pytest

from contracts.report import Note
from contracts.testing.plugin import hostile_provider
from tests.notes.test_router_row import KEY, NOTE, ROOT, Provider, Router
from tests.postgres import Server

__all__ = ["hostile_provider"]

PASSWORD = "größe:geheim"
QUERY = "table=routing.providers&key=name&note=contract_note&status=contract_status&json=contract_json"
TABLE = """CREATE TABLE routing.providers (
    name text PRIMARY KEY, endpoint text NOT NULL, contract_note text, contract_status text, contract_json jsonb)"""
ROWS = "SELECT name, endpoint, contract_note, contract_status, contract_json FROM routing.providers ORDER BY name"


class PostgresRouter(Router):
    """The same router, whose rows are in PostgreSQL."""

    def __init__(self, folder: Path, connection: psycopg.Connection, sink: str) -> None:
        self.folder, self.connection, self.sink = folder, connection, sink
        connection.execute("CREATE SCHEMA routing")
        connection.execute(TABLE)
        connection.execute("INSERT INTO routing.providers (name, endpoint) VALUES ('cafe', 'x'), ('另一个', 'y')")

    def check(self, *arguments: Any, **more: Any) -> tuple[int, str, list[str]]:
        return super().check(*arguments, **{"notes": [self.sink], **more})

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return self.connection.execute(ROWS).fetchall()


@pytest.fixture
def router(tmp_path: Path, postgres: Server, postgres_url: str) -> Iterator[PostgresRouter]:
    name = postgres_url.partition("@/")[2].partition("?")[0]
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        sink = f"{postgres.tcp_url(quote(name), quote(PASSWORD, safe=''))}?sslmode=disable&{QUERY}"
        yield PostgresRouter(tmp_path, connection, sink)


def test_a_row_is_written_by_a_broken_promise_kept_in_an_outage_and_cleared_when_it_is_mended(
    router: PostgresRouter, hostile_provider: Provider
) -> None:
    broken, mended = hostile_provider("honest"), hostile_provider("declared")
    assert router.check(broken)[0] == 1
    mine, other = router.rows
    assert mine[:4] == ("cafe", "x", NOTE, "violated")
    assert msgspec.convert(mine[4], type=Note).contracts[0].contract == "sse.charset"
    assert router.check(broken)[0] == 1
    assert {**router.rows[0][4], "at": None} == {**mine[4], "at": None}
    assert router.check(None)[0] == 3
    assert router.rows[0][:4] == ("cafe", "x", NOTE, "unknown")
    assert router.check(mended)[0] == 0
    assert router.rows[0][:4] == ("cafe", "x", None, "holds")
    assert router.rows[1] == other == ("另一个", "y", None, None, None)


def test_a_note_without_a_place_is_on_standard_error_with_no_password(
    router: PostgresRouter, hostile_provider: Provider
) -> None:
    wrong = router.sink.replace("contract_note", "notiz")
    status, out, told = router.check(hostile_provider("declared"), "-f", "json", notes=[wrong])
    assert status == 2
    said, line = told
    assert said.startswith("contracts: note not written: postgresql://127.0.0.1:")
    assert "expected the column of 'routing.providers' 'notiz' to write notes to, found 'name', 'endpoint'" in said
    assert msgspec.json.decode(line, type=Note).provider == "cafe"
    shown = f"{out}{told}"
    assert not [secret for secret in ("geheim", quote(PASSWORD, safe=""), KEY) if secret in shown]


def test_what_was_played_by_our_own_provider_reaches_no_row_from_cassettes(router: PostgresRouter) -> None:
    (router.folder / "cassettes").mkdir()
    (router.folder / "cassettes" / "cafe").symlink_to(ROOT / "cassettes" / "openrouter")
    assert router.check(None, "--replay")[0] == 1
    assert router.rows[0][2:] == (None, None, None)
    router.check(None, "--replay", "--force-notes")
    assert msgspec.convert(router.rows[0][4], type=Note).replay
