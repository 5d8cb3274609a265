"""Runs of `contracts check` that remember: real processes, a provider on loopback, and one state file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from typing import Any

import pytest

from contracts.record import RecordSettings, record
from contracts.state.opening import open_state
from contracts.testing import HostileProvider

LIBRE = "loopback/libre"


class Runs:
    """Runs against one provider."""

    def __init__(self, folder: Any, provider: HostileProvider) -> None:
        self.folder, self.provider = str(folder), provider
        row = {
            "dialect": "openai-chat",
            "base_url": provider.base_url,
            "api_key": "ACME_API_KEY",
            "models": [LIBRE],
            "free_chats_per_day": 1,
            "listing": {
                "path": "/models",
                "items": "data",
                "id": "id",
                "prices": "pricing",
                "context_tokens": "context_length",
            },
        }
        self.path = os.path.join(self.folder, "providers.yaml")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "providers": {"acme": row}}, file)

    def start(self, *arguments: str, **environ: str) -> subprocess.Popen[str]:
        own = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "ACME_API_KEY": "geheim-0815-Zwiebel", **environ}
        command = [sys.executable, "-m", "contracts_cli", "check", "--config", self.path, "-f", "json", *arguments]
        return subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def check(self, *arguments: str, **environ: str) -> tuple[dict[str, Any], str]:
        return self.told(self.start(*arguments, **environ))

    @staticmethod
    def told(process: subprocess.Popen[str]) -> tuple[dict[str, Any], str]:
        out, err = process.communicate(timeout=60)
        assert process.returncode in (0, 1, 3), err
        findings = {f["contract"]: f for f in json.loads(out)["findings"]}
        return findings, err

    @property
    def chats(self) -> int:
        return len([a for a in self.provider.requests if a.kind == "chat" and a.keyed])


@contextmanager
def runs_of(tmp_path: Any, *scenarios: str) -> Iterator[Runs]:
    with HostileProvider(*scenarios) as provider:
        yield Runs(tmp_path, provider)


def test_a_change_is_reported_once_as_it_is_learnt_and_the_first_poll_holds(tmp_path: Any) -> None:
    with runs_of(tmp_path, "listing-changes") as runs:
        outcomes = [runs.check("--contract", "models.drift")[0]["models.drift"] for _ in range(3)]
    assert [o["outcome"] for o in outcomes] == ["holds", "violated", "violated"]
    assert "context_tokens 131072 → 65536" in outcomes[1]["observed"] + outcomes[1]["detail"]
    assert "context_tokens 65536 → 131072" in outcomes[2]["observed"] + outcomes[2]["detail"]


def test_a_poll_without_a_change_holds(tmp_path: Any) -> None:
    with runs_of(tmp_path) as runs:
        assert [runs.check("--contract", "models.drift")[0]["models.drift"]["outcome"] for _ in range(3)] == [
            "holds"
        ] * 3


def test_a_second_poll_of_the_day_judges_the_kept_chat_and_sends_none(tmp_path: Any) -> None:
    with runs_of(tmp_path) as runs:
        first, _ = runs.check()
        again, _ = runs.check()
        assert runs.chats == 1
    for findings in (first, again):
        assert findings["sse.charset"]["outcome"] == "violated"
        assert findings["reply.finish"]["outcome"] == "holds"
    assert first["sse.charset"]["evidence"]["at"] == again["sse.charset"]["evidence"]["at"]


def test_without_a_state_every_run_is_the_first(tmp_path: Any) -> None:
    with runs_of(tmp_path, "listing-changes") as runs:
        for variables in ({}, {"CONTRACTS_STATE": "none"}):
            options = () if variables else ("--state", "none")
            findings, error = runs.check(*options, **variables)
            assert findings["models.drift"]["outcome"] == "holds"
            assert error == ""
    assert not any(name.startswith("state") for name in os.listdir(tmp_path))


def test_the_state_is_the_file_that_was_named(tmp_path: Any) -> None:
    named = str(tmp_path / "zustand" / "état.db")
    with runs_of(tmp_path) as runs:
        runs.check("--state", named)
        assert os.path.isfile(named)
        runs.check(CONTRACTS_STATE=named)
        assert runs.chats == 1
    with open(named, "rb") as file:
        held = file.read()
    assert b"Zwiebel" not in held
    for piece in ("Déjà", "naïve", "日本語", "שלום"):
        assert piece.encode() not in held


@pytest.mark.parametrize("state", ["no database", "a folder", "another program's"])
def test_a_state_that_cannot_be_used_is_said_once_and_the_run_judges(tmp_path: Any, state: str) -> None:
    import sqlite3

    path = str(tmp_path / "état.db")
    if state == "a folder":
        os.mkdir(path)
    elif state == "no database":
        with open(path, "w", encoding="utf-8") as file:
            file.write("kein Zustand — é" * 100)
    else:
        other = sqlite3.connect(path)
        other.execute("CREATE TABLE providers (note)")
        other.close()
    with runs_of(tmp_path) as runs:
        findings, error = runs.check("--state", path)
        assert runs.chats == 0
        assert error.count(path) == 1
        assert error.endswith("; this run goes on without it\n")
        assert findings["models.shape"]["outcome"] == "holds"
        assert findings["models.drift"]["outcome"] == "holds"
        assert findings["sse.charset"]["outcome"] == "unknown"
        assert "no free chat was sent, as the state cannot count it" in findings["sse.charset"]["reason"]


def test_of_two_runs_at_once_one_sends_the_free_chat_of_the_day(tmp_path: Any) -> None:
    with runs_of(tmp_path) as runs:
        together = [runs.start() for _ in range(3)]
        # A run may also refuse to begin while another has the state, and then it judges nothing.
        said = [process.communicate(timeout=60)[0] for process in together]
        assert runs.chats == 1
    told = [f["outcome"] for out in said if out for f in json.loads(out)["findings"] if f["contract"] == "sse.charset"]
    assert "violated" in told
    assert set(told) <= {"violated", "unknown"}


def test_a_python_without_sqlite_judges_all_the_same(tmp_path: Any) -> None:
    with open(tmp_path / "sqlite3.py", "w", encoding="utf-8") as file:
        file.write("raise ImportError('no _sqlite3')\n")
    with runs_of(tmp_path) as runs:
        findings, error = runs.check(PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))
    assert "this Python comes without SQLite; this run goes on without it" in error
    assert findings["models.shape"]["outcome"] == "holds"


def test_runs_tell_what_is_new_and_what_goes_on(tmp_path: Any) -> None:
    with runs_of(tmp_path, "honest") as runs:
        first, _ = runs.check()
        second, _ = runs.check()
        without, _ = runs.check("--state", "none")
    assert (first["sse.charset"]["new"], first["sse.charset"]["novelty"]["state"]) == (True, "new")
    assert (second["sse.charset"]["new"], second["sse.charset"]["novelty"]["state"]) == (False, "ongoing")
    assert (second["sse.charset"]["novelty"]["polls"], first["sse.charset"]["novelty"]["polls"]) == (2, 1)
    assert (without["sse.charset"]["new"], without["sse.charset"]["novelty"]) == (None, None)


def test_what_a_recording_costs_is_remembered_of_its_provider(tmp_path: Any) -> None:
    cafe = "loopback/café"
    with runs_of(tmp_path) as runs:
        with open(runs.path, encoding="utf-8") as file:
            row = json.load(file)["providers"]["acme"]
        with open(runs.path, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "providers": {"acme": {**row, "models": [cafe]}}}, file)
        asked = RecordSettings(provider="acme", config=runs.path, max_spend_usd=Decimal("0.01"), force=True)
        with closing(open_state(str(tmp_path / "état.db"))) as state:
            costs = [
                record(asked, memory=state, environ={"ACME_API_KEY": "geheim-0815-Zwiebel"}).totals.spend_usd
                for _ in range(2)
            ]
            assert state.spend() == {"acme": sum(costs)}
    assert all(costs)
