"""What a provider answers in its dialect, with the scenarios hooked in at their stages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from contracts.testing import answer as answers
from contracts.testing import listing, reply, stream
from contracts.testing.answer import Answer
from contracts.testing.ask import Ask
from contracts.testing.scenario import Chosen, Stage, hooks
from contracts.testing.writers import Sent, Writer


class Play(msgspec.Struct, frozen=True, kw_only=True):
    """What is played: the dialect's writer, the models with their prices per token, and the scenarios.

    `any_model`: chats on other models are answered too.
    """

    writer: Writer
    models: Mapping[str, str]
    chosen: tuple[Chosen, ...]
    any_model: bool = False


def answer(play: Play, ask: Ask) -> Answer:
    """Answer a request."""
    given = next((a for act in hooks(play.chosen, "before", ask) if (a := act(ask)) is not None), None)
    if given is None:
        given = _route(play, ask)
    for act in hooks(play.chosen, "answer", ask):
        given = act(given, ask)
    return given


def _route(play: Play, ask: Ask) -> Answer:
    if ask.route is not None and ask.method != ask.route.method and ask.kind != "other":
        refused = ask.error(405, f"Expected {ask.route.method}, found {ask.method[:20]}")
        return refused.with_header("Allow", ask.route.method)
    match ask.kind:
        case "listing":
            page = listed(play, ask)
            body = listing.encoded(page, play.writer)
            return Answer(headers=[("Content-Type", "application/json")], body=body)
        case "endpoints":
            return _endpoints(play, ask)
        case "chat":
            return _chat(play, ask)
        case "other":
            return _model(play, ask)


def listed(play: Play, ask: Ask) -> listing.Page:
    """Give the page of the listing that a request asks for."""
    entries = _entries(play, ask)
    page = listing.Page(entries=entries)
    for act in _of_all(play, "listing", ask):
        act(page, ask)
    return page


def _entries(play: Play, ask: Ask) -> Iterator[listing.Entry]:
    """Give the entries, those of single models changed by the scenarios of these."""
    for model, per_token in play.models.items():
        own = listing.Page(entries=iter([play.writer.entry(model, per_token)]))
        for chosen in play.chosen:
            if chosen.model == model and chosen.scenario.stage == "listing":
                chosen.scenario.act(own, ask)
        yield from own.entries


def _of_all(play: Play, stage: Stage, ask: Ask) -> Sequence[Any]:
    """Give the functions of a stage that are not kept to one model."""
    return hooks([c for c in play.chosen if c.model is None], stage, ask)


def is_paid(play: Play, ask: Ask, polls: int) -> bool:
    """Tell whether a chat is on a model that the provider's own latest listing, or its endpoints, do not give away."""
    if ask.kind != "chat" or ask.model is None:
        return False
    if "prices" in play.writer.LACKS:
        return ask.model in play.models and not listing.is_zero(play.models[ask.model])
    asked = msgspec.structs.replace(ask, kind="listing", turn=max(1, polls), query={})
    said = [e.get("pricing") for e in listed(play, asked).entries if e.get("id") == ask.model]
    if ask.model in play.models:
        said += [e.get("pricing") for e in _served(play, msgspec.structs.replace(ask, kind="endpoints"))]
    return not all(map(listing.is_free, said))


def _served(play: Play, ask: Ask) -> Iterable[listing.Entry]:
    served: Iterable[listing.Entry] = [listing.endpoint(play.models[ask.model or ""])]
    for act in hooks(play.chosen, "endpoints", ask):
        served = list(act(served, ask))
    return served


def _endpoints(play: Play, ask: Ask) -> Answer:
    if ask.model is None or ask.model not in play.models:
        return no_model(ask)
    return answers.whole(200, play.writer.about(ask.model, list(_served(play, ask))))


def _model(play: Play, ask: Ask) -> Answer:
    """Answer what is neither listing nor chat: one model, or nothing that there is."""
    if ask.method == "GET" and ask.model is not None:
        if ask.model in play.models:
            return answers.whole(200, play.writer.entry(ask.model, play.models[ask.model]))
        return no_model(ask)
    return ask.error(404, f"Unknown request URL: {ask.method[:20]} {ask.path[:200]}", code="unknown_url")


def no_model(ask: Ask) -> Answer:
    """Say that the model does not exist, by its name."""
    message = f"The model '{(ask.model or '')[:200]}' does not exist or you do not have access to it."
    return ask.error(404, message, param="model", code="model_not_found")


def no_key(ask: Ask) -> Answer:
    """Say that a key is needed."""
    return ask.error(401, "You did not provide an API key.", code="invalid_api_key")


def _chat(play: Play, ask: Ask) -> Answer:
    if not ask.is_let_in:
        return no_key(ask)
    if ask.value is None:
        return ask.error(400, "The body of the request is no JSON object.")
    if ask.model not in play.models and not play.any_model:
        return no_model(ask)
    told = ask.honest(ask.wants.cap)
    for act in hooks(play.chosen, "reply", ask):
        act(told, ask)
    return _stream(play, ask, told) if ask.wants_stream else _whole(play, ask, told)


def _stream(play: Play, ask: Ask, told: reply.Reply) -> Answer:
    writer: Writer = play.writer
    says: reply.Says = reply.script(told, with_usage=ask.wants.usage)
    for act in hooks(play.chosen, "says", ask):
        says = iter(act(says, told))
    events: Iterator[Sent] = writer.events(told, says)
    for act in hooks(play.chosen, "events", ask):
        events = iter(act(events, told, ask))
    texts: stream.Documents = stream.documents(events, writer)
    for act in hooks(play.chosen, "documents", ask):
        texts = iter(act(texts, ask))
    body: Iterator[bytes] = stream.blocks(texts, writer)
    for act in hooks(play.chosen, "blocks", ask):
        body = iter(act(body, ask))
    # No charset: what requests takes for ISO-8859-1.
    headers = [("Content-Type", answers.LINES if writer.NDJSON else answers.EVENTS), ("Cache-Control", "no-cache")]
    return Answer(headers=headers, body=body)


def _whole(play: Play, ask: Ask, told: reply.Reply) -> Answer:
    text = msgspec.json.encode(play.writer.whole(told, ask.path))
    texts: stream.Documents = iter([stream.Document(text, "whole")])
    for act in hooks(play.chosen, "documents", ask):
        texts = iter(act(texts, ask))
    headers = [("Content-Type", "application/json")]
    return Answer(headers=headers, body=tuple(document.text for document in texts), transfer="length")
