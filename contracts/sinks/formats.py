"""Formats of a report, found by their files: `-f NAME` and `-o NAME=FILE` take each file here that renders reports.

A format is a file of this folder with a function `render_report(report, about) -> bytes`; the name of the file is the
format's, and the first line of its docstring says what it is for. It may have more:

- `write_report(path, report, about)` where `-o` names something other than one file,
- `check_target(path)`, which raises ConfigError where that could not be written, before anything is judged,
- `accompany(report, about)` for what the format leaves elsewhere, once in a run that asks for it.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from contracts.errors import ConfigError
from contracts.report import Report
from contracts.sinks.about import About

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_MARK = b"\ndef render_report("


def names() -> tuple[str, ...]:
    """Every format by name; the files are read and not imported, as some import what is heavy."""
    files = sorted(file for file in os.listdir(_FOLDER) if file.endswith(".py"))
    return tuple(file.removesuffix(".py") for file in files if _renders(os.path.join(_FOLDER, file)))


def load(name: str) -> ModuleType:
    """Import one format that `names` gives."""
    return import_module(f"contracts.sinks.{name}")


def render(name: str, report: Report, about: About) -> bytes:
    """Render a report in a format."""
    data: bytes = load(name).render_report(report, about)
    return data


def write(name: str, path: str, report: Report, about: About) -> None:
    """Write a report in a format to what `-o` names.

    Raises:
        ConfigError: when it cannot be written.
    """
    own = getattr(load(name), "write_report", None)
    if own is not None:
        own(path, report, about)
        return
    from contracts.sinks import whole_file

    whole_file.write(path, render(name, report, about))


def check_target(name: str, path: str) -> None:
    """Refuse what `-o` names where it could not be written.

    Raises:
        ConfigError: saying what was expected.
    """
    own = getattr(load(name), "check_target", None)
    if own is not None:
        own(path)
    elif not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise ConfigError(f"-o {name}={path}: expected a file in a folder that is there, found none")


def accompany(name: str, report: Report, about: About) -> None:
    """Leave what a format leaves beside its output, where it leaves anything.

    Raises:
        ConfigError: when it cannot be written.
    """
    own = getattr(load(name), "accompany", None)
    if own is not None:
        own(report, about)


def _renders(path: str) -> bool:
    with open(path, "rb") as file:
        return _MARK in file.read()
