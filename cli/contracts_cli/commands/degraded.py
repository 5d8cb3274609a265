"""`contracts degraded`: what real traffic showed of degraded output; loud, and not corrective unless asked to be."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.breaker.memory import State
from contracts.breaker.rate import Limits
from contracts.breaker.tally import Key
from contracts.checks import counted
from contracts.degraded import WINDOW_S, Question, of_file, of_table
from contracts.errors import ConfigError
from contracts.model import Scope
from contracts.sinks import notes as note_sinks
from contracts.text.scrub import scrub
from contracts.verifications.decided import LEFT
from contracts.verifications.errors import TableError
from contracts_cli import terminal

if TYPE_CHECKING:
    from contracts.breaker.memory import Decision
    from contracts.degraded.told import Degradation, Degraded

WARNED = 1  # exit status with --fail-on warning
UNKNOWN = 3  # exit status: nothing could be judged
SMALLEST = 2  # sightings; one answer never trips
FORMATS = ("text", "json", "prometheus")


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for: a router's table, else a file of observations, and what to do with what it shows."""

    verifications: str | None = None
    observed: str | None = None
    window_s: float = WINDOW_S
    familiar_at: int = Limits().familiar_at
    min_calls: int = Limits().min_calls
    apply: bool = False
    format: Literal["text", "json", "prometheus"] = "text"
    outputs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fail_on: Literal["violation", "warning", "unknown", "never"] = "unknown"
    verbose: bool = False


def run(settings: Settings) -> int:
    """Judge, tell, and return the exit status."""
    _check(settings)
    try:
        found = _judge(settings, datetime.now(UTC))
    except TableError as error:
        terminal.complain(str(error))
        return 0 if settings.fail_on == "never" else UNKNOWN
    _tell(found, settings)
    if not found.answers:
        terminal.complain("no answer of the last 24 hours is there to judge")
        return UNKNOWN if settings.fail_on in ("unknown", "warning") else 0
    return WARNED if found.warnings and settings.fail_on == "warning" else 0


def _check(settings: Settings) -> None:
    """Refuse what cannot be done, before anything is read."""
    problems: list[str] = []
    if settings.verifications is None and settings.observed is None:
        problems.append("expected --verifications URL or --observed FILE")
    if settings.apply and settings.verifications is None:
        problems.append("--apply: expected --verifications URL, as decisions are rows of that table")
    if settings.familiar_at < SMALLEST or settings.min_calls < SMALLEST:
        problems.append(f"--familiar-at and --min-calls: expected {SMALLEST} or more, as one answer never trips")
    for output in settings.outputs:
        name, equals, path = output.partition("=")
        folder = path if name == "prometheus" else os.path.dirname(os.path.abspath(path))
        if name not in FORMATS or not equals or not path or not os.path.isdir(folder):
            problems.append(
                f"-o {output}: expected FORMAT=FILE with one of {', '.join(FORMATS)}, in a folder that is there"
            )
    problems += note_sinks.problems(settings.notes)
    if problems:
        raise ConfigError(*problems)


def _judge(settings: Settings, now: datetime) -> Degraded:
    limits = Limits(familiar_at=settings.familiar_at, min_calls=settings.min_calls)
    question = Question(window_s=settings.window_s, limits=limits)
    if settings.verifications is not None:
        return of_table(settings.verifications, question, now, apply=settings.apply)
    return of_file(settings.observed or "", question, now, terminal.complain)


def _tell(found: Degraded, settings: Settings) -> None:
    """Write files first, then notes, then standard output, whose reader may have gone."""
    from contracts.sinks import whole_file

    for output in settings.outputs:
        name, _, path = output.partition("=")
        if name == "prometheus":
            from contracts.degraded import exposition

            exposition.write(path, found)
        else:
            whole_file.write(path, _rendered(name, found, verbose=settings.verbose))
    for sink in settings.notes:
        if sink != note_sinks.STANDARD_OUTPUT:
            _deliver(sink, found)
    if settings.format == "json":
        terminal.write_json(found)
    elif settings.format == "prometheus":
        terminal.write_bytes(_rendered("prometheus", found, verbose=False))
    else:
        terminal.write(view(found, terminal.width_of(sys.stdout), verbose=settings.verbose))
    if note_sinks.STANDARD_OUTPUT in settings.notes:
        from contracts.sinks import jsonl_note

        terminal.write_bytes(jsonl_note.render(found.notes))


def _deliver(sink: str, found: Degraded) -> None:
    """Bring the notes to one sink; those that do not get there go to standard error, as JSON Lines."""
    remembered = {note.provider for note in found.notes}
    lost = note_sinks.deliver(sink, found.notes, remembered=remembered, say=terminal.complain)
    for why in dict.fromkeys(one.why for one in lost):
        terminal.complain(f"note not written: {why}")
    if lost:
        from contracts.sinks import jsonl_note

        terminal.write_error(jsonl_note.render(one.note for one in lost))


def _rendered(name: str, found: Degraded, *, verbose: bool) -> bytes:
    match name:
        case "json":
            from msgspec import json

            return json.encode(found) + b"\n"
        case "prometheus":
            from contracts.degraded import exposition

            return exposition.render(found)
        case _:
            return view(found, terminal.UNBOUNDED, verbose=verbose).encode("utf-8", "backslashreplace")


def view(found: Degraded, width: int, *, verbose: bool) -> str:
    """Show warnings with their grounds and what to do, and what closes; with `verbose` why nothing else was done."""
    lines: list[str] = []
    by_key = {one.key: one for one in found.decisions}
    for one in found.warnings:
        decision = by_key.get(Key(one.provider, None if one.scope is Scope.PROVIDER else one.model))
        lines += [
            terminal.wrap(_headline(one), width, "! ", "  "),
            terminal.wrap(_standing(one, decision, found), width, "    ", "    "),
            terminal.wrap(f"→ {one.action}", width, "    ", "      "),
        ]
    for decided in found.decisions:
        closes = decided.skip_reason is None and decided.state is State.CLOSED and decided.was is not State.CLOSED
        if closes or (verbose and decided.state in (State.CLOSED, State.THROTTLED)):
            would = "would be " if closes and found.applied is None else ""
            said = f"{_subject(decided)}: {would}{decided.state}: {decided.why}"
            lines.append(terminal.wrap(said, width, "  ", "    "))
    if verbose and found.decisions_from is not None:
        said = f"decisions of before {found.decisions_from:%Y-%m-%d %H:%M}Z were not looked for (--apply does)"
        lines.append(terminal.wrap(said, width, "  ", "    "))
    if verbose and found.left_out:
        others = f"{counted(found.left_out, 'model')} more"
        said = f"{others}: closed or throttled, with no answer that shows anything, or fewer than those that are told"
        lines.append(terminal.wrap(said, width, "  ", "    "))
    if found.models_apart is not None:
        told = f"too many models were asked for: the {found.models_apart} that answered most are told apart"
        lines.append(terminal.wrap(f"{told}, the others of a provider count as one without a name", width, "", "  "))
    number = len(found.warnings)
    summary = f"{number or 'no'} warning{'' if number == 1 else 's'}, {found.answers} answers in 24 h"
    return "\n".join([*lines, f"{summary}; {_applied(found)}", ""])


def _standing(one: Degradation, decision: Decision | None, found: Degraded) -> str:
    """Say in what state a warning leaves its breaker, until when, and why."""
    if one.state is None or one.why.startswith("open until "):
        return one.why
    opens = one.state is State.OPEN and decision is not None and decision.skip_reason is None
    if opens and found.applied is None:
        return f"would be open: {scrub(one.why, 400)}"
    until = f" until {decision.until:%Y-%m-%d %H:%M:%S}Z" if opens and decision and decision.until else ""
    return f"{one.state}{until}: {scrub(one.why, 400)}"


def _applied(found: Degraded) -> str:
    """Say what was written down."""
    written = [one for one in found.decisions if one.skip_reason is None]
    if found.applied is None:
        return "nothing was written (--apply does)" if found.warnings or written else "nothing to write"
    if written and all(one.state is State.CLOSED and one.was is State.CLOSED for one in written):
        return "nothing to decide, and a row that says so"
    left = sum(one.skip_reason == LEFT for one in found.decisions)
    others = f", {left} left to another --apply" if left else ""
    return f"{found.applied or 'no'} decision{'' if found.applied == 1 else 's'} written{others}"


def _headline(one: Degradation) -> str:
    model = "" if one.model is None else f" [{scrub(one.model, 100)}]"
    rate = "" if one.rate is None else f" ({one.rate:.1%})"
    judged = "" if one.state is None else f"{one.judged} judged{rate}, "
    return (
        f"{scrub(one.provider, 100)}{model}: {one.verdict}, {scrub(one.signature, 80)}: "
        f"{one.count} of {judged}{one.answers} answers; {one.baseline} the day before; scope {one.scope}"
    )


def _subject(decision: Decision) -> str:
    return scrub(decision.provider, 100) + ("" if decision.model is None else f" [{scrub(decision.model, 100)}]")
