"""Which answers count as alike: of one model, with one verdict, and with the same faults in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

if TYPE_CHECKING:
    from contracts.facts import Facts, Framing, Reply
    from contracts.observations import Observation
    from contracts.text.verdict import Verification


def kind_of(observation: Observation) -> tuple[object, ...]:
    """Give what answers that are alike have in common: all that a contract judges, without lengths and places."""
    facts, verdict = observation.facts, observation.verification
    return (
        observation.provider,
        observation.model,
        (verdict.verdict, _detail(verdict), verdict.model_attributable, verdict.scope),
        _answer(facts),
        None if facts.asked is None else structs.astuple(structs.replace(facts.asked, model=None, cap=None)),
        tuple(fault.kind for fault in facts.json_faults),
        tuple((fault.path, fault.found) for fault in facts.schema_faults),
        tuple((error.form, error.code, error.type) for error in facts.errors),
        None if facts.framing is None else _framing(facts.framing),
        None if facts.reply is None else _reply(facts.reply),
    )


def same_word(one: Verification, other: Verification) -> bool:
    """Tell whether two taps say the same of an answer, whosever fault each takes it for: each knows another request."""
    mine, yours = (_detail(verdict).partition(" [")[0] for verdict in (one, other))
    return one.verdict == other.verdict and mine == yours


def _detail(verdict: Verification) -> str:
    """Leave out how often damage or a loop was seen: it differs in each answer, and each would be a line of its own."""
    match verdict.verdict:
        case "mangled":
            return verdict.detail.partition(":")[0]
        case "looping":
            return ""
        case _:
            return verdict.detail


def _answer(facts: Facts) -> tuple[object, ...]:
    label = next((value for name, value in facts.headers if name.lower() == "content-type"), None)
    coding = facts.coding is None or facts.coding.fault is None
    over = facts.body.over_limit is None
    return facts.dialect, facts.kind, facts.status, label, facts.body.kind, over, facts.ended, coding


def _framing(framing: Framing) -> tuple[object, ...]:
    faults = (framing.nuls, framing.invalid_utf8, framing.over_limit)
    unknown = tuple(fault.kind for fault in framing.unknown_fields)
    return (*(f is None for f in faults), unknown, framing.tail_bytes > 0, framing.tail_data, framing.tail_whole)


def _reply(reply: Reply) -> tuple[object, ...]:
    choices = tuple(
        (c.visible, c.calls > 0, c.other_output > 0, c.refusal_chars > 0, c.finish_count, c.after_finish is None,
         tuple(end.reason for end in c.finishes))
        for c in reply.choices
    )  # fmt: skip
    usage = reply.usage
    return (
        reply.streamed,
        reply.unread > 0,
        choices,
        tuple((fault.kind, fault.detail) for fault in reply.call_faults),
        (usage.count, usage.placed, tuple(fault.kind for fault in usage.faults)),
        len(reply.ids),
        tuple(model.value for model in reply.models),
        (reply.close.count, reply.close.after is None),
        tuple(damage.kind for damage in reply.text.damage),
    )
