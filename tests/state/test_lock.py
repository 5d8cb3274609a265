"""One run at a time per state: who has it, waiting, and what frees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from contracts.errors import LockedError
from contracts.state.lock import one_run

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOLDER = (
    "import sys\n"
    "from contracts.state.lock import one_run\n"
    "with one_run(sys.argv[1]):\n"
    "    print('held', flush=True)\n"
    "    sys.stdin.read()\n"
)


@contextmanager
def holder(path: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock until its standard input ends."""
    environ = {**os.environ, "PYTHONPATH": ROOT}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


class Clock:
    """A clock that only sleeping moves; `at_each` is called with every sleep."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "größe" / "state.db")


def test_a_second_run_is_told_who_has_the_state(state: str) -> None:
    with holder(state) as process, pytest.raises(LockedError) as caught, one_run(state):
        pytest.fail("two runs at once")
    assert str(caught.value).startswith(f"{state}: another run has this state (process {process.pid} on ")
    assert " since 20" in str(caught.value)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_however_the_holder_ends_the_state_is_free(state: str, number: signal.Signals) -> None:
    with holder(state) as process:
        process.send_signal(number)
        process.wait(timeout=30)
        with one_run(state), open(f"{state}.lock", encoding="utf-8") as file:
            assert file.read().startswith(f"process {os.getpid()} on ")


def test_within_a_process_too_there_is_one_run_at_a_time_and_then_the_next(state: str) -> None:
    with one_run(state), pytest.raises(LockedError), one_run(state):
        pytest.fail("two runs at once")
    with one_run(state):
        pass


def test_nothing_is_left_of_what_an_earlier_holder_said(state: str) -> None:
    os.makedirs(os.path.dirname(state))
    with open(f"{state}.lock", "w", encoding="utf-8") as file:
        file.write("process 1 on größe\n" * 20)
    with one_run(state), open(f"{state}.lock", encoding="utf-8") as file:
        assert len(file.read().splitlines()) == 1


def test_a_run_that_fails_lets_go(state: str) -> None:
    with pytest.raises(ZeroDivisionError), one_run(state):
        raise ZeroDivisionError
    with one_run(state):
        pass


def test_waiting_ends_when_the_other_run_does(state: str) -> None:
    clock, told = Clock(), list[str]()
    with holder(state) as process:

        def sleep(seconds: float) -> None:
            clock.sleep(seconds)
            if len(clock.slept) == 3:
                process.kill()
                process.wait(timeout=30)

        with one_run(state, wait_s=60, warn=told.append, clock=clock, sleep=sleep):
            assert len(clock.slept) == 3
    assert len(told) == 1
    assert told[0].startswith(f"{state}: waiting for another run to end (process {process.pid} on ")


def test_waiting_is_bounded(state: str) -> None:
    clock = Clock()
    waiting = one_run(state, wait_s=1.25, clock=clock, sleep=clock.sleep)
    with holder(state), pytest.raises(LockedError, match=r"for the 1\.25 s that this one waited$"), waiting:
        pytest.fail("two runs at once")
    assert sum(clock.slept) == pytest.approx(1.25)


def test_who_does_not_wait_does_not_sleep(state: str) -> None:
    clock = Clock()
    with holder(state), pytest.raises(LockedError), one_run(state, clock=clock, sleep=clock.sleep):
        pytest.fail("two runs at once")
    assert clock.slept == []


@pytest.mark.parametrize("path", [None, "postgresql://router@db.example/größe"])
def test_without_a_file_nothing_is_locked(path: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with one_run(path), one_run(path):
        assert os.listdir(tmp_path) == []


def test_what_a_holder_says_of_itself_is_shown_without_control_characters(state: str) -> None:
    with one_run(state):
        with open(f"{state}.lock", "w", encoding="utf-8") as file:
            file.write("process 1 on \x1b[31mhöst\n")
        with pytest.raises(LockedError, match=r"\(process 1 on \\x1b\[31mhöst\)"), one_run(state):
            pytest.fail("two runs at once")


def test_where_no_lock_can_be_had_the_run_goes_on_and_says_so(tmp_path: Path) -> None:
    told: list[str] = []
    (tmp_path / "state.db.lock").mkdir()
    with one_run(str(tmp_path / "state.db"), warn=told.append):
        pass
    assert len(told) == 1
    assert "cannot be locked: Is a directory; another run at the same time is not kept away" in told[0]


def test_a_link_is_not_followed_and_what_it_leads_to_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("größer", encoding="utf-8")
    (tmp_path / "state.db.lock").symlink_to(precious)
    told: list[str] = []
    with one_run(str(tmp_path / "state.db"), warn=told.append):
        pass
    assert precious.read_text(encoding="utf-8") == "größer"
    assert len(told) == 1


def test_the_lock_is_for_its_owner_alone(state: str) -> None:
    with one_run(state):
        assert os.stat(f"{state}.lock").st_mode & 0o077 == 0
