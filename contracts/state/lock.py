"""One run at a time per state: a lock on a file beside it, which the system lets go of with its process.

flock() itself and not the package filelock: importing that takes 34 ms of CPU, three and a half bare interpreters, and
it empties the file in which a holder says who it is.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from contracts.errors import LockedError
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDING = ".lock"
EVERY_S = 0.1  # how often a waiting run looks again
MOST_BYTES = 400  # a host's name has at most 253
_NOT_KEPT_AWAY = "another run at the same time is not kept away"


@contextmanager
def one_run(
    path: str | None,
    *,
    wait_s: float = 0.0,
    warn: Callable[[str], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Keep every other run away from the state at a path.

    The lock ends with the block, and with the process however that ends. Where none can be had (a read-only disk), the
    run goes on without: the state itself stands two runs at once, which then ask providers twice.

    Args:
        path: the state's file; None, or the URL of a database, which has locks of its own: nothing is locked.
        wait_s: how long to wait for another run to end, in seconds; it is told once that it is waited for.
        warn: is told what the user should know.
        clock: seconds that only grow.
        sleep: waits that many seconds.

    Raises:
        LockedError: where another run has the state, and had it for as long as this one waited.
    """
    warn = warn or (lambda _: None)
    descriptor = None if path is None or "://" in path else _opened(path + ENDING, warn)
    if path is None or descriptor is None:
        yield
        return
    try:
        deadline = clock() + wait_s
        waiting = False
        while not _taken(descriptor, path, warn):
            left = deadline - clock()
            if left <= 0:
                waited = f", for the {wait_s:g} s that this one waited" if wait_s else ""
                raise LockedError(f"{path}: another run has this state ({_holder(descriptor)}){waited}")
            if not waiting:
                warn(f"{path}: waiting for another run to end ({_holder(descriptor)})")
            waiting = True
            sleep(min(EVERY_S, left))
        _sign(descriptor)
        yield
    finally:
        # The file stays: whoever removed it would let two runs lock two files of one name.
        os.close(descriptor)


def _opened(path: str, warn: Callable[[str], None]) -> int | None:
    """Open the file to lock, for its owner's eyes alone; None, and told, where that cannot be."""
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        warn(f"{path}: the state cannot be locked: {why}; {_NOT_KEPT_AWAY}")
        return None


def _taken(descriptor: int, path: str, warn: Callable[[str], None]) -> bool:
    """Take the lock unless another run has it. Where files cannot be locked at all, tell so and go on."""
    try:
        import fcntl
    except ImportError:  # no Unix
        warn(f"{path}: the state cannot be locked on this system; {_NOT_KEPT_AWAY}")
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:  # a file system without locks
        warn(f"{path}: the state cannot be locked: {error.strerror}; {_NOT_KEPT_AWAY}")
    return True


def _sign(descriptor: int) -> None:
    """Say in the file who has it. A full disk takes that away and leaves the lock."""
    name = os.uname().nodename
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(
            descriptor, f"process {os.getpid()} on {name} since {datetime.now(UTC):%Y-%m-%d %H:%M:%S}Z\n".encode(), 0
        )


def _holder(descriptor: int) -> str:
    """Read who has it; a run that has just taken it may not have said so yet."""
    try:
        said = os.pread(descriptor, MOST_BYTES, 0).decode("utf-8", "replace").strip()
    except OSError:
        said = ""
    return scrub(said) or "which has not said who it is"
