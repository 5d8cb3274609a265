"""Judge a body: the events of a success one by one, their order, an error among them, and the end of any."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from contracts.relay import align, events
from contracts.relay.changes import changes, first_difference
from contracts.relay.sides import shown
from contracts.relay.told import Breach, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.facts import Framing
    from contracts.model import Headers
    from contracts.relay.sides import Sides


class Difference(NamedTuple):
    """One event that is not what it was: which promise that breaks, and how."""

    promise: str
    event: int
    detail: str
    expected: str
    observed: str
    byte: int | None = None
    changes: tuple[str, ...] = ()
    is_warning: bool = False


def tells_error(found: Sides) -> bool:
    """Tell whether the provider said within a success that something failed."""
    return any(map(events.is_error, found.before.events))


def breaches(found: Sides) -> Iterator[Breach]:
    """Put the differences of one promise together: the first one, and how many events there are."""
    by_promise: dict[str, list[Difference]] = {}
    # The body of an error is judged as one: here only whether it came whole.
    for one in (*(_of_events(found) if found.is_success else ()), *_of_end(found)):
        by_promise.setdefault(one.promise, []).append(one)
    for promise, differences in by_promise.items():
        first = next((one for one in differences if not one.is_warning), differences[0])
        others = len(differences) - 1
        more = f", and {others} more event{'s' if others > 1 else ''}" if others else ""
        yield Breach(
            trial=found.trial.name,
            promise=promise,
            severity="warning" if first.is_warning else "error",
            expected=first.expected,
            observed=first.observed,
            detail=first.detail + more,
            changes=tuple(dict.fromkeys(change for one in differences for change in one.changes)),
            count=len(differences),
            where=Where(event=first.event, byte=first.byte),
        )


def _of_events(found: Sides) -> Iterator[Difference]:
    is_one = found.before.framing is None and not found.writer.NDJSON  # a whole body, which no event ends
    if found.is_same_body or (is_one and found.is_beginning):
        return
    sent, received = found.before.events, found.after.events
    pairs = align.align(sent, received, found.writer)
    moved = align.moved(pairs, sent, received)
    was, now = {pair.sent for pair in moved}, {pair.received for pair in moved}
    for left, right in moved:
        assert left is not None and right is not None  # noqa: S101, PT018 - both sides of what was moved are known
        detail = f"event {left} arrived as event {right}"
        yield Difference("relay.order", left, detail, shown(sent[left].data), shown(received[right].data))
    last = max((at for at, pair in enumerate(pairs) if None not in pair), default=-1)
    for at, (left, right) in enumerate(pairs):
        if left is not None and right is not None:
            yield from _changed(sent[left], received[right], left)
        elif left is not None and left not in was:
            yield from _lost(found, left, is_trailing=at > last)
        elif right is not None and right not in now:
            yield from _added(found, right, is_trailing=at > last)


def _changed(one: events.Event, other: events.Event, number: int) -> Iterator[Difference]:
    if one.data == other.data and one.name == other.name:
        return
    said, at = changes(one, other), first_difference(one.data, other.data)
    promise = "relay.error" if events.is_error(one) else "relay.bytes"
    detail = f"event {number}: {'; '.join(said)}"
    yield Difference(promise, number, detail, shown(one.data, at), shown(other.data, at), at, said)


def _lost(found: Sides, number: int, *, is_trailing: bool) -> Iterator[Difference]:
    one = found.before.events[number]
    if is_trailing and found.sent.ending == "reset":
        return  # what was on its way when a connection is reset may be lost with it: RFC 9293, 3.10.7
    if is_trailing and found.sent.ending == "whole" and found.received.ending != "whole":
        return  # the end that is missing is told of as such
    is_end = is_trailing and found.sent.ending == "whole"
    promise = "relay.error" if events.is_error(one) else "relay.end" if is_end else "relay.order"
    what = "the end was left out" if is_end else "an event was lost"
    yield Difference(promise, number, f"{what}: event {number} did not arrive", shown(one.data), "nothing")


def _added(found: Sides, number: int, *, is_trailing: bool) -> Iterator[Difference]:
    one, is_cut = found.after.events[number], found.sent.ending != "whole"
    told = events.is_error(one)
    if told and is_trailing and is_cut:
        detail = "the cut was told in an event of the relay's own"
        yield Difference("relay.end", number, detail, "a cut", shown(one.data), is_warning=True)
        return
    if told and not tells_error(found):
        promise, what = "relay.error", "an error was made up"
    elif is_trailing and not told:
        promise, what = "relay.end", "an end was made up"
    else:
        promise, what = "relay.order", "an event was added"
    yield Difference(promise, number, f"{what}: event {number} was never sent", "nothing", shown(one.data))


def _of_end(found: Sides) -> Iterator[Difference]:
    sent, received = found.sent.ending, found.received.ending
    number = len(found.after.events)
    if sent == "whole" and received != "whole":
        detail = f"what ended whole did not arrive so: {found.received.trouble or 'the connection was cut'}"
        yield Difference("relay.end", number, detail, "a whole answer", f"{number} events, then {_ended(received)}")
    elif sent in ("cut", "reset") and received == "open":
        detail = f"what was cut stays open: {found.received.trouble}"
        yield Difference("relay.end", number, detail, "a cut", _ended(received))
    elif sent != "whole" and received == "whole" and not any(map(events.is_error, found.after.events[-1:])):
        detail = f"what {'was cut' if sent != 'held' else 'never ended'} arrived as a clean end"
        yield Difference("relay.end", number, detail, "a cut", "a clean end")


def _ended(ending: str) -> str:
    return {"cut": "a cut", "open": "a connection that stays open"}.get(ending, ending)


def held_back(found: Sides) -> Iterator[Breach]:
    """Hold the relay to passing on what came before a silence before the silence is over."""
    gap = found.sent.gap
    if gap is None:
        return
    early = [piece for at, piece in found.right.pieces if at < gap.until_s]
    wanted = events.count(found.left.body[: gap.size], found.writer)
    came = events.count(b"".join(early), found.writer)
    if came < wanted:
        yield Breach(
            trial=found.trial.name,
            promise="relay.buffering",
            severity="warning",
            expected=f"{wanted} events",
            observed=f"{came} events",
            detail=f"of {wanted} events sent before a silence {came} had arrived when it was over: the relay buffers",
            where=Where(event=came),
        )


def notes(found: Sides) -> Iterator[str]:
    """Say what differs and may: the framing, the coding, a tail that no reader sees."""
    if found.received.status != found.sent.status or not found.right.body:
        return
    before, after = found.before.framing, found.after.framing
    if before is not None and after is not None and not found.is_same_body:
        said = [*_reframed(before, after)]
        if found.before.tail != found.after.tail and found.sent.ending != "reset":
            said.append("an event that was never ended was left out")
        if not said and found.before.events == found.after.events:
            said.append("blanks or field order")
        if said:
            yield f"re-framed: {', '.join(said)}"
    was, now = (_coding(side) for side in (found.sent.headers, found.received.headers))
    if was != now:
        yield f"content coding: {was} became {now}"


def _reframed(before: Framing, after: Framing) -> Iterator[str]:
    was, now = _line_ends(before), _line_ends(after)
    if was != now:
        yield f"line ends {was} became {now}"
    if before.comments != after.comments:
        yield f"comments: {before.comments} sent, {after.comments} arrived"
    if before.bom and not after.bom:
        yield "the byte order mark was dropped"
    if before.unknown_fields and not after.unknown_fields:
        yield "a field that the standard does not know was dropped"


def _line_ends(framing: Framing) -> str:
    named = (("CRLF", framing.crlf), ("LF", framing.lf), ("CR", framing.cr))
    return " and ".join(name for name, number in named if number) or "none"


def _coding(headers: Headers) -> str:
    from contracts.wire.content_coding import declared

    return ", ".join(declared(headers))[:60] or "identity"
