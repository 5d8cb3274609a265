"""A folder of cassettes that changes whole or not at all."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from contracts.errors import CaptureError, ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def refuse_overwriting(folder: str, names: Iterable[str]) -> None:
    """Refuse to write what is there already. Raises ConfigError, naming each file."""
    there = [os.path.join(folder, name) for name in names if os.path.lexists(os.path.join(folder, name))]
    if there:
        raise ConfigError(*(f"{path}: expected no such file, found one; --force overwrites it" for path in there))


def write(folder: str, files: Mapping[str, bytes], check: Callable[[str], None]) -> None:
    """Put files into a folder: all of them, or none and the folder is as it was.

    A copy of the folder is made beside it, with the files in it, and takes its place in one step.

    Args:
        folder: made where there is none; other files in it stay.
        files: contents by name.
        check: is given the copy before it takes its place, and raises for what should not.

    Raises:
        ConfigError: where the files cannot be written.
        CaptureError: as `check` raises it.
    """
    target = os.path.realpath(folder)
    parent, name = os.path.split(target)
    beside, aside = (os.path.join(parent, f".{name}.{os.getpid()}.{what}") for what in ("new", "old"))
    try:
        os.makedirs(parent, exist_ok=True)
        if os.path.isdir(target):
            # Links, not copies: the files themselves are not touched.
            shutil.copytree(target, beside, copy_function=_link, symlinks=True)
        else:
            os.mkdir(beside)
        for file, data in files.items():
            _write(os.path.join(beside, file), data)
        check(beside)
        _exchange(beside, target, aside)
    except (OSError, shutil.Error) as error:
        why = error.strerror or str(error)
        raise ConfigError(f"{folder}: expected a folder to write, found: {why}") from error
    except CaptureError as error:
        raise CaptureError(str(error).replace(beside, folder)) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        if os.path.isdir(target):
            shutil.rmtree(aside, ignore_errors=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target)  # a file system without hard links


def _write(path: str, data: bytes) -> None:
    if os.path.lexists(path):
        os.unlink(path)  # a link to the file of the folder that still stands
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _exchange(new: str, target: str, aside: str) -> None:
    """Put a folder in the place of another, which is put back where that fails."""
    if not os.path.isdir(target):
        os.rename(new, target)
        return
    os.rename(target, aside)
    try:
        os.rename(new, target)
    except OSError:
        os.rename(aside, target)
        raise
