"""What is told of canaries, as `contracts canary -f json` prints it, with a note for the row and the exit status."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from contracts.canary.questions import Way
from contracts.canary.verdict import Outcome
from contracts.model import Outcome as ContractOutcome
from contracts.model import Scope, Severity, Source
from contracts.report import Note, NotedContract, Requests, Tool
from contracts.text.alterations import Kind
from contracts.text.echo import Broken, Damage
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Sequence

SCHEMA = "contracts.canary/1"
CONTRACT = "canary.echo"
VIOLATED, UNKNOWN = 1, 3  # exit status
FailOn = Literal["violation", "unknown", "never"]
ACTIONS = {
    Scope.PROVIDER: "decode its answers as UTF-8 or forward their bytes unread, and report it to the provider",
    Scope.MODEL: "send what needs these characters to another model or provider",
    Scope.PIPELINE: "look at what stands between this machine and the provider",
    Scope.UNDETERMINED: "ask more of its models",
}


class Answer(Struct, frozen=True, kw_only=True):
    """What came back in one way. `intact` is None where nothing did, and `why_not` then says why."""

    way: Way
    streamed: bool
    intact: bool | None
    damages: tuple[Damage, ...]
    broken: tuple[Broken, ...]
    why_not: str | None
    cost_usd: Decimal


class Model(Struct, frozen=True, kw_only=True):
    """What one model came to. `most_usd`: of all its questions together, None where nothing bounds it."""

    model: str
    outcome: Outcome
    scope: Scope | None
    kinds: tuple[Kind, ...]
    reasons: tuple[str, ...]
    most_usd: Decimal | None
    cost_usd: Decimal
    answers: tuple[Answer, ...]


class Told(Struct, frozen=True, kw_only=True):
    """What one run came to. Amounts are in USD; `day_usd` is that of all canaries of the day, None without a state."""

    schema: str = SCHEMA
    tool: Tool = field(default_factory=Tool)
    provider: str
    at: datetime
    duration_ms: int
    dry_run: bool
    outcome: Outcome
    scope: Scope | None
    spend_usd: Decimal
    max_spend_usd: Decimal
    budget_per_day_usd: Decimal | None
    day_usd: Decimal | None
    requests: Requests
    models: tuple[Model, ...]
    notes: tuple[Note, ...]


def overall(models: Sequence[Model]) -> tuple[Outcome, Scope | None]:
    """Tell what all models together came to: damage first, then what could not be judged."""
    damaged = [one for one in models if one.outcome == "damaged"]
    if damaged:
        scopes = {one.scope for one in damaged}
        order = (Scope.PROVIDER, Scope.PIPELINE, Scope.MODEL, Scope.UNDETERMINED)
        return "damaged", next(scope for scope in order if scope in scopes)
    asked = [one for one in models if one.outcome != "left"]
    unknown = [one for one in asked if one.outcome == "unknown"]
    if unknown or not asked:
        scopes = {one.scope for one in unknown}
        return "unknown", Scope.PIPELINE if scopes == {Scope.PIPELINE} else Scope.UNDETERMINED
    return "intact", None


def status(told: Told, fail_on: FailOn) -> int:
    """Give the exit status: damage of which it is known whose it is fails, and what could not be judged."""
    if fail_on == "never" or told.dry_run:
        return 0
    if told.outcome == "damaged" and told.scope is not Scope.UNDETERMINED:
        return VIOLATED
    return 0 if told.outcome == "intact" or fail_on == "violation" else UNKNOWN


def note(provider: str, models: Sequence[Model], at: datetime) -> Note | None:
    """Write the note of the row; where all is intact its line is empty, which clears what stood there.

    None where nothing was judged: what an earlier run found stands then.
    """
    outcome, _ = overall(models)
    damaged = [one for one in models if one.outcome == "damaged"]
    if not damaged and outcome != "intact":
        return None
    return Note(
        provider=provider,
        status="violated" if damaged else "holds",
        severity=Severity.ERROR if damaged else None,
        line=_line(damaged),
        at=at,
        sources=(Source.LIVE,),
        synthetic=False,
        replay=False,
        contracts=tuple(
            NotedContract(
                contract=CONTRACT,
                model=one.model,
                outcome=ContractOutcome.VIOLATED,
                scope=one.scope or Scope.UNDETERMINED,
                severity=Severity.ERROR,
                detail="; ".join(one.reasons),
            )
            for one in damaged
        ),
    )


def _line(damaged: Sequence[Model]) -> str:
    """Say in one line what happens to text, by whose fault, and what to do."""
    lines = []
    for scope in dict.fromkeys(one.scope or Scope.UNDETERMINED for one in damaged):
        own = [one for one in damaged if one.scope is scope]
        kinds = ", ".join(dict.fromkeys(kind for one in own for kind in one.kinds))
        who = scrub(own[0].model, 100) if len(own) == 1 else f"{len(own)} models"
        lines.append(f"Text does not come back as sent ({kinds}; {who}; fault: {scope}): {ACTIONS[scope]}")
    return "; ".join(lines)
