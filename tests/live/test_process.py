"""`contracts check PROVIDER` as users run it: a process, its exit status, its report, its signals and its memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import jsonschema_rs
import pytest

from contracts.testing import HostileProvider, known_scenarios
from tests.live.conftest import ENDPOINT, FREE, KEY, ROOT, Program, row

Provider = Callable[..., HostileProvider]
LIMIT_MB = 200
DEADLINE_S = 60


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, list[str]]:
    """Wait for the end: exit status, standard output, and the lines of standard error."""
    out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out, err.decode().splitlines()


@pytest.fixture(scope="module")
def schema() -> Any:
    with open(os.path.join(ROOT, "contracts", "library", "schemas", "report.json"), "rb") as file:
        return jsonschema_rs.validator_for(json.load(file))


STATUSES = [
    (["declared"], {}, (), 0),
    (["honest"], {}, (), 1),
    (["honest"], {}, ("--fail-on", "never"), 0),
    (["honest"], {"models": ["loopback/grand"]}, (), 0),
    (["declared", "done-missing"], {}, (), 0),
    (["declared", "done-missing"], {}, ("--fail-on", "warning"), 1),
    (["declared", "bad-gateway"], {}, (), 1),
    (["declared", "close-at-once"], {}, (), 3),
    (["declared", "unlisted"], {}, (), 1),
]


@pytest.mark.parametrize(("names", "changes", "arguments", "status"), STATUSES)
def test_a_real_run_ends_with_the_documented_status_and_a_valid_report(  # noqa: PLR0913, PLR0917 - fixtures and a case
    names: list[str],
    changes: dict[str, Any],
    arguments: tuple[str, ...],
    status: int,
    hostile_provider: Provider,
    program: Program,
    schema: Any,
) -> None:
    provider = hostile_provider(*names)
    got, out, err = ended(program({"cafe": row(provider, **changes)}, ["cafe", "-f", "json", *arguments]))
    report = json.loads(out)
    schema.validate(report)
    assert (got, err[:-1]) == (status, [])
    assert report["spend_usd"] == "0"
    asked = report["requests"]
    assert asked["get"] + asked["post_free"] == provider.request_count
    assert (asked["post_paid"], asked["refused"]) == (0, 0)
    assert KEY.encode() not in out


def test_the_note_of_a_live_run_is_no_replay(hostile_provider: Provider, program: Program) -> None:
    got, out, _ = ended(program({"cafe": row(hostile_provider("honest"))}, ["-f", "json"]))
    (note,) = json.loads(out)["notes"]
    assert got == 1
    assert (note["replay"], note["synthetic"], note["sources"]) == (False, False, ["live"])
    assert note["line"] == "SSE declares no charset; decode as UTF-8, never by the client's default"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_tells_what_is_known(
    number: signal.Signals, hostile_provider: Provider, program: Program
) -> None:
    good, stalled = hostile_provider("honest"), hostile_provider("stall-before-headers")
    process = program({"cafe": row(good), "stalled": row(stalled)}, ["-f", "json", "--timeout", "50s"])
    until = time.monotonic() + 20
    while (good.request_count < 3 or stalled.request_count < 2) and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(number)
    got, out, _ = ended(process)
    report = json.loads(out)
    assert got == 130
    found = {(f["provider"], f["contract"]): f for f in report["findings"]}
    assert found["cafe", "sse.charset"]["outcome"] == "violated"
    assert found["stalled", "models.shape"]["reason"] == "interrupted"


@pytest.mark.parametrize("scenario", ["gzip-bomb", "endless-body", "line-200mb", "listing-huge", "header-flood"])
def test_memory_stays_within_its_limit(scenario: str, hostile_provider: Provider, program: Program) -> None:
    provider = hostile_provider("declared", scenario)
    got, out, err = ended(program({"cafe": row(provider)}, ["-f", "json", "--timeout", "40s"]))
    assert json.loads(out)["findings"]
    assert got in (0, 1, 3)
    assert int(err[-1]) < LIMIT_MB * 1024


@pytest.mark.slow
@pytest.mark.parametrize("scenario", list(known_scenarios()))
def test_no_scenario_takes_more_memory_than_the_limit(
    scenario: str, hostile_provider: Provider, program: Program
) -> None:
    provider = hostile_provider("declared", scenario, interval_s=0.01)
    _, out, err = ended(program({"cafe": row(provider, endpoint=ENDPOINT)}, ["-f", "json", "--timeout", "10s"]))
    assert json.loads(out)["findings"]
    assert int(err[-1]) < LIMIT_MB * 1024


def test_a_listing_of_a_hundred_thousand_models_is_read_whole(hostile_provider: Provider, program: Program) -> None:
    provider = hostile_provider("declared", "listing-huge")
    models = [FREE, "loopback/model-99999", "loopback/model-100000"]
    got, out, _ = ended(program({"cafe": row(provider, models=models)}, ["-f", "json", "--timeout", "50s"]))
    found = {f["model"]: f["outcome"] for f in json.loads(out)["findings"] if f["contract"] == "models.resolve"}
    assert found == {FREE: "holds", models[1]: "holds", models[2]: "violated"}
    assert got == 1


def test_a_replay_imports_nothing_of_what_asking_needs() -> None:
    code = (
        "import sys; from contracts_cli.__main__ import main; main(); "
        "print([m for m in ('asyncio', 'ssl', 'httpcore', 'httpx', 'sqlite3', 'contracts.live') if m in sys.modules], "
        "file=sys.stderr)"
    )
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli"}
    command = [sys.executable, "-c", code, "check", "--replay", "-q"]
    done = subprocess.run(command, cwd=ROOT, env=environ, check=False, capture_output=True, timeout=DEADLINE_S)
    assert done.stderr.decode().splitlines()[-1] == "[]"
