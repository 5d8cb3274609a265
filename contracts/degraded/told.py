"""What is told of degraded output: warnings, decisions and notes, as `contracts degraded -f json` prints them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from contracts.breaker.memory import Decision, State
from contracts.model import Scope
from contracts.report import Note, Tool

SCHEMA = "contracts.degraded/1"


class Degradation(Struct, frozen=True, kw_only=True):
    """One warning: one signature of one provider's model.

    Attributes:
        provider: its name.
        model: its id; None where a trip is remembered of a whole provider that answers no more, or none is known.
        verdict: the word of a router's table: mangled, malformed or looping.
        signature: `double-utf8-latin1`, `empty response`, or the word.
        confidence: how sure the signature is.
        scope: whose fault it is, as the signature says; `pipeline` where the router sent otherwise what came whole.
        count: sightings in the last 24 hours.
        judged: answers of the same day that could be judged for it; of the router's own faults, all.
        answers: all of them, tool calls and errors included.
        rate: of the judged ones, None where there were none.
        baseline: sightings in the 24 hours before.
        baseline_rate: the same of those.
        novel: nobody saw it in the 24 hours before it appeared.
        first_at: of the sightings of the day.
        last_at: the same.
        state: what its breaker says, once it is applied: of the provider where a wire damages, else of the model; None
            of the router's own faults, which no breaker knows.
        standing: an earlier poll decided so.
        why: how that was decided.
        action: what to do.
    """

    provider: str
    model: str | None
    verdict: Literal["mangled", "malformed", "looping"]
    signature: str
    confidence: Literal["high", "low"]
    scope: Scope
    count: int
    judged: int
    answers: int
    rate: float | None
    baseline: int
    baseline_rate: float | None
    novel: bool
    first_at: datetime | None
    last_at: datetime | None
    state: State | None
    standing: bool
    why: str
    action: str


class Degraded(Struct, frozen=True, kw_only=True):
    """What one poll came to.

    Attributes:
        schema: of this document.
        tool: that wrote it.
        at: the instant of the poll.
        window_s: in which rates of models were compared, in seconds.
        answers: of the last 24 hours.
        models_apart: so many models at most were told apart, as too many names were asked for; None where all were.
        decisions_from: earlier decisions were not looked for; None where every trip that stands is known.
        applied: how many decisions were written down, None where none were to be.
        warnings: of whoever is tripped, or would be, and of what the router itself spoilt.
        decisions: on every key of which there is anything to tell.
        left_out: models that are as they were and have no decision here: no answer of theirs shows anything, or
            too many others have more.
        notes: for each provider that answered.
    """

    schema: str = SCHEMA
    tool: Tool = field(default_factory=Tool)
    at: datetime
    window_s: float
    answers: int
    models_apart: int | None = None
    decisions_from: datetime | None = None
    applied: int | None
    warnings: tuple[Degradation, ...]
    decisions: tuple[Decision, ...]
    left_out: int
    notes: tuple[Note, ...]
