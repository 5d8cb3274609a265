"""A file that is written whole or not at all."""

from __future__ import annotations

import os
import stat

from contracts.errors import ConfigError


def write(path: str, data: bytes, mode: int | None = None) -> None:
    """Put data at a path by way of a temporary file beside it, so that no reader ever sees half of it.

    What a link points to is replaced, not the link. A path that is no ordinary file (a pipe, `/dev/stdout`)
    is written to as it is: replacing it would destroy it.

    Args:
        path: where to.
        data: all of it.
        mode: permissions of the file; None is what the umask leaves.

    Raises:
        ConfigError: when the file cannot be written; what stood there before still stands.
    """
    try:
        target = os.path.realpath(path)
        if os.path.lexists(target) and not stat.S_ISREG(os.stat(target).st_mode):
            with open(target, "wb") as file:
                file.write(data)
        else:
            _replace(target, data, mode)
    except OSError as error:
        raise ConfigError(f"{path}: expected a file to write, found: {error.strerror}") from error


def _replace(target: str, data: bytes, mode: int | None) -> None:
    # By chance, as each container's program is process 1: what one that was killed left must stop nobody.
    beside = f"{target}.{os.urandom(4).hex()}.tmp"
    try:
        # x: another run's temporary file is not ours to overwrite.
        with open(beside, "xb") as file:
            file.write(data)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, target)
    except OSError:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
