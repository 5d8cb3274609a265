"""The program as others meet it: exit statuses, pipes, signals, and what it imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Program, capture, environment

KEYLESS = '{"error":{"message":"Zu viele Anfragen — 请求过多","type":"rate_limit","code":"rate_limit","param":null}}'

STATUSES = [
    (["--version"], 0),
    (["--help"], 0),
    (["inspect", "good.http"], 0),
    (["inspect", "bad.http"], 1),
    (["inspect", "bad.http", "--fail-on", "never"], 0),
    (["inspect", "bad.http", "--exclude", "sse.charset"], 0),
    (["inspect", "good.http", "bad.http", "-q"], 1),
    ([], 2),
    (["check", "--nonsense"], 2),
    (["check"], 2),
    (["check", "--replay=größe", "--config", "nowhere.yaml"], 2),
    (["inspect", "nowhere.http"], 2),
    (["inspect", "garbage.http"], 2),
    (["inspect", "good.http", "--contract", "sse.charsets"], 2),
    (["inspect", "good.http", "--dialect", "klingon"], 2),
    (["inspect", "good.http", "-o", "json=nowhere/report.json"], 2),
    (["inspect", "good.http", "-o", "xml=report.xml"], 2),
    (["inspect", "good.http", "--note", "sqlite:///a.db"], 2),
    (["explain", "sse.charsett"], 2),
    (["inspect", "good.http", "--contract", "sse.timing"], 3),
]


@pytest.mark.parametrize(
    ("arguments", "status"), STATUSES, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_the_exit_status_is_the_documented_one(
    program: Program, good: Path, bad: Path, arguments: list[str], status: int
) -> None:
    (good.parent / "garbage.http").write_bytes(b"\xff\xfe neither HTTP nor anything\n")
    assert bad.exists()
    done = program(arguments)
    assert (done.returncode, done.stderr if status in (0, 1) else b"") == (status, b"")
    assert b"Traceback" not in done.stderr
    # Whoever reads standard output gets results or nothing.
    if status == 2 and arguments:
        assert done.stdout == b""
        assert done.stderr


def test_a_typo_is_answered_with_what_was_meant(program: Program, good: Path) -> None:
    for arguments in (["explain", "sse.charsett"], ["inspect", str(good), "--contract", "sse.charsett"]):
        assert b"did you mean 'sse.charset'?" in program(arguments).stderr


@pytest.fixture
def broken(tmp_path: Path) -> str:
    """A Python path on which a dependency is broken, as a bad installation leaves it."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "msgspec.py").write_text("raise RuntimeError('kaputt \\x1b[31m\\n— 坏')\n", encoding="utf-8")
    return f"{folder}{os.pathsep}{ROOT}{os.pathsep}{ROOT}/cli"


def test_a_fault_of_the_program_is_70_and_one_line(program: Program, broken: str) -> None:
    done = program(["check", "--replay"], PYTHONPATH=broken)
    assert done.returncode == 70
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert b"RuntimeError" in done.stderr


@pytest.mark.parametrize(("arguments", "variables"), [(["check", "-v"], {}), (["check"], {"CONTRACTS_DEBUG": "1"})])
def test_who_asks_is_shown_where_the_fault_is(
    program: Program, broken: str, arguments: list[str], variables: dict[str, str]
) -> None:
    done = program(arguments, PYTHONPATH=broken, **variables)
    assert done.returncode == 70
    assert b"Traceback" in done.stderr


def test_an_interrupt_is_130_without_a_traceback(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.http"
    os.mkfifo(pipe)
    process = subprocess.Popen(
        [sys.executable, "-m", "contracts_cli", "inspect", str(pipe)],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    # Opening the pipe succeeds once the program has opened it: then it is reading.
    with open(pipe, "wb"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"contracts: interrupted\n")


@pytest.mark.parametrize(
    "arguments",
    [["inspect", "bad.http"], ["inspect", "bad.http", "-f", "json"], ["schema", "report"], ["list"], ["--help"]],
)
def test_a_closed_pipe_ends_it_quietly(bad: Path, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", *arguments],
            cwd=bad.parent, env=environment(), check=False, stdout=writing, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


def test_files_are_written_though_nobody_reads_standard_output(bad: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    report, notes = bad.parent / "berichte.json", bad.parent / "notes.jsonl"
    command = [sys.executable, "-m", "contracts_cli", "inspect", str(bad), "-o", f"json={report}", "--note", str(notes)]
    subprocess.run(command, env=environment(), check=False, stdout=writing, stderr=subprocess.DEVNULL, timeout=60)
    os.close(writing)
    assert report.read_bytes().endswith(b"}\n")


def test_the_version_needs_no_import_of_ours(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "contracts_cli", "--version"],
        env=environment(), check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    assert program(["--version"]).stdout == done.stdout
    names = {line.rpartition(b"|")[2].strip() for line in done.stderr.splitlines()}
    assert b"contracts_cli" in names
    assert not names & {b"contracts", b"msgspec", b"typing", b"typer", b"re"}


HEAVY = (
    "asyncio",
    "httpx",
    "vcr",
    "rich",
    "typer",
    "click",
    "typing_extensions",
    "socket",
    "ssl",
    "inspect",
    "dataclasses",
    "pathlib",
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--replay"],
        ["check", "--replay", "-f", "json", "--note", "-"],
        ["inspect", "cassettes/openrouter/chat-stream.yaml"],
    ],
)
def test_a_replay_imports_nothing_that_it_does_not_need(arguments: list[str]) -> None:
    code = (
        "import sys; from contracts_cli.__main__ import main\n"
        f"sys.argv = ['contracts', *{arguments!r}]\n"
        "status = main()\n"
        "print(status, *sorted(m for m in sys.modules if sys.modules[m]), file=sys.stderr)"
    )
    # Whichever test comes first finds the cache of what was read from YAML cold, and filling it reads every query.
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment(), check=True, capture_output=True, timeout=60
        )
    status, *modules = done.stderr.decode().split()
    assert status == "1", "openrouter's cassette violates sse.charset"
    assert "contracts.run" in modules
    assert not set(modules) & set(HEAVY)


def test_a_capture_comes_through_a_pipe_too(bad: Path) -> None:
    # A pipe of a shell, and a file that was redirected: neither tells its name.
    for command in ("cat bad.http | %s inspect -", "%s inspect - < bad.http"):
        done = subprocess.run(
            ["/bin/sh", "-c", command % f"{sys.executable} -m contracts_cli"],
            cwd=bad.parent, env=environment(), check=False, capture_output=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert "sse.charset" in done.stdout.decode()


def test_an_error_answer_is_judged_too(program: Program, tmp_path: Path) -> None:
    (tmp_path / "429.http").write_bytes(capture(KEYLESS, "application/json", "429 Too Many Requests"))
    done = program(["inspect", "429.http"])
    assert done.returncode in (0, 1)
    assert "limits.retry-after" in done.stdout.decode()


@pytest.mark.parametrize("arguments", [["inspect", "bad.http"], ["--version"], ["--help"], ["check", "-h"]])
def test_a_full_disk_is_said_and_no_fault_of_the_program(bad: Path, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", *arguments], cwd=bad.parent,
            env=environment(), check=False, stdout=full, stderr=subprocess.PIPE, timeout=60,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"contracts: standard output: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("arguments", "status"), [(["inspect", "bad.http"], 1), (["--version"], 0), (["check"], 2)])
def test_closed_standard_streams_change_no_exit_status(bad: Path, arguments: list[str], status: int) -> None:
    command = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", sys.executable, "-m", "contracts_cli", *arguments]
    done = subprocess.run(command, cwd=bad.parent, env=environment(), check=False, timeout=60)
    assert done.returncode == status
