"""Tell what was counted and decided: warnings of whoever is tripped, and a note for each provider."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from contracts.breaker.counted import put_together
from contracts.breaker.memory import State
from contracts.breaker.novelty import is_novel
from contracts.checks import counted
from contracts.degraded import ours
from contracts.degraded.told import Degradation, Degraded
from contracts.degraded.worth import worth_telling
from contracts.model import Outcome, Scope, Severity, Source
from contracts.report import Note, NotedContract
from contracts.text.attribution import DOUBLE
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from contracts.breaker.memory import Decision
    from contracts.breaker.tally import Key, Tally

_ACTIONS = {
    **dict.fromkeys(
        DOUBLE, "decode its streams as UTF-8, or forward their bytes unread; never by the client's default"
    ),
    "triple-utf8": "decode its streams as UTF-8 at every hop, or forward their bytes unread",
    "encoding": "send its traffic elsewhere until an answer is whole, and report the signature to the provider",
    "content": "send its traffic to another model or provider until it answers",
}
_WORDS = {"malformed": "answers that are none", "looping": "answers that go round in circles"}


def tell(
    tallies: Sequence[Tally],
    decisions: Sequence[Decision],
    now: datetime,
    *,
    window_s: float,
    spoilt: Sequence[Tally] = (),
) -> Degraded:
    """Tell what was counted and decided. Whoever is tripped, or would be, is warned of with all that it showed.

    `spoilt` is what the router itself sent otherwise than it came; `tallies` hold the same answers as they came.
    """
    groups = put_together(tallies).by_model
    warnings: list[Degradation] = []
    for decision in decisions:
        if decision.state in (State.OPEN, State.HALF_OPEN):
            warnings += _warnings(decision, groups) or [_remembered(decision)]
    warnings += ours.warnings(spoilt, groups)
    told = worth_telling(decisions, groups)
    providers = sorted({tally.provider for tally in tallies if tally.day and tally.provider})
    return Degraded(
        at=now,
        window_s=window_s,
        answers=sum(tally.day for tally in tallies),
        applied=None,
        warnings=tuple(warnings),
        decisions=told,
        left_out=len(decisions) - len(told),
        notes=tuple(_note(provider, warnings, now) for provider in providers),
    )


def _warnings(decision: Decision, groups: Mapping[Key, Sequence[Tally]]) -> list[Degradation]:
    arm = "encoding" if decision.model is None else "content"
    found: list[Degradation] = []
    for key, group in sorted(groups.items()):
        if key.provider != decision.provider or decision.model not in (None, key.model):
            continue
        by_name: defaultdict[tuple[str, str], list[Tally]] = defaultdict(list)
        for tally in group:
            if tally.arm == arm and tally.day:
                by_name[tally.verdict, _named(tally)].append(tally)
        # Damage is judged in every answer that holds text; emptiness in none that is damaged.
        beside = [t for t in group if t.is_clean or (t.arm is not None and arm in ("encoding", t.arm))]
        found += [_warning(decision, key, one, beside, group) for one in by_name.values()]
    return found


def _warning(
    decision: Decision, key: Key, own: Sequence[Tally], beside: Sequence[Tally], group: Sequence[Tally]
) -> Degradation:
    seen, judged = sum(tally.day for tally in own), sum(tally.day for tally in beside)
    before, judged_before = sum(tally.before for tally in own), sum(tally.before for tally in beside)
    first_at = min((tally.first_at for tally in own if tally.first_at), default=None)
    before_last_at = max((tally.before_last_at for tally in own if tally.before_last_at), default=None)
    return Degradation(
        provider=key.provider,
        model=key.model,
        verdict=own[0].verdict,  # type: ignore[arg-type]  # an arm has these three alone
        signature=_named(own[0]),
        confidence="high",
        scope=Scope.PROVIDER if decision.model is None else Scope.MODEL,
        count=seen,
        judged=judged,
        answers=sum(tally.day for tally in group),
        rate=seen / judged if judged else None,
        baseline=before,
        baseline_rate=before / judged_before if judged_before else None,
        novel=first_at is not None and is_novel(before_last_at, first_at),
        first_at=first_at,
        last_at=max((tally.last_at for tally in own if tally.last_at), default=None),
        state=decision.state,
        standing=decision.was is not State.CLOSED,
        why=decision.why,
        action=_action(decision.model, _named(own[0])),
    )


def _remembered(decision: Decision) -> Degradation:
    """Warn of a trip of which the day shows nothing more: nobody may have asked since."""
    is_wire = decision.model is None
    return Degradation(
        provider=decision.provider, model=decision.model,
        verdict="mangled" if is_wire else "looping" if decision.signature == "looping" else "malformed",
        signature=decision.signature, confidence="high", scope=Scope.PROVIDER if is_wire else Scope.MODEL, count=0,
        judged=0, answers=0, rate=None, baseline=0, baseline_rate=None, novel=False, first_at=None, last_at=None,
        state=decision.state, standing=True, why=decision.why, action=_action(decision.model, decision.signature),
    )  # fmt: skip


def _named(tally: Tally) -> str:
    return tally.signature if tally.verdict == "malformed" and tally.signature else tally.name


def _action(model: str | None, signature: str) -> str:
    return _ACTIONS["content"] if model is not None else _ACTIONS.get(signature, _ACTIONS["encoding"])


def _note(provider: str, warnings: Sequence[Degradation], now: datetime) -> Note:
    """Write the note of one provider; where nothing is wrong its line is empty, which clears what stood there."""
    own = [one for one in warnings if one.provider == provider]
    # One line for all models at which a wire, or the router, damages alike: there may be many.
    first: dict[tuple[Scope, str, str | None], Degradation] = {}
    for one in own:
        first.setdefault((one.scope, one.signature, one.model if one.scope is Scope.MODEL else None), one)
    lines = dict.fromkeys(_line(one, own) for one in first.values())
    return Note(
        provider=provider,
        status="violated" if own else "holds",
        severity=Severity.WARNING if own else None,
        line="; ".join(lines),
        at=max((one.last_at for one in own if one.last_at), default=now),
        sources=(Source.OBSERVED,),
        synthetic=False,
        replay=False,
        contracts=tuple(
            NotedContract(
                contract=f"degraded.{one.verdict}",
                model=one.model,
                outcome=Outcome.VIOLATED,
                scope=one.scope,
                severity=Severity.WARNING,
                detail=one.why,
            )
            for one in own
        ),
    )


def _line(one: Degradation, own: Sequence[Degradation]) -> str:
    if one.scope is Scope.PIPELINE:
        return ours.line([other for other in own if other.scope is one.scope])
    if one.scope is Scope.PROVIDER:
        same = [other for other in own if other.signature == one.signature and other.scope is one.scope]
        models = counted(len(same), "model")
        seen = sum(other.count for other in same)
        return f"Text is damaged on the wire ({one.signature}, {seen} × in 24 h at {models}): {one.action}"
    model = scrub(one.model or "", 100)
    what = "empty responses" if one.signature == "empty response" else _WORDS.get(one.verdict, one.signature)
    return f"{model}: {one.count} of {one.judged} {what} in 24 h: {one.action}"
