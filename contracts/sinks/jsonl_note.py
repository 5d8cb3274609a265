"""Notes as JSON Lines: one provider a line, appended to a file."""

from __future__ import annotations

import os
from collections.abc import Iterable

from contracts.errors import ConfigError
from contracts.report import Note, encode


def render(notes: Iterable[Note]) -> bytes:
    """One line of JSON in UTF-8 for each note."""
    return b"".join(encode(note) + b"\n" for note in notes)


def append(path: str, notes: Iterable[Note]) -> None:
    """Append the notes to a file in one write, so that two runs at once do not mix their lines.

    Raises:
        ConfigError: when the file cannot be written.
    """
    data = render(notes)
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            written = os.write(file, data)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file to append notes to (--note), found: {error.strerror}") from error
    if written != len(data):
        raise ConfigError(f"{path}: expected room for {len(data)} bytes of notes (--note), found {written}")
