"""Whose fault a difference is: of one model by what came back in each way, then of a provider by all its models. Pure.

A model cannot know which way its words go. What happens to text and to the argument of a call alike, in one way of
sending and not in the other, or at every model, was done to it; what happens to text alone is how the model writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct, structs

from contracts.canary.questions import STREAMED, TEXTS
from contracts.model import Scope
from contracts.text.echo import Damage, Echo

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from contracts.canary.questions import Way
    from contracts.text.alterations import Kind

# `altered`: the model writes anew what the wire carries. `left`: not asked in this run.
Outcome = Literal["intact", "altered", "damaged", "unknown", "left"]
# No model writes these: they are what is left of bytes that were read wrong. A `?` may be a word of the model's.
_WIRE: frozenset[Kind] = frozenset(("double-encoded", "unpaired-surrogate", "undecodable"))


class Back(Struct, frozen=True, kw_only=True):
    """What came back in one way: an echo, or why there is none. `is_ours`: a request of ours was refused."""

    echo: Echo | None = None
    why_not: str | None = None
    is_ours: bool = False

    @property
    def is_intact(self) -> bool:
        """Whether the line came back as it was."""
        return self.echo is not None and self.echo.is_intact

    @property
    def wire(self) -> frozenset[Kind]:
        """The kinds of damage that only a wire does."""
        if self.echo is None:
            return frozenset()
        return frozenset(one.kind for one in self.echo.damages if is_of_a_wire(one))

    @property
    def other(self) -> frozenset[Kind]:
        """The kinds of damage that a model may have done as well, if the line is there at all."""
        if self.echo is None or "paraphrased" in self.echo.kinds:
            return frozenset()
        return frozenset(self.echo.kinds)


class Verdict(Struct, frozen=True, kw_only=True):
    """What one model came to.

    `everywhere`: it came back in no way as it was, so that only other models can tell whether the model does that.
    `path`: it did in one way of sending and not in the other.
    """

    outcome: Outcome
    scope: Scope | None = None
    kinds: tuple[Kind, ...] = ()
    reasons: tuple[str, ...] = ()
    everywhere: bool = False
    path: bool = False


def is_of_a_wire(damage: Damage) -> bool:
    """Tell whether only a wire does that."""
    return damage.kind in _WIRE or (damage.kind == "replaced" and "U+FFFD" in damage.how)


def of_model(back: Mapping[Way, Back]) -> Verdict:
    """Judge one model by what came back in each way."""
    echoes: dict[Way, Back] = {way: one for way, one in back.items() if one.echo is not None and way != "control"}
    if not echoes:
        return _silent(back)
    wire: frozenset[Kind] = frozenset().union(*(one.wire for one in echoes.values()))
    if wire:
        return _damaged(echoes, wire)
    if all(one.is_intact for one in echoes.values()):
        return _intact(back)
    return _altered(back, echoes)


def _silent(back: Mapping[Way, Back]) -> Verdict:
    reasons = tuple(dict.fromkeys(one.why_not for one in back.values() if one.why_not))
    ours = bool(back) and all(one.is_ours for one in back.values())
    scope = Scope.PIPELINE if ours else Scope.UNDETERMINED
    return Verdict(outcome="unknown", scope=scope, reasons=reasons or ("nothing came back",))


def _intact(back: Mapping[Way, Back]) -> Verdict:
    """Judge where whatever came back is as it was; one answer on each path is what it takes."""
    streamed = any(back[way].is_intact for way in ("streamed", "repeat", "call") if way in back)
    whole = "whole" in back and back["whole"].is_intact
    missing = _missing(back)
    if streamed and whole:
        return Verdict(outcome="intact", reasons=missing)
    return Verdict(outcome="unknown", scope=Scope.UNDETERMINED, reasons=missing or ("not both paths were seen",))


def _missing(back: Mapping[Way, Back]) -> tuple[str, ...]:
    return tuple(f"{way}: {one.why_not}" for way, one in back.items() if one.echo is None and one.why_not)


def _damaged(echoes: Mapping[Way, Back], wire: frozenset[Kind]) -> Verdict:
    """Judge what only a wire does."""
    kinds = tuple(sorted(wire))
    hit = {way for way, one in echoes.items() if one.wire}
    streams, hit_streams = set(echoes) & STREAMED, hit & STREAMED
    whole = echoes.get("whole")
    texts = [way for way in TEXTS if way in echoes]
    call = echoes.get("call")
    if whole is not None and not whole.wire and hit_streams:
        how = "every stream" if hit_streams == streams else f"{len(hit_streams)} of {len(streams)} streams"
        if call is not None and call.is_intact and len(hit_streams) > 1:
            how += ", the call's arguments left out,"
        reason = f"{how} and not the answer that is not streamed: the provider's streaming path"
        return Verdict(outcome="damaged", scope=Scope.PROVIDER, kinds=kinds, reasons=(reason,), path=True)
    if hit == {"whole"} and streams:
        reason = "the answer that is not streamed, and no stream: the provider's path for whole answers"
        return Verdict(outcome="damaged", scope=Scope.PROVIDER, kinds=kinds, reasons=(reason,), path=True)
    if call is not None and call.is_intact and all(way in hit for way in texts) and len(texts) > 1:
        reason = "all texts, and not the argument of a call, which goes the same way: the model writes so"
        return Verdict(outcome="damaged", scope=Scope.MODEL, kinds=kinds, reasons=(reason,))
    if hit == set(echoes) and "whole" in hit:
        reason = "every way of asking, with what only a wire does"
        return Verdict(outcome="damaged", scope=Scope.PROVIDER, kinds=kinds, reasons=(reason,), everywhere=True)
    clean = ", ".join(sorted(set(echoes) - hit)) or "no other answer"
    reason = f"{', '.join(sorted(hit))}, and not {clean}: too little to tell by which path"
    return Verdict(outcome="damaged", scope=Scope.UNDETERMINED, kinds=kinds, reasons=(reason,))


def _altered(back: Mapping[Way, Back], echoes: Mapping[Way, Back]) -> Verdict:
    """Judge what a model may have done as well."""
    kinds = tuple(sorted({kind for one in echoes.values() if one.echo is not None for kind in one.echo.kinds}))
    call, whole = echoes.get("call"), echoes.get("whole")
    streams = [echoes[way] for way in ("streamed", "repeat") if way in echoes]
    if call is not None and call.is_intact:
        reason = "the argument of a call came back as it was on the same wire: the model writes text anew"
        return Verdict(outcome="altered", scope=Scope.MODEL, kinds=kinds, reasons=(reason, *_missing(back)))
    same = {one.other for one in streams}
    is_steady = len(streams) > 1 and len(same) == 1 and same != {frozenset()}
    if whole is not None and whole.is_intact and is_steady and (call is None or call.other):
        reason = "both streams alike, and not the answer that is not streamed: the provider's streaming path"
        return Verdict(outcome="damaged", scope=Scope.PROVIDER, kinds=kinds, reasons=(reason,), path=True)
    if any(one.is_intact for one in streams) and any(not one.is_intact for one in streams):
        reason = "two streams of the same question differ: the model does not write the same twice"
        return Verdict(outcome="altered", scope=Scope.MODEL, kinds=kinds, reasons=(reason, *_missing(back)))
    control = back.get("control")
    if control is None or not control.is_intact:
        reason = "the control in plain ASCII did not come back either: the model does not do as it is told"
        return Verdict(outcome="unknown", scope=Scope.UNDETERMINED, kinds=kinds, reasons=(reason,))
    everywhere: frozenset[Kind] = frozenset.intersection(*(one.other for one in echoes.values()))
    if everywhere:
        reason = "every way of asking, by what a model's tokenizer does as well as a wire"
        return Verdict(
            outcome="damaged",
            scope=Scope.UNDETERMINED,
            kinds=tuple(sorted(everywhere)),
            reasons=(reason,),
            everywhere=True,
        )
    reason = "the control in plain ASCII came back and the line did not: the model may write it anew"
    return Verdict(outcome="unknown", scope=Scope.UNDETERMINED, kinds=kinds, reasons=(reason,))


def of_provider(verdicts: Sequence[Verdict], proxy: str | None = None) -> list[Verdict]:
    """Judge models beside each other: what all of them take is the provider's, what others do not take is not.

    `proxy` is the variable that names a proxy of ours which sees the answers in the clear.
    """
    judged = [(at, one) for at, one in enumerate(verdicts) if one.outcome in ("intact", "altered", "damaged")]
    return [_beside(one, [other for at, other in judged if at != place], proxy) for place, one in enumerate(verdicts)]


def _beside(one: Verdict, others: Sequence[Verdict], proxy: str | None) -> Verdict:
    if one.outcome != "damaged" or not (one.everywhere or one.path):
        return one
    alike = [other for other in others if other.outcome == "damaged" and set(other.kinds) & set(one.kinds)]
    clean, scope = _clean(others), one.scope
    reasons = [*one.reasons]
    if alike and not clean:
        scope = Scope.PROVIDER
        reasons.append(f"all {len(alike) + 1} models of this provider that were judged, alike")
    elif clean and not alike:
        scope = Scope.MODEL
        reasons.append(f"{clean} of this provider came back as sent: this model's deployment")
    elif clean:
        reasons.append(f"{len(alike) + 1} models of this provider alike, while {clean} came back as sent")
    else:
        reasons.append("no other model of this provider was judged")
    if scope is Scope.PROVIDER and proxy is not None:
        scope = Scope.PIPELINE
        reasons.append(f"the answers pass the proxy that {proxy} names, in the clear")
    return structs.replace(one, scope=scope, reasons=tuple(reasons))


def _clean(others: Iterable[Verdict]) -> str:
    """Count in words the models whose line a wire has carried."""
    count = sum(other.outcome in ("intact", "altered") for other in others)
    return f"{count} other model{'' if count == 1 else 's'}" if count else ""
