"""The report: what one run came to, as `-f json` prints it, and the note that each provider row gets.

Member names and their order are published (`contracts schema report`); other programs rely on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Literal

import msgspec
from msgspec import Struct, field

from contracts import __version__
from contracts.model import Finding, Outcome, Scope, Severity, Source, StaleWaiver

SCHEMA = "contracts.report/1"

Status = Literal["violated", "unknown", "waived", "holds"]

_OUTCOME_RANK = {
    Outcome.VIOLATED: 0,
    Outcome.UNKNOWN: 1,
    Outcome.WAIVED: 2,
    Outcome.HOLDS: 3,
    Outcome.NOT_APPLICABLE: 4,
}
_SEVERITY_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


class Tool(Struct, frozen=True, kw_only=True):
    """The program that wrote the report."""

    name: str = "provider-contracts"
    version: str = __version__


class Requests(Struct, frozen=True, kw_only=True):
    """What was sent to providers. `refused` were held back by the spend guard."""

    get: int = 0
    post_free: int = 0
    post_paid: int = 0
    refused: int = 0


class Summary(Struct, frozen=True, kw_only=True, rename={"not_applicable": "not-applicable"}):
    """How many findings came to each outcome."""

    holds: int = 0
    violated: int = 0
    unknown: int = 0
    waived: int = 0
    not_applicable: int = 0


class NotedContract(Struct, frozen=True, kw_only=True):
    """One finding that is not in order, as a note tells it."""

    contract: str
    model: str | None
    outcome: Outcome
    scope: Scope
    severity: Severity
    detail: str


class Note(Struct, frozen=True, kw_only=True):
    """What one provider row gets: a line for people, and the rest for programs.

    `status` is the worst outcome whatever its severity; `severity` is the worst of the findings that
    came to it, None where all hold. `line` is empty when there is nothing to say. `at` is the latest
    instant of the evidence. `synthetic`: some of it was played by a hostile provider of our own, and
    says nothing of the real one. `replay`: captures were judged, not the provider as it is now.
    """

    provider: str
    status: Status
    severity: Severity | None
    line: str
    at: datetime | None
    sources: tuple[Source, ...]
    synthetic: bool
    replay: bool
    contracts: tuple[NotedContract, ...]


class SharedPoll(Struct, frozen=True, kw_only=True):
    """A provider that another run polled; its findings and their evidence are those of that poll."""

    provider: str
    polled_at: datetime


class Report(Struct, frozen=True, kw_only=True):
    """What one run came to. `duration_ms` counts from the start of the run to its last finding.

    `shared` names the providers that this run did not ask, as another with the same state had just done so.
    """

    schema: str = SCHEMA
    tool: Tool = field(default_factory=Tool)
    started_at: datetime
    duration_ms: int
    spend_usd: Decimal = Decimal(0)
    requests: Requests = field(default_factory=Requests)
    summary: Summary
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    stale_waivers: tuple[StaleWaiver, ...] = ()
    shared: tuple[SharedPoll, ...] = ()


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by outcome, then severity, then contract and model: what to look at first comes first."""
    return sorted(
        findings,
        key=lambda f: (_OUTCOME_RANK[f.outcome], _SEVERITY_RANK[f.severity], f.contract, f.model or ""),
    )


def summarize(findings: Iterable[Finding]) -> Summary:
    """Count the findings of each outcome."""
    counts = dict.fromkeys(Outcome, 0)
    for finding in findings:
        counts[finding.outcome] += 1
    return Summary(
        holds=counts[Outcome.HOLDS],
        violated=counts[Outcome.VIOLATED],
        unknown=counts[Outcome.UNKNOWN],
        waived=counts[Outcome.WAIVED],
        not_applicable=counts[Outcome.NOT_APPLICABLE],
    )


def status_of(findings: Iterable[Finding]) -> tuple[Status, Severity | None]:
    """The worst outcome of a provider's findings with its worst severity.

    Nothing judged is `unknown`: silence is no promise kept.
    """
    judged = [f for f in worst_first(findings) if f.outcome is not Outcome.NOT_APPLICABLE]
    if not judged:
        return "unknown", None
    match judged[0].outcome:
        case Outcome.VIOLATED:
            return "violated", judged[0].severity
        case Outcome.UNKNOWN:
            return "unknown", judged[0].severity
        case Outcome.WAIVED:
            return "waived", judged[0].severity
        case _:
            return "holds", None


def write_note(provider: str, findings: Sequence[Finding], texts: Mapping[str, str], *, replay: bool) -> Note:
    """Make the note of one provider from its findings.

    Args:
        provider: the row's name.
        findings: this provider's, in any order.
        texts: the `note` of each contract by id; a contract without one is told by its detail.
        replay: the findings were judged from captures that were asked for by name.
    """
    status, severity = status_of(findings)
    told = [f for f in worst_first(findings) if f.outcome not in (Outcome.HOLDS, Outcome.NOT_APPLICABLE)]
    # What was violated when it was last judged is so until it is seen to hold: an outage heals nothing.
    lines = dict.fromkeys(
        texts.get(f.contract) or f.detail
        for f in told
        if f.outcome is Outcome.VIOLATED or (f.outcome is Outcome.UNKNOWN and f.novelty is not None)
    )
    evidence = [f.evidence for f in findings if f.evidence is not None]
    sources = tuple(sorted({e.source for e in evidence}))
    return Note(
        provider=provider,
        status=status,
        severity=severity,
        line="; ".join(lines),
        at=max((e.at for e in evidence if e.at is not None), default=None),
        sources=sources,
        synthetic=Source.SYNTHETIC in sources,
        replay=replay,
        contracts=tuple(
            NotedContract(
                contract=f.contract,
                model=f.model,
                outcome=f.outcome,
                scope=f.scope,
                severity=f.severity,
                detail=f.detail or f.reason or "",
            )
            for f in told
        ),
    )


def encode(value: Struct) -> bytes:
    r"""One line of JSON in UTF-8, members in the published order, without a line end.

    What may pass for the end of a line or for a command to a terminal is written as \u escapes; JSON means the same.
    """
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a model id may hold an unpaired surrogate, which has no UTF-8
        from contracts.dialects.schema import encodable

        data = msgspec.json.encode(encodable(msgspec.to_builtins(value)))
    text = data.decode()
    if text.isprintable():
        return data
    return "".join(char if char.isprintable() else _escaped(char) for char in text).encode()


def _escaped(char: str) -> str:
    units = char.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
