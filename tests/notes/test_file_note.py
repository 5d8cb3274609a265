"""Notes of a run are appended to a file whole or not at all, and none spoils another's line."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from contracts.report import encode
from contracts.sinks import notes as note_sinks
from tests.notes.test_row_note import note

LINES = "".join(f'{{"zeile":"größe {number}"}}\n' for number in range(100)).encode()


@contextmanager
def room(size: int) -> Iterator[None]:
    """Let no file of this process become bigger: what does not fit is cut off, as on a full disk."""
    was = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, was[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)


def test_notes_for_which_there_is_no_room_leave_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "é.jsonl"
    path.write_bytes(LINES)
    both = [note(), note("另一个")]
    for left in (0, 1, 100, len(encode(both[0])) + 1):
        with room(len(LINES) + left):
            lost = note_sinks.deliver(str(path), both)
        assert [one.note for one in lost] == both
        assert path.read_bytes() == LINES
    assert note_sinks.deliver(str(path), both) == []
    assert path.read_bytes() == LINES + b"".join(encode(one) + b"\n" for one in both)


def test_half_a_line_of_a_run_that_was_killed_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "é.jsonl"
    path.write_bytes(LINES + encode(note())[:50])
    assert note_sinks.deliver(str(path), [note("另一个")]) == []
    assert path.read_bytes() == LINES + encode(note())[:50] + b"\n" + encode(note("另一个")) + b"\n"
