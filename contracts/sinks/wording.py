"""The words in which formats tell a finding; each format escapes them for itself."""

from __future__ import annotations

from datetime import UTC, datetime

from contracts.model import Finding, Novelty, Outcome, StaleWaiver
from contracts.text.scrub import scrub


def subject_of(finding: Finding) -> str:
    """Name what a finding speaks of: the provider, or the capture where no provider was named."""
    if finding.provider is not None:
        return finding.provider
    return finding.evidence.ref if finding.evidence is not None else "capture"


def title_of(finding: Finding) -> str:
    """Name a finding among those of its subject: the contract, with the model that it is about."""
    return finding.contract if finding.model is None else f"{finding.contract} [{finding.model}]"


def headline(finding: Finding) -> str:
    """Name a finding among all, scrubbed, each part short enough to leave room for the others."""
    model = "" if finding.model is None else f" [{scrub(finding.model, limit=100)}]"
    return f"{scrub(subject_of(finding), limit=100)}: {finding.contract}{model}"


def explained(finding: Finding) -> str:
    """Tell a finding in a sentence, with what was expected and observed, and how new it is; never empty."""
    parts = [finding.detail or finding.reason or finding.outcome.value]
    if finding.outcome in (Outcome.VIOLATED, Outcome.WAIVED):
        compared = (("expected", finding.expected), ("observed", finding.observed))
        parts += [f"{word} {value}" for word, value in compared if value is not None]
    if finding.waiver is not None:
        parts.append(f"waived until {finding.waiver.until} by {finding.waiver.owner}: {finding.waiver.because}")
    if finding.novelty is not None:
        parts.append(history(finding.novelty, finding.outcome))
    return "; ".join(parts)


def placed(finding: Finding) -> str:
    """Tell where in its evidence a finding is, and which evidence that is; empty where nothing is known."""
    where = finding.where
    parts = [f"header {where.header}"] if where.header is not None else []
    parts += [f"event {where.event}"] if where.event is not None else []
    parts += [f"byte {where.byte}"] if where.byte is not None else []
    parts += [f"{finding.evidence.source} {finding.evidence.ref}"] if finding.evidence is not None else []
    return ", ".join(parts)


def history(novelty: Novelty, outcome: Outcome) -> str:
    """Tell how new a finding is."""
    since = f"{novelty.since:%Y-%m-%d %H:%M}Z"
    polls = f"{novelty.polls} poll{'' if novelty.polls == 1 else 's'}"
    if outcome is Outcome.UNKNOWN:
        return f"violated when it was last judged, since {since}, {polls}"
    match novelty.state:
        case "new":
            return "new"
        case "ongoing":
            return f"ongoing since {since}, {polls}"
        case "fixed":
            return f"fixed, was violated since {since}, {polls}"
        case "flapping":
            return f"flapping since {since}, {polls}"


def shared(polled_at: datetime) -> str:
    """Tell that this run did not ask a provider, as another had just done so."""
    return f"asked by another run at {polled_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"


def stale(waiver: StaleWaiver) -> str:
    """Tell a waiver that matched nothing."""
    about = "" if waiver.model is None else f" for model {waiver.model}"
    observed = "" if waiver.observed is None else f" with {waiver.observed!r} observed"
    return (
        f"{waiver.provider}: the waiver of {waiver.contract}{about} matched no violation{observed} "
        f"and can go (owner {waiver.owner}, until {waiver.until})"
    )
