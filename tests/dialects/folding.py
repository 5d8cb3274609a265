"""Answers folded through a dialect, and what its captures hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from contracts import captures, dialects
from contracts.config import catalogue
from contracts.dialects.recorder import Recorder
from contracts.facts import Asked, ErrorSeen, Facts, Finish, Reply
from contracts.fold import fold
from contracts.model import Exchange, Request

FOLDER = Path(__file__).parent / "captures"
CATALOGUE = catalogue.load(None)
NAMES = sorted(CATALOGUE.dialects)
TEXT = "Grüße — 你好 👩‍👧"
THOUGHT = "Ich überlege … 也许"
ORDER = "order of events"  # the path of a departure that is one of place
SORRY = "Überlastet — 请稍后"


class Folded(NamedTuple):
    """What came of an answer: the reply, the errors in it, the paths of departures from the schema, and disorder."""

    reply: Reply
    errors: list[ErrorSeen]
    departures: list[str]
    disorder: list[tuple[str, str, int | None]]

    @property
    def finishes(self) -> list[str]:
        return [f.reason for c in self.reply.choices for f in c.finishes]

    @property
    def call_faults(self) -> list[str]:
        return [f.kind for f in self.reply.call_faults]

    @property
    def chars(self) -> tuple[int, int, int]:
        """Characters of text, of reasoning and of refusals."""
        choices = self.reply.choices
        return (
            sum(c.text_chars for c in choices),
            sum(c.reasoning_chars for c in choices),
            sum(c.refusal_chars for c in choices),
        )

    @property
    def calls(self) -> int:
        return sum(c.calls for c in self.reply.choices)

    @property
    def other(self) -> int:
        return sum(c.other_output for c in self.reply.choices)

    @property
    def tokens(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Counts of input, output, reasoning and all."""
        usage = self.reply.usage
        return usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.total_tokens


def of(recorder: Recorder) -> Folded:
    reply = recorder.reply()
    faults = recorder.schema.facts()
    departures = sorted({f.path for f in faults if f.path != ORDER})
    disorder = [(f.expected, f.found, f.event) for f in faults if f.path == ORDER]
    return Folded(reply, recorder.errors, departures, disorder)


def streamed(name: str, *events: Any, names: tuple[bytes | None, ...] = ()) -> Folded:
    """Fold events, the first of them with these names; without one it has that of its type. Bytes are made up."""
    dialect = dialects.load(name)
    recorder = Recorder(CATALOGUE.tables(name), streamed=True)
    for number, value in enumerate(events):
        recorder.event, recorder.byte = number, number * 100
        recorder.events += 1
        dialect.event(recorder, (names[number] if number < len(names) else None) or named(value), value)
    return of(recorder)


def named(value: Any) -> bytes | None:
    """Give the name of an event whose value says its type."""
    kind = value.get("type") if isinstance(value, dict) else None
    return kind.encode() if isinstance(kind, str) else None


def whole(name: str, value: Any) -> Folded:
    recorder = Recorder(CATALOGUE.tables(name), streamed=False)
    dialects.load(name).body(recorder, value)
    return of(recorder)


def answered(name: str, body: bytes, label: str | None, request: Request | None = None, chunk: int = 0) -> Facts:
    """Fold the bytes of a 2xx answer, `chunk` of them at a time, or all at once."""
    pieces = tuple(body[n : n + chunk] for n in range(0, len(body), chunk)) if chunk else (body,)
    headers = () if label is None else (("Content-Type", label),)
    asking = request or Request(method="POST", url="")
    exchange = Exchange(request=asking, status=200, headers=headers, body=pieces, ref="größe")
    return fold(exchange, dialects.load(name), CATALOGUE.tables(name), kind="chat")


def asked(name: str, path: str, body: Any) -> Asked:
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    found = dialects.load(name).asked(Request(method="POST", url=path, body=data))
    assert found is not None
    return found


def capture(stem: str) -> Exchange:
    """Read one capture with its request."""
    request = captures.read_request(str(FOLDER / f"{stem}.request.json"))
    (exchange,) = captures.read(str(FOLDER / f"{stem}.http"), request)
    return exchange


def finish(reason: str, event: int | None) -> Finish:
    return Finish(reason=reason, event=event, byte=None if event is None else event * 100)
