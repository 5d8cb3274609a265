"""Facts: what a Fold learnt of one Exchange, bounded and without the text.

A router's tap emits the very same values, so nothing here says where it was seen. Positions are
counted from 0: `event` is the number of the dispatched event, `byte` an offset into the body.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from contracts.listed import Change, Model

BodyKind = Literal["sse", "ndjson", "json", "html", "text", "empty"]
AnswerKind = Literal["chat", "listing", "model", "other"]


class Fault(Struct, frozen=True, kw_only=True):
    """One kind of oddity with the place where it first stood and how often it came.

    `detail` is scrubbed and short; it may quote a key or a number, never a completion.
    """

    kind: str
    detail: str = ""
    event: int | None = None
    byte: int | None = None
    count: int = 1


class SchemaFault(Struct, frozen=True, kw_only=True):
    """One way in which an event departs from the dialect's schema.

    `path` has `[]` for every index (`choices[].delta.content`); `found` is a JSON type name, `absent`, or the
    value itself in JSON where a constant was expected.
    """

    path: str
    expected: str
    found: str
    event: int | None = None
    byte: int | None = None
    count: int = 1


class Framing(Struct, frozen=True, kw_only=True):
    """What the framing of an event stream was, including what a parser normally hides.

    Line ends are counts. `tail_bytes` stood after the last blank line and were never dispatched; `tail_data`: they
    held a data field; `tail_whole`: its data is one whole JSON value or close marker.
    """

    events: int = 0
    bytes: int = 0
    lf: int = 0
    crlf: int = 0
    cr: int = 0
    bom: bool = False
    comments: int = 0
    retry_ms: int | None = None
    longest_event_bytes: int = 0
    unknown_fields: tuple[Fault, ...] = ()
    nuls: Fault | None = None
    invalid_utf8: Fault | None = None
    over_limit: Fault | None = None
    tail_bytes: int = 0
    tail_byte: int | None = None
    tail_data: bool = False
    tail_whole: bool = False


class Body(Struct, frozen=True, kw_only=True):
    """The body as a whole; `kind` is what the bytes are, whatever the label says."""

    kind: BodyKind
    bytes: int
    over_limit: Fault | None = None


class Asked(Struct, frozen=True, kw_only=True):
    """What the request asked for. Of a request whose body is not known there is no Asked at all.

    `path` is without the query. `cap` is the request's own token limit, `cap_name` its member. `ascii`: all strings
    of the request but the model's id are ASCII. `damage` names the signatures of encoding damage that the request
    itself carried.
    """

    method: str = ""
    path: str = ""
    model: str | None = None
    stream: bool = False
    usage: bool = False
    usage_every_event: bool = False
    cap: int | None = None
    cap_name: str | None = None
    tools: bool = False
    forced_call: bool = False
    ascii: bool = True
    damage: tuple[str, ...] = ()


class Seen(Struct, frozen=True, kw_only=True):
    """One distinct value of a member that should be the same everywhere, with its first place."""

    value: str
    event: int | None = None
    byte: int | None = None
    count: int = 1


class Finish(Struct, frozen=True, kw_only=True):
    """One finish reason as it came."""

    reason: str
    event: int | None = None
    byte: int | None = None


class Choice(Struct, frozen=True, kw_only=True):
    """One choice (candidate) of a reply. Lengths are in characters.

    `visible` says that a reader sees some of the text (`text.blank`). `other_output` counts parts that are
    neither text nor calls (audio, images). `after_finish` is the first text or call that came after the end.
    """

    index: int
    text_chars: int = 0
    visible: bool = False
    reasoning_chars: int = 0
    refusal_chars: int = 0
    other_output: int = 0
    calls: int = 0
    finishes: tuple[Finish, ...] = ()
    finish_count: int = 0
    after_finish: Fault | None = None


class Usage(Struct, frozen=True, kw_only=True):
    """Token counts as the provider reported them.

    `count` is how many events carried one. `placed` tells where the last one stood: `last` (an event with no
    choices, nothing but the close after it), `early` (no choices, but more events came), `finish` (on the event
    that ended a choice), `chunk` (on another event) or `body` (not streamed). `faults` are counts that are no
    non-negative whole numbers, are missing or do not add up.
    """

    count: int = 0
    placed: Literal["last", "early", "finish", "chunk", "body"] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    event: int | None = None
    byte: int | None = None
    faults: tuple[Fault, ...] = ()


class Close(Struct, frozen=True, kw_only=True):
    """The dialect's close marker: how often it came and what came after the first."""

    count: int = 0
    event: int | None = None
    byte: int | None = None
    after: Fault | None = None


class Damage(Struct, frozen=True, kw_only=True):
    """One signature of encoding damage: its name, how often, and where first.

    `sample` is the damaged sequence as code points (`U+00E2 U+0080 U+0094`), never text. `adjacent`: it was
    seen at the seam of two deltas or in neighbouring deltas, as a server that decodes token by token leaves it.
    """

    kind: str
    count: int = 1
    event: int | None = None
    byte: int | None = None
    sample: str = ""
    adjacent: bool = False


class Text(Struct, frozen=True, kw_only=True):
    """What the scanners learnt of all text of a reply: answer, reasoning, refusal, call arguments.

    `chars` and `non_ascii` count code points. `intact_non_ascii` are those beyond ASCII that cannot be part of
    any damage that was found: a hop that re-encodes text leaves none. `came_intact` says of text that a router sent
    that a tap saw it without damage when it came.
    """

    chars: int = 0
    non_ascii: int = 0
    intact_non_ascii: int = 0
    damage: tuple[Damage, ...] = ()
    came_intact: bool = False


class ErrorSeen(Struct, frozen=True, kw_only=True):
    """An error as an answer told it. `form` names how: member, event, field, body, choice, finish.

    `shaped` says that it has the dialect's error shape. `message` is scrubbed and cut at 300 characters.
    """

    form: str
    message: str = ""
    code: str | None = None
    type: str | None = None
    param: str | None = None
    upstream: str | None = None
    shaped: bool = True
    event: int | None = None
    byte: int | None = None


class Reply(Struct, frozen=True, kw_only=True):
    """A chat answer folded. `events` counts those that could be read, `unread` those that could not.

    `last_unread`: the last event of all was one of these, and may have been the close.
    """

    streamed: bool
    events: int = 0
    unread: int = 0
    last_unread: bool = False
    choices: tuple[Choice, ...] = ()
    call_faults: tuple[Fault, ...] = ()
    usage: Usage = Usage()
    ids: tuple[Seen, ...] = ()
    models: tuple[Seen, ...] = ()
    close: Close = Close()
    text: Text = Text()


class Coding(Struct, frozen=True, kw_only=True):
    """How a body was coded on the wire, from its raw bytes.

    `declared` is the Content-Encoding, `identity` where there is none.
    """

    declared: str
    raw_bytes: int
    decoded_bytes: int
    fault: Fault | None = None


class Timing(Struct, frozen=True, kw_only=True):
    """When a body arrived, in ms since the request was sent. `arrivals` counts reads that brought bytes."""

    first_byte_ms: float | None
    total_ms: float
    longest_gap_ms: float
    arrivals: int


class Listing(Struct, frozen=True, kw_only=True):
    """A model listing: its entries in order and what was wrong with its shape.

    `more`: it says that there are more pages; `next` are the query's parameters that ask for the next one. Of a listing
    that is remembered, `base_url` is the row's.
    """

    models: tuple[Model, ...] = ()
    faults: tuple[Fault, ...] = ()
    more: bool = False
    next: tuple[tuple[str, str], ...] = ()
    base_url: str | None = None


class Facts(Struct, frozen=True, kw_only=True):
    """Everything learnt of one exchange.

    `catalogue` is the listing that is known beside it. A `model` answer is `about` one id and counts its
    `endpoints`, None where it could not be read. `coding` and `timing` are None for captures, which cannot show
    them. `limits` are what the reader refused to read on, `changes` what differs from the last poll, None where
    there was none. `broken` is where HTTP's own chunks are none, so that the end of the body cannot be told.
    """

    dialect: str
    kind: AnswerKind
    status: int
    headers: tuple[tuple[str, str], ...]
    body: Body
    asked: Asked | None = None
    keyless: bool = False
    ended: Literal["complete", "cut", "unknown"] = "unknown"
    framing: Framing | None = None
    json_faults: tuple[Fault, ...] = ()
    schema_faults: tuple[SchemaFault, ...] = ()
    errors: tuple[ErrorSeen, ...] = ()
    reply: Reply | None = None
    listing: Listing | None = None
    catalogue: Listing | None = None
    about: str | None = None
    endpoints: int | None = None
    coding: Coding | None = None
    timing: Timing | None = None
    limits: tuple[Fault, ...] = ()
    changes: tuple[Change, ...] | None = None
    broken: Fault | None = None
