"""The dialect of docs/add-a-dialect.md is built from the page, and judges the capture that the page shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "add-a-dialect.md"
BLOCK = re.compile(r"^`([\w/.-]+)`\n\n```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FILES = {path: text for path, _, text in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
CAPTURE = "tests/dialects/captures/tgi-stream-ok.http"
MOST_LINES = 150  # of Python, YAML, schema, tests and captures


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree of the package with the page's files in it."""
    folder = tmp_path_factory.mktemp("größe")
    for package in ("contracts", "cli"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in FILES.items():
        target = folder / path
        assert not target.exists(), "the page adds files, and changes none"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def inspected(built: Path, change: Any = None) -> tuple[int, dict[str, Any]]:
    """Judge the page's capture, perhaps changed, by the command; gives its status and the findings by contract."""
    capture = (built / CAPTURE).read_bytes()
    changed = capture if change is None else change(capture)
    assert (changed == capture) is (change is None)
    path = built / "größe.http"
    path.write_bytes(changed)
    asked = built / CAPTURE.replace(".http", ".request.json")
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(built), str(built / "cli"))),
        "XDG_CACHE_HOME": str(built),
    }
    done = subprocess.run(
        [sys.executable, "-m", "contracts_cli", "inspect", path, "--dialect", "tgi", "--request", asked, "-f", "json"],
        env=environ, cwd=built, capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.returncode, {f["contract"]: f for f in json.decode(done.stdout)["findings"]}


def violated(found: dict[str, Any]) -> dict[str, str]:
    return {contract: f["detail"] for contract, f in found.items() if f["outcome"] == "violated"}


def test_the_page_has_every_file_of_a_dialect_in_few_lines() -> None:
    assert {Path(path).suffix for path in FILES} == {".json", ".py", ".yaml", ".http"}
    assert sum(text.count("\n") for text in FILES.values()) < MOST_LINES


def test_the_capture_of_the_page_is_judged_and_breaks_nothing(built: Path) -> None:
    status, found = inspected(built)
    assert (status, violated(found)) == (0, {})
    held = {contract for contract, f in found.items() if f["outcome"] == "holds"}
    assert {
        "reply.finish",
        "reply.usage",
        "reply.schema",
        "reply.json",
        "text.intact",
        "sse.charset",
        "sse.done",
    } <= held
    assert "eos_token" in found["reply.finish"]["detail"]
    assert found["reply.usage"]["detail"] == "9 in, 3 out"


LAST = re.compile(rb"data:\{\"index\":2.*\n\n")
BROKEN = {
    "reply.finish": lambda text: LAST.sub(b"", text),
    "reply.schema": lambda text: text.replace(b'"text":"</s>"', b'"text":7'),
    "reply.error": lambda text: LAST.sub('data:{"error":"Überlastet","error_type":"overloaded"}\n\n'.encode(), text),
    "reply.usage": lambda text: text.replace(b'"generated_tokens":3', b'"generated_tokens":-3'),
    "text.intact": lambda text: text.replace("ü".encode(), "Ã¼".encode()),
    "sse.charset": lambda text: text.replace(b"; charset=utf-8", b""),
}


@pytest.mark.parametrize("contract", BROKEN)
def test_a_fault_in_it_breaks_its_contract_and_no_other(built: Path, contract: str) -> None:
    status, found = inspected(built, BROKEN[contract])
    assert (status, set(violated(found))) == (status, {contract})


def test_text_after_its_end_is_told_with_what_was_expected(built: Path) -> None:
    def late(text: bytes) -> bytes:
        first = re.search(rb"data:\{\"index\":1.*\n\n", text)
        assert first is not None
        return text.rstrip(b"\n") + b"\n\n" + first[0]

    _, found = inspected(built, late)
    assert set(violated(found)) == {"reply.finish"}
    finding = found["reply.finish"]
    assert (finding["expected"], finding["observed"], finding["where"]["event"]) == ("finish or usage", "text", 2)


def test_it_asks_what_it_reads_and_its_free_chat_passes_the_guard_where_nothing_is_billed(built: Path) -> None:
    code = """
from contracts import dialects
from contracts.evidence.plan import rules
from contracts.evidence.rules import Allowed, Sending, decide
from contracts.model import Provider, Request
dialect, asking = dialects.load("tgi"), dialects.load_asking("tgi")
body = asking.free_chat("größe", 64)
asked = dialect.asked(Request(method="POST", url="http://127.0.0.1/generate_stream", body=body))
assert (asked.stream, asked.cap, asked.ascii) == (True, 64, True), asked
for billing, may in (("none", True), ("metered", False)):
    row = Provider(name="größe", dialect="tgi", base_url="http://127.0.0.1", billing=billing)
    decided = decide(Sending("POST", "http://127.0.0.1/generate_stream", {}, body), rules(row, asking), {})
    assert isinstance(decided, Allowed) is may, decided
"""
    environ = {**os.environ, "PYTHONPATH": str(built), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, cwd=built, capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode()


def test_the_tests_of_the_page_pass(built: Path) -> None:
    shutil.copy(ROOT / "tests" / "dialects" / "folding.py", built / "tests" / "dialects")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/dialects/test_tgi.py"]
    environ = {**os.environ, "PYTHONPATH": str(built), "XDG_CACHE_HOME": str(built)}
    done = subprocess.run(command, env=environ, cwd=built, capture_output=True, check=False, timeout=60)
    assert (done.returncode, b"1 passed" in done.stdout) == (0, True), done.stdout.decode()


def test_its_code_passes_the_projects_linter_and_formatter(built: Path) -> None:
    python = [path for path in FILES if path.endswith(".py")]
    for command in (["check", "--no-cache"], ["format", "--check", "--no-cache"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--config", str(ROOT / "pyproject.toml"), *python]
        done = subprocess.run(ruff, cwd=built, capture_output=True, check=False, timeout=60)
        assert done.returncode == 0, done.stdout.decode()
