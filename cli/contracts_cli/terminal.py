"""What reaches the terminal: standard output and standard error, colour, and lines that fit."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from contracts.errors import ConfigError

if TYPE_CHECKING:
    from msgspec import Struct

NARROWEST = 40  # columns; below that a wrapped line helps nobody
UNBOUNDED = 1_000_000  # columns of a pipe or a file: one finding stays one line for grep

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}


def write(text: str) -> None:
    """Write text to standard output, whatever its encoding can say."""
    encoding = sys.stdout.encoding or "utf-8"
    write_bytes(text.encode(encoding, "backslashreplace"))


def write_json(value: Struct) -> None:
    r"""Write a value as JSON: one line for programs, indented for people.

    What a terminal would obey is written as \u escapes, also where a provider sent it.

    Raises:
        ConfigError: as `write_bytes`.
        BrokenPipeError: likewise.
    """
    from msgspec import json

    from contracts.report import encode

    data = encode(value)
    write_bytes((json.format(data) if sys.stdout.isatty() else data) + b"\n")


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output, all of them, now.

    Raises:
        ConfigError: when it takes them not, as a full disk does.
        BrokenPipeError: when nobody reads it any more.
    """
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise not_written(error) from error


def not_written(error: OSError) -> ConfigError:
    """Say why standard output takes nothing, and write nothing more to it."""
    abandon_stdout()
    return ConfigError(f"standard output: expected room for what was found, found: {error.strerror}")


def abandon_stdout() -> None:
    """Point standard output at nothing, so that the flush at exit raises no second error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    """Tell the user, on standard error, one line for each line of the message."""
    from contracts.text.scrub import scrub

    for line in message.split("\n"):
        sys.stderr.write(f"contracts: {scrub(line, limit=2000)}\n")


def write_error(data: bytes) -> None:
    """Write lines for programs to standard error, as they are."""
    sys.stderr.write(data.decode())
    sys.stderr.flush()


def has_colour(stream: TextIO) -> bool:
    """Whether a stream wants colour: NO_COLOR, then FORCE_COLOR, then whether it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def width_of(stream: TextIO) -> int:
    """Columns of a stream: COLUMNS, else the terminal's; a pipe has no end."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns) > 0:
        return max(NARROWEST, int(columns))
    if stream.isatty():
        try:
            return max(NARROWEST, os.get_terminal_size(stream.fileno()).columns)
        except OSError:
            return 80
    return UNBOUNDED


def paint(text: str, colour: str, *, wanted: bool) -> str:
    """Colour a text that was scrubbed before."""
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if wanted else text


def columns_of(text: str) -> int:
    """Columns that a text takes in a terminal: wide characters two, combining marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(c) in ("Mn", "Me", "Cf") else 2 if east_asian_width(c) in ("W", "F") else 1 for c in text)


def wrap(text: str, width: int, first: str = "", rest: str = "") -> str:
    """Break a text at blanks, and between wide characters, so that each line fits.

    Args:
        text: one line; its blanks are kept as single ones.
        width: columns. A word that is longer stays whole: it is an id or a path that someone will copy.
        first: what the first line begins with.
        rest: what every later line begins with.
    """
    if columns_of(first) + columns_of(text) <= width:
        return first + text
    lines: list[str] = []
    line, room, gap = first, width - columns_of(first), ""
    for word in text.split():
        for piece in _pieces(word, width):
            need = len(gap) + columns_of(piece)
            if need > room and room < width - columns_of(rest if lines else first):
                lines.append(line)
                line, room, gap = rest, width - columns_of(rest), ""
                need = columns_of(piece)
            line += gap + piece
            room -= need
            gap = ""
        gap = " "
    lines.append(line)
    return "\n".join(lines)


def _pieces(word: str, width: int) -> Iterator[str]:
    if word.isascii() or columns_of(word) <= width // 2:
        yield word
        return
    from unicodedata import category, east_asian_width

    start = 0
    for at in range(1, len(word)):
        # A line may end between two ideographs; before a mark or inside an emoji it would cut a grapheme.
        if all(category(c) == "Lo" and east_asian_width(c) in ("W", "F") for c in word[at - 1 : at + 1]):
            yield word[start:at]
            start = at
    yield word[start:]
