"""Where notes go: which place a sink names, what may be told there, and what becomes of a note that cannot be."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from contracts.errors import ConfigError
from contracts.report import Note

STANDARD_OUTPUT = "-"
EXPECTED = (
    "expected - (standard output), the path of a file, "
    "sqlite:///FILE?table=…&key=…&note=…, postgresql://USER@HOST/DATABASE?table=…&key=…&note=… "
    "or https://HOST/PATH?secret=VARIABLE"
)

Kind = Literal["output", "file", "row", "webhook"]


class Lost(NamedTuple):
    """A note that could not be told, and why."""

    note: Note
    why: str


def kind(sink: str) -> Kind:
    """Tell what a sink is.

    Raises:
        ConfigError: for a scheme that this version does not know.
    """
    if sink == STANDARD_OUTPUT:
        return "output"
    scheme, colon, _ = sink.partition(":")
    if not sink or (colon and scheme.replace("+", "").isalnum()):
        match scheme.lower():
            case "sqlite" | "postgresql" | "postgres":
                return "row"
            case "https" | "http":
                return "webhook"
        shown = f"{scheme}:…" if "@" in sink else sink  # there may be a password before it
        raise ConfigError(
            f"--note {shown}: {EXPECTED}, found {scheme or 'nothing'!r}"
            + (f" (a file of that name is written ./{shown})" if sink else "")
        )
    return "file"


def problems(sinks: Iterable[str]) -> list[str]:
    """Say of every sink that cannot be one why not."""
    found: list[str] = []
    for sink in sinks:
        try:
            check(sink)
        except ConfigError as error:
            found.extend(error.problems)
    return found


def check(sink: str, environ: Mapping[str, str] | None = os.environ) -> None:
    """Refuse a sink that cannot be one, before anything is judged.

    Args:
        sink: as it is written.
        environ: holds the secret of a webhook. None looks at what is written alone, and not at this machine.

    Raises:
        ConfigError: saying what was expected.
    """
    match kind(sink):
        case "row":
            from contracts.sinks import row_note

            if environ is None:
                row_note.parse(sink)
            else:
                row_note.check(sink)
        case "webhook":
            from contracts.sinks import webhook_note

            webhook_note.parse(sink, environ)
        case "output" | "file":
            pass


def lint(sink: str) -> None:
    """Refuse what is written wrong in a providers file, by that alone: another machine will write the notes.

    Raises:
        ConfigError: saying what was expected, without the option's name.
    """
    try:
        check(sink, None)
    except ConfigError as error:
        raise ConfigError(*(problem.removeprefix("--note ") for problem in error.problems)) from None


def beside(sink: str, config: str | None) -> str:
    """Give a sink of a providers file as an option would name it: relative paths in the file start at its folder."""
    folder = os.path.dirname(config or "")
    if not folder:
        return sink
    prefix = "sqlite:///"
    if sink.lower().startswith(prefix) and not sink[len(prefix) :].startswith("/"):
        from urllib.parse import quote

        return f"{prefix}{quote(folder)}/{sink[len(prefix) :]}"
    if kind(sink) == "file":
        return os.path.join(folder, sink)
    return sink


def is_public(sink: str) -> bool:
    """Tell whether others act on what a sink holds, so that only what a provider itself showed may reach it."""
    return kind(sink) in ("row", "webhook")


def deliver(  # noqa: PLR0913 - what is told, and to whom; all by name
    sink: str,
    notes: Sequence[Note],
    *,
    remembered: AbstractSet[str] = frozenset(),
    force: bool = False,
    say: Callable[[str], None] = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> list[Lost]:
    """Bring notes to a sink other than standard output, and give those that did not get there.

    Args:
        sink: one that `check` takes.
        notes: of one run.
        remembered: providers of which earlier polls are known, so that a note without a line says that all is well.
        force: also what was not judged from the provider itself.
        say: is told what was held back.
        environ: holds the secret of a webhook.
    """
    match kind(sink):
        case "row":
            from contracts.sinks import row_note

            return row_note.write(sink, _own(notes, say, force=force), remembered)
        case "webhook":
            from contracts.sinks import webhook_note

            return webhook_note.send(sink, _own(notes, say, force=force), environ)
        case "file":
            from contracts.sinks import jsonl_note

            try:
                jsonl_note.append(sink, notes)
            except ConfigError as error:
                return [Lost(note, str(error)) for note in notes]
    return []


def _own(notes: Sequence[Note], say: Callable[[str], None], *, force: bool) -> list[Note]:
    """Hold back what says nothing of the provider as it is now."""
    kept = [note for note in notes if force or not (note.synthetic or note.replay)]
    held = [note.provider for note in notes if note not in kept]
    if held:
        say(
            f"note of {', '.join(held)} held back: it was judged from captures and not from the provider "
            "(--force-notes tells it all the same)"
        )
    return kept
