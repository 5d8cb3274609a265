"""`contracts record` shares the state with other runs: one at a time, as `contracts check` does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.state.lock import one_run
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from tests.cli.conftest import environment

__all__ = ["hostile_provider"]

DEADLINE_S = 60
Record = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def provider(hostile_provider: Callable[..., HostileProvider]) -> HostileProvider:
    return hostile_provider("declared")


@pytest.fixture
def record(provider: HostileProvider, tmp_path: Path) -> Record:
    """Start `contracts record` with a state."""
    row = {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "api_key": "LOOPBACK_KEY",
        "models": ["loopback/libre"],
        "listing": {"path": "/models", "prices": "pricing"},
    }
    (tmp_path / "providers.yaml").write_text(json.dumps({"version": 1, "providers": {"cafe": row}}), encoding="utf-8")

    def start(state: Path, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "contracts_cli", "record", "cafe", "--state", str(state), *arguments],
            cwd=tmp_path, env=environment(LOOPBACK_KEY="sk-loopback-0123456789abcdef"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return start


def test_a_recording_asks_nobody_while_another_run_has_the_state(
    record: Record, provider: HostileProvider, tmp_path: Path
) -> None:
    state = tmp_path / "größe.db"
    with one_run(str(state)):
        process = record(state)
        out, err = process.communicate(timeout=DEADLINE_S)
    assert (process.returncode, out, provider.request_count) == (3, b"", 0)
    assert f"{state}: another run has this state (process " in err.decode()
    assert "--wait waits for it to end" in err.decode()
    assert not (tmp_path / "cassettes").exists()


def test_a_recording_that_waits_begins_when_the_other_run_has_ended(
    record: Record, provider: HostileProvider, tmp_path: Path
) -> None:
    state = tmp_path / "größe.db"
    with one_run(str(state)):
        process = record(state, "--wait")
        assert process.stderr is not None
        assert "waiting for another run to end" in process.stderr.readline().decode()
        assert provider.request_count == 0
    out, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0
    assert out.decode().splitlines()[0].endswith("cassettes/cafe/models.yaml")
