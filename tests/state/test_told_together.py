"""A change that a run learns of is kept with what the run came to, or the next run learns of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from contracts.evidence.memory import Forgetful, Memory
from contracts.evidence.remembering import Careful, opened
from contracts.evidence.subject import Subject
from contracts.evidence.telling import Telling
from contracts.facts import Listing
from contracts.listed import Change, Model
from contracts.model import Finding, Provider
from contracts.state.errors import StateError
from contracts.state.opening import open_state
from tests.notes.test_file_note import room
from tests.state.findings import finding

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
WAS, NOW = (Listing(models=(Model(id="größe", context_tokens=tokens),)) for tokens in (8, 16))
CHANGED = (Change(model="größe", member="context_tokens", was="8", now="16"),)
NAMES = ("größe", "智谱")


def tell(memory: Memory, ends: str = "") -> dict[str, tuple[Change, ...] | None]:
    """Judge both providers, each of which has another listing than before; `ends` names the one at which it is over."""
    learnt: dict[str, tuple[Change, ...] | None] = {}

    def judge(subject: Subject) -> list[Finding]:
        if subject.row.name == ends:
            os.kill(os.getpid(), signal.SIGKILL)
        learnt[subject.row.name] = memory.remember_listing(subject.row.name, NOW, NOON)
        return [finding()]

    Telling(memory, judge, NOON, complete=True).rest(
        [Subject(Provider(name=name, dialect="openai-chat"), (), ()) for name in NAMES]
    )
    return learnt


def killed(path: str) -> None:
    """Let a process tell, and be killed when it has judged the first provider."""
    code = (
        "import sys\n"
        "from contracts.evidence.remembering import opened\n"
        "from tests.state.test_told_together import tell\n"
        "with opened(sys.argv[1]) as memory: tell(memory, sys.argv[2])"
    )
    done = subprocess.run([sys.executable, "-c", code, path, NAMES[1]], check=False, timeout=60, env={**os.environ})
    assert done.returncode == -signal.SIGKILL


def test_what_a_killed_run_had_learnt_the_next_one_learns_again(path: str) -> None:
    with opened(path) as memory:
        for name in NAMES:
            assert memory.remember_listing(name, WAS, NOON) is None
    killed(path)
    with opened(path) as memory:
        assert tell(memory) == dict.fromkeys(NAMES, CHANGED)
        assert tell(memory) == dict.fromkeys(NAMES, ())
    state = open_state(path)
    try:
        assert [line.changes[0].outcome for line in state.timelines(list(NAMES), 1)[1].lines] == ["violated"]
    finally:
        state.close()


class Failing(Forgetful):
    """Cannot keep what a run came to."""

    def see_all(self, *_: object, **__: object) -> dict[str, list[Finding]]:
        """Fail as a full disk does."""
        raise StateError("état.db: the state cannot be written: disk is full")


@pytest.mark.parametrize("begins", [True, False])
def test_a_state_that_fails_meanwhile_is_said_once_and_the_run_tells_what_it_found(begins: bool) -> None:
    said: list[str] = []

    def open_() -> Memory:
        if begins:
            return Failing()
        raise StateError("état.db: the state cannot be written: disk is full")

    memory = Careful(open_, said.append)
    assert tell(memory) == dict.fromkeys(NAMES)
    assert said == ["état.db: the state cannot be written: disk is full; this run goes on without it"]


def test_what_a_full_disk_did_not_keep_the_next_run_learns_again(file: str) -> None:
    said: list[str] = []
    with opened(file, said.append) as memory:
        for name in NAMES:
            memory.remember_listing(name, WAS, NOON)
        with room(0):
            assert tell(memory) == dict.fromkeys(NAMES, CHANGED)
    assert len(said) == 1
    assert said[0].startswith(f"{file}: the state cannot be written: ")
    with opened(file) as memory:
        assert tell(memory) == dict.fromkeys(NAMES, CHANGED)
