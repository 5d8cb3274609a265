"""The recorder: what every dialect folds its events into, in bounded memory and without keeping text.

A dialect translates events into calls of `Recorder`; `reply()` then gives the facts. State grows with the number
of choices and calls, both bounded, never with the length of the stream.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from contracts.dialects import calls
from contracts.dialects.order import Order
from contracts.dialects.schema import SchemaFaults
from contracts.dialects.usage import UsageRecord
from contracts.facts import Choice, Close, ErrorSeen, Fault, Finish, Reply, Seen, Text
from contracts.text.blank import is_blank
from contracts.text.damage import Scanner, merge
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.dialects import Tables
    from contracts.dialects.order import Disorder
    from contracts.text.looping import Tail

MAX_CHOICES = 128  # OpenAI refuses n above 128; more would be an attack on memory
MAX_FINISHES = 8  # kept per choice; the count goes on
MAX_SEEN = 8  # distinct ids or models kept
MAX_SEEN_CHARS = 4096  # a longer id is cut before it is kept
MAX_ERRORS = 8
DONE = b"[DONE]"


class ChoiceRecord:
    """One choice while it is being folded."""

    __slots__ = (
        "after_finish", "answer", "calls", "finish_count", "finishes", "index", "other_output", "reasoning",
        "reasoning_chars", "refusal", "refusal_chars", "text_chars", "visible",
    )  # fmt: skip

    def __init__(self, index: int) -> None:
        """Start empty."""
        self.index = index
        self.text_chars = self.reasoning_chars = self.refusal_chars = self.other_output = self.finish_count = 0
        self.visible = False
        self.finishes: list[Finish] = []
        self.after_finish: Fault | None = None
        self.calls: dict[object, calls.CallRecord] = {}
        self.answer, self.reasoning, self.refusal = Scanner(), None, None  # type: Scanner, Scanner | None, Scanner | None


class Recorder:
    """Collects what one chat answer says. `event` and `byte` are the place of what is being folded now."""

    def __init__(self, tables: Tables, *, streamed: bool, tail: Tail | None = None) -> None:
        """Start empty; `streamed` is whether events are folded or one body, `tail` takes the first choice's text."""
        self.tables, self.streamed, self.tail = tables, streamed, tail
        self.event: int | None = None
        self.byte: int | None = 0
        self.events = self.unread = self.arguments_chars = 0
        self.choices: dict[int, ChoiceRecord] = {}
        self.json_faults: dict[str, Fault] = {}
        self.schema = SchemaFaults(tables.schema)
        self.order = Order(tables.grammar)
        self.call_faults: dict[str, Fault] = {}
        self.errors: list[ErrorSeen] = []
        self.usage = UsageRecord(ends=self.order.after("usage", "event") is not None)
        self.ids: dict[str, Counted] = {}
        self.models: dict[str, Counted] = {}
        self.close = Close()
        self.trailed = False
        self.unread_at: int | None = None  # number of the last event that could not be read
        self.ending = False  # the dialect's last event came, and only its close marker may follow
        self.kept: Any = None  # what the dialect itself keeps of a stream, from event to event
        self.named = True  # events have names, as those of an event stream have
        self.after_end: tuple[Disorder, int | None, int | None] | None = None

    # what a dialect calls, at the current event

    def choice(self, index: int) -> ChoiceRecord:
        """Give the record of a choice, opening it where it is new; beyond the bound all share the last one."""
        record = self.choices.get(index)
        if record is None:
            if len(self.choices) >= MAX_CHOICES:
                return next(reversed(self.choices.values()))
            record = self.choices[index] = ChoiceRecord(index)
        return record

    def in_order(self, value: Mapping[str, object]) -> None:
        """Hold an event's place, by its `type`, against the dialect's order; an unread one may have been any.

        After an error the rest is as it comes: that it leaves a block open is that error's doing.
        """
        name = value.get("type")
        if self.unread or self.errors or self.is_over or not isinstance(name, str):
            return
        disorder = self.order.see(name, value)
        if disorder is None:
            return
        if any(choice.finish_count for choice in self.choices.values()):  # perhaps reply.finish tells of it
            self.after_end = self.after_end or (disorder, self.event, self.byte)
        else:
            self.schema.note("order of events", disorder.expected, disorder.found, self.event, self.byte)

    @property
    def is_over(self) -> bool:
        """Whether the close came, or all but it: what comes then is no other contract's matter."""
        return self.close.count > 0 or self.ending

    def follows(self) -> None:
        """Note another event, after usage perhaps; after the close it is that one's fault alone."""
        if self.usage.count and not self.is_over:
            self.usage.event_after()

    def text(self, choice: ChoiceRecord, piece: str) -> None:
        """Add a piece of the answer's text."""
        choice.text_chars += len(piece)
        if not choice.visible:
            choice.visible = not is_blank(piece)
        choice.answer.feed(piece, self.event, self.byte)
        if self.tail is not None and choice.index == 0:
            self.tail.feed(piece)
        if choice.finish_count:
            self.late(choice, "text")

    def reasoning(self, choice: ChoiceRecord, piece: str) -> None:
        """Add a piece of reasoning, which is no answer."""
        choice.reasoning_chars += len(piece)
        if choice.reasoning is None:
            choice.reasoning = Scanner()
        choice.reasoning.feed(piece, self.event, self.byte)
        if choice.finish_count:
            self.late(choice, "reasoning")

    def refusal(self, choice: ChoiceRecord, piece: str) -> None:
        """Add a piece of a refusal, which is an answer."""
        choice.refusal_chars += len(piece)
        if choice.refusal is None:
            choice.refusal = Scanner()
        choice.refusal.feed(piece, self.event, self.byte)
        if choice.finish_count:
            self.late(choice, "refusal")

    def late(self, choice: ChoiceRecord, what: str) -> None:
        """Note that something came after the choice had ended, where it may not; after the close it is that one's."""
        disorder = self.order.after("finish", what)
        if disorder is not None and choice.after_finish is None and not self.is_over:
            choice.after_finish = Fault(kind=what, detail=disorder.expected, event=self.event, byte=self.byte)

    def finish(self, choice: ChoiceRecord, reason: str) -> None:
        """Note a finish reason."""
        choice.finish_count += 1
        if len(choice.finishes) < MAX_FINISHES:
            choice.finishes.append(Finish(reason=scrub(reason, 40), event=self.event, byte=self.byte))

    def call(self, choice: ChoiceRecord, delta: calls.CallDelta) -> None:
        """Add one delta of a tool call, or a whole call."""
        if choice.finish_count:
            self.late(choice, "tool call")
        calls.record(self, choice, delta)

    def call_fault(self, kind: str, detail: str, event: int | None = None, byte: int | None = None) -> None:
        """Note what is wrong with a tool call; the first place of each kind and detail is kept."""
        place = (self.event, self.byte) if event is None and byte is None else (event, byte)
        note(self.call_faults, kind, detail, place, f"{kind} {detail}")

    def identify(self, value: dict[str, Any], id_member: str | None = "id", model_member: str | None = "model") -> None:
        """Note the reply's id and the model that answers, of which an empty one says nothing; None: not sent here."""
        for member, known in ((id_member, self.ids), (model_member, self.models)):
            seen = value.get(member) if member else None
            if seen and isinstance(seen, str):
                see(known, seen, self)

    def error(self, error: ErrorSeen, form: str | None = None) -> None:
        """Note an error that was told inside the answer, at the current event; `form` says better how it was told."""
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(structs.replace(error, form=form or error.form, event=self.event, byte=self.byte))

    def json_fault(self, fault: Fault) -> None:
        """Note a fault of strict JSON; its byte is counted from the start of the value."""
        byte = (self.byte or 0) + (fault.byte or 0)
        note(self.json_faults, fault.kind, fault.detail, (self.event, byte), fault.kind)

    def unread_event(self, data: bytes) -> None:
        """Note an event that cannot be read. It may have been any, but for the marker of another dialect."""
        self.unread += 1
        if data.strip() != DONE:
            self.unread_at = self.event

    def closed(self) -> None:
        """Note the dialect's close marker."""
        close = self.close
        if close.count:
            after = close.after or Fault(kind="close", detail="nothing", event=self.event, byte=self.byte)
            self.close = Close(count=close.count + 1, event=close.event, byte=close.byte, after=after)
        else:
            # What came after an event that only the close may follow is known already.
            self.close = Close(count=1, event=self.event, byte=self.byte, after=close.after)

    def trailer(self, data: bytes) -> bool:
        """Tell whether a payload is one that may follow the close, once."""
        if self.trailed or data not in self.tables.trailers:
            return False
        self.trailed = True
        return True

    def past_close(self, data: bytes) -> bool:
        """Note what came after the close; tells whether it is a marker, of whatever dialect, and no event to read."""
        if self.trailer(data):
            return True
        self.after_close()
        return data == DONE

    def after_close(self) -> None:
        """Note that an event came after the close, where it may not."""
        close, disorder = self.close, self.order.after("close", "event")
        if disorder is not None and close.after is None:
            after = Fault(kind="event", detail=disorder.expected, event=self.event, byte=self.byte)
            self.close = Close(count=close.count, event=close.event, byte=close.byte, after=after)

    # what the fold asks for at the end

    def reply(self) -> Reply:
        """Give the facts of the reply; call once, at the end."""
        if self.after_end is not None and not any(choice.after_finish for choice in self.choices.values()):
            disorder, event, byte = self.after_end
            self.schema.note("order of events", disorder.expected, disorder.found, event, byte)
        texts: list[Text] = []
        for choice in self.choices.values():
            texts += [s.finish() for s in (choice.answer, choice.reasoning, choice.refusal) if s is not None]
            texts += [calls.finish(self, choice, call) for call in choice.calls.values()]
        return Reply(
            streamed=self.streamed,
            events=self.events,
            unread=self.unread,
            last_unread=self.unread_at is not None and self.unread_at == self.event,
            choices=tuple(choice_facts(c) for c in self.choices.values()),
            call_faults=tuple(self.call_faults.values()),
            usage=self.usage.facts(),
            ids=seen_facts(self.ids),
            models=seen_facts(self.models),
            close=self.close,
            text=merge(texts),
        )


def choice_facts(record: ChoiceRecord) -> Choice:
    """Freeze the record of one choice."""
    return Choice(
        index=record.index,
        text_chars=record.text_chars,
        visible=record.visible,
        reasoning_chars=record.reasoning_chars,
        refusal_chars=record.refusal_chars,
        other_output=record.other_output,
        calls=len(record.calls),
        finishes=tuple(record.finishes),
        finish_count=record.finish_count,
        after_finish=record.after_finish,
    )


def note(faults: dict[str, Fault], kind: str, detail: str, place: tuple[int | None, int | None], key: str) -> None:
    """Count a fault under its key, keeping the first place; at most 32 keys."""
    known = faults.get(key)
    if known is not None:
        faults[key] = Fault(kind=kind, detail=known.detail, event=known.event, byte=known.byte, count=known.count + 1)
    elif len(faults) < 32:  # noqa: PLR2004 - more kinds than that help nobody
        faults[key] = Fault(kind=kind, detail=detail, event=place[0], byte=place[1])


class Counted:
    """A value seen, with its first place; counted in place, as this happens for every event."""

    __slots__ = ("byte", "count", "event")

    def __init__(self, event: int | None, byte: int | None) -> None:
        """Start at one."""
        self.event, self.byte, self.count = event, byte, 1


def see(seen: dict[str, Counted], value: str, recorder: Recorder) -> None:
    """Count a value that should be the same in every event."""
    known = seen.get(value)
    if known is not None:
        known.count += 1
    elif len(seen) < MAX_SEEN:
        seen[value[:MAX_SEEN_CHARS]] = Counted(recorder.event, recorder.byte)


def seen_facts(seen: dict[str, Counted]) -> tuple[Seen, ...]:
    """Freeze the values seen, in order of their first place."""
    return tuple(Seen(value=scrub(v, 120), event=c.event, byte=c.byte, count=c.count) for v, c in seen.items())
