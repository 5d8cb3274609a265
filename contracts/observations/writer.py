"""Writes observations beside real traffic, from a thread of its own.

Traffic is heavy and mostly alike, so that answers that came to the same are counted rather than written one by one: the
first of a kind is written at once, and then every ten seconds how many more there were. Sums stay exact. The file is
renamed to `FILE.1` where it grows beyond its limit, so that at most twice the limit is kept.
"""

from __future__ import annotations

import atexit
import errno
import fcntl
import os
import sys
import threading
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.errors import ConfigError
from contracts.observations import OLDER
from contracts.observations.kinds import kind_of
from contracts.state.written import encoded

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import FileIO

    from contracts.observations import Observation

EVERY_S = 10.0  # how long answers that are alike are counted before a line says how many there were
POLL_S = 0.5  # how long an observation waits before it is looked at: waking the thread for each would cost a switch
QUEUE = 4_096  # observations waiting to be written; a second of a router under heavy load
KINDS = 4_096  # kinds of answers that are counted apart; beyond that each answer is a line
CLOSE_S = 10.0  # how long the end of a process waits for a disk, or for another process that holds the file
MAX_BYTES = 64 * 1024 * 1024  # of a file: some 25,000 lines


class Writer:
    """Writes observations from a thread of its own, so that nobody who forwards an answer waits for a disk.

    `dropped` counts answers of this process that were not written because the disk did not keep up or failed, `failure`
    is why. `look` is called before each look at what came, with the instant, and with None before the last.
    """

    def __init__(
        self, path: str, *, every_s: float = EVERY_S, max_bytes: int = MAX_BYTES, close_s: float = CLOSE_S
    ) -> None:
        """Prepare to append to a file.

        Raises:
            ConfigError: where it cannot be written.
        """
        self._every_s, self._max_bytes, self._close_s = every_s, max_bytes, close_s
        self._queue: deque[Observation] = deque()
        self._alike: dict[tuple[object, ...], tuple[float, Observation | None]] = {}
        self._wake, self._stopping = threading.Event(), False
        self._look_at = 0.0
        self._thread: threading.Thread | None = None
        self._pid = os.getpid()
        self._locks: dict[int, threading.Lock] = {}  # by process: one that was held when it forked is held forever
        self.dropped = 0
        self.failure: str | None = None
        self.look: Callable[[float | None], None] = lambda _: None
        try:
            # A server may change its folder after this, as one that becomes a daemon does.
            self._path = os.path.abspath(path)
            # Without waiting: a pipe that nobody reads is an error now, and no reason for a router to hang.
            os.close(os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o644))
        except OSError as error:
            raise ConfigError(f"{path}: expected a file to append observations to, found: {error.strerror}") from error
        atexit.register(self.close)

    def write(self, observation: Observation) -> None:
        """Take an observation; it is written soon. Never blocks, never raises."""
        if not self._stopping:
            self.start()
        if len(self._queue) >= QUEUE or self._stopping:
            self.dropped += observation.count
            return
        self._queue.append(observation)
        if len(self._queue) >= QUEUE // 2:
            self._wake.set()

    def close(self) -> None:
        """Write what is left. Later observations are dropped."""
        if not self._stopping:
            self.look(None)
        self._stopping = True
        self._wake.set()
        thread = self._thread
        if self._pid == os.getpid() and thread is not threading.current_thread():
            if thread is None:
                self._finish()
            else:
                thread.join(self._close_s)
                if thread.is_alive():
                    self.failure = f"what was left could not be written within {self._close_s:g} s"
        atexit.unregister(self.close)

    def start(self) -> None:
        """Start the thread, also in a process that was forked off since: threads stay behind, what waits is theirs."""
        if self._thread is not None and self._pid == os.getpid():
            return
        with self._locks.setdefault(os.getpid(), threading.Lock()):
            if self._pid != os.getpid():
                self._queue, self._alike, self._thread = deque(), {}, None
                self.dropped, self.failure = 0, None
                self._wake, self._pid = threading.Event(), os.getpid()
                _at_the_end_of_a_child(self.close)
            if self._thread is None:
                thread = threading.Thread(target=self._run, name="contracts observations", daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # no more threads; what waits is written when there are some
                    self.failure = str(error)
                else:
                    self._thread = thread

    def _run(self) -> None:
        while not self._stopping:
            self._wake.wait(POLL_S)
            self._wake.clear()
            try:
                self.look(monotonic())
            except Exception as error:  # noqa: BLE001 - a thread that ended would write nothing any more
                self.failure = repr(error)
            self._append(self._lines(monotonic()))
        self._finish()

    def _finish(self) -> None:
        self._append([*self._lines(monotonic()), *self._rest()])

    def _lines(self, now: float) -> list[Observation]:
        """Take what is waiting, and give what is to be written now."""
        lines = []
        for _ in range(len(self._queue)):  # not until it is empty: more may come than can be looked at
            observation = self._queue.popleft()
            try:
                if self._is_line(observation, now):
                    lines.append(observation)
            except Exception as error:  # noqa: BLE001 - the same
                self.failure = repr(error)
                self.dropped += observation.count
        return lines + self._due(now)

    def _is_line(self, observation: Observation, now: float) -> bool:
        """Tell whether this is a line of its own; else it is counted with others that are alike."""
        kind = kind_of(observation)
        if kind not in self._alike:
            if len(self._alike) < KINDS:
                self._alike[kind] = (now, None)
            return True
        since, held = self._alike[kind]
        count = observation.count + (0 if held is None else held.count)
        self._alike[kind] = (since, structs.replace(observation, count=count))
        return False

    def _due(self, now: float) -> list[Observation]:
        """Give what was counted for long enough, looking for it now and then only."""
        lines: list[Observation] = []
        if now < self._look_at:
            return lines
        self._look_at = now + self._every_s / 10
        for kind, (since, held) in list(self._alike.items()):
            if now - since >= self._every_s:
                if held is None:
                    del self._alike[kind]
                else:
                    lines.append(held)
                    self._alike[kind] = (now, None)
        return lines

    def _rest(self) -> list[Observation]:
        alike, self._alike = self._alike, {}
        return [held for _, held in alike.values() if held is not None]

    def _append(self, observations: list[Observation]) -> None:
        """Append lines; what cannot be written is counted as dropped."""
        if not observations:
            return
        try:
            data = b"".join(encoded(one) + b"\n" for one in observations)
            while not self._appended(data):
                pass
        except Exception as error:  # noqa: BLE001 - a thread that ended would write nothing any more
            self.failure = (error.strerror if isinstance(error, OSError) else None) or repr(error)
            self.dropped += sum(one.count for one in observations)

    def _appended(self, data: bytes) -> bool:
        """Append all of it or nothing; tells whether the file was still the one at the path, and had room.

        Raises:
            OSError: where it cannot be written.
        """
        with open(self._path, "ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                return self._written(file, data)
            finally:
                # Not by closing alone: a process that was forked off just now has the file open as well.
                fcntl.flock(file, fcntl.LOCK_UN)

    def _written(self, file: FileIO, data: bytes) -> bool:
        """Do the same to a file of which the lock is had."""
        if not _is_at(self._path, file.fileno()):
            return False  # another process renamed it before the lock was had
        size = os.fstat(file.fileno()).st_size
        if size and size + len(data) > self._max_bytes:
            target = os.path.realpath(self._path)  # where a link leads: the link itself stays
            if _is_at(target, file.fileno()):
                os.replace(target, target + OLDER)
            return False
        if file.write(data) != len(data):
            os.ftruncate(file.fileno(), size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return True


def _at_the_end_of_a_child(close: Callable[[], None]) -> None:
    """Have this process, where `multiprocessing` forked it, write what is left: it ends without what `atexit` knows."""
    processes, util = sys.modules.get("multiprocessing.process"), sys.modules.get("multiprocessing.util")
    if processes is not None and util is not None and processes.parent_process() is not None:
        util.Finalize(None, close, exitpriority=0)


def _is_at(path: str, file: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False
