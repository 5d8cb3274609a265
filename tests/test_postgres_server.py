"""The server that other tests rely on is a real one, and survives being stopped."""

from __future__ import annotations

import psycopg

from tests.postgres import Server


def test_every_test_gets_an_empty_database_in_utf_8(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE worte (wort text)")
        connection.execute("INSERT INTO worte VALUES (%s)", ("weiß — 已知",))
        assert connection.execute("SELECT wort, octet_length(wort) FROM worte").fetchall() == [("weiß — 已知", 16)]


def test_one_that_crashed_comes_back(postgres: Server) -> None:
    postgres.stop("immediate")
    postgres.start()
    with psycopg.connect(postgres.tcp_url()) as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]
