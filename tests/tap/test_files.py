"""The file of observations is put aside where it really lies, whoever else renames or empties it meanwhile."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

import pytest

from contracts.facts import Body, Facts
from contracts.observations import Observation, read
from contracts.observations.writer import Writer
from contracts.text.verdict import Verification

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACTS = Facts(dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=7))


def seen(minute: int) -> Observation:
    return Observation(
        at=NOON + timedelta(minutes=minute), provider="größe", model=f"日本-{minute}", facts=FACTS,
        verification=Verification(verdict="ok"),
    )  # fmt: skip


def write(path: Path, minutes: range, max_bytes: int = 1 << 20) -> None:
    for minute in minutes:
        writer = Writer(str(path), max_bytes=max_bytes)
        writer.write(seen(minute))
        writer.close()
        assert (writer.dropped, writer.failure) == (0, None)


def wait(is_so: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    until = monotonic() + 20
    while not is_so():
        assert monotonic() < until


def minutes(path: Path) -> list[int]:
    return [round((one.at - NOON).total_seconds() / 60) for one in read(str(path))]


def test_where_the_path_is_a_link_the_file_is_put_aside_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "größe").mkdir()
    (tmp_path / "weiter").symlink_to(tmp_path / "größe")
    link = tmp_path / "gesehen.jsonl"
    link.symlink_to("weiter/日本.jsonl")  # of a file that is not there yet
    write(link, range(30), max_bytes=2_000)
    assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gesehen.jsonl", "größe", "weiter"]
    assert sorted(path.name for path in (tmp_path / "größe").iterdir()) == ["日本.jsonl", "日本.jsonl.1"]
    found = minutes(link)
    assert found == list(range(30 - len(found), 30))
    assert found == minutes(tmp_path / "größe" / "日本.jsonl")
    assert os.path.getsize(link) <= 2_000


def test_a_link_that_leads_elsewhere_since_is_followed(tmp_path: Path) -> None:
    first, second, link = (tmp_path / name for name in ("größe-1", "größe-2", "link"))
    link.symlink_to(first)
    writer = Writer(str(link), every_s=0)
    writer.write(seen(0))
    wait(lambda: first.exists() and first.stat().st_size > 0)
    link.unlink()
    link.symlink_to(second)
    writer.write(seen(1))
    writer.close()
    assert (minutes(first), minutes(second)) == ([0], [1])


def renamed(path: Path) -> None:
    path.rename(path.with_suffix(".gestern"))


def copied(path: Path) -> None:
    shutil.copy(path, path.with_suffix(".gestern"))
    os.truncate(path, 0)


@pytest.mark.parametrize("rotate", [renamed, copied])
def test_a_file_that_somebody_else_put_aside_is_begun_anew(tmp_path: Path, rotate: Callable[[Path], None]) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), every_s=0)
    writer.write(seen(0))
    wait(lambda: path.stat().st_size > 0)
    rotate(path)
    writer.write(seen(1))
    writer.close()
    assert (minutes(path.with_suffix(".gestern")), minutes(path)) == ([0], [1])


def test_a_server_that_goes_to_another_folder_writes_where_it_began(tmp_path: Path) -> None:
    program = """
import os, sys
from tests.tap.test_files import Writer, seen
writer = Writer("größe.jsonl")
os.chdir("/")
writer.write(seen(1))
writer.close()
assert writer.failure is None, writer.failure
"""
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=environ, check=True, timeout=60)
    assert minutes(tmp_path / "größe.jsonl") == [1]
