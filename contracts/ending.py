"""How a run ends: the report of what it came to, and the exit status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from decimal import Decimal

from msgspec import Struct, structs

from contracts.model import Finding, Outcome, Severity, StaleWaiver
from contracts.report import Note, Report, Requests, SharedPoll, summarize
from contracts.settings import Settings, Shared


class Outcomes(Struct, frozen=True):
    """What a run came to. `beyond` holds (provider, contract) of what no source in use can show."""

    findings: Sequence[Finding]
    notes: Sequence[Note] = ()
    stale: Sequence[StaleWaiver] = ()
    requests: Requests = Requests()
    spend_usd: Decimal = Decimal(0)
    beyond: frozenset[tuple[str | None, str]] = frozenset()
    shared: Sequence[SharedPoll] = ()


def finish(started_at: datetime, outcomes: Outcomes, settings: Shared) -> tuple[Report, int]:
    """Make the report and decide the exit status."""
    findings = tuple(_marked(outcomes.findings, outcomes.beyond))
    duration_ms = round((datetime.now(UTC) - started_at).total_seconds() * 1000)
    report = Report(
        started_at=started_at,
        duration_ms=max(duration_ms, 0),
        spend_usd=outcomes.spend_usd,
        requests=outcomes.requests,
        summary=summarize(findings),
        findings=findings,
        notes=tuple(outcomes.notes),
        stale_waivers=tuple(outcomes.stale),
        shared=tuple(outcomes.shared),
    )
    if outcomes.stale and isinstance(settings, Settings) and settings.strict_waivers and settings.fail_on != "never":
        return report, 1
    return report, exit_status(findings, settings.fail_on)


def _marked(findings: Iterable[Finding], beyond: AbstractSet[tuple[str | None, str]]) -> Iterator[Finding]:
    """Give findings, those marked that are unknown because no source in use can show them."""
    for finding in findings:
        is_beyond = finding.outcome is Outcome.UNKNOWN and (finding.provider, finding.contract) in beyond
        yield structs.replace(finding, beyond=True) if is_beyond else finding


def exit_status(findings: Iterable[Finding], fail_on: str) -> int:
    """Decide the exit status: 1 violated, 3 something required could not be judged, 0 otherwise.

    Required is what has severity `error` and is not `beyond` the sources in use. Nothing judged at all is 3 as well:
    silence is no promise kept.
    """
    if fail_on == "never":
        return 0
    counts = {Severity.ERROR, Severity.WARNING} if fail_on == "warning" else {Severity.ERROR}
    judged = False
    missing = False
    for finding in findings:
        if finding.outcome is Outcome.VIOLATED and finding.severity in counts:
            return 1
        judged = judged or finding.outcome in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.WAIVED)
        required = finding.severity is Severity.ERROR and not finding.beyond
        missing = missing or (finding.outcome is Outcome.UNKNOWN and required)
    return 3 if fail_on != "violation" and (missing or not judged) else 0
