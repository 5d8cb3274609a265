"""A router's own database, a provider that breaks a promise and mends it, and `contracts check` as a timer runs it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from contracts.model import Outcome
from contracts.report import Note
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider

__all__ = ["hostile_provider"]

ROOT = Path(__file__).parents[2]
SQL = "SELECT name, endpoint, contract_note, contract_status, contract_json FROM providers ORDER BY name"
NOTE = "SSE declares no charset; decode as UTF-8, never by the client's default"
SINK = "sqlite:///router.db?table=providers&key=name&note=contract_note&status=contract_status&json=contract_json"
KEY = "sk-loopback-0123456789abcdef"

Provider = Callable[..., HostileProvider]


class Router:
    """A folder with a router's database and its providers file, in which the timer's command is run."""

    where: Path | None = None  # another folder to run it in

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, folder / "router.db"
        with closing(sqlite3.connect(self.database)) as made:
            made.execute(
                """CREATE TABLE providers (
                    name TEXT PRIMARY KEY, endpoint TEXT NOT NULL, contract_note TEXT, contract_status TEXT,
                    contract_json TEXT)"""
            )
            made.executemany("INSERT INTO providers (name, endpoint) VALUES (?, ?)", [("cafe", "x"), ("另一个", "y")])
            made.commit()

    def check(
        self, provider: HostileProvider | None, *arguments: str, free_chats: int = 1000, **more: Any
    ) -> tuple[int, str, list[str]]:
        row = {
            "dialect": "openai-chat",
            "base_url": provider.base_url if provider else "http://127.0.0.1:9",
            "api_key": "LOOPBACK_KEY",
            "models": ["loopback/libre"],
            "listing": {"path": "/models", "prices": "pricing", "context_tokens": "context_length"},
            "evidence_max_age": "0s",
            "free_chats_per_day": free_chats,
        }
        file = {"version": 1, "providers": {"cafe": row}, "notes": [SINK], **more}
        (self.folder / "providers.yaml").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
            "LOOPBACK_KEY": KEY,
        }
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", "check", *arguments],
            env=environ, cwd=self.where or self.folder, check=False, capture_output=True, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stdout.decode(), done.stderr.decode().splitlines()

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database)) as opened:
            return opened.execute(SQL).fetchall()


@pytest.fixture
def router(tmp_path: Path) -> Router:
    return Router(tmp_path)


def test_a_row_is_written_by_a_broken_promise_kept_in_an_outage_and_cleared_when_it_is_mended(
    router: Router, hostile_provider: Provider
) -> None:
    broken, mended = hostile_provider("honest"), hostile_provider("declared")
    assert router.check(broken)[0] == 1
    (mine, other) = router.rows
    assert mine[:4] == ("cafe", "x", NOTE, "violated")
    assert msgspec.json.decode(mine[4], type=Note).contracts[0].contract == "sse.charset"
    data = router.database.read_bytes()
    assert router.check(broken)[0] == 1
    assert router.database.read_bytes() == data
    status, out, _ = router.check(None, "-f", "json")
    assert status == 3
    assert [f["novelty"]["state"] for f in json.loads(out)["findings"] if f["contract"] == "sse.charset"] == ["ongoing"]
    assert router.rows[0][:4] == ("cafe", "x", NOTE, "unknown")
    status, text, _ = router.check(mended)
    assert status == 0
    assert "sse.charset · fixed, was violated since " in text
    assert router.rows[0][:4] == ("cafe", "x", None, "holds")
    assert router.rows[1] == other == ("另一个", "y", None, None, None)
    assert "fixed" not in router.check(mended)[1]


def test_without_a_state_an_outage_clears_nothing_either(router: Router, hostile_provider: Provider) -> None:
    router.check(hostile_provider("honest"), "--state", "none")
    router.check(None, "--state", "none")
    assert router.rows[0][2:4] == (NOTE, "unknown")
    router.check(hostile_provider("declared"), "--state", "none")
    assert router.rows[0][2:4] == (None, "holds")


def test_the_first_run_with_a_state_clears_nothing_that_could_not_be_judged(
    router: Router, hostile_provider: Provider
) -> None:
    broken = hostile_provider("honest")
    router.check(broken)
    for path in (router.folder / ".local").rglob("state.db*"):
        path.unlink()
    # The listing still answers, so that something holds; a chat, which would show the charset, is not asked for.
    assert router.check(broken, free_chats=0)[0] == 0
    assert router.rows[0][2:4] == (NOTE, "unknown")


PARTS = [("--contract", "sse.framing"), ("--exclude", "sse.charset"), ("--model", "loopback/libre")]


@pytest.mark.parametrize("part", PARTS, ids=[option for option, _ in PARTS])
def test_a_look_at_a_part_leaves_the_row_as_it_is_unless_the_sink_is_named(
    router: Router, hostile_provider: Provider, part: tuple[str, str]
) -> None:
    broken = hostile_provider("honest")
    _, _, told = router.check(broken, *part)
    assert router.rows[0][2:] == (None, None, None)
    assert any("notes go to no row or webhook, as only a part is judged" in line for line in told)
    router.check(broken, *part, "--note", SINK)
    assert router.rows[0][3] == ("violated" if part[0] == "--model" else "holds")


def test_a_note_without_a_place_is_on_standard_error_and_the_report_is_printed(
    router: Router, hostile_provider: Provider
) -> None:
    status, out, told = router.check(
        hostile_provider("declared"), "-f", "json", notes=[SINK.replace("contract_note", "notiz")]
    )
    assert status == 2
    assert json.loads(out)["summary"]["violated"] == 0
    said, line = told
    assert said.startswith("contracts: note not written: router.db: expected the column of 'providers' 'notiz'")
    assert msgspec.json.decode(line, type=Note).provider == "cafe"
    violated = router.check(hostile_provider("honest"), notes=[SINK.replace("router", "fehlt")])
    assert violated[0] == 1
    assert not (router.folder / "fehlt.db").exists()


def test_a_sink_of_the_file_that_cannot_be_one_is_refused_before_anybody_is_asked(
    router: Router, hostile_provider: Provider
) -> None:
    provider = hostile_provider("honest")
    status, _, told = router.check(provider, notes=["postgresql://router/db?table=providers"])
    assert (status, provider.request_count) == (2, 0)
    assert "--note postgresql:…: expected table, key and note" in told[0]


def test_what_was_played_by_our_own_provider_reaches_no_row_from_cassettes(router: Router) -> None:
    (router.folder / "cassettes").mkdir()
    (router.folder / "cassettes" / "cafe").symlink_to(ROOT / "cassettes" / "openrouter")
    status, _, told = router.check(None, "--replay")
    assert status == 1
    assert router.rows[0][2:] == (None, None, None)
    assert any("note of cafe held back" in line for line in told)
    router.check(None, "--replay", "--force-notes")
    assert router.rows[0][2] is not None
    document = msgspec.json.decode(router.rows[0][4], type=Note)
    assert (document.replay, document.contracts[0].outcome) == (True, Outcome.VIOLATED)


def test_the_key_is_in_no_row(router: Router, hostile_provider: Provider) -> None:
    router.check(hostile_provider("honest"))
    assert KEY.encode() not in router.database.read_bytes()


def test_a_relative_path_in_the_providers_file_starts_at_that_file(
    router: Router, hostile_provider: Provider, tmp_path_factory: pytest.TempPathFactory
) -> None:
    router.check(None)
    where = router.where = tmp_path_factory.mktemp("anderswo — 别处")
    status, _, told = router.check(hostile_provider("honest"), "--config", str(router.folder / "providers.yaml"))
    assert (status, told) == (1, [])
    assert router.rows[0][2] == NOTE
    lost = router.check(hostile_provider("honest"), "--config", str(router.folder / "providers.yaml"), "--note", SINK)
    assert "note not written: router.db: expected a database" in lost[2][0]
    assert list(where.iterdir()) == []
