"""What a relay promises by being one: few promises, each with the reason and where it is written."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

SSE = "https://html.spec.whatwg.org/multipage/server-sent-events.html"
HTTP = "https://www.rfc-editor.org/rfc/rfc9110"
READ = "2026-11-30"

Severity = Literal["error", "warning"]


class Promise(Struct, frozen=True, kw_only=True):
    """One promise. `severity` is that of a breach, as a rule."""

    id: str
    promise: str
    why: str
    source: str
    severity: Severity = "error"


_ALL = (
    Promise(
        id="relay.bytes",
        promise="The data of each event, and a whole body, arrive byte for byte",
        why="What is decoded and written anew differs in key order, escapes, numbers and members, and one wrong guess "
        "of the charset damages every text behind a green test suite: what is only forwarded is never re-serialised",
        source=SSE + "#event-stream-interpretation",
    ),
    Promise(
        id="relay.order",
        promise="Each event arrives, once, in the order in which it was sent, and no other",
        why="Clients append what comes: a piece that is lost, moved, told twice or made up is text nobody wrote",
        source=SSE + "#event-stream-interpretation",
    ),
    Promise(
        id="relay.error",
        promise="An error is neither hidden nor made up: its status, its body, and the event that tells of it within "
        "a stream",
        why="What trips a breaker, what is retried and who is to blame is read off the error alone",
        source=HTTP + "#section-15",
    ),
    Promise(
        id="relay.end",
        promise="What ended whole ends whole, with the provider's own close and no other, and what was cut is cut",
        why="A cut that arrives as a clean end is taken for the whole answer, and a close that is lost lets clients "
        "wait until they give up",
        source="https://www.rfc-editor.org/rfc/rfc9112#section-8",
    ),
    Promise(
        id="relay.headers",
        promise="The media type stays, a charset is kept or said to be utf-8, a content coding decodes, and "
        "Retry-After is passed on",
        why="Readers choose by them how to read: an event stream that is labelled otherwise is not read at all, and a "
        "wrong charset is text that is wrong",
        source=HTTP + "#section-8.3",
    ),
    Promise(
        id="relay.once",
        promise="One request is asked once",
        why="What is asked again behind the client's back is paid twice, and what arrives is another answer than the "
        "first",
        source=HTTP + "#section-9.2.2",
    ),
    Promise(
        id="relay.request",
        promise="The provider is asked what the client asked: every member of the body, each character and number, "
        "and whether it is streamed; the model may have another name, and parameters may be added",
        why="What is damaged on the way there is answered all the same, and the answer shows nothing of it: the model "
        "has read another text",
        source="https://www.rfc-editor.org/rfc/rfc8259#section-8",
    ),
    Promise(
        id="relay.request-headers",
        promise="The request is labelled as JSON, has the headers that the dialect needs, asks for the kind of answer "
        "that the client asked for, and shows a key of the relay's own to nobody",
        why="What has the wrong label is refused or read otherwise, and a key that is passed on is in another's logs",
        source=HTTP + "#section-12.5.1",
    ),
    Promise(
        id="relay.buffering",
        promise="What was sent arrives before what is sent later",
        why="A stream that is held back until its end shows nothing while it runs, and runs into idle limits",
        source="https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering",
        severity="warning",
    ),
)
PROMISES = {promise.id: promise for promise in _ALL}
