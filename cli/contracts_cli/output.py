"""Tell what a run came to: files first, then notes, then standard output."""

from __future__ import annotations

import os
import sys

from contracts.errors import ConfigError
from contracts.report import Report
from contracts.settings import Shared
from contracts.sinks import notes as note_sinks

FORMATS = ("text", "json")


def check_targets(settings: Shared) -> None:
    """Refuse what could not be written, before anything is judged.

    Raises:
        ConfigError: with every target that is wrong.
    """
    problems: list[str] = []
    for output in settings.outputs:
        name, equals, path = output.partition("=")
        if name not in FORMATS or not equals or not path:
            problems.append(f"-o {output}: expected FORMAT=FILE with {' or '.join(FORMATS)}, found {output!r}")
        elif not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            problems.append(f"-o {output}: expected a file in a folder that is there, found none")
    for sink in settings.notes:
        try:
            note_sinks.check(sink)
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(*problems)


def tell(report: Report, settings: Shared) -> None:
    """Write the report and its notes to every place that was asked for.

    Standard output comes last: where its reader has gone, the files are there all the same.
    """
    from contracts.sinks import whole_file
    from contracts_cli import terminal

    for output in settings.outputs:
        name, _, path = output.partition("=")
        whole_file.write(path, _rendered(report, name, settings))
    for sink in settings.notes:
        if sink != note_sinks.STANDARD_OUTPUT:
            from contracts.sinks import jsonl_note

            jsonl_note.append(sink, report.notes)
    terminal.write_bytes(_on_screen(report, settings))
    if note_sinks.STANDARD_OUTPUT in settings.notes:
        from contracts.sinks import jsonl_note

        terminal.write_bytes(jsonl_note.render(report.notes))


def _rendered(report: Report, name: str, settings: Shared) -> bytes:
    if name == "json":
        from contracts.sinks import json_report

        return json_report.render(report, indented=False)
    from contracts_cli.view import View

    return View(quiet=settings.quiet, verbose=settings.verbose).render(report).encode()


def _on_screen(report: Report, settings: Shared) -> bytes:
    if settings.format == "json":
        from contracts.sinks import json_report

        return json_report.render(report, indented=sys.stdout.isatty())
    from contracts_cli import terminal
    from contracts_cli.view import View

    view = View(
        width=terminal.width_of(sys.stdout),
        colour=terminal.has_colour(sys.stdout),
        quiet=settings.quiet,
        verbose=settings.verbose,
    )
    return view.render(report).encode(sys.stdout.encoding or "utf-8", "backslashreplace")
