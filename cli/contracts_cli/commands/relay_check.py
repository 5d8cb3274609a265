"""`contracts relay-check`: what a router or gateway makes of what it should only forward."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Literal

from contracts.relay.promises import PROMISES
from contracts.relay.question import RelaySettings
from contracts.relay.told import Breach, Checked
from contracts.text.scrub import scrub
from contracts_cli import terminal

STATUS = {"holds": 0, "violated": 1, "unknown": 3}
_MARKS = {"error": ("!", "red"), "warning": ("~", "yellow")}
_OUTCOMES = {"holds": "green", "violated": "red", "unknown": "yellow"}
NAMED = 8  # trials that are named where more show the same


class Settings(RelaySettings, frozen=True, kw_only=True):
    """What was asked for, and how it is told."""

    format: Literal["text", "json"] = "text"
    verbose: bool = False


def run(settings: Settings) -> int:
    """Hold the relay to its promises, tell what came of it, and return the exit status.

    Raises:
        ConfigError: for settings that cannot be, and an address that cannot be had.
    """
    from contracts.relay.check import check

    found = check(settings, terminal.complain)
    if settings.format == "json":
        terminal.write_json(found)
    else:
        colour = terminal.has_colour(sys.stdout)
        terminal.write(view(found, terminal.width_of(sys.stdout), colour=colour, verbose=settings.verbose))
    return STATUS[found.outcome]


def view(found: Checked, width: int, *, colour: bool, verbose: bool) -> str:
    """Show each promise with what broke it, what could not be judged, and what differs and may."""
    lines: list[str] = []
    for promise in found.promises:
        broken = [one for one in found.findings if one.promise == promise.id]
        outcome = "warned of" if promise.outcome == "violated" and promise.severity == "warning" else promise.outcome
        told = terminal.paint(f"{outcome:<9}", _OUTCOMES[promise.outcome], wanted=colour)
        of = f"{promise.broken} of " if broken else ""
        lines.append(f"{told} {promise.id:<21} {of}{_trials(promise.judged)}")
        if broken:
            lines.append(terminal.wrap(PROMISES[promise.id].promise, width, "  ", "  "))
        for group in _alike(broken):
            lines += _told(group, width, colour=colour)
    lines += _rest(found, width, verbose=verbose)
    number = {outcome: sum(one.outcome == outcome for one in found.trials) for outcome in STATUS}
    counts = ", ".join(f"{count} {outcome}" for outcome, count in number.items() if count)
    lines += ["", f"{_trials(len(found.trials))} of {scrub(found.url, 200)}: {counts} · {found.duration_ms} ms"]
    return "\n".join([*lines, ""])


def _trials(number: int) -> str:
    return f"{number} trial{'' if number == 1 else 's'}"


def _alike(broken: list[Breach]) -> Iterator[list[Breach]]:
    """Put together what several trials show alike."""
    groups: dict[tuple[str, str], list[Breach]] = {}
    for one in broken:
        groups.setdefault((one.severity, one.detail), []).append(one)
    yield from groups.values()


def _told(group: list[Breach], width: int, *, colour: bool) -> Iterator[str]:
    first = group[0]
    mark, name = _MARKS[first.severity]
    yield terminal.wrap(f"{_names(group)}: {scrub(first.detail, 600)}", width, f"  {mark} ", "    ").replace(
        f"{mark} ", terminal.paint(mark, name, wanted=colour) + " ", 1
    )
    place = first.where
    at = f" (header {place.header})" if place.header else "" if place.byte is None else f" (from byte {place.byte})"
    yield terminal.wrap(f"{scrub(first.expected, 400)}{at}", width, "      expected ", "               ")
    yield terminal.wrap(scrub(first.observed, 400), width, "      observed ", "               ")


def _names(group: list[Breach]) -> str:
    names = [one.trial for one in group]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _rest(found: Checked, width: int, *, verbose: bool) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for trial in found.trials:
        if trial.reason is not None:
            reasons.setdefault(trial.reason, []).append(trial.name)
    for reason, names in reasons.items():
        yield terminal.wrap(f"{', '.join(names)}: {scrub(reason, 600)}", width, "? ", "  ")
    notes: dict[str, list[str]] = {}
    for trial in found.trials:
        for note in trial.notes:
            notes.setdefault(note, []).append(trial.name)
    for note, names in notes.items():
        shown = names if verbose else names[:NAMED]
        more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
        yield terminal.wrap(f"{', '.join(shown)}{more}: {scrub(note, 400)}", width, "note ", "     ")
    if verbose:
        yield ""
        for trial in found.trials:
            yield terminal.wrap(trial.does, width, f"{trial.outcome:<9} {trial.name:<20} ", " " * 31)
