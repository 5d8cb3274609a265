"""`contracts lint`: hold YAML files against their forms and their sense, offline."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Literal

from msgspec import Struct

from contracts.config import search
from contracts.config.library import FOLDER
from contracts.config.lint import Problem, lint
from contracts.sinks import notes
from contracts.text.scrub import scrub
from contracts_cli import terminal

SCHEMA = "contracts.lint/1"
BAD_FILE = 2  # exit status


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for; without files, the providers file and the library."""

    files: tuple[str, ...] = ()
    config: str | None = None
    format: Literal["text", "json"] = "text"


class Problems(Struct, frozen=True, kw_only=True):
    """What `contracts lint -f json` prints. `files` are those that were named or found, not those they reach."""

    schema: str = SCHEMA
    files: tuple[str, ...]
    problems: tuple[Problem, ...]


def run(settings: Settings) -> int:
    """Print every problem; errors make the exit status 2, warnings leave it 0."""
    files = settings.files or _usual(settings.config)
    problems = lint(files, datetime.now(UTC).date(), sink=notes.lint)
    errors = sum(problem.severity == "error" for problem in problems)
    if settings.format == "json":
        terminal.write_json(Problems(files=files, problems=tuple(problems)))
    else:
        lines = [scrub(str(problem), limit=1000) for problem in problems]
        lines.append(f"{_count(errors, 'error')}, {_count(len(problems) - errors, 'warning')} in {', '.join(files)}")
        terminal.write("".join(f"{line}\n" for line in lines))
    return BAD_FILE if errors else 0


def _usual(config: str | None) -> tuple[str, ...]:
    found = search.find(config, os.environ, "")
    shipped = tuple(os.path.join(FOLDER, part) for part in ("contracts", "dialects"))
    return shipped if found is None else (found, *shipped)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
