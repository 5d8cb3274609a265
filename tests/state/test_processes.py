"""Several processes at once, processes that are killed, and a disk that is full."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from typing import Any

import pytest

from tests.state.raw import execute

START = """
import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from contracts.facts import Asked, Body, Facts, Listing
from contracts.listed import Model
from contracts.model import Evidence, Source
from contracts.state.errors import StateError
from contracts.state.opening import open_state

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)

def listing(tokens):
    return Listing(models=tuple(Model(id=f"模型-{n}", context_tokens=tokens) for n in range(40)))

def evidence(model, at=NOON):
    facts = Facts(dialect="openai-chat", kind="chat", status=200, headers=(("x-größe", "é" * 200),),
                  body=Body(kind="sse", bytes=1), asked=Asked(model=model))
    return Evidence(facts=facts, source=Source.LIVE, ref="live", at=at)
"""

OPENED = """
print("ready", flush=True)
sys.stdin.readline()
open_state(sys.argv[1]).close()
print("opened")
"""

READY = """
print("ready", flush=True)
sys.stdin.readline()
"""


def started(code: str, *arguments: str, **more: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", START + code, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **more)


def all_said(together: list[subprocess.Popen[str]]) -> list[list[str]]:
    """Let processes go that wait for a line, all at once, and give what each said."""
    for process in together:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in together:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [said(process) for process in together]


def said(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out.split()


def test_of_runs_at_once_one_learns_a_change_and_every_count_adds_up(path: str) -> None:
    code = (
        READY
        + """
state = open_state(sys.argv[1])
firsts = sum(state.remember_listing(f"p{n}", listing(1), NOON) is None for n in range(60))
for n in range(20):
    state.record_free_chats("p", "2026-11-30", 1)
    state.record_run(NOON, NOON, 0, (1, 0, 0, 0), Decimal("0.1"))
taken = sum(state.take_free_chat("p", "2026-12-01", 3) for n in range(3))
print(firsts, taken)
"""
    )
    together = [started(code, path) for _ in range(4)]
    words = all_said(together)
    assert [sum(int(w[n]) for w in words) for n in (0, 1)] == [60, 3]
    assert execute(path, "SELECT chats FROM free_chats ORDER BY day") == [(80,), (3,)]
    assert execute(path, "SELECT count(*), sum(gets) FROM runs") == [(80, 80)]


def test_of_runs_at_once_that_see_a_change_one_tells_it(path: str) -> None:
    code = (
        """
state = open_state(sys.argv[1])
state.remember_listing("p", listing(1), NOON)
"""
        + READY
        + """
print(len(state.remember_listing("p", listing(2), NOON)))
"""
    )
    together = [started(code, path) for _ in range(4)]
    assert sorted(int(words[0]) for words in all_said(together)) == [0, 0, 0, 40]
    assert execute(path, "SELECT count(*) FROM changes") == [(40,)]


def test_a_new_file_may_be_opened_by_many_at_once(file: str) -> None:
    for attempt in range(3):
        together = [started(OPENED, f"{file}{attempt}") for _ in range(5)]
        assert all_said(together) == [["opened"]] * 5


def test_a_new_database_may_be_opened_by_many_at_once(postgres_url: str) -> None:
    for _ in range(3):
        together = [started(OPENED, postgres_url) for _ in range(5)]
        assert all_said(together) == [["opened"]] * 5
        execute(postgres_url, "DROP SCHEMA contracts CASCADE")


def test_a_run_that_is_killed_leaves_whole_transactions(path: str) -> None:
    code = """
state = open_state(sys.argv[1])
print("ready", flush=True)
for n in range(10**6):
    tokens = (state.last_listing("p") or listing(-1)).models[0].context_tokens + 1
    state.remember_listing("p", listing(tokens), NOON)
    state.keep("p", evidence(f"模型-{n % 50}", NOON + timedelta(seconds=n)))
    state.record_free_chats("p", "2026-11-30", 1)
"""
    seen = 0
    for round_ in range(8):
        process = started(code, path)
        assert process.stdout is not None
        process.stdout.readline()
        # Nothing to wait for but time: killed at another moment in every round.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.05 + round_ * 0.017)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert process.stdin is not None
        process.stdin.close()
        if "://" not in path:
            assert execute(path, "PRAGMA integrity_check") == [("ok",)]
        # Forty models changed together at each poll: a change that is told in part is a torn transaction.
        ((changes,),) = execute(path, "SELECT count(*) FROM changes")
        tokens = said(started("print(open_state(sys.argv[1]).last_listing('p').models[0].context_tokens)", path))
        assert changes == min(40 * int(tokens[0]), 5000)
        seen = int(tokens[0])
    assert seen > 8


WRITES = """
import json
done = 0
try:
    state = open_state(sys.argv[1])
    for n in range(10**5):
        state.keep("p", evidence(f"模型-{n}"))
        done = n + 1
except StateError as error:
    print(json.dumps([done, str(error)]))
"""


def test_a_limit_on_files_is_an_error_of_the_state_and_nothing_is_half_written(file: str) -> None:
    import json

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    process = started(WRITES, file, preexec_fn=limited)
    out, _ = process.communicate(timeout=60)
    done, message = json.loads(out)
    assert process.returncode == 0
    assert done > 10
    assert message.startswith(f"{file}: the state cannot be written: ")
    assert execute(file, "PRAGMA integrity_check") == [("ok",)]
    assert execute(file, "SELECT count(*) FROM evidence") == [(done,)]


@pytest.mark.parametrize("room", [0, 60, 400])
def test_a_full_disk_is_an_error_of_the_state_and_nothing_is_half_written(tmp_path: Any, room: int) -> None:
    import json

    disk = str(tmp_path / "disk")
    os.mkdir(disk)
    mounted = subprocess.run(
        ["/bin/mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", disk], check=False, capture_output=True, timeout=10
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        with open(os.path.join(disk, "ballast"), "wb") as file:
            file.write(b"\0" * (512 - room) * 1024)
        path = os.path.join(disk, "état.db")
        process = started(WRITES, path)
        out, _ = process.communicate(timeout=60)
        done, message = json.loads(out)
        assert "the state cannot be " in message
        assert (done > 0) == (room == 400)
        os.unlink(os.path.join(disk, "ballast"))
        code = "state = open_state(sys.argv[1]); print(len(state.kept('p')))"
        assert said(started(code, path)) == [str(done)]
    finally:
        subprocess.run(["/bin/umount", "-l", disk], check=True, timeout=10)
