"""A run that is told to end writes what it knows to every place that was asked for."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from tests.cli.conftest import environment

__all__ = ["hostile_provider"]

DEADLINE_S = 60
KEY = "sk-loopback-0123456789abcdef"


def row(provider: HostileProvider) -> dict[str, Any]:
    return {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "api_key": "LOOPBACK_KEY",
        "models": ["loopback/libre"],
        "listing": {"path": "/models", "prices": "pricing"},
    }


def database(path: Path) -> None:
    """A router's own table, which knows both providers."""
    opened = sqlite3.connect(path)
    opened.execute("CREATE TABLE providers (name TEXT PRIMARY KEY, contract_note TEXT)")
    opened.executemany("INSERT INTO providers VALUES (?, NULL)", [("cafe",), ("stalled",)])
    opened.commit()
    opened.close()


def has_kept_a_chat(state: Path) -> bool:
    """Tell whether the run has read a chat in full and kept what it showed."""
    if not state.exists():
        return False
    opened = sqlite3.connect(f"file:{state}?mode=ro", uri=True)
    try:
        (count,) = opened.execute("SELECT count(*) FROM evidence WHERE model = 'loopback/libre'").fetchone()
    except sqlite3.OperationalError:  # before its tables are made
        return False
    finally:
        opened.close()
    return bool(count)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_files_and_notes_hold_what_was_judged_until_then(
    number: signal.Signals, hostile_provider: Callable[..., HostileProvider], tmp_path: Path
) -> None:
    good, hangs = hostile_provider("honest"), hostile_provider("stall-before-headers")
    rows = {"version": 1, "providers": {"cafe": row(good), "stalled": row(hangs)}}
    (tmp_path / "providers.yaml").write_text(json.dumps(rows), encoding="utf-8")
    database(tmp_path / "größe.db")
    (tmp_path / "metrics").mkdir()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "contracts_cli", "check", "--timeout", "50s", "--state", str(tmp_path / "state.db"),
            "-o", "json=bericht.json", "-o", "junit=bericht.xml", "-o", "prometheus=metrics",
            "--note", "notizen.jsonl", "--note", "sqlite:///größe.db?table=providers&key=name&note=contract_note",
        ],
        cwd=tmp_path, env=environment(LOOPBACK_KEY=KEY), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    ends = time.monotonic() + DEADLINE_S
    while not (hangs.request_count and has_kept_a_chat(tmp_path / "state.db")) and time.monotonic() < ends:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, err) == (130, b"")
    assert b"sse.charset" in out
    report = json.loads((tmp_path / "bericht.json").read_bytes())
    found = {(f["provider"], f["contract"]): (f["outcome"], f["reason"]) for f in report["findings"]}
    assert found["cafe", "sse.charset"] == ("violated", None)
    assert found["stalled", "models.shape"] == ("unknown", "interrupted")
    assert "sse.charset" in (tmp_path / "bericht.xml").read_text(encoding="utf-8")
    assert {path.name for path in (tmp_path / "metrics").iterdir()} == {"cafe.prom", "stalled.prom"}
    notes = [json.loads(line) for line in (tmp_path / "notizen.jsonl").read_bytes().splitlines()]
    assert [(note["provider"], note["status"]) for note in notes] == [("cafe", "violated"), ("stalled", "unknown")]
    opened = sqlite3.connect(tmp_path / "größe.db")
    (told,) = opened.execute("SELECT contract_note FROM providers WHERE name = 'cafe'").fetchone()
    opened.close()
    assert "charset" in told
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]
