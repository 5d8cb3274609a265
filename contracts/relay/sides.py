"""The two sides of one trial, each read: what the provider sent and what came out of the relay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.relay import events
from contracts.relay.told import Side
from contracts.testing.answer import STREAMS
from contracts.text.grapheme import CONTINUES
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.model import Headers
    from contracts.relay.received import Received
    from contracts.relay.sent import Sent
    from contracts.relay.trial import Trial
    from contracts.testing.writers import Writer

AROUND = 24  # bytes that are shown before the first that differs
SHOWN = 100  # bytes that are shown in all
OK = range(200, 300)


class Sides(Struct, frozen=True, kw_only=True):
    """Both answers, decoded and read as what the provider's label says it sent."""

    trial: Trial
    writer: Writer
    tries: Sequence[Sent]
    sent: Sent
    received: Received
    left: events.Decoded
    right: events.Decoded
    before: events.Read
    after: events.Read

    @property
    def is_success(self) -> bool:
        """Whether the provider answered 2xx."""
        return self.sent.status in OK

    @property
    def is_same_body(self) -> bool:
        """Whether every byte arrived, and nothing else."""
        return self.left.body == self.right.body

    @property
    def is_beginning(self) -> bool:
        """Whether what arrived is the beginning of the body and then broke off, which is told of as a missing end."""
        return self.received.ending != "whole" and self.left.body.startswith(self.right.body)


def read(trial: Trial, writer: Writer, tries: Sequence[Sent], received: Received) -> Sides:
    """Read both sides; of several answers of the provider the one that arrived, else the last."""
    right = events.decoded(received.headers, received.chunks, is_cut=received.ending != "whole")
    lefts = [events.decoded(s.headers, [(0.0, bytes(s.body))], is_cut=s.ending != "whole") for s in tries]
    match = (at for at, s in enumerate(tries) if s.status == received.status and lefts[at].body == right.body)
    at = next(match, len(tries) - 1)
    sent, left = tries[at], lefts[at]
    is_stream = sent.status in OK and header(sent.headers, "content-type").startswith(STREAMS)
    return Sides(
        trial=trial,
        writer=writer,
        tries=tries,
        sent=sent,
        received=received,
        left=left,
        right=right,
        before=events.read(left.body, is_stream=is_stream, writer=writer),
        after=events.read(right.body, is_stream=is_stream, writer=writer),
    )


def header(headers: Headers, name: str) -> str:
    """Give the values of a header, joined as RFC 9110, 5.3, has it."""
    return ", ".join(value.strip() for key, value in headers if key.lower() == name)


def side(status: int | None, body: events.Decoded, found: events.Read, ending: str) -> Side:
    """Tell of one side."""
    return Side(status=status, events=len(found.events), bytes=len(body.body), ending=ending)


def shown(data: bytes, at: int = 0) -> str:
    """Show some data around an offset, in one line and without what a terminal obeys."""
    start = max(0, at - AROUND)
    while start and data[start] in CONTINUES:
        start -= 1
    piece = data[start : start + SHOWN]
    text = scrub(piece.decode("utf-8", "backslashreplace"), 4 * SHOWN)
    return ("…" if start else "") + text + ("…" if start + SHOWN < len(data) else "")
