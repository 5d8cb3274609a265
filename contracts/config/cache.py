"""Parsed YAML kept between runs, so that a warm run imports no YAML parser.

An entry is keyed by the bytes that were parsed and by this version of the program. Whatever is odd about it (another
owner, open to others, cut short, changed) makes it not there; nothing that goes wrong here is ever told or raised.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import MsgspecError, msgpack

from contracts import __version__
from contracts.config.yaml_loader import CASSETTE, CONFIG, Document, Rules, load
from contracts.errors import ConfigError

try:
    # hashlib loads OpenSSL, 10 ms, which is what a bare interpreter takes; this is the very same function.
    from _blake2 import blake2b
except ImportError:  # pragma: no cover - an interpreter that names its module otherwise
    from hashlib import blake2b

_MAGIC = b"contracts-yaml-1\n"
_DIGEST_BYTES = 32
_ENDING = ".yaml.msgpack"
# A cassette above this takes longer to check than people wait for; hundreds of entries are a busy replay folder.
_MAX_ENTRY_BYTES = 32 << 20
_MAX_ENTRIES = 400
_OTHERS = 0o077
_WRITABLE_BY_OTHERS = 0o022


class Cache:
    """A folder of entries. One whose folder is not ours alone, or that is off, holds nothing and keeps nothing."""

    __slots__ = ("_folder",)

    def __init__(self, folder: str | None) -> None:
        """Use a folder; None: no cache."""
        self._folder = folder

    def get(self, key: bytes) -> Any:
        """Value that was put under this very key, or None."""
        if self._folder is None:
            return None
        try:
            data = _read_ours(os.path.join(self._folder, _file_of(key)))
            payload = data[len(_MAGIC) + 2 * _DIGEST_BYTES :]
            if not data.startswith(_MAGIC + key + _digest(payload)):
                return None
            return msgpack.decode(payload)
        except (OSError, MsgspecError, RecursionError):
            return None

    def put(self, key: bytes, value: Any) -> None:
        """Keep a value; in silence do without where that cannot be."""
        if self._folder is None:
            return
        try:
            payload = msgpack.encode(value)
            if len(payload) <= _MAX_ENTRY_BYTES and _is_ours(self._folder):
                _write_whole(os.path.join(self._folder, _file_of(key)), _MAGIC + key + _digest(payload) + payload)
                _drop_oldest(self._folder)
        except (OSError, MsgspecError, TypeError, OverflowError, RecursionError, UnicodeError):
            return


def default_folder(environ: Mapping[str, str]) -> str | None:
    """Where entries go: `$CACHE_DIRECTORY` (systemd's), else `$XDG_CACHE_HOME/contracts`, else `~/.cache/contracts`."""
    given = environ.get("CACHE_DIRECTORY", "").split(":")[0]
    if os.path.isabs(given):
        return given
    for home, below in (
        (environ.get("XDG_CACHE_HOME", ""), "contracts"),
        (environ.get("HOME", ""), ".cache/contracts"),
    ):
        if os.path.isabs(home):
            return os.path.join(home, below)
    return None


def key_of(contents: Iterable[bytes], rules: Rules) -> bytes:
    """Key for the contents of files in their order; their names are no part of what was parsed."""
    state = blake2b(digest_size=_DIGEST_BYTES)
    state.update(repr((__version__, rules, _reader_state())).encode())
    for data in contents:
        state.update(b"%d " % len(data))
        state.update(data)
    return state.digest()


def cached_load(path: str, data: bytes, rules: Rules = CASSETTE, *, cache: Cache | None = None) -> Any:
    """Value of a YAML file whose bytes were read already, from the cache where it has it.

    Args:
        path: how messages shall call the file.
        data: its bytes.
        rules: CASSETTE for what vcrpy wrote, CONFIG for files of ours.
        cache: None means the user's own.

    Raises:
        ConfigError: as `yaml_loader.load`.
    """
    cache = cache or Cache(default_folder(os.environ))
    key = key_of([data], rules)
    kept = cache.get(key)
    if kept is not None:
        return kept[0]
    document = load(data, path, rules)
    cache.put(key, [document.value])
    return document.value


def cached_documents(files: list[tuple[str, bytes]], cache: Cache) -> tuple[list[Document], bytes | None]:
    """Documents of several files that are kept as one entry.

    Returns:
        The documents, and the key to put their values under with `keep` once they were found good; None: they came
        from the cache.

    Raises:
        ConfigError: with the first problem of every file that is no strict YAML.
    """
    key = key_of((data for _, data in files), CONFIG)
    kept = cache.get(key)
    if isinstance(kept, list) and len(kept) == len(files):
        return [Document(value, name, data) for value, (name, data) in zip(kept, files, strict=True)], None
    documents: list[Document] = []
    problems: list[str] = []
    for name, data in files:
        try:
            documents.append(load(data, name))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(*problems)
    return documents, key


def keep(documents: list[Document], key: bytes | None, cache: Cache) -> None:
    """Put documents that were found good."""
    if key is not None:
        cache.put(key, [document.value for document in documents])


def _reader_state() -> tuple[int, ...]:
    # A checkout is edited without a new version; what its reader gave before may be wrong now.
    folder = os.path.dirname(__file__)
    try:
        return tuple(os.stat(os.path.join(folder, name)).st_mtime_ns for name in ("scalars.py", "yaml_loader.py"))
    except OSError:
        return ()


def _file_of(key: bytes) -> str:
    return f"{key.hex()}{_ENDING}"


def _digest(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST_BYTES).digest()


def _read_ours(path: str) -> bytes:
    """Bytes of a file that nobody else could have written or read. Raises OSError otherwise."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        state = os.fstat(descriptor)
        ours = stat.S_ISREG(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & _OTHERS
        if not ours or state.st_size > _MAX_ENTRY_BYTES + 1024:
            raise OSError(path)
        return file.read()


def _is_ours(folder: str) -> bool:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    state = os.lstat(folder)
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid() and not state.st_mode & _WRITABLE_BY_OTHERS


def _write_whole(path: str, data: bytes) -> None:
    """Write beside and rename, so that no reader ever meets half an entry."""
    beside = f"{path}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        descriptor = os.open(beside, flags, 0o600)
    except FileExistsError:
        # Left by a run of the same number that was killed; the next run will do.
        os.unlink(beside)
        return
    with open(descriptor, "wb") as file:
        file.write(data)
    os.replace(beside, path)


def _drop_oldest(folder: str) -> None:
    with os.scandir(folder) as found:
        entries = [entry for entry in found if _ENDING in entry.name]
    if len(entries) > _MAX_ENTRIES:
        entries.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
        for entry in entries[: len(entries) - _MAX_ENTRIES]:
            os.unlink(entry.path)
