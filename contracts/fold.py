"""The fold: bytes of one answer in, by chunk, Facts out; memory does not grow with the length of a stream.

What a body is gets decided by its first bytes, never by where the network cut them, so that the same bytes give the
same Facts whether they come whole or one by one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from contracts.dialects import asking, listing, told
from contracts.dialects.recorder import Recorder
from contracts.dialects.twin import Twins
from contracts.facts import Body, Facts, Fault
from contracts.wire import media_type, ndjson, sse
from contracts.wire.body_kind import BLANK, MAX_BLANK_BYTES, is_blank, several_lines, sniff
from contracts.wire.headers import safe_headers
from contracts.wire.status import is_success
from contracts.wire.strict_json import UNREADABLE, decode, loads_fast

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.dialects import Dialect, Tables
    from contracts.dialects.twin import Plain
    from contracts.facts import AnswerKind, Asked, BodyKind
    from contracts.model import Exchange, Headers, Request
    from contracts.text.looping import Tail


class Limits(NamedTuple):
    """How much is kept at most: of one event, and of a body that is not streamed, such as a listing of some MB."""

    event_bytes: int = 8 * 1024 * 1024
    body_bytes: int = 64 * 1024 * 1024


LIMITS = Limits()


def fold(exchange: Exchange, dialect: Dialect, tables: Tables, kind: AnswerKind | None = None) -> Facts:
    """Fold one whole exchange; `kind` says what the answer is where its request does not tell."""
    folding = Fold(exchange.request, exchange.status, exchange.headers, dialect, tables, kind)
    for chunk in exchange.body:
        folding.feed(chunk)
    return folding.finish(exchange.ended.value)


class Fold:
    """Reads one answer incrementally. Feed its chunks in order, then call `finish` once."""

    def __init__(  # noqa: PLR0913, PLR0917 - an answer's head has as many parts
        self,
        request: Request,
        status: int,
        headers: Headers,
        dialect: Dialect,
        tables: Tables,
        kind: AnswerKind | None = None,
        limits: Limits = LIMITS,
        about: str | None = None,
        asked: Asked | None = None,
        tail: Tail | None = None,
    ) -> None:
        """Start on the answer to `request`, of which the body has not arrived.

        `about` is the model of an answer of kind `model`, `asked` what is known of the request already, and `tail`
        takes the text of the first choice.
        """
        self._about_model = about
        self._dialect, self._tables, self._status, self._headers = dialect, tables, status, headers
        self._keyless, self._limits = request.keyless, limits
        self._path = asking.path_of(request.url)
        self._kind: AnswerKind | None = kind or dialect.kind(request.method, self._path)
        self._asked = (asked or dialect.asked(request)) if self._kind in ("chat", None) else None
        self._tail = tail
        label = media_type.parse([v for n, v in headers if n.lower() == "content-type"])
        self._label = label.essence if label else ""
        self._body_kind: BodyKind | None = None
        self._head, self._bytes = [], 0  # type: list[bytes], int
        self._over: Fault | None = None
        self._decoder: sse.Decoder | ndjson.Decoder | None = None
        self._recorder, self._twins = None, Twins()  # type: Recorder | None, Twins
        self._plain: Callable[[Recorder, object], Plain | None] | None = getattr(dialect, "plain", None)

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the body."""
        self._bytes += len(chunk)
        if self._decoder is not None:
            self._events(self._decoder.feed(chunk))
        elif self._body_kind is not None:
            self._keep(chunk)
        elif self._bytes < MAX_BLANK_BYTES and not chunk.strip(BLANK):
            self._head.append(chunk)  # keep-alive blanks, perhaps one by one: nothing new to look at
        else:
            head = b"".join([*self._head, chunk])
            self._body_kind = sniff(head, self._label)
            self._head = [head]
            if self._body_kind is not None:
                self._begin(head)

    def _begin(self, head: bytes) -> None:
        """Start reading, now that it is known what the body is."""
        chat = is_success(self._status) and self._kind in ("chat", None)
        if chat and self._body_kind == "json" and self._dialect.NDJSON and self._expects_lines():
            self._body_kind = "ndjson"
        if chat and self._body_kind in ("sse", "ndjson"):
            self._stream(head)
        else:
            self._head = []
            self._keep(head)

    def _expects_lines(self) -> bool:
        """Tell whether a stream was asked for; where nobody knows, the label of a whole answer says that it is one."""
        return self._asked.stream if self._asked else not media_type.is_json(self._label)

    def _stream(self, kept: bytes) -> None:
        """Read what was kept, and all that comes, through the decoder of the body's kind."""
        decoder = sse.Decoder if self._body_kind == "sse" else ndjson.Decoder
        self._decoder, self._head = decoder(self._limits.event_bytes), []
        self._recorder = Recorder(self._tables, streamed=True, tail=self._tail)
        self._recorder.named = self._body_kind == "sse"
        self._events(self._decoder.feed(kept))

    def _keep(self, chunk: bytes) -> None:
        """Keep bytes of a body that is read as a whole, within the limit."""
        if self._over is not None:
            return
        limit = self._limits.body_bytes
        if self._bytes > limit:
            self._over = Fault(kind="body-too-large", detail=f"more than {limit} bytes", byte=limit)
            self._head = []
        elif chunk:
            self._head.append(chunk)

    def _events(self, events: Sequence[tuple[bytes | None, bytes, bytes, int]]) -> None:
        """Fold decoded events; what is off is looked at closely, and only that."""
        recorder, fold_event, sentinels = self._recorder, self._dialect.event, self._tables.sentinels
        twins, plain = self._twins, self._plain
        assert recorder is not None  # noqa: S101 - set together with the decoder
        for name, data, _, byte in events:
            recorder.event = 0 if recorder.event is None else recorder.event + 1
            recorder.byte = byte
            if name is None and not recorder.close.count and twins.fold(recorder, data):
                continue
            if data in sentinels or data.strip() in sentinels:
                recorder.closed()
                continue
            if recorder.close.count and recorder.past_close(data.strip()):
                continue
            value = loads_fast(data)
            in_order = value is not UNREADABLE
            if not in_order:
                value = self._closely(recorder, data)
                if value is UNREADABLE:
                    unreadable(recorder, name, data)
                    continue
            recorder.events += 1
            fold_event(recorder, name, value)
            if plain is not None and in_order and name is None and twins.learning:
                learnt = plain(recorder, value)
                if learnt is not None:
                    twins.learn(data, learnt)

    @staticmethod
    def _closely(recorder: Recorder, data: bytes) -> object:
        """Decode what the fast path refused, noting why."""
        value, faults = strictly(data)
        for fault in faults:
            recorder.json_fault(fault)
        return value

    @property
    def events(self) -> int:
        """How many events have come so far."""
        return 0 if self._recorder is None or self._recorder.event is None else self._recorder.event + 1

    def finish(self, ended: str = "unknown") -> Facts:
        """Give the Facts; `ended` is how the connection did: complete, cut or unknown."""
        whole = b"".join(self._head)
        if self._body_kind in (None, "text") and self._over is None and is_blank(whole):
            self._body_kind = "empty"
        elif self._body_kind is None:
            self._body_kind = sniff(whole, self._label, last=True) or "text"
            self._begin(whole)
            whole = b"".join(self._head)
        facts = Facts(
            dialect=self._dialect.NAME,
            kind=self._kind or "chat",
            status=self._status,
            headers=safe_headers(self._headers),
            body=Body(kind=self._body_kind, bytes=self._bytes, over_limit=self._over),
            asked=self._asked,
            keyless=self._keyless,
            about=self._about_model,
            ended="complete" if ended == "complete" else "cut" if ended == "cut" else "unknown",
        )
        if self._decoder is not None:
            return self._streamed(facts, self._decoder)
        return self._whole(facts, whole)

    def _streamed(self, facts: Facts, decoder: sse.Decoder | ndjson.Decoder) -> Facts:
        """Add what a stream told."""
        recorder = self._recorder
        assert recorder is not None  # noqa: S101 - set together with the decoder
        rest = decoder.close()
        self._events(rest)
        if rest:
            recorder.unread_at = None  # a line that was cut off is no close
        framing = decoder.framing()
        if framing.tail_data:
            data = decoder.tail_data.strip()
            complete = data in self._tables.sentinels or decode(data)[0] is not UNREADABLE
            framing = structs.replace(framing, tail_whole=complete)
        return self._told(structs.replace(facts, framing=framing), recorder)

    def _whole(self, facts: Facts, whole: bytes) -> Facts:
        """Add what a body that was read as a whole told."""
        if self._body_kind not in ("json", "text", "empty") or self._over is not None:
            return facts
        if self._kind == "listing" and is_success(facts.status):
            found = listing.read_long(whole, self._tables.listing)
            if found is not None:
                return structs.replace(facts, listing=found)
        value, faults = strictly(whole)
        facts = as_json(facts, value)
        if self._kind is None:
            facts = structs.replace(facts, kind=listing.kind_of(value, facts.status))
        if not is_success(facts.status):
            error = self._dialect.error(value)
            return structs.replace(facts, errors=(error,) if error else (), json_faults=faults)
        if facts.kind != "chat":
            return self._catalogue(facts, value, faults)
        may_stream = self._dialect.NDJSON or self._asked is None or self._asked.stream
        if value is UNREADABLE and may_stream and several_lines(whole):
            self._body_kind = "ndjson"
            self._stream(whole)
            body = structs.replace(facts.body, kind="ndjson")
            assert self._decoder is not None  # noqa: S101 - set by _stream
            return self._streamed(structs.replace(facts, body=body), self._decoder)
        recorder = Recorder(self._tables, streamed=False, tail=self._tail)
        for fault in faults:
            recorder.json_fault(fault)
        if value is UNREADABLE:
            recorder.unread = 1
        else:
            recorder.events = 1
            self._dialect.body(recorder, value)
        return self._told(facts, recorder)

    def _catalogue(self, facts: Facts, value: object, faults: tuple[Fault, ...]) -> Facts:
        """Add what an answer told that is no chat: a listing, or what serves one model."""
        tables = self._tables
        if facts.kind == "other":
            return facts
        facts = structs.replace(facts, json_faults=faults)
        if value is UNREADABLE or (facts.kind == "model" and tables.endpoint is None):
            return facts
        if facts.kind == "listing" or tables.endpoint is None:
            return structs.replace(facts, listing=listing.read(value, tables.listing))
        count, prices = listing.read_endpoints(value, tables.endpoint, facts.about or "")
        return structs.replace(facts, endpoints=count, listing=prices)

    def _told(self, facts: Facts, recorder: Recorder) -> Facts:
        """Add what the recorder holds."""
        reply = recorder.reply()
        return structs.replace(
            facts,
            reply=reply,
            json_faults=tuple(recorder.json_faults.values()),
            schema_faults=recorder.schema.facts(),
            errors=tuple(recorder.errors) + told.from_fields(facts.framing),
        )


def strictly(data: bytes) -> tuple[object, tuple[Fault, ...]]:
    """Decode strict JSON; an unpaired surrogate is text.intact's, as its other half may come with the next event."""
    value, faults = decode(data)
    return value, tuple(f for f in faults if f.kind != "lone-surrogate")


def as_json(facts: Facts, value: object) -> Facts:
    """Correct what a body's first bytes do not tell: `null`, or a text in quotes, is JSON."""
    if facts.body.kind != "text" or value is UNREADABLE:
        return facts
    return structs.replace(facts, body=structs.replace(facts.body, kind="json"))


def unreadable(recorder: Recorder, name: bytes | None, data: bytes) -> None:
    """Count an event that cannot be read; one named `error` tells of an error whatever it holds."""
    recorder.unread_event(data)
    if name == b"error":
        recorder.error(told.unread(data.decode("utf-8", "replace")))
