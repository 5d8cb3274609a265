"""What relay-check tells: findings by trial, promises with what became of them, as `-f json` prints them."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from contracts.report import Tool

SCHEMA = "contracts.relay-check/1"
OUTCOMES = ("holds", "violated", "unknown")

Outcome = Literal["holds", "violated", "unknown"]


class Where(Struct, frozen=True, kw_only=True):
    """The first place: the event, counted from 0, the byte of its data, or a header; null where it has none."""

    event: int | None = None
    byte: int | None = None
    header: str | None = None


class Breach(Struct, frozen=True, kw_only=True):
    """One promise that one trial showed to be broken.

    Attributes:
        trial: its name.
        promise: the id.
        severity: a warning alone does not make the relay fail.
        scope: whose fault it is: what stands between client and provider.
        expected: what was sent (of a request: by the client), where that can be shown.
        observed: what arrived.
        detail: one sentence.
        changes: what became of the data, each kind once; for relay.bytes, relay.error and relay.request.
        count: how many events; 1 of what is none.
        where: the first of them.
    """

    trial: str
    promise: str
    severity: Literal["error", "warning"]
    scope: Literal["pipeline"] = "pipeline"
    expected: str
    observed: str
    detail: str
    changes: tuple[str, ...] = ()
    count: int = 1
    where: Where = Where()


class Side(Struct, frozen=True, kw_only=True):
    """An answer as one side of the relay saw it; `bytes` without chunks of HTTP and coding."""

    status: int | None
    events: int
    bytes: int
    ending: str


class Tried(Struct, frozen=True, kw_only=True):
    """One trial.

    Attributes:
        name: as `--scenario` takes it.
        does: what the provider does in it.
        outcome: of all promises together, warnings not counted.
        reason: why it could not be judged; null where it was.
        requests: how often the provider was asked; where it was for no such chat, whatever else it was asked.
        judged: the promises that it could show.
        sent, received: null where there was nothing.
        notes: what differs and may.
    """

    name: str
    does: str
    outcome: Outcome
    reason: str | None
    requests: int
    judged: tuple[str, ...]
    sent: Side | None
    received: Side | None
    notes: tuple[str, ...]


class Kept(Struct, frozen=True, kw_only=True):
    """What became of one promise over all trials."""

    id: str
    promise: str
    outcome: Outcome
    severity: Literal["error", "warning"]
    judged: int
    broken: int


class Checked(Struct, frozen=True, kw_only=True):
    """A whole run. `url` is the relay's, without user and query; `listen` is what its upstream has to be."""

    schema: str = SCHEMA
    tool: Tool = field(default_factory=Tool)
    url: str
    listen: str
    dialect: str
    model: str
    started_at: datetime
    duration_ms: int
    outcome: Outcome
    promises: tuple[Kept, ...]
    trials: tuple[Tried, ...]
    findings: tuple[Breach, ...]


def outcome_of(found: tuple[Breach, ...], *, is_unknown: bool) -> Outcome:
    """Put findings together: a breach that is no warning violates, whatever else could not be judged."""
    if any(one.severity == "error" for one in found):
        return "violated"
    return "unknown" if is_unknown else "holds"
