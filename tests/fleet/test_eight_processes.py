"""Eight routers with one PostgreSQL: each provider is asked once for all, and who is killed takes no provider along."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider

__all__ = ["hostile_provider"]

ROOT = Path(__file__).parents[2]
ROUTERS = 8
NAMES = ("cafe", "naive", "uber")
KEY = "sk-loopback-0123456789abcdef"

Start = Callable[..., HostileProvider]


class Routers:
    """Hosts with the same rows; each has its own folder, and of nothing but the database the same."""

    def __init__(self, folder: Path, state: str, providers: dict[str, HostileProvider]) -> None:
        self.folder, self.state, self.providers = folder, state, providers
        self.rows: dict[str, dict[str, Any]] = {
            name: {
                "dialect": "openai-chat",
                "base_url": provider.base_url,
                "api_key": "LOOPBACK_KEY",
                "models": ["loopback/libre"],
                "listing": {"path": "/models", "prices": "pricing", "context_tokens": "context_length"},
                "evidence_max_age": "0s",
                "free_chats_per_day": 1000,
            }
            for name, provider in providers.items()
        }

    def start(self, number: int, *arguments: str, state: str | None = None, key: str = KEY) -> subprocess.Popen[bytes]:
        """Start the check of one host, which writes its report and notes into its own folder."""
        folder = self.folder / f"größe-{number}"
        folder.mkdir(exist_ok=True)
        file = {"version": 1, "providers": self.rows, "notes": ["notes.jsonl"]}
        (folder / "providers.yaml").write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
            "LOOPBACK_KEY": key,
            "CONTRACTS_STATE": state or self.state,
        }
        command = [sys.executable, "-m", "contracts_cli", "check", "-q", "--timeout", "60s", "-o", "json=report.json"]
        return subprocess.Popen(
            [*command, *arguments], cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )

    def report(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / f"größe-{number}" / "report.json").read_bytes())
        return found

    def notes(self, number: int) -> list[dict[str, Any]]:
        lines = (self.folder / f"größe-{number}" / "notes.jsonl").read_text(encoding="utf-8").splitlines()
        return [{**json.loads(line), "at": None} for line in lines]

    @property
    def asked(self) -> dict[str, int]:
        return {name: provider.request_count for name, provider in self.providers.items()}


@pytest.fixture
def quick(tmp_path: Path, postgres_url: str, hostile_provider: Start) -> Routers:
    return Routers(tmp_path, postgres_url, {name: hostile_provider("honest") for name in NAMES})


@pytest.fixture
def routers(tmp_path: Path, postgres_url: str, hostile_provider: Start) -> Routers:
    # Slow enough for all to find others at work.
    return Routers(
        tmp_path, postgres_url, {name: hostile_provider("chat:slow-loris", interval_s=0.001) for name in NAMES}
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    _, told = process.communicate(timeout=100)
    return process.returncode, told.decode()


def alone(routers: Routers) -> dict[str, int]:
    """How often one router by itself asks each provider; forgotten again."""
    before = routers.asked
    assert ended(routers.start(99, state="none")) == (1, "")
    return {name: count - before[name] for name, count in routers.asked.items()}


def judged(report: dict[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for finding in report["findings"]:
        found.setdefault(finding["provider"], set()).add(f"{finding['contract']} {finding['outcome']}")
    return found


def test_each_provider_is_asked_once_for_all_and_every_router_has_its_notes(routers: Routers) -> None:
    once = alone(routers)
    before = routers.asked
    done = [ended(process) for process in [routers.start(number) for number in range(ROUTERS)]]
    assert done == [(1, "")] * ROUTERS
    assert {name: count - before[name] for name, count in routers.asked.items()} == once
    assert min(once.values()) >= 3  # the listing, an error, and a chat
    (notes, *others) = [routers.notes(number) for number in range(ROUTERS)]
    assert [note["provider"] for note in notes] == list(NAMES)
    assert {note["status"] for note in notes} == {"violated"}
    assert others == [notes] * (ROUTERS - 1)
    reports = [routers.report(number) for number in range(ROUTERS)]
    assert [report["findings"] for report in reports] == [reports[0]["findings"]] * ROUTERS
    polled = [name for report in reports for name in NAMES if name not in {one["provider"] for one in report["shared"]}]
    assert sorted(polled) == sorted(NAMES)
    assert judged(routers.report(0)) == judged(routers.report(99))


def test_a_poll_is_one_however_many_take_it_and_the_next_is_the_second(quick: Routers, postgres_url: str) -> None:
    for number in range(3):
        assert ended(quick.start(number)) == (1, "")
    once = quick.asked
    with psycopg.connect(postgres_url) as connection:
        counted = "SELECT DISTINCT count FROM contracts.sightings WHERE contract = 'sse.charset'"
        assert connection.execute(counted).fetchall() == [(1,)]
        connection.execute("UPDATE contracts.answers SET polled_at = '2026-01-01T00:00:00.000000+00:00'")
        connection.commit()
        assert ended(quick.start(0)) == (1, "")
        assert connection.execute(counted).fetchall() == [(2,)]
    assert quick.asked == {name: 2 * count for name, count in once.items()}
    states = {f["novelty"]["state"] for f in quick.report(0)["findings"] if f["contract"] == "sse.charset"}
    assert states == {"ongoing"}


SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))]


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_killed_at_any_moment_takes_no_provider_along(routers: Routers, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - when, not what
    processes = [routers.start(number) for number in range(ROUTERS)]
    killed = _kill_some(processes, chance)
    left = [number for number in range(ROUTERS) if number not in killed]
    assert [ended(processes[number]) for number in left] == [(1, "")] * len(left)
    for number in killed:
        processes[number].communicate()
    (notes, *others) = [routers.notes(number) for number in left]
    assert [note["provider"] for note in notes] == list(NAMES)
    assert {note["status"] for note in notes} == {"violated"}
    assert others == [notes] * (len(left) - 1)
    assert {f["outcome"] for f in routers.report(left[0])["findings"] if f["contract"] == "sse.charset"} == {"violated"}


def _kill_some(processes: Sequence[subprocess.Popen[bytes]], chance: random.Random) -> set[int]:
    """Kill three of the eight, each when some time has passed that chance says."""
    killed = set()
    for number in chance.sample(range(ROUTERS), 3):
        try:
            processes[number].wait(chance.uniform(0, 1.5))
        except subprocess.TimeoutExpired:
            processes[number].kill()
            killed.add(number)
    return killed


WAITING = """SELECT count(*) FROM pg_sleep(0.05), pg_stat_activity
    WHERE application_name = 'contracts' AND query LIKE '%pg_catalog.pg_locks%' AND pid <> pg_backend_pid()"""


def test_who_asks_dies_while_all_others_wait_and_one_of_them_asks(routers: Routers, postgres_url: str) -> None:
    routers.rows = {"cafe": routers.rows["cafe"]}
    once = alone(routers)["cafe"]
    before = routers.asked["cafe"]
    first = routers.start(0)
    while routers.asked["cafe"] == before:
        with suppress(subprocess.TimeoutExpired):
            assert first.wait(0.02) is None
    first.send_signal(signal.SIGSTOP)
    others = [routers.start(number) for number in range(1, 4)]
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        while raw.execute(WAITING).fetchone() != (3,):
            assert [process.poll() for process in others] == [None] * 3
    paused = routers.asked["cafe"]
    first.kill()
    assert [ended(process) for process in others] == [(1, "")] * 3
    assert routers.asked["cafe"] - paused == once
    assert sorted(len(routers.report(number)["shared"]) for number in range(1, 4)) == [0, 1, 1]
    first.communicate()


def test_who_waits_until_its_time_is_up_says_so_and_the_state_learns_nothing_of_it(
    quick: Routers, hostile_provider: Start, postgres_url: str
) -> None:
    silent = hostile_provider("stall-before-headers")
    quick.rows = {"cafe": {**quick.rows["cafe"], "base_url": silent.base_url}}
    first = quick.start(0)
    while silent.request_count == 0:
        with suppress(subprocess.TimeoutExpired):
            assert first.wait(0.02) is None
    assert ended(quick.start(1, "--timeout", "1s")) == (3, "")
    report = quick.report(1)
    assert {f["reason"] for f in report["findings"]} == {
        "deadline: the time was up while another run asked this provider"
    }
    assert report["requests"] == {"get": 0, "post_free": 0, "post_paid": 0, "refused": 0}
    with psycopg.connect(postgres_url) as raw:
        assert raw.execute("SELECT count(*) FROM contracts.states").fetchone() == (0,)
        assert raw.execute("SELECT roster FROM contracts.runs").fetchall() == [(None,)]
    first.kill()
    first.communicate()


def test_a_session_that_is_lost_takes_no_provider_along(routers: Routers, postgres_url: str) -> None:
    process = routers.start(0)
    while not sum(routers.asked.values()):
        with suppress(subprocess.TimeoutExpired):
            assert process.wait(0.02) is None
    with psycopg.connect(postgres_url, autocommit=True) as raw:
        raw.execute(
            """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE application_name = 'contracts' AND datname = current_database()"""
        )
    status, told = ended(process)
    assert status in {1, 3}  # no free chat is sent that nobody can count
    assert told.count("this run goes on without it") == 1
    assert "state cannot be" in told
    assert [note["provider"] for note in routers.notes(0)] == list(NAMES)
    assert {f["provider"] for f in routers.report(0)["findings"] if f["outcome"] == "holds"} == set(NAMES)
    assert ended(routers.start(1)) == (1, "")
    assert routers.report(1)["shared"] == []


def test_another_row_another_selection_and_who_has_no_key_get_no_foreign_answer(quick: Routers) -> None:
    assert ended(quick.start(0)) == (1, "")
    asked = quick.asked
    assert ended(quick.start(1, "cafe")) == (1, "")
    assert quick.asked == asked
    assert ended(quick.start(1, "--contract", "sse.framing", "cafe")) == (0, "")
    assert quick.asked["cafe"] > asked["cafe"]
    asked = quick.asked
    quick.rows["cafe"]["contracts"] = {"reply.finish": {"repeats": "allowed"}}
    quick.rows["naive"]["waivers"] = [
        {"contract": "sse.charset", "because": "größer", "owner": "é", "until": "2999-01-01"}
    ]
    assert ended(quick.start(2))[0] == 1
    assert [quick.asked[name] > asked[name] for name in NAMES] == [True, True, False]
    outcomes = {f["provider"]: f["outcome"] for f in quick.report(2)["findings"] if f["contract"] == "sse.charset"}
    assert outcomes == {"cafe": "violated", "naive": "waived", "uber": "violated"}
    asked = quick.asked
    ended(quick.start(3, "uber", key=""))
    assert quick.report(3)["shared"] == []
    assert quick.asked["uber"] > asked["uber"]


def test_fresh_asks_and_gives_its_answer_to_others(quick: Routers) -> None:
    assert ended(quick.start(0)) == (1, "")
    once = quick.asked
    assert ended(quick.start(1, "--fresh")) == (1, "")
    assert quick.asked == {name: 2 * count for name, count in once.items()}
    assert quick.report(1)["shared"] == []
    assert ended(quick.start(2)) == (1, "")
    assert quick.asked == {name: 2 * count for name, count in once.items()}
    assert [f["novelty"]["state"] for f in quick.report(2)["findings"] if f["contract"] == "sse.charset"] == [
        "ongoing"
    ] * 3


def test_what_one_host_could_not_reach_is_no_answer_for_the_others(quick: Routers) -> None:
    quick.rows = {"cafe": {**quick.rows["cafe"], "base_url": "http://127.0.0.1:9"}}
    assert ended(quick.start(0))[0] == 3
    assert ended(quick.start(1))[0] == 3
    assert quick.report(1)["shared"] == []


def test_in_a_file_answers_are_shared_where_an_interval_is_said(quick: Routers, tmp_path: Path) -> None:
    state = str(tmp_path / "größe.db")
    assert ended(quick.start(0, state=state)) == (1, "")
    once = quick.asked
    assert ended(quick.start(1, state=state)) == (1, "")
    assert quick.asked == {name: 2 * count for name, count in once.items()}
    assert ended(quick.start(2, "--every", "10m", state=state)) == (1, "")
    asked = quick.asked
    assert ended(quick.start(3, "--every", "10m", state=state)) == (1, "")
    assert quick.asked == asked
    assert [one["provider"] for one in quick.report(3)["shared"]] == list(NAMES)
