"""Waivers: what a violation that the user lives with comes to, which of them are stale, and which to propose.

Pure; the day comes in as an argument.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.model import Outcome, StaleWaiver, Waiver, WaiverRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import date

    from contracts.model import Finding

TO_FILL_IN = "TO BE FILLED IN"
PROPOSED = timedelta(days=90)  # a quarter: long enough to have it fixed, short enough to be looked at again
JUDGED = (Outcome.HOLDS, Outcome.VIOLATED, Outcome.WAIVED)


def fits(waiver: Waiver, finding: Finding) -> bool:
    """Tell whether a waiver is about a violation, whatever its date; its `observed` occurs in what was observed."""
    return (
        finding.outcome in (Outcome.VIOLATED, Outcome.WAIVED)
        and waiver.contract == finding.contract
        and waiver.model in (None, finding.model)
        and (waiver.observed is None or waiver.observed in (finding.observed or ""))
    )


def apply(finding: Finding, waivers: Sequence[Waiver], today: date | None) -> Finding:
    """Mark a violation that the user lives with; a waiver past its date counts no more, and the finding says so."""
    fitting = [w for w in waivers if fits(w, finding)] if finding.outcome is Outcome.VIOLATED else []
    if not fitting:
        return finding
    waiver = max(fitting, key=lambda w: w.until)  # an extended waiver may stand beside the old one
    if today is not None and waiver.until < today:
        return structs.replace(finding, detail=f"{finding.detail} (its waiver ended on {waiver.until})")
    ref = WaiverRef(because=waiver.because, owner=waiver.owner, until=waiver.until)
    return structs.replace(finding, outcome=Outcome.WAIVED, waiver=ref)


def stale(
    provider: str,
    waivers: Iterable[Waiver],
    findings: Iterable[Finding],
    models: Sequence[str] = (),
    answered: AbstractSet[str] = frozenset(),
) -> list[StaleWaiver]:
    """Give the waivers that matched nothing although everything that they are about was judged.

    Args:
        provider: the row's name.
        waivers: of the row.
        findings: of the row.
        models: the run was about these models only; empty means about all. A waiver for every model is then not
            stale, whatever was found.
        answered: the models of which an answer was judged, so that what holds for the provider holds for them.
    """
    by_contract: dict[str, list[Finding]] = {}
    for finding in findings:
        by_contract.setdefault(finding.contract, []).append(finding)
    return [
        StaleWaiver(provider=provider, **structs.asdict(waiver))
        for waiver in waivers
        if _was_judged(waiver, by_contract.get(waiver.contract, ()), models, answered)
        and not any(fits(waiver, finding) for finding in by_contract[waiver.contract])
    ]


def propose(findings: Iterable[Finding], today: date) -> dict[str, list[Waiver]]:
    """Give by provider a waiver for each violation, to be filled in by its owner."""
    rows: dict[str, list[Waiver]] = {}
    for finding in findings:
        if finding.outcome is not Outcome.VIOLATED or finding.provider is None:
            continue
        observed = finding.observed
        row = rows.setdefault(finding.provider, [])
        waiver = Waiver(
            contract=finding.contract,
            model=finding.model,
            # What cannot be seen in a file cannot be reviewed either: such a waiver is for whatever was observed.
            observed=observed if observed and observed.isprintable() else None,
            because=TO_FILL_IN,
            owner=TO_FILL_IN,
            until=today + PROPOSED,
        )
        if waiver not in row:
            row.append(waiver)
    return rows


def _was_judged(waiver: Waiver, findings: Sequence[Finding], models: Sequence[str], answered: AbstractSet[str]) -> bool:
    """Tell whether a run saw all that a waiver is about. What could not be judged may be what it is for."""
    if waiver.model is not None:
        names = {waiver.model, None} if waiver.model in answered else {waiver.model}
        about = [f for f in findings if f.model in names]
    else:
        about = [] if models else list(findings)
    return any(f.outcome in JUDGED for f in about) and all(f.outcome is not Outcome.UNKNOWN for f in about)
