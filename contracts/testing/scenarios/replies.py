"""Replies that end wrongly, count wrongly, carry errors, or are not the answer that was asked for."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator

from contracts.testing import answer as answers
from contracts.testing import honest
from contracts.testing.answer import Answer
from contracts.testing.ask import Ask
from contracts.testing.reply import INPUT_TOKENS, Reply, Say, Says, Usage, two_calls
from contracts.testing.scenario import scenario
from contracts.testing.stream import each, middle, with_members
from contracts.testing.writers import Sent

USAGE = {"prompt_tokens": 9, "completion_tokens": 10, "total_tokens": 19}
Events = Iterator[Sent]
UPSTREAM = "Le fournisseur en amont a échoué"


@scenario("says", violates="reply.finish", needs=("finish-apart",))
def finish_never(says: Says, told: Reply) -> Says:
    """Never sends a finish reason, so that a whole answer looks like one that was cut."""
    for say in says:
        if say.what == "finish":
            say.reason = None
        yield say


@scenario("says", violates="reply.finish")
def finish_twice(says: Says, told: Reply) -> Says:
    """Ends the answer twice, which closes a client's stream twice."""
    for say in says:
        yield say
        if say.what == "finish":
            yield say


@scenario("says", violates="reply.finish")
def text_after_finish(says: Says, told: Reply) -> Says:
    """Sends text after the end of the answer."""
    for say in says:
        yield say
        if say.what == "finish":
            yield Say(what="text", piece="…après la fin")


@scenario("reply", violates="reply.finish")
def finish_unknown(told: Reply, ask: Ask) -> None:
    """Ends with a finish reason that the dialect does not have."""
    told.finish = "terminé"


@scenario("reply", violates="reply.finish", needs=("finish-for-calls",))
def finish_tools_but_none(told: Reply, ask: Ask) -> None:
    """Ends with tool_calls and sent no tool call."""
    told.finish = "tool_calls"


@scenario("reply", violates="reply.finish", needs=("tools", "finish-for-calls"))
def finish_stop_after_calls(told: Reply, ask: Ask) -> None:
    """Ends with stop after tool calls, so that clients never start them."""
    two_calls(told)
    told.finish = "stop"


@scenario("says", violates="reply.usage", needs=("usage-apart",))
def usage_missing(says: Says, told: Reply) -> Says:
    """Never sends the usage that was asked for."""
    return (say for say in says if say.what != "usage")


@scenario("events", violates="reply.usage", needs=("usage-apart",))
def usage_twice(events: Events, told: Reply, ask: Ask) -> Events:
    """Reports usage on the event that ends the choice and again on the last, so that adding up bills twice."""
    return (with_members(event, usage=USAGE) if event.what == "finish" else event for event in events)


@scenario("events", violates="reply.usage", needs=("usage-apart",))
def usage_every_chunk(events: Events, told: Reply, ask: Ask) -> Events:
    """Reports usage on every event, unasked."""
    return each(lambda event: with_members(event, usage=USAGE), events)


@scenario("says", violates="reply.usage", needs=("usage-apart",))
def usage_early(says: Says, told: Reply) -> Says:
    """Reports usage on an event of its own before the answer instead of after it."""
    first = next(says)
    yield from (first, Say(what="usage", usage=told.usage))
    yield from (say for say in says if say.what != "usage")


@scenario("reply", violates="reply.usage")
def usage_negative(told: Reply, ask: Ask) -> None:
    """Counts minus one token."""
    told.usage.output_tokens, told.usage.total_tokens = -1, INPUT_TOKENS - 1


@scenario("reply", violates="reply.usage")
def usage_fraction(told: Reply, ask: Ask) -> None:
    """Counts half tokens."""
    told.usage.output_tokens = 10.5


@scenario("reply", violates="reply.usage", needs=("usage-total",))
def usage_sum(told: Reply, ask: Ask) -> None:
    """Reports a total that is not the sum."""
    told.usage.total_tokens = 1000


@scenario("events", violates="reply.error")
def error_mid_stream(events: Events, told: Reply, ask: Ask) -> Events:
    """Fails in the middle of a stream that began with 200, and says so in an event."""
    for is_middle, event in middle(events):
        if is_middle:
            yield ask.writer.failure(told, UPSTREAM)
            return
        yield event


@scenario("events", violates="reply.error", needs=("choice-error",))
def error_in_choice(events: Events, told: Reply, ask: Ask) -> Events:
    """Tells an error inside a choice, and ends it with the reason stop."""
    for event in events:
        if event.what == "finish":
            choice = {**event.value["choices"][0], "error": {"message": UPSTREAM, "code": 502}}
            yield with_members(event, choices=[choice])
        else:
            yield event


@scenario("before", violates="reply.error", kinds=("chat",), shown="chat")
def error_in_success(ask: Ask) -> Answer | None:
    """Answers 200 with a JSON error in place of the answer."""
    return answers.whole(200, ask.writer.error(502, UPSTREAM, {})) if ask.is_let_in else None


@scenario("before", violates="reply.error", also=("http.media-type",), kinds=("chat",))
def error_labelled_stream(ask: Ask) -> Answer | None:
    """Answers 200 with a JSON error in place of the answer, under the label of a stream."""
    error = answers.whole(200, ask.writer.error(502, UPSTREAM, {}))
    label = answers.LINES if ask.writer.NDJSON else answers.EVENTS
    return error.with_header("Content-Type", f"{label}; charset=utf-8") if ask.is_let_in else None


@scenario("reply", violates="reply.model", needs=("model",))
def other_model(told: Reply, ask: Ask) -> None:
    """Silently serves another model than the one that was asked for."""
    told.model = "loopback/mystère-mini"


@scenario("before", violates="models.resolve", kinds=("chat",))
def model_gone(ask: Ask) -> Answer | None:
    """Lists the model, and answers a chat with 404: it does not exist."""
    return honest.no_model(ask) if ask.is_let_in else None


@scenario("reply", violates="reply.not-empty")
def empty_success(told: Reply, ask: Ask) -> None:
    """Succeeds without a word: no text, no tokens, finish reason stop."""
    told.pieces = []
    told.usage = Usage(output_tokens=0, total_tokens=INPUT_TOKENS)


@scenario("reply", violates="reply.not-empty")
def only_blanks(told: Reply, ask: Ask) -> None:
    """Answers with white space and nothing else."""
    told.pieces = [" ", "\u3000", "\n"]


@scenario("reply", violates="reply.not-empty", needs=("reasoning",))
def only_reasoning(told: Reply, ask: Ask) -> None:
    """Reasons at length and then says nothing."""
    told.reasoning, told.pieces = ["Réfléchissons: ", "日本…"], []
