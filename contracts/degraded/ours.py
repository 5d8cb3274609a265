"""Answers that came whole and that the router itself sent damaged, empty, unreadable or looping.

That is the router's fault and trips nobody. What came counts as it came: were it left out, the few answers that a model
really spoilt would be all that is judged of it, and a router that damages the rest would trip the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from contracts.breaker.novelty import is_novel
from contracts.breaker.tally import Key
from contracts.checks import counted
from contracts.degraded.told import Degradation
from contracts.facts import Text
from contracts.model import Scope
from contracts.text.attribution import DOUBLE
from contracts.text.rules import FAULTS, unverifiable
from contracts.text.verdict import verify_facts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.breaker.tally import Tally
    from contracts.observations import Observation
    from contracts.text.verdict import Verification

ACTION = "look at the router: these answers came whole, so that the provider is not to blame"
WHY = "what came was whole, and the router sent it so; no breaker has to do with it"


def is_ours(seen: Observation) -> bool:
    """Tell whether the router spoilt an answer that came whole, as its taps say.

    Damage that the request brought in is the pipeline's too; only what is known to have come intact was done here.
    """
    word, reply = seen.verification, seen.facts.reply
    if word.scope is not Scope.PIPELINE or word.verdict not in FAULTS:
        return False
    return word.verdict != "mangled" or (reply is not None and reply.text.came_intact)


def came(seen: Observation) -> Verification:
    """Judge what came of an answer that the router spoilt, by its facts; where they say otherwise, nothing is shown."""
    facts = seen.facts
    if facts.reply is not None and facts.reply.text.came_intact:
        sent = facts.reply.text
        # What was misread was beyond ASCII when it came. Of other damage that is not certain, so less is said.
        beyond = sent.non_ascii if any(damage.kind in DOUBLE for damage in sent.damage) else 0
        whole = Text(chars=sent.chars, non_ascii=beyond, intact_non_ascii=beyond)
        facts = structs.replace(facts, reply=structs.replace(facts.reply, text=whole))
    word = verify_facts(facts)
    return unverifiable("sent otherwise than it came") if word.verdict in FAULTS else word


def warnings(spoilt: Sequence[Tally], groups: Mapping[Key, Sequence[Tally]]) -> list[Degradation]:
    """Warn of each signature, from the first sighting on: nothing of it is a guess.

    Args:
        spoilt: counts of what was sent.
        groups: counts of what came, by provider and model.
    """
    seen = [tally for tally in spoilt if tally.day and tally.provider]
    return [
        _warning(one, groups.get(Key(one.provider, one.model), ()))
        for one in sorted(seen, key=lambda one: (one.provider, one.model, one.verdict, one.signature))
    ]


def _warning(own: Tally, group: Sequence[Tally]) -> Degradation:
    answers, before = sum(tally.day for tally in group), sum(tally.before for tally in group)
    return Degradation(
        provider=own.provider,
        model=own.model or None,
        verdict=own.verdict,  # type: ignore[arg-type]  # `is_ours` lets these three alone through
        signature=own.name,
        confidence="high",
        scope=Scope.PIPELINE,
        count=own.day,
        judged=answers,
        answers=answers,
        rate=own.day / answers if answers else None,
        baseline=own.before,
        baseline_rate=own.before / before if before else None,
        novel=own.first_at is not None and is_novel(own.before_last_at, own.first_at),
        first_at=own.first_at,
        last_at=own.last_at,
        state=None,
        standing=False,
        why=WHY,
        action=ACTION,
    )


def line(own: Sequence[Degradation]) -> str:
    """Write for the note of a provider what the router did to its answers."""
    answers, models = sum(one.count for one in own), len({one.model for one in own})
    names = ", ".join(dict.fromkeys(one.signature for one in own))
    spoilt = f"{counted(answers, 'answer')} of {counted(models, 'model')}"
    return f"The router spoilt {spoilt} in 24 h ({names}): {ACTION}"
