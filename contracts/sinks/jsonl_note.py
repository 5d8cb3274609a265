"""Notes as JSON Lines: one provider a line, appended to a file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from contracts.errors import ConfigError
from contracts.report import Note, encode


def render(notes: Iterable[Note]) -> bytes:
    """One line of JSON in UTF-8 for each note."""
    return b"".join(encode(note) + b"\n" for note in notes)


def append(path: str, notes: Iterable[Note]) -> None:
    """Append the notes to a file, all or none, in one write, so that two runs at once do not mix their lines.

    Half a line that a run left which was killed is ended first, so that it spoils none of ours.

    Raises:
        ConfigError: when the file cannot be written, or has no room for all of them.
    """
    data = render(notes)
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            held = os.fstat(file)
            is_file, size = stat.S_ISREG(held.st_mode), held.st_size
            if is_file and not _is_ended(path, size):
                data = b"\n" + data
            written = os.write(file, data)
            # A full disk takes as much as fits. What another run appended since is not ours to cut off.
            if is_file and written != len(data) and os.fstat(file).st_size == size + written:
                os.ftruncate(file, size)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file to append notes to (--note), found: {error.strerror}") from error
    if written != len(data):
        raise ConfigError(f"{path}: expected room for {len(data)} bytes of notes (--note), found {written}")


def _is_ended(path: str, size: int) -> bool:
    """Tell whether a file ends with a line, as far as it may be read."""
    if not size:
        return True
    with suppress(OSError), open(path, "rb") as file:
        file.seek(size - 1)
        return file.read(1) in (b"\n", b"")
    return True
