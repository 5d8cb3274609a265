"""One run at a time per state, as users meet it: real processes, one of which is killed."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from contracts.testing import HostileProvider
from tests.live.conftest import Program, row

Provider = Callable[..., HostileProvider]
DEADLINE_S = 60


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, str]:
    out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out, err.decode()


def until_asked(provider: HostileProvider) -> None:
    until = time.monotonic() + DEADLINE_S
    while provider.request_count == 0 and time.monotonic() < until:
        time.sleep(0.02)
    assert provider.request_count > 0


def test_a_second_run_names_the_first_asks_nobody_and_exits_3(
    hostile_provider: Provider, program: Program, tmp_path: Path
) -> None:
    stalled, idle = hostile_provider("stall-before-headers"), hostile_provider("honest")
    first = program({"cafe": row(stalled)}, ["--timeout", "50s"])
    until_asked(stalled)
    status, out, err = ended(program({"cafe": row(idle)}))
    state = tmp_path / ".local" / "state" / "contracts" / "state.db"
    assert (status, out, idle.request_count) == (3, b"", 0)
    assert f"{state}: another run has this state (process {first.pid} on " in err
    assert "--wait waits for it to end" in err
    first.send_signal(signal.SIGKILL)
    assert ended(first)[0] == -signal.SIGKILL
    status, out, _ = ended(program({"cafe": row(idle)}, ["-f", "json"]))
    assert (status, json.loads(out)["summary"]["violated"]) == (1, 1)


def test_a_run_that_waits_starts_when_the_first_has_ended(hostile_provider: Provider, program: Program) -> None:
    stalled, good = hostile_provider("stall-before-headers"), hostile_provider("declared")
    first = program({"cafe": row(stalled)}, ["--timeout", "50s"])
    until_asked(stalled)
    second = program({"cafe": row(good)}, ["--wait"])
    assert second.stderr is not None
    told = second.stderr.readline().decode()
    assert f"waiting for another run to end (process {first.pid} on " in told
    assert good.request_count == 0
    first.send_signal(signal.SIGTERM)
    ended(first)
    assert ended(second)[0] == 0
    assert good.request_count > 0


def test_waiting_is_bounded_by_what_was_said(hostile_provider: Provider, program: Program) -> None:
    stalled = hostile_provider("stall-before-headers")
    first = program({"cafe": row(stalled)}, ["--timeout", "50s"])
    until_asked(stalled)
    status, _, err = ended(program({"cafe": row(stalled)}, ["--wait=300ms"]))
    assert status == 3
    assert "for the 0.3 s that this one waited" in err
    first.kill()
    ended(first)


def test_runs_without_a_state_or_with_another_do_not_meet(
    hostile_provider: Provider, program: Program, tmp_path: Path
) -> None:
    stalled, good = hostile_provider("stall-before-headers"), hostile_provider("declared")
    first = program({"cafe": row(stalled)}, ["--timeout", "50s"])
    until_asked(stalled)
    assert ended(program({"cafe": row(good)}, ["--state", "none"]))[0] == 0
    assert ended(program({"cafe": row(good)}, ["--state", str(tmp_path / "größe.db")]))[0] == 0
    first.kill()
    ended(first)


def test_a_state_that_cannot_be_used_is_one_thing_to_know(
    hostile_provider: Provider, program: Program, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("größe", encoding="utf-8")
    _, _, err = ended(program({"cafe": row(hostile_provider("declared"))}, ["--state", str(tmp_path / "taken" / "s")]))
    assert err.count("cannot be used") == 1
    assert "cannot be locked" not in err
