"""`contracts canary`: prove the wire to a provider's models, for nothing unless a budget is given."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from contracts.errors import ConfigError, EvidenceError
from contracts.sinks import notes as note_sinks
from contracts.text.scrub import scrub
from contracts_cli import terminal
from contracts_cli.commands.record import amount

if TYPE_CHECKING:
    from contracts.canary.told import Answer, Model, Told
    from contracts.state.connection import Connection

UNKNOWN = 3  # exit status: nothing could be judged


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for; amounts in USD, `*_s` in seconds."""

    provider: str
    config: str | None = None
    models: tuple[str, ...] = ()
    max_spend: str = "0"
    budget_per_day: str | None = None
    at_most: int | None = None
    prices: tuple[str, ...] = ()
    dry_run: bool = False
    format: Literal["text", "json"] = "text"
    notes: tuple[str, ...] = ()
    fail_on: Literal["violation", "unknown", "never"] = "unknown"
    timeout_s: float = 600.0
    state: str | None = None
    verbose: bool = False


def run(settings: Settings) -> int:
    """Ask, tell, and return the exit status."""
    from contracts.canary import run as canary
    from contracts.canary import told
    from contracts.state.canaries import Canaries

    asked = canary.CanarySettings(
        provider=settings.provider,
        config=settings.config,
        models=settings.models,
        max_spend_usd=amount("--max-spend", settings.max_spend),
        budget_per_day_usd=None
        if settings.budget_per_day is None
        else amount("--budget-per-day", settings.budget_per_day),
        prices=settings.prices,
        at_most=settings.at_most,
        dry_run=settings.dry_run,
        timeout_s=settings.timeout_s,
    )
    if settings.at_most == 0:
        raise ConfigError("--at-most: expected 1 or more, found 0")
    for sink in settings.notes:
        note_sinks.check(sink)
    with ExitStack() as opened:
        connection = _opened(settings, opened)
        state = None if connection is None else Canaries(connection)
        try:
            found = canary.run(asked, state=state, complain=terminal.complain)
        except EvidenceError as error:
            terminal.complain(str(error))
            return UNKNOWN
        status = told.status(found, settings.fail_on)
        if connection is not None and not settings.dry_run:
            _book(connection, found, status)
    _tell(found, settings)
    return status


def _opened(settings: Settings, opened: ExitStack) -> Connection | None:
    """Open the state; where that cannot be, a limit that it would keep covers nothing, and free models are asked."""
    from contracts.state.errors import StateError
    from contracts.state.opening import connect
    from contracts_cli.stored import placed

    where = placed(settings.state)
    if where is None:
        return None
    try:
        connection = connect(where)
    except StateError as error:
        terminal.complain(f"{error}; this run goes on without it")
        return None
    opened.callback(connection.close)
    return connection


def _book(connection: Connection, found: Told, status: int) -> None:
    """Book the run; what it cost is booked already."""
    from contracts.state.errors import StateError
    from contracts.state.store import State

    sent = found.requests
    try:
        State(connection).record_run(
            found.at,
            datetime.now(UTC),
            status,
            (sent.get, sent.post_free, sent.post_paid, sent.refused),
            found.spend_usd,
        )
    except StateError as error:
        terminal.complain(str(error))


def _tell(found: Told, settings: Settings) -> None:
    """Write notes first, then standard output, whose reader may have gone."""
    for sink in settings.notes:
        if sink != note_sinks.STANDARD_OUTPUT:
            _deliver(sink, found)
    if settings.format == "json":
        terminal.write_json(found)
    else:
        terminal.write(view(found, terminal.width_of(sys.stdout), verbose=settings.verbose))
    if note_sinks.STANDARD_OUTPUT in settings.notes:
        from contracts.sinks import jsonl_note

        terminal.write_bytes(jsonl_note.render(found.notes))


def _deliver(sink: str, found: Told) -> None:
    """Bring the note to one sink; one that does not get there goes to standard error, as JSON Lines."""
    lost = note_sinks.deliver(sink, found.notes, remembered={found.provider}, say=terminal.complain)
    for why in dict.fromkeys(one.why for one in lost):
        terminal.complain(f"note not written: {why}")
    if lost:
        from contracts.sinks import jsonl_note

        terminal.write_error(jsonl_note.render(one.note for one in lost))


def view(found: Told, width: int, *, verbose: bool) -> str:
    """Show each model with its grounds, and what is not as it was sent; with `verbose` also each way of asking."""
    lines = [line for model in found.models for line in _model(model, width, verbose=verbose)]
    sent = found.requests
    counts = f"{sent.get} GET, {sent.post_free} free POST, {sent.post_paid} paid POST, {sent.refused} refused"
    day = "" if found.day_usd is None else f"; {found.day_usd:f} USD of canaries today"
    limit = "" if found.budget_per_day_usd is None else f" of {found.budget_per_day_usd:f}"
    said = "nothing was asked" if found.dry_run else found.outcome
    scope = "" if found.scope is None else f", fault: {found.scope}"
    end = f"{scrub(found.provider, 100)}: {said}{scope}; {counts}; spent {found.spend_usd:f} USD{day}{limit}"
    return "\n".join([*lines, terminal.wrap(end, width, "", "  "), ""])


def _model(model: Model, width: int, *, verbose: bool) -> list[str]:
    kinds = f" ({', '.join(model.kinds)})" if model.kinds else ""
    scope = "" if model.scope is None else f", fault: {model.scope}"
    cost = f"; {model.cost_usd:f} USD" if model.answers else ""
    sign = {"damaged": "!", "unknown": "?"}.get(model.outcome, " ")
    said = "not asked" if model.outcome == "left" else model.outcome
    head = f"{scrub(model.model, 120)}: {said}{kinds}{scope}{cost}"
    lines = [terminal.wrap(head, width, f"{sign} ", "    ")]
    lines += [terminal.wrap(scrub(reason, 400), width, "    ", "      ") for reason in model.reasons]
    for answer in model.answers:
        if verbose or (answer.intact is False and model.outcome == "damaged"):
            lines += _answer(answer, width)
    return lines


def _answer(answer: Answer, width: int) -> list[str]:
    stream = "a stream" if answer.streamed else "not streamed"
    what = "as it was sent" if answer.intact else answer.why_not or ""
    damages = "; ".join(f"{one.kind}: {one.how}" for one in answer.damages)
    lines = [terminal.wrap(f"{answer.way} ({stream}): {scrub(damages or what, 600)}", width, "    - ", "      ")]
    for broken in answer.broken:
        points = f": {broken.points}" if broken.points else ""
        lines.append(
            terminal.wrap(f"{broken.segment}: {', '.join(broken.kinds)}{points}", width, "        ", "          ")
        )
    return lines
