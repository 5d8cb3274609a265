"""Replies that end wrongly, count wrongly, carry errors, or are not the answer that was asked for."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from contracts.testing import answer as answers
from contracts.testing import honest, reply
from contracts.testing.answer import Answer
from contracts.testing.ask import Ask
from contracts.testing.reply import Chunks, Reply, delta_of, each
from contracts.testing.scenario import scenario

USAGE = {"prompt_tokens": 9, "completion_tokens": 10, "total_tokens": 19}
UPSTREAM = {"message": "Le fournisseur en amont a échoué", "code": 502, "metadata": {"provider_name": "amont"}}


def is_finish(event: dict[str, Any]) -> bool:
    """Tell whether an event ends a choice."""
    return any(c["finish_reason"] for c in event.get("choices") or [])


@scenario("chunks", violates="reply.finish")
def finish_never(chunks: Chunks, ask: Ask) -> Chunks:
    """Never sends a finish reason, so that a whole answer looks like one that was cut."""
    return (event for event in chunks if not is_finish(event))


@scenario("chunks", violates="reply.finish")
def finish_twice(chunks: Chunks, ask: Ask) -> Chunks:
    """Ends the choice twice, which closes a client's stream twice."""
    for event in chunks:
        yield event
        if is_finish(event):
            yield event


@scenario("chunks", violates="reply.finish")
def text_after_finish(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends text after the end of the choice."""
    for event in chunks:
        yield event
        if is_finish(event):
            late = {"index": 0, "delta": {"content": "…après la fin"}, "finish_reason": None}
            yield {**event, "choices": [late]}


@scenario("reply", violates="reply.finish")
def finish_unknown(told: Reply, ask: Ask) -> None:
    """Ends with a finish reason that the dialect does not have."""
    told.finish = "terminé"


@scenario("reply", violates="reply.finish")
def finish_tools_but_none(told: Reply, ask: Ask) -> None:
    """Ends with tool_calls and sent no tool call."""
    told.finish = "tool_calls"


@scenario("reply", violates="reply.finish")
def finish_stop_after_calls(told: Reply, ask: Ask) -> None:
    """Ends with stop after tool calls, so that clients never start them."""
    reply.two_calls(told)
    told.finish = "stop"


@scenario("chunks", violates="reply.usage")
def usage_missing(chunks: Chunks, ask: Ask) -> Chunks:
    """Never sends the usage that was asked for."""
    return (event for event in chunks if "usage" not in event)


@scenario("chunks", violates="reply.usage")
def usage_twice(chunks: Chunks, ask: Ask) -> Chunks:
    """Reports usage on the event that ends the choice and again on the last, so that adding up bills twice."""
    for event in chunks:
        yield {**event, "usage": USAGE} if is_finish(event) else event


@scenario("chunks", violates="reply.usage")
def usage_every_chunk(chunks: Chunks, ask: Ask) -> Chunks:
    """Reports usage on every event, unasked."""
    return each(lambda event: event.update(usage=USAGE), chunks)


@scenario("chunks", violates="reply.usage")
def usage_early(chunks: Chunks, ask: Ask) -> Chunks:
    """Reports usage on an event of its own before the answer instead of after it."""
    first = next(chunks)
    yield first
    yield {**first, "choices": [], "usage": USAGE}
    yield from (event for event in chunks if "usage" not in event)


@scenario("reply", violates="reply.usage")
def usage_negative(told: Reply, ask: Ask) -> None:
    """Counts minus one token."""
    told.usage = {**told.usage, "completion_tokens": -1, "total_tokens": 8}


@scenario("reply", violates="reply.usage")
def usage_fraction(told: Reply, ask: Ask) -> None:
    """Counts half tokens."""
    told.usage = {**told.usage, "completion_tokens": 10.5}


@scenario("reply", violates="reply.usage")
def usage_sum(told: Reply, ask: Ask) -> None:
    """Reports a total that is not the sum."""
    told.usage = {**told.usage, "total_tokens": 1000}


@scenario("chunks", violates="reply.error")
def error_mid_stream(chunks: Chunks, ask: Ask) -> Chunks:
    """Fails in the middle of a stream that began with 200, and says so in an event."""
    for position, event in enumerate(chunks):
        if position == reply.MIDDLE:
            yield {**event, "error": UPSTREAM, "choices": []}
            return
        yield event


@scenario("chunks", violates="reply.error")
def error_in_choice(chunks: Chunks, ask: Ask) -> Chunks:
    """Tells an error inside a choice, and ends it with the reason stop."""
    for event in chunks:
        yield {**event, "choices": [{**event["choices"][0], "error": UPSTREAM}]} if is_finish(event) else event


@scenario("before", violates="reply.error", kinds=("chat",), shown="chat")
def error_in_success(ask: Ask) -> Answer | None:
    """Answers 200 with a JSON error in place of the answer."""
    return answers.whole(200, {"error": UPSTREAM}) if ask.is_keyed else None


@scenario("chunks", violates="reply.id")
def id_changes(chunks: Chunks, ask: Ask) -> Chunks:
    """Gives every event another id, so that clients which merge by id shatter the answer."""
    return ({**event, "id": f"chatcmpl-é{position}"} for position, event in enumerate(chunks))


@scenario("reply", violates="reply.model")
def other_model(told: Reply, ask: Ask) -> None:
    """Silently serves another model than the one that was asked for."""
    told.model = "loopback/mystère-mini"


@scenario("before", violates="models.resolve", kinds=("chat",))
def model_gone(ask: Ask) -> Answer | None:
    """Lists the model, and answers a chat with 404: it does not exist."""
    return honest.no_model(ask) if ask.is_keyed else None


@scenario("reply", violates="reply.not-empty")
def empty_success(told: Reply, ask: Ask) -> None:
    """Succeeds without a word: no text, no tokens, finish reason stop."""
    told.pieces = []
    told.usage = {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}


@scenario("reply", violates="reply.not-empty")
def only_blanks(told: Reply, ask: Ask) -> None:
    """Answers with white space and nothing else."""
    told.pieces = [" ", "\u3000", "\n"]


@scenario("reply", violates="reply.not-empty")
def only_reasoning(told: Reply, ask: Ask) -> None:
    """Reasons at length and then says nothing."""
    told.reasoning, told.pieces = ["Réfléchissons: ", "日本…"], []


@scenario("chunks", violates="reply.not-empty")
def no_choices(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends events without a single choice."""
    return ({**event, "choices": []} for event in chunks)


@scenario("chunks", violates="reply.schema")
def no_model_member(chunks: Chunks, ask: Ask) -> Chunks:
    """Leaves out the model of every event."""
    return ({name: value for name, value in event.items() if name != "model"} for event in chunks)


@scenario("chunks", violates="reply.schema")
def created_fraction(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends created as a fraction of a second, which strict clients refuse."""
    return ({**event, "created": event["created"] + 0.25} for event in chunks)


@scenario("chunks", violates="reply.schema")
def content_as_list(chunks: Chunks, ask: Ask) -> Chunks:
    """Sends delta.content as a list of parts."""

    def listed(event: dict[str, Any]) -> None:
        delta = delta_of(event)
        if delta.get("content"):
            delta["content"] = [{"type": "text", "text": delta["content"]}]

    return each(listed, chunks)


@scenario("chunks", violates="reply.schema")
def message_for_delta(chunks: Chunks, ask: Ask) -> Iterator[dict[str, Any]]:
    """Sends whole messages inside a stream, under the name message in place of delta."""
    for event in chunks:
        choices = [{("message" if k == "delta" else k): v for k, v in c.items()} for c in event["choices"]]
        yield {**event, "choices": choices}
