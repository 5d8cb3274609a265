"""Judge status and headers of what arrived, the body of an error, and how often the provider was asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from contracts.relay.changes import changes, first_difference
from contracts.relay.sides import OK, header, shown
from contracts.relay.told import Breach, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.relay.sides import Sides

_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s\";,]+)", re.IGNORECASE)
UTF_8 = "utf-8"


def once(found: Sides) -> Iterator[Breach]:
    """Hold the relay to one request: a second after an answer had begun is a breach, after an error a warning."""
    number = len(found.tries)
    if number == 1:
        return
    begun = any(one.status in OK and one.has_begun for one in found.tries[:-1])
    after = "an answer that had begun" if begun else "an answer that was none"
    yield Breach(
        trial=found.trial.name,
        promise="relay.once",
        severity="error" if begun else "warning",
        expected="1 request",
        observed=f"{number} requests",
        detail=f"the provider was asked {number} times for one request, again after {after}",
    )


def status(found: Sides) -> Iterator[Breach]:
    """Hold the status to that of the provider; where it gave none, the relay may give any but success."""
    sent, received = found.sent.status, found.received.status
    if sent is None:
        if received in OK:
            yield _error(found, "no answer", str(received), f"the provider gave no answer, and the relay {received}")
    elif received is None:
        yield Breach(
            trial=found.trial.name,
            promise="relay.end",
            severity="error",
            expected=f"status {sent}",
            observed="no answer",
            detail=f"the provider answered {sent}, and the relay nothing: {found.received.trouble}",
        )
    elif sent != received:
        how = "hidden" if received in OK else "made up" if sent in OK else "changed"
        said = f"status {received}: {shown(found.right.body)}"
        yield _error(found, f"status {sent}", said, f"the provider answered {sent} and the relay {received}: {how}")


def headers(found: Sides) -> Iterator[Breach]:
    """Hold the headers that readers choose by to what the provider said; others are the relay's to set."""
    sent, received = (header(side.headers, "content-type") for side in (found.sent, found.received))
    if sent and _media_type(sent) != _media_type(received):
        yield _header(found, "content-type", sent, received, "the media type is another one")
    elif (charset := _charset(received)) != (was := _charset(sent)) and (was or charset != UTF_8):
        word = "lost" if not charset else "changed" if was else "added, and is not utf-8"
        yield _header(found, "content-type", sent, received, f"the charset was {word}")
    if found.right.fault is not None and found.left.fault is None:
        said = header(found.received.headers, "content-encoding")
        yield _header(found, "content-encoding", "a body that decodes", said, found.right.fault.detail)
    sent, received = (header(side.headers, "retry-after") for side in (found.sent, found.received))
    if sent and sent != received:
        yield _header(found, "retry-after", sent, received, "Retry-After was not passed on")


def body(found: Sides) -> Iterator[Breach]:
    """Hold the body of an error to every byte of it."""
    if found.is_same_body or found.is_beginning:
        return
    one, other = found.before.events[0], found.after.events[0]
    at, said = first_difference(one.data, other.data), changes(one, other)
    lost = "" if other.data else "the body of the error is lost"
    detail = lost or f"the body of the error is another one: {'; '.join(said)}"
    yield Breach(
        trial=found.trial.name,
        promise="relay.error",
        severity="error",
        expected=shown(one.data, at),
        observed=shown(other.data, at),
        detail=detail,
        changes=() if lost else said,
        where=Where(event=0, byte=at),
    )


def _media_type(value: str) -> str:
    return value.partition(";")[0].strip().lower()


def _charset(value: str) -> str:
    match = _CHARSET.search(value)
    named = match[1].lower() if match else ""
    return UTF_8 if named == "utf8" else named


def _error(found: Sides, expected: str, observed: str, detail: str) -> Breach:
    return Breach(
        trial=found.trial.name,
        promise="relay.error",
        severity="error",
        expected=expected,
        observed=observed,
        detail=detail,
    )


def _header(found: Sides, name: str, expected: str, observed: str, detail: str) -> Breach:
    return Breach(
        trial=found.trial.name,
        promise="relay.headers",
        severity="error",
        expected=shown(expected.encode()),
        observed=shown(observed.encode()) or "nothing",
        detail=detail,
        where=Where(header=name),
    )
