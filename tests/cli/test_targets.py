"""What cannot be written to one place is told, and keeps nothing from any other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Program

FULL = "/dev/full"  # every write to it finds the disk full


@pytest.mark.skipif(not os.path.exists(FULL), reason="no device that is full")
@pytest.mark.parametrize(("provider", "status"), [("neuralwatt", 2), ("openrouter", 1)])
def test_a_file_that_cannot_be_written_keeps_no_other_and_no_note_from_its_place(
    program: Program, tmp_path: Path, provider: str, status: int
) -> None:
    places = ["-o", f"json={FULL}", "-o", "json=größe.json", "--note", "ä.jsonl", "-f", "json"]
    done = program(["check", provider, "--replay", "--config", f"{ROOT}/providers.yaml", *places])
    assert done.returncode == status
    assert done.stderr.decode().startswith(f"contracts: {FULL}: expected a file to write, found: No space left")
    assert json.loads(done.stdout) == json.loads((tmp_path / "größe.json").read_bytes())
    assert (tmp_path / "ä.jsonl").read_bytes().count(b"\n") == 1


def test_a_summary_that_cannot_be_written_keeps_nothing_from_standard_output(program: Program, bad: Path) -> None:
    done = program(["inspect", str(bad), "-f", "github"], GITHUB_STEP_SUMMARY="nirgends/größe.md")
    assert done.returncode == 1
    assert "nirgends/größe.md: expected a file for the summary" in done.stderr.decode()
    assert b"::error " in done.stdout
