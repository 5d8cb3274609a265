"""What taps saw, as JSON Lines: one line for one answer, or for several that came to the same.

The file holds no text of any answer. `writer` writes it beside real traffic; what is here reads it at poll time.
"""

from __future__ import annotations

import os
import stat
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, MsgspecError, Struct, json

from contracts.errors import ConfigError
from contracts.facts import Facts
from contracts.text.verdict import Verification

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

MAX_LINE = 1024 * 1024  # bytes; Facts are bounded far below
MOST = 10_000_000  # answers of one line: an hour of 2,700 a second; a sum that is no number of answers judges nobody
OLDER = ".1"  # what a file is renamed to when it has grown too large


class Observation(Struct, frozen=True, kw_only=True):
    """What a tap saw of one answer, or of several that came to the same.

    Attributes:
        schema: names this form.
        at: when the last of them ended.
        provider: name of the row.
        model: as it was asked for; None where that is not known.
        count: how many answers this stands for.
        facts: of the last of them.
        verification: what each of them came to; how often damage or a loop was seen, and where, is of the last.
    """

    at: datetime
    provider: str
    model: str | None
    facts: Facts
    verification: Verification
    schema: str = "contracts.observation/1"
    count: Annotated[int, Meta(ge=1, le=MOST)] = 1


def read(
    path: str, since: datetime | None = None, odd: Callable[[str], None] = lambda _: None
) -> Iterator[Observation]:
    """Give what was written, the oldest first.

    Args:
        path: the file, or a link to it; what is in `FILE.1` comes before it.
        since: of what ended before this instant nothing is given.
        odd: is told of a line that is no observation, once for each file, and where none was found at all.

    Raises:
        ConfigError: where there is no file, or it cannot be read.
    """
    older = os.path.realpath(path) + OLDER
    files = [name for name in (older, path) if name == path or os.path.exists(name)]
    has_lines = has_any = False
    for name in files:
        told = False
        try:
            with open(name, "rb", opener=_opened) as file:
                for number, line in enumerate(_whole_lines(file), 1):
                    found = _decoded(line)
                    has_lines, has_any = True, has_any or found is not None
                    if found is None and not told:
                        odd(f"{name}:{number}: expected an observation, found something else; such lines are left out")
                        told = True
                    if found is not None and (since is None or found.at >= since):
                        yield found
        except OSError as error:
            raise ConfigError(f"{name}: expected a file of observations, found: {error.strerror}") from error
    if not has_any:
        odd(f"{path}: expected observations, found {'none that can be read' if has_lines else 'none'}")


def _opened(path: str, flags: int) -> int:
    """Open an ordinary file: a pipe would let a poll wait for ever."""
    file = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise ConfigError(f"{path}: expected a file of observations, found no ordinary file")
    return file


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Give lines that have ended; one that is too long comes as an empty one, and one that is being written later."""
    while line := file.readline(MAX_LINE + 1):
        if line.endswith(b"\n"):
            yield line
        elif len(line) > MAX_LINE:
            yield b""
            while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass


def _decoded(line: bytes) -> Observation | None:
    try:
        found = json.decode(line, type=Observation)
    except (MsgspecError, ValueError):
        return None
    return found if found.at.tzinfo is not None else None
