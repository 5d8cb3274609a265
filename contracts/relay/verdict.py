"""Judge one trial, promise by promise: what was sent against what arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from contracts.relay import asked, heads, sides, streams
from contracts.relay.told import Breach, Tried, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.relay.asked import Asking
    from contracts.relay.received import Received
    from contracts.relay.sent import Sent
    from contracts.relay.sides import Sides
    from contracts.relay.trial import Trial
    from contracts.testing.ask import Ask
    from contracts.testing.writers import Writer

REQUEST = ("relay.request", "relay.request-headers")
STREAMED = ("relay.bytes", "relay.order", "relay.end", "relay.headers", "relay.once")


class Verdict(NamedTuple):
    """What a trial came to."""

    tried: Tried
    findings: tuple[Breach, ...]


def unknown(trial: Trial, reason: str, requests: int = 0) -> Verdict:
    """Tell that a trial could not be judged."""
    tried = Tried(
        name=trial.name,
        does=trial.does,
        outcome="unknown",
        reason=reason,
        requests=requests,
        judged=(),
        sent=None,
        received=None,
        notes=(),
    )
    return Verdict(tried, ())


def judge(asking: Asking, writer: Writer, tries: Sequence[Sent], strays: Sequence[Ask], received: Received) -> Verdict:
    """Judge a trial.

    Args:
        asking: what the client asked.
        writer: that of the dialect.
        tries: every answer that the provider gave to it, the first one first.
        strays: requests that reached the provider and were no chats, or not with the text of the trial.
        received: what arrived.
    """
    trial = asking.trial
    if not tries:
        return _unasked(asking, strays, received)
    found = sides.read(trial, writer, tries, received)
    if found.sent.is_over or received.ending == "over":
        return unknown(trial, "more was sent than is compared", len(tries))
    of_request = tuple(asked.breaches(asking, [one.ask for one in tries]))
    findings = (*of_request, *_findings(found))
    judged = tuple(dict.fromkeys((*REQUEST, *_judged(found), *(one.promise for one in findings))))
    notes = () if of_request else tuple(asked.notes(asking, found.sent.ask))
    tried = Tried(
        name=trial.name,
        does=trial.does,
        outcome=outcome_of(findings, is_unknown=False),
        reason=None,
        requests=len(tries),
        judged=judged,
        sent=sides.side(found.sent.status, found.left, found.before, found.sent.ending),
        received=sides.side(received.status, found.right, found.after, received.ending),
        notes=(*notes, *(streams.notes(found) if found.is_success else ())),
    )
    return Verdict(tried, findings)


def _unasked(asking: Asking, strays: Sequence[Ask], received: Received) -> Verdict:
    """Judge a trial in which the provider was asked for no chat with its text: nothing, or something else."""
    was = "was asked, but not with the text of the trial" if strays else "was not asked"
    lost = unknown(asking.trial, f"the provider {was}; {_said(received)}", len(strays))
    # A chat without the text may be the relay's own, such as a check of health.
    findings = tuple(asked.breaches(asking, [one for one in strays if one.kind != "chat"]))
    if not findings:
        return lost
    judged = tuple(dict.fromkeys(one.promise for one in findings))
    return Verdict(structs.replace(lost.tried, outcome="violated", reason=None, judged=judged), findings)


def _said(received: Received) -> str:
    if received.status is None:
        return f"the relay gave no answer: {received.trouble}"
    body = b"".join(piece for _, piece in received.chunks[:3])
    return f"the relay answered {received.status} by itself: {sides.shown(body)}"


def _judged(found: Sides) -> tuple[str, ...]:
    """Name the promises that a trial can show."""
    if found.sent.status is None:
        return ("relay.error", "relay.once")
    if not found.is_success:
        return ("relay.error", "relay.end", "relay.headers", "relay.once")
    more = ("relay.error",) if streams.tells_error(found) else ()
    held_back = ("relay.buffering",) if found.sent.gap is not None else ()
    return (*STREAMED, *more, *held_back)


def _findings(found: Sides) -> Iterator[Breach]:
    yield from heads.once(found)
    wrong = list(heads.status(found))
    yield from wrong
    if wrong or found.sent.status is None:
        return  # what came in the place of an answer is held to nothing else
    yield from heads.headers(found)
    yield from streams.breaches(found)
    if found.is_success:
        yield from streams.held_back(found)
    else:
        yield from heads.body(found)
