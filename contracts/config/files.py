"""Files that a user names, and standard input."""

from __future__ import annotations

from collections.abc import Callable

from contracts.config.yaml_loader import CONFIG
from contracts.errors import ConfigError


def read(path: str) -> bytes:
    """Bytes of a file, at most one more than is allowed. Raises ConfigError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(CONFIG.max_bytes + 1)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file that can be read, found none ({error.strerror})") from error


def once(give: Callable[[], bytes]) -> Callable[[], bytes]:
    """Remember what is given: two rows may both say `-`, and standard input can be read once only."""
    kept: list[bytes] = []

    def again() -> bytes:
        if not kept:
            kept.append(give())
        return kept[0]

    return again


def stdin() -> bytes:
    """All of the process's standard input, as `read`."""
    import sys

    return sys.stdin.buffer.read(CONFIG.max_bytes + 1)
