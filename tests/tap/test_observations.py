"""What taps saw is written in lines that are whole, exactly counted and bounded in number."""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import sys
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts.errors import ConfigError
from contracts.facts import Body, Facts
from contracts.observations import MOST, Observation, read
from contracts.observations.writer import QUEUE, Writer
from contracts.text.verdict import Verification

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FACTS = Facts(dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=7))
OK = Verification(verdict="ok")
EMPTY = Verification(verdict="malformed", detail="empty response", model_attributable=True)


def seen(model: str = "größe", verification: Verification = OK, status: int = 200, minute: int = 0) -> Observation:
    return Observation(
        at=NOON + timedelta(minutes=minute), provider="日本", model=model,
        facts=structs.replace(FACTS, status=status), verification=verification,
    )  # fmt: skip


def counts(path: Path) -> Counter[tuple[str | None, str, int]]:
    found: Counter[tuple[str | None, str, int]] = Counter()
    for one in read(str(path)):
        found[one.model, one.verification.verdict, one.facts.status] += one.count
    return found


ONES = st.builds(
    seen, st.sampled_from(["größe", "日本-1", "ü"]), st.sampled_from([OK, EMPTY]), st.sampled_from([200, 429])
)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(ONES, max_size=60), st.sampled_from([0.0, 3600.0]))
def test_sums_are_exact_whatever_was_counted_together(tmp_path: Path, ones: list[Observation], every_s: float) -> None:
    path = tmp_path / "gesehen.jsonl"
    path.unlink(missing_ok=True)
    writer = Writer(str(path), every_s=every_s)
    for one in ones:
        writer.write(one)
    writer.close()
    assert counts(path) == Counter((o.model, o.verification.verdict, o.facts.status) for o in ones)
    assert writer.dropped == 0


def test_answers_that_are_alike_are_two_lines_and_not_a_thousand(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), every_s=3600)
    for number in range(1_000):
        writer.write(seen(minute=number))
    writer.close()
    first, rest = read(str(path))
    assert (first.count, rest.count) == (1, 999)
    assert rest.at == NOON + timedelta(minutes=999)


def _many(path: str, model: str) -> None:
    writer = Writer(path, every_s=0)
    for number in range(300):
        writer.write(seen(model, minute=number))
    writer.close()


def _write(writer: Writer, times: int) -> None:
    for _ in range(times):
        writer.write(seen())


@pytest.mark.parametrize(
    ("verdict", "detail"),
    [("mangled", "double-utf8-latin1 [provider]: {} × U+00E2 U+0080"), ("looping", "{} characters 40 times over")],
)
def test_damage_and_loops_of_any_length_are_two_lines_as_well(tmp_path: Path, verdict: Any, detail: str) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    for number in range(300):
        writer.write(seen(verification=Verification(verdict=verdict, detail=detail.format(number))))
    writer.write(seen(verification=Verification(verdict="mangled", detail="bpe-alphabet [provider]: 3 × U+0120")))
    writer.close()
    assert [one.count for one in read(str(path))] == [1, 1, 299]


def test_several_processes_and_threads_write_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    context = multiprocessing.get_context("spawn")
    others = [context.Process(target=_many, args=(str(path), f"größe-{n}")) for n in range(2)]
    for other in others:
        other.start()
    writer = Writer(str(path), every_s=0)
    threads = [threading.Thread(target=_write, args=(writer, 200)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close()
    for other in others:
        other.join(60)
        assert other.exitcode == 0
    assert counts(path) == {("größe", "ok", 200): 800, ("größe-0", "ok", 200): 300, ("größe-1", "ok", 200): 300}


def test_a_process_that_was_forked_writes_its_own_and_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), every_s=3600)
    writer.write(seen())
    child = os.fork()
    if child == 0:
        try:
            writer.write(seen("forked-ü"))
            writer.close()
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    writer.write(seen())
    writer.close()
    assert counts(path) == {("größe", "ok", 200): 2, ("forked-ü", "ok", 200): 1}


def test_threads_that_write_at_once_for_the_first_time_start_one_writer(tmp_path: Path) -> None:
    before, switching = threading.active_count(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(250):
            writer = Writer(str(tmp_path / "gesehen.jsonl"))
            gate = threading.Barrier(8)
            threads = [threading.Thread(target=lambda w=writer, g=gate: (g.wait(), w.write(seen()))) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert threading.active_count() == before + 1
            writer.close()
    finally:
        sys.setswitchinterval(switching)


def test_half_a_surrogate_pair_is_written_in_words_and_ends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), every_s=0)
    writer.write(seen("größe\ud83d"))
    writer.write(seen("größe"))
    writer.close()
    assert counts(path) == {("größe\\ud83d", "ok", 200): 1, ("größe", "ok", 200): 1}
    assert (writer.dropped, writer.failure) == (0, None)


def test_a_file_that_has_grown_too_large_is_put_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    for number in range(30):
        writer = Writer(str(path), max_bytes=2_000)
        writer.write(seen(minute=number))
        writer.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["gesehen.jsonl", "gesehen.jsonl.1"]
    assert path.stat().st_size <= 2_000
    minutes = [round((o.at - NOON).total_seconds() / 60) for o in read(str(path))]
    assert minutes == list(range(30 - len(minutes), 30))


def test_a_full_disk_is_told_and_stops_nobody() -> None:
    writer = Writer("/dev/full")
    writer.write(seen())
    writer.close()
    assert (writer.dropped, writer.failure) == (1, "No space left on device")


def test_where_nothing_can_be_written_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"fehlt/gesehen.jsonl: expected a file to append observations to"):
        Writer(str(tmp_path / "fehlt" / "gesehen.jsonl"))


def test_what_comes_faster_than_it_can_be_written_is_counted_as_dropped(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), every_s=0)
    total = 3 * QUEUE
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)  # as if another process could not get on with its own lines
        for number in range(total):
            writer.write(seen(f"größe-{number}"))
        assert QUEUE <= writer.dropped < total
    writer.close()
    assert sum(counts(path).values()) + writer.dropped == total


def test_the_end_of_a_process_does_not_wait_for_ever_for_another_that_holds_the_file(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path), close_s=0.05)
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        writer.write(seen())
        closing = threading.Thread(target=writer.close, daemon=True)
        closing.start()
        closing.join(20)
        assert not closing.is_alive()
        assert writer.failure == "what was left could not be written within 0.05 s"


def test_lines_that_are_none_are_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    writer.write(seen())
    writer.close()
    good = path.read_bytes()
    broken = [
        b"\xff\xfe\n",
        b'{"at": "gestern"}\n',
        b"x" * 3_000_000 + b"\n",
        *(good.replace(b'"count":1', b'"count":%d' % count) for count in (-5, 0, MOST + 1, 10**30)),
    ]
    path.write_bytes(broken[0] + good + b"".join(broken[1:]) + good + good[:-40])
    told: list[str] = []
    assert len(list(read(str(path), odd=told.append))) == 2
    assert told == [f"{path}:1: expected an observation, found something else; such lines are left out"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (b"", ["expected observations, found none"]),
        ("größe\n日本\n".encode(), ["1: expected an", "none that can be read"]),
    ],
)
def test_a_file_without_any_observation_is_told(tmp_path: Path, lines: bytes, said: list[str]) -> None:
    path = tmp_path / "gesehen.jsonl"
    path.write_bytes(lines)
    told: list[str] = []
    assert list(read(str(path), odd=told.append)) == []
    assert len(told) == len(said)
    assert all(word in line for word, line in zip(said, told, strict=True))
    older = Path(f"{path}.1")
    writer = Writer(str(older))
    writer.write(seen())
    writer.close()
    told.clear()
    assert list(read(str(path), NOON + timedelta(days=1), told.append)) == []
    assert all("expected observations" not in line for line in told)


def test_what_ended_before_an_instant_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    for minute in range(3):
        writer.write(seen(f"größe-{minute}", minute=minute))
    writer.close()
    found = list(read(str(path), since=NOON + timedelta(minutes=1)))
    assert [one.model for one in found] == ["größe-1", "größe-2"]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nichts.jsonl: expected a file of observations"):
        list(read(str(tmp_path / "nichts.jsonl")))


def test_a_pipe_makes_neither_a_router_nor_a_poll_wait(tmp_path: Path) -> None:
    path = tmp_path / "röhre.jsonl"
    os.mkfifo(path)
    with pytest.raises(
        ConfigError, match=r"röhre.jsonl: expected a file to append observations to, found: No such dev"
    ):
        Writer(str(path))
    for name in (path, tmp_path):
        with pytest.raises(ConfigError, match=r": expected a file of observations, found no ordinary file"):
            list(read(str(name)))


def test_a_line_is_json_that_names_its_form(tmp_path: Path) -> None:
    path = tmp_path / "gesehen.jsonl"
    writer = Writer(str(path))
    writer.write(seen())
    writer.close()
    assert json.loads(path.read_bytes())["schema"] == "contracts.observation/1"
