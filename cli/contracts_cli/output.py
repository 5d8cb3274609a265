"""Tell what a run came to: files first, then notes, then standard output."""

from __future__ import annotations

import sys

from contracts.errors import ConfigError
from contracts.report import Report
from contracts.settings import InspectSettings, Settings, Shared
from contracts.sinks import formats
from contracts.sinks import notes as note_sinks
from contracts.sinks.about import About

TEXT = "text"  # the view for people, which needs to know the terminal; every other format is a file of its own
NOT_TOLD = 2  # what was found did not get somewhere: a target that the user has to put right
WORSE = (1, 130)  # violated, interrupted


def check_targets(settings: Shared) -> None:
    """Refuse what could not be written, before anything is judged.

    Raises:
        ConfigError: with every target that is wrong.
    """
    problems: list[str] = []
    for output in settings.outputs:
        try:
            _check_output(output)
        except ConfigError as error:
            problems.extend(error.problems)
    problems += note_sinks.problems(settings.notes)
    if problems:
        raise ConfigError(*problems)


def tell(report: Report, settings: Shared, status: int = 0, screen: bytes | None = None) -> int:
    """Write the report and its notes to every place that was asked for, and give the exit status.

    That is the run's own `status`, unless something did not get to its place, which is told and ends no other's way:
    the state knows what was found already, and does not tell it as new again. `screen` goes to standard output instead
    of the report.

    Standard output comes last: where its reader has gone, the files are there all the same.

    Raises:
        ConfigError: when standard output cannot be written.
    """
    from contracts_cli import terminal

    about = _about(settings, status)
    told = [_write(output, report, settings, about) for output in settings.outputs]
    told += [_deliver(sink, report, settings) for sink in settings.notes]
    asked = (settings.format, *(output.partition("=")[0] for output in settings.outputs))
    told += [_accompany(name, report, about) for name in dict.fromkeys(asked) if name != TEXT]
    terminal.write_bytes(_on_screen(report, settings, about) if screen is None else screen)
    if note_sinks.STANDARD_OUTPUT in settings.notes:
        from contracts.sinks import jsonl_note

        terminal.write_bytes(jsonl_note.render(report.notes))
    return status if all(told) or status in WORSE else NOT_TOLD


def _deliver(sink: str, report: Report, settings: Shared) -> bool:
    """Bring the notes to one sink; those that do not get there go to standard error, as JSON Lines."""
    from contracts_cli import terminal

    lost = note_sinks.deliver(
        sink,
        report.notes,
        remembered={f.provider for f in report.findings if f.new is False and f.provider is not None},
        force=isinstance(settings, Settings) and settings.force_notes,
        say=terminal.complain,
    )
    for why in dict.fromkeys(one.why for one in lost):
        terminal.complain(f"note not written: {why}")
    if lost:
        from contracts.sinks import jsonl_note

        terminal.write_error(jsonl_note.render(one.note for one in lost))
    return not lost


def _check_output(output: str) -> None:
    name, equals, path = output.partition("=")
    known = (TEXT, *formats.names())
    if name not in known or not equals or not path:
        raise ConfigError(f"-o {output}: expected FORMAT=FILE with one of {', '.join(known)}, found {output!r}")
    formats.check_target("json" if name == TEXT else name, path)


def _about(settings: Shared, status: int) -> About:
    return About(
        status=status,
        fail_on=settings.fail_on,
        strict_waivers=isinstance(settings, Settings) and settings.strict_waivers,
        config=settings.config,
        has_rows=not isinstance(settings, InspectSettings) or settings.provider is not None,
        indented=sys.stdout.isatty(),
    )


def _write(output: str, report: Report, settings: Shared, about: About) -> bool:
    """Write one file, or tell why it cannot be."""
    name, _, path = output.partition("=")
    try:
        if name == TEXT:
            from contracts.sinks import whole_file
            from contracts_cli.view import View

            whole_file.write(path, View(quiet=settings.quiet, verbose=settings.verbose).render(report).encode())
        else:
            formats.write(name, path, report, about)
    except ConfigError as error:
        return _complain(error)
    return True


def _accompany(name: str, report: Report, about: About) -> bool:
    """Leave what a format leaves beside its output, or tell why it cannot be."""
    try:
        formats.accompany(name, report, about)
    except ConfigError as error:
        return _complain(error)
    return True


def _complain(error: ConfigError) -> bool:
    from contracts_cli import terminal

    terminal.complain(str(error))
    return False


def _on_screen(report: Report, settings: Shared, about: About) -> bytes:
    if settings.format != TEXT:
        return formats.render(settings.format, report, about)
    from contracts_cli import terminal
    from contracts_cli.view import View

    view = View(
        width=terminal.width_of(sys.stdout),
        colour=terminal.has_colour(sys.stdout),
        quiet=settings.quiet,
        verbose=settings.verbose,
    )
    return view.render(report).encode(sys.stdout.encoding or "utf-8", "backslashreplace")
