"""Events of another shape than the dialect's: members that are missing, renamed or of another type, ids that change."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contracts.testing.ask import Ask
from contracts.testing.reply import Reply
from contracts.testing.scenario import scenario
from contracts.testing.stream import each, rewritten, with_members
from contracts.testing.writers import Sent

Events = Iterator[Sent]
CHOICES = ("choices", "candidates")


@scenario("events", violates="reply.id", needs=("id", "id-everywhere"))
def id_changes(events: Events, told: Reply, ask: Ask) -> Events:
    """Gives every event another id, so that clients which merge by id shatter the answer."""
    return (renamed(event, told.id, f"{told.id}-é{position}") for position, event in enumerate(events))


@scenario("events", violates="reply.id", needs=("id", "start"))
def begins_anew(events: Events, told: Reply, ask: Ask) -> Events:
    """Begins its answer a second time, under another id, before it has said anything."""
    for event in events:
        yield event
        if event.what == "start":
            yield renamed(event, told.id, f"{told.id}-é")


@scenario("events", violates="reply.not-empty", needs=("choices",))
def no_choices(events: Events, told: Reply, ask: Ask) -> Events:
    """Sends events without a single choice."""
    return each(lambda e: rewritten(e, lambda name, value: {name: [] if name in CHOICES else value}), events)


@scenario("events", violates="reply.schema", needs=("model-required",))
def no_model_member(events: Events, told: Reply, ask: Ask) -> Events:
    """Leaves out the model of every event."""
    return each(lambda event: rewritten(event, lambda name, value: {} if name == "model" else {name: value}), events)


@scenario("events", violates="reply.schema", needs=("created",))
def created_fraction(events: Events, told: Reply, ask: Ask) -> Events:
    """Sends created as a fraction of a second, which strict clients refuse."""
    return each(lambda event: with_members(event, created=event.value["created"] + 0.25), events)


@scenario("events", violates="reply.schema", needs=("content-type",))
def content_as_list(events: Events, told: Reply, ask: Ask) -> Events:
    """Sends the text of an event as a list of parts."""

    def listed(name: str, value: Any) -> dict[str, Any]:
        is_text = isinstance(value, str) and value in told.pieces
        return {name: [{"type": "text", "text": value}] if is_text else value}

    return (rewritten(event, listed) if event.what == "text" else event for event in events)


@scenario("events", violates="reply.schema", needs=("delta",))
def message_for_delta(events: Events, told: Reply, ask: Ask) -> Events:
    """Sends what a stream adds under the name message in place of delta."""
    return each(lambda e: rewritten(e, lambda name, value: {"message" if name == "delta" else name: value}), events)


@scenario("events", violates="reply.schema", needs=("blocks",))
def blocks_not_opened(events: Events, told: Reply, ask: Ask) -> Events:
    """Leaves out the events that begin what is told in pieces, so that clients have nothing to add a piece to."""
    return (event for event in events if event.what != "open")


@scenario("events", violates="reply.schema", needs=("blocks",))
def blocks_not_closed(events: Events, told: Reply, ask: Ask) -> Events:
    """Leaves out the events that end what is told in pieces."""
    return (event for event in events if event.what != "shut")


def renamed(event: Sent, told: str, new: str) -> Sent:
    """Give an event another id."""
    return rewritten(event, lambda name, value: {name: new if value == told else value})
