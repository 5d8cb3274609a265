"""Judge what the provider was asked against what the client asked: what may differ on the way there and what may not.

A gateway may write the body anew. What JSON calls the same is the same: the order of keys, blanks, escapes, and how a
number is written. The model may have another name and parameters may come to those that the client sent.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from contracts.relay.changes import changes, first_difference, of_values
from contracts.relay.events import Event
from contracts.relay.heads import UTF_8
from contracts.relay.sides import header, shown
from contracts.relay.told import Breach, Where
from contracts.testing.ask import KEYS
from contracts.wire import media_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.evidence.keys import Key
    from contracts.relay.received import Question
    from contracts.relay.trial import Trial
    from contracts.testing.ask import Ask

NO_JSON = "is no JSON any more"
FREE = ("model", "stream")  # a name is the relay's to map; whether it streams is read as the dialect reads it
JSON = "application/json"


class Asking(NamedTuple):
    """One trial and the request that it takes; `key` is the relay's."""

    trial: Trial
    question: Question
    key: Key | None


class Body(NamedTuple):
    """A body as JSON, numbers exact; `faults` are what no reader of strict JSON takes."""

    value: Any
    faults: tuple[str, ...] = ()


class Difference(NamedTuple):
    """What a request is not as it was; `header` names the one that it is about."""

    expected: str
    observed: str
    detail: str
    said: tuple[str, ...] = ()
    header: str | None = None
    is_warning: bool = False


def breaches(asking: Asking, asks: Sequence[Ask]) -> Iterator[Breach]:
    """Hold every request that reached the provider to the one that was sent; the first that differs is told of."""
    for ask in asks:
        found = [
            *(_breach(asking, "relay.request", one) for one in _of_request(asking, ask)),
            *(
                _breach(asking, "relay.request-headers", one)
                for one in (*_of_headers(asking, ask), *_of_key(asking, ask))
            ),
        ]
        if found:
            yield from found
            return


def notes(asking: Asking, ask: Ask) -> Iterator[str]:
    """Say of a request that breaks no promise what differs."""
    sent, received = asking.question.body, ask.body
    if sent != received:
        one, other = (
            Event(name=None, data=body, at=0, value=read(body).value, is_json=True) for body in (sent, received)
        )
        yield f"the request: {'; '.join(changes(one, other))}"
    if asking.key is not None and asking.key.is_telling and any(asking.key.reveal() in v for _, v in ask.headers):
        yield "the key for the relay was passed on to the provider"


def read(body: bytes) -> Body:
    """Read a body; what is no UTF-8 is read as ISO-8859-1, to see what became of it."""
    faults: list[str] = []

    def constant(name: str) -> None:
        faults.append(f"holds {name}")

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(found)) < len(found):
            faults.append("has a member twice")
        return dict(found)

    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
        faults.append("is no UTF-8")
    try:
        value = json.loads(
            text, parse_float=Decimal, parse_int=Decimal, parse_constant=constant, object_pairs_hook=pairs
        )
    except (ValueError, RecursionError, ArithmeticError):
        return Body(None, (*faults, NO_JSON))
    return Body(value, tuple(faults))


def _of_request(asking: Asking, ask: Ask) -> Iterator[Difference]:
    body, wants_stream = asking.question.body, asking.trial.streamed
    if ask.kind != "chat" or ask.method != "POST":
        where = f"{ask.method[:20]} {ask.path[:200]}"
        detail = "the provider was asked where it answers no chat"
        yield Difference("POST to the path of a chat", shown(where.encode()), detail)
        return
    sent, received = read(body), read(ask.body)
    if NO_JSON in received.faults:
        cut = f"was cut after {len(ask.body)} of {len(body)} bytes"
        yield _other(body, ask.body, (cut,) if body.startswith(ask.body) else received.faults)
        return
    said = (*received.faults, *of_values(_compared(sent.value), _compared(received.value, sent.value)))
    if ask.model is None:
        said = (*said, "names no model")
    if ask.wants_stream != wants_stream:
        said = (*said, "is streamed and was not to be" if ask.wants_stream else "is not streamed and was to be")
    if said:
        yield _other(_plain(sent.value), _plain(received.value, sent.value), said)


def _of_headers(asking: Asking, ask: Ask) -> Iterator[Difference]:
    came = header(ask.headers, "content-type")
    if not _is_json(came):
        detail = f"the label of the request {'is another one' if came else 'was lost'}"
        yield Difference(JSON, _or_nothing(came), detail, header="content-type")
    for name, value in asking.question.labels:
        came = header(ask.headers, name.lower())
        if came != value:
            word = "was changed" if came else "was lost"
            detail = f"a header that the dialect needs {word}"
            yield Difference(value, _or_nothing(came), detail, header=name.lower())
    wanted, came = asking.question.accept, header(ask.headers, "accept")
    if came and not _admits(came, wanted):
        detail = "the provider was asked for another kind of answer than the client asked for"
        yield Difference(wanted, _or_nothing(came), detail, header="accept", is_warning=True)


def _of_key(asking: Asking, ask: Ask) -> Iterator[Difference]:
    """Hold the relay to keeping its key; it may be the provider's too, and then stands where such a key does, alone."""
    if asking.key is None or not asking.key.is_telling:
        return
    text = asking.key.reveal()
    held = {name.lower() for name, value in ask.headers if text in value}
    is_other = any(name.lower() in KEYS and text not in value for name, value in ask.headers)
    places = [f"header {name}" for name in sorted(held if is_other else held.difference(KEYS))]
    places += ["the query"] if any(text in value for value in ask.query.values()) else []
    places += ["the body"] if text.encode() in ask.body else []
    if places:
        detail = f"the key for the relay reached the provider in {', '.join(places)}"
        yield Difference("no key of the relay", ", ".join(places), detail)


def _compared(value: Any, sent: Any = None) -> Any:
    """Give a body without what is the relay's to choose: names, and what is not in `sent`, where that is given."""
    if not isinstance(value, dict):
        return value
    return {name: one for name, one in value.items() if name not in FREE and (sent is None or name in sent)}


def _plain(value: Any, sent: Any = None) -> bytes:
    """Write what is compared in one way, so that the first byte that differs can be shown."""
    text = json.dumps(_compared(value, sent), default=_number, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "surrogatepass")


def _number(value: Decimal) -> str:
    return str(value.normalize())


def _is_json(value: str) -> bool:
    found = media_type.parse([value])
    return found is not None and found.essence == JSON and media_type.charset_of(found) in (None, UTF_8)


def _admits(accept: str, wanted: str) -> bool:
    """Tell whether a kind of answer is asked for; OpenAI's own client says JSON for a stream too."""
    ranges = {one.partition(";")[0].strip().lower() for one in accept.split(",")}
    return bool(ranges & {wanted, f"{wanted.partition('/')[0]}/*", JSON, "*/*"})


def _other(sent: bytes, received: bytes, said: tuple[str, ...]) -> Difference:
    at = first_difference(sent, received)
    return Difference(shown(sent, at), shown(received, at), f"the request is another one: {'; '.join(said)}", said)


def _or_nothing(value: str) -> str:
    return shown(value.encode()) or "nothing"


def _breach(asking: Asking, promise: str, found: Difference) -> Breach:
    return Breach(
        trial=asking.trial.name,
        promise=promise,
        severity="warning" if found.is_warning else "error",
        expected=found.expected,
        observed=found.observed,
        detail=found.detail,
        changes=found.said,
        where=Where(header=found.header),
    )
