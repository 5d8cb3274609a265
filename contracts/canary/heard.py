"""What came back: the text and the argument of a call, read off the bytes strictly, and kept no longer than it takes.

Nothing of it leaves this package but what `contracts.text.echo` says of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from contracts.dialects.canaries import ARGUMENT
from contracts.dialects.recorder import Recorder
from contracts.text.echo import MAX_CHARS
from contracts.wire import ndjson, sse
from contracts.wire.status import is_success
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from contracts.dialects import Dialect, Tables
    from contracts.dialects.recorder import ChoiceRecord
    from contracts.facts import Facts

BOM = b"\xef\xbb\xbf"


class Heard(Struct, frozen=True, kw_only=True):
    """One answer.

    Attributes:
        text: what was said, None where there was no text.
        argument: what the function was called with, None where it was not called or without a text.
        undecodable: the first byte of the body that is no UTF-8, None where all are.
        why_not: why nothing can be compared, None where something can.
        is_ours: a request of ours was refused, so that it says nothing of provider and model.
        is_capped: the cap of the request ended the answer.
    """

    text: str | None = None
    argument: str | None = None
    undecodable: int | None = None
    why_not: str | None = None
    is_ours: bool = False
    is_capped: bool = False


class Hearing(Recorder):
    """A recorder that keeps the text of the answer, up to the longest that is compared."""

    def __init__(self, tables: Tables, *, streamed: bool) -> None:
        """Start with nothing heard."""
        super().__init__(tables, streamed=streamed)
        self.said: list[str] = []
        self._chars = 0

    def text(self, choice: ChoiceRecord, piece: str) -> None:
        """Keep a piece of the answer's text."""
        if self._chars < MAX_CHARS:
            self.said.append(piece)
            self._chars += len(piece)
        super().text(choice, piece)

    def argument(self) -> str | None:
        """Give the text that the function was called with."""
        for choice in self.choices.values():
            for call in choice.calls.values():
                value = call.structured
                if value is UNREADABLE:
                    value = _decoded("".join(call.arguments))
                if isinstance(value, dict) and isinstance(value.get(ARGUMENT), str):
                    return str(value[ARGUMENT])
        return None


def hear(facts: Facts, body: bytes, dialect: Dialect, tables: Tables, *, call: bool) -> Heard:
    """Read an answer; `call` says that the line was to be the argument of a call."""
    why, is_ours = _refused(facts)
    if why is not None:
        return Heard(why_not=why, is_ours=is_ours)
    heard = Hearing(tables, streamed=facts.body.kind in ("sse", "ndjson"))
    _fold(heard, facts, body, dialect)
    text = "".join(heard.said)
    # A model that writes the call out, in place of making it, wrote JSON all the same.
    argument = (heard.argument() or _written(text)) if call else None
    reasons = {f.reason for c in facts.reply.choices for f in c.finishes} if facts.reply else set()
    is_capped = not reasons.isdisjoint(tables.cut_reasons)
    found = argument if call else text or None
    if found is None:
        what = "the function was not called" if call else "there is no text in the answer"
        why = f"{what}: the cap of tokens ended it" if is_capped else what
    elif facts.ended == "cut":
        why = "the connection was cut within the answer"
    return Heard(text=text or None, argument=argument, undecodable=_undecodable(body), why_not=why, is_capped=is_capped)


def _refused(facts: Facts) -> tuple[str | None, bool]:
    """Say why an answer is none, and whether that is because of what we sent."""
    if not is_success(facts.status):
        ours = 400 <= facts.status < 500 and facts.status not in (408, 429)  # noqa: PLR2004 - RFC 9110, 4xx
        return f"it was answered with status {facts.status}", ours
    if facts.errors:
        return "an error came inside a success", False
    if facts.limits:
        return facts.limits[0].detail, False
    if facts.reply is None or not facts.reply.events:
        return "no event of the answer could be read", False
    return None, False


def _fold(heard: Hearing, facts: Facts, body: bytes, dialect: Dialect) -> None:
    """Fold the bytes again, now keeping the text; how they are framed is known by now."""
    if not heard.streamed:
        value = _read(body.removeprefix(BOM))
        if value is not UNREADABLE:
            dialect.body(heard, value)
        return
    decoder: sse.Decoder | ndjson.Decoder = sse.Decoder() if facts.body.kind == "sse" else ndjson.Decoder()
    for name, data, _, byte in (*decoder.feed(body), *decoder.close()):
        if data.strip() in heard.tables.sentinels:
            continue
        heard.event, heard.byte = (0 if heard.event is None else heard.event + 1), byte
        value = _read(data)
        if value is not UNREADABLE:
            dialect.event(heard, name, value)


def _read(data: bytes) -> Any:
    """Read one JSON value; with U+FFFD for bytes that are no UTF-8, which is told apart from what it leaves behind."""
    value, faults = decode(data)
    if value is UNREADABLE and any(fault.kind == "invalid-utf8" for fault in faults):
        value, _ = decode(data.decode("utf-8", "replace").encode())
    return value


def _written(text: str) -> str | None:
    """Read the member of a JSON object that stands in a text, with a code fence around it perhaps."""
    start, end = text.find("{"), text.rfind("}")
    value = _decoded(text[start : end + 1]) if 0 <= start < end else None
    if isinstance(value, dict):
        # {"name": "echo", "arguments": {"text": …}}
        inner = next((value[name] for name in ("arguments", "parameters") if isinstance(value.get(name), dict)), value)
        found = inner.get(ARGUMENT)
        return found if isinstance(found, str) else None
    return None


def _decoded(text: str) -> Any:
    value, _ = decode(text.encode("utf-8", "surrogatepass"))
    return None if value is UNREADABLE else value


def _undecodable(body: bytes) -> int | None:
    try:
        body.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None
