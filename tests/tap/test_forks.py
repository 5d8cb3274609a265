"""Servers that fork: each process writes what it saw, nothing is written twice, and no thread ends in silence."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from msgspec import structs

from contracts.observations import read
from contracts.observations.writer import Writer
from tests.tap.test_files import seen, wait

START = """
import os, sys, threading, time
from contracts.model import Request
from contracts.taps import Taps
taps = Taps.open("providers.yaml", "gesehen.jsonl")

def answer(model):
    body = ('{"messages": [], "model": "%s"}' % model).encode()
    tap = taps.tap("groesse", Request(method="POST", url="/v1/chat/completions", body=body), 200, ())
    tap.feed("größe".encode())
    tap.finish()
"""
# A master that reads the application, answers something itself, and then forks, while its threads write.
PRELOADED = (
    START
    + """
for _ in range(5):
    answer("master")
stop = threading.Event()
def busily():
    number = 0
    while not stop.is_set() and number < 2000:
        answer("busy-%d" % number)
        number += 1
    answer("busy: %d" % number)
thread = threading.Thread(target=busily)
thread.start()
children = []
for number in range(8):
    child = os.fork()
    if child == 0:
        for _ in range(50):
            answer("größe-%d" % number)
        sys.exit(0)
    children.append(child)
codes = [os.waitpid(child, 0)[1] for child in children]
stop.set()
thread.join()
assert codes == [0] * 8, codes
assert taps.dropped == 0 and taps.failure is None
"""
)
POOLED = (
    START
    + """
import multiprocessing
def work(number):
    for _ in range(20):
        answer("größe-%d" % number)
if __name__ == "__main__":
    answer("master")
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(n,)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
"""
)


def run(folder: Path, program: str) -> Counter[str | None]:
    rows = "version: 1\nproviders:\n  groesse: {dialect: openai-chat, models: [日本-1]}\n"
    (folder / "providers.yaml").write_text(rows, encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-c", program], cwd=folder, env=environ, check=True, timeout=120)
    told: list[str] = []
    found: Counter[str | None] = Counter()
    for one in read(str(folder / "gesehen.jsonl"), odd=told.append):
        found[one.model] += one.count
    assert told == []
    return found


def test_taps_that_were_opened_before_a_fork_write_from_every_process(tmp_path: Path) -> None:
    found = run(tmp_path, PRELOADED)
    assert {name: found.pop(f"größe-{name}") for name in range(8)} == dict.fromkeys(range(8), 50)
    assert found.pop("master") == 5
    (last,) = [name for name in found if name is not None and name.startswith("busy: ")]
    assert found == {last: 1, **{f"busy-{number}": 1 for number in range(int(last.removeprefix("busy: ")))}}


def test_a_child_of_multiprocessing_writes_what_is_left(tmp_path: Path) -> None:
    assert run(tmp_path, POOLED) == {"master": 1, **{f"größe-{number}": 20 for number in range(4)}}


def test_a_lock_that_was_had_at_the_fork_is_not_had_for_as_long_as_the_child_lives(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), max_bytes=1 << 30)
    context = multiprocessing.get_context("fork")
    end = context.Event()
    child = context.Process(target=end.wait, daemon=True)
    with path.open("ab") as other:
        writer.write(structs.replace(seen(1), model="größe" * 10_000_000))  # written for long enough to be met
        wait(lambda: has_lock(other))
        child.start()
        writer.close()
        assert not has_lock(other)
    end.set()
    child.join(60)
    assert writer.failure is None


def has_lock(other: BinaryIO) -> bool:
    """Whether somebody else has the lock of a file."""
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(other, fcntl.LOCK_UN)
    return False


def test_what_cannot_be_told_apart_ends_no_thread_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    wrong: Any = None
    unhashable: Any = ["größe"]
    writer.write(structs.replace(seen(1), facts=wrong, count=3))
    writer.write(structs.replace(seen(2), model=unhashable))
    writer.write(seen(3))
    writer.close()
    assert writer.dropped == 4
    assert "unhashable" in str(writer.failure)
    assert [one.model for one in read(str(path))] == ["日本-3"]


def test_one_who_looks_and_fails_ends_no_thread(tmp_path: Path) -> None:
    looked: list[float | None] = []

    def look(now: float | None) -> None:
        looked.append(now)
        if now is not None:
            raise ValueError("zu groß")

    writer = Writer(str(tmp_path / "gesehen.jsonl"))
    writer.look = look
    writer.write(seen(1))
    wait(lambda: len(looked) > 1)
    writer.write(seen(2))
    writer.close()
    assert looked[-1] is None or looked[-2] is None
    assert writer.failure == "ValueError('zu groß')"
    assert [one.model for one in read(str(tmp_path / "gesehen.jsonl"))] == ["日本-1", "日本-2"]


def test_where_no_thread_can_be_started_the_end_writes(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    before = threading.stack_size(1 << 46)  # more than there is
    try:
        for number in (0, 1, 2, 2, 2):
            writer.write(seen(number))
    finally:
        threading.stack_size(before)
    assert writer.failure == "can't start new thread"
    writer.close()
    writer.close()
    assert [(one.model, one.count) for one in read(str(path))] == [
        ("日本-0", 1), ("日本-1", 1), ("日本-2", 1), ("日本-2", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_left_is_written_once_however_often_it_is_closed(tmp_path: Path, times: int) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    for _ in range(7):
        writer.write(seen(1))
    for _ in range(times):
        writer.close()
    assert [one.count for one in read(str(path))] == [1, 6]
