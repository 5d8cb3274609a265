"""The judge: contracts × evidence → findings. Pure; the instant comes in as an argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from contracts.checks import is_success, not_applicable, unknown
from contracts.model import EvidenceRef, Finding, Outcome, Scope, Source
from contracts.waivers import apply as waive
from contracts.wire.status import is_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from types import ModuleType

    from contracts.facts import Facts
    from contracts.model import Contract, Evidence, Verdict, Waiver

RANK = {Outcome.VIOLATED: 0, Outcome.UNKNOWN: 1, Outcome.HOLDS: 2, Outcome.NOT_APPLICABLE: 3}
NEEDS = {
    "answer": "answer",
    "chat": "2xx chat answer",
    "chat-stream": "streamed 2xx chat answer",
    "listing": "model listing",
    "error": "error answer",
    "model": "answer about a model",
    "timing": "streamed 2xx chat answer",
    "polls": "model listing",
}


class Bound(Protocol):
    """A contract with the module that judges it and the parameters in force."""

    @property
    def contract(self) -> Contract:
        """The contract."""

    @property
    def check_module(self) -> ModuleType:
        """The module of its check kind."""

    @property
    def params(self) -> Any:
        """The parameters, a `Parameters` of that module."""


class Judged(NamedTuple):
    """One verdict with what it was judged from and the model it is about, None where it is about the provider."""

    verdict: Verdict
    evidence: Evidence | None
    model: str | None


def judge(  # noqa: PLR0913 - what a judgement rests on, all by name
    bound: Iterable[Bound],
    evidence: Sequence[Evidence],
    *,
    provider: str | None,
    models: Sequence[str],
    waivers: Sequence[Waiver] = (),
    today: date | None = None,
    complete: bool = False,
    lacking: Mapping[str, str] | None = None,
    unserved: Mapping[str, str] | None = None,
) -> list[Finding]:
    """Judge every contract over all evidence of one provider, the worst verdict of each contract and model.

    `models` are the ids that have to resolve. `complete`: the evidence is all there is for this provider, so that a
    contract whose kind of answer is missing is `unknown`; otherwise it is `not-applicable`. `today` decides on waivers.
    `lacking` says by need why a kind of answer is missing, `unserved` by model why what serves it could not be learnt.
    """
    return [
        waive(_finding(item.contract, judged, provider), waivers, today)
        for item in bound
        for judged in _judge_one(
            item, evidence, models, complete=complete, lacking=lacking or {}, unserved=unserved or {}
        )
    ]


def answered(evidence: Iterable[Evidence]) -> set[str]:
    """Give the models of which evidence is a good chat answer."""
    asked = (e.facts.asked for e in evidence if e.facts.kind == "chat" and is_success(e.facts))
    return {one.model for one in asked if one is not None and one.model is not None}


def _judge_one(  # noqa: PLR0913 - as `judge`
    item: Bound,
    evidence: Sequence[Evidence],
    models: Sequence[str],
    *,
    complete: bool,
    lacking: Mapping[str, str],
    unserved: Mapping[str, str],
) -> list[Judged]:
    """Judge one contract."""
    contract = item.contract
    if contract.needs == "answer":
        evidence = [one for one in evidence if not _may_fail(one)]
    reason = lacking.get(contract.needs, f"no capture holds a {NEEDS[contract.needs]}")
    is_lacking = complete and not any(shows(contract.needs, e.facts) for e in evidence)
    absent = Judged(unknown(reason), None, None) if is_lacking else None
    if hasattr(item.check_module, "judge_model"):
        return _judge_models(item, evidence, models, absent, unserved)
    if absent is not None:
        return [absent]
    groups: dict[str | None, list[Judged]] = {}
    for one in evidence:
        verdict: Verdict = item.check_module.judge(one.facts, item.params)
        about = one.facts.asked.model if one.facts.asked and _is_model(contract, verdict) else None
        groups.setdefault(about, []).append(Judged(verdict, one, about))
    worst = [min(group, key=_rank) for group in groups.values()]
    applied = [j for j in worst if j.verdict.outcome is not Outcome.NOT_APPLICABLE]
    if not applied and contract.needs == "answer" and "answer" in lacking:
        return [Judged(unknown(reason), None, None)]  # what did arrive was not the answer to a good request
    return applied or worst[:1]


def _judge_models(
    item: Bound,
    evidence: Sequence[Evidence],
    models: Sequence[str],
    absent: Judged | None,
    unserved: Mapping[str, str],
) -> list[Judged]:
    """Judge one contract for every allowed model: a chat answer outweighs the model's endpoints, and these a listing.

    Where its endpoints should have said what serves a model and did not, a listing may still show that it does not
    resolve, and never that it does: an id may be listed that nobody serves.
    `absent` is the verdict on a model of which nothing says anything, where the kind of answer that would is missing.
    """
    tiers: list[list[Evidence]] = [[], [], []]
    about: dict[str | None, list[Evidence]] = {}
    for one in evidence:
        if one.facts.kind == "model":
            about.setdefault(one.facts.about, []).append(one)
        else:
            tiers[0 if one.facts.kind == "chat" else 2].append(one)
    found = []
    for model in models:
        tiers[1] = [*about.get(model, ()), *about.get(None, ())]
        worst = _judge_model(item, tiers, model, unserved.get(model))
        if absent is not None and (worst is None or worst.verdict.outcome is Outcome.NOT_APPLICABLE):
            worst = absent._replace(model=model)
        if worst is not None:
            found.append(worst)
    only = evidence[0] if len(evidence) == 1 else None  # names the capture, which else would seem to be another
    return found or [Judged(not_applicable("no model is named"), only, None)]


def _judge_model(item: Bound, tiers: Sequence[Sequence[Evidence]], model: str, why: str | None) -> Judged | None:
    """Judge one model by the first kind of answer that decides; where none does, the worst of all that was said.

    `why` its endpoints could not be learnt.
    """
    worst: Judged | None = None
    doubt = None if why is None else Judged(unknown(f"what serves it could not be learnt: {why}"), None, model)
    for place, tier in enumerate(tiers):
        judged = [Judged(item.check_module.judge_model(e.facts, item.params, model), e, model) for e in tier]
        if place == 1:
            doubt = next((j for j in judged if j.verdict.outcome is Outcome.UNKNOWN), doubt)
        elif place > 1 and doubt is not None:
            judged = [doubt if j.verdict.outcome is Outcome.HOLDS else j for j in judged]
        decided = [j for j in judged if j.verdict.outcome in (Outcome.HOLDS, Outcome.VIOLATED)]
        worst = min(decided or [*judged, *([] if worst is None else [worst])], key=_rank, default=None)
        if decided:
            break
    return worst


def _may_fail(evidence: Evidence) -> bool:
    """Tell whether evidence is a failure in real traffic, of which there always are some: how many is no promise."""
    return evidence.source is Source.OBSERVED and not is_success(evidence.facts)


def _rank(judged: Judged) -> int:
    """Order verdicts, the worst first."""
    return RANK[judged.verdict.outcome]


def _is_model(contract: Contract, verdict: Verdict) -> bool:
    """Tell whether a verdict is about one model rather than the provider."""
    return verdict.outcome is not Outcome.NOT_APPLICABLE and Scope.MODEL in (contract.scope, verdict.scope)


def shows(needs: str, facts: Facts) -> bool:
    """Tell whether facts are of the kind that a contract needs."""
    match needs:
        case "chat":
            return facts.kind == "chat" and is_success(facts)
        case "chat-stream" | "timing":
            return facts.kind == "chat" and is_success(facts) and (facts.framing is not None or _asked_stream(facts))
        case "listing" | "polls":
            return facts.kind == "listing"
        case "model":
            return facts.kind == "model"
        case "error":
            return is_error(facts.status)
        case _:
            return True


def _asked_stream(facts: Facts) -> bool:
    """Tell whether a stream was asked for."""
    return facts.asked is not None and facts.asked.stream


def _finding(contract: Contract, judged: Judged, provider: str | None) -> Finding:
    """Put a verdict into the report's form."""
    verdict, evidence = judged.verdict, judged.evidence
    ref = EvidenceRef(source=evidence.source, ref=evidence.ref, at=evidence.at) if evidence else None
    return Finding(
        provider=provider,
        model=judged.model,
        contract=contract.id,
        outcome=verdict.outcome,
        severity=contract.severity,
        scope=verdict.scope or contract.scope,
        expected=verdict.expected,
        observed=verdict.observed,
        detail=verdict.detail or contract.promise,
        reason=verdict.reason,
        where=verdict.where,
        evidence=ref,
    )
