"""From what is said to what goes out: events as values, as JSON texts, and framed, with the scenarios' ways in between.

An answer that is not streamed is one JSON text, and no frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, takewhile
from typing import Any, NamedTuple, TypeVar

import msgspec

from contracts.testing.reply import Say, honest, script
from contracts.testing.writers import Sent, Writer, load

LINE_END = b"\r\n"  # legal, and a cut between the two bytes catches readers that split at "\n\n"
COMMENT = b": processing" + LINE_END + LINE_END
MIDDLE = 3  # a piece of the answer that is neither the first nor near the end
_PIECES = ("text", "call", "arguments")


class Document(NamedTuple):
    """One JSON text, or the sentinel: `what` and the others are those of `Sent`, or `whole` of a whole answer."""

    text: bytes
    what: str
    name: str | None = None
    closes: bool = False


Item = TypeVar("Item", Say, Sent, Document)
Documents = Iterator[Document]
Change = Callable[[str, Any], dict[str, Any]]  # of one member, by its name and value


def documents(events: Iterable[Sent], writer: Writer) -> Documents:
    """Give the JSON texts of a stream, and its sentinel where the dialect has one."""
    for number, event in enumerate(events):
        value = event.value
        if "sequence_number" in value:  # of what is sent, whatever a scenario left out or said twice
            value = {**value, "sequence_number": number}
        yield Document(msgspec.json.encode(value), event.what, event.name, event.closes)
    if writer.SENTINEL is not None:
        yield Document(writer.SENTINEL, "sentinel", None, closes=True)


def blocks(texts: Iterable[Document], writer: Writer) -> Iterator[bytes]:
    """Frame JSON texts, server-sent events behind a comment, which is legal and ends a client's patience later."""
    if has_comment(writer):
        yield COMMENT
    for document in texts:
        yield framed(document.text, document.name, is_line=writer.NDJSON)


def framed(text: bytes, name: str | None = None, *, is_line: bool = False) -> bytes:
    """Frame one event, or one line."""
    if is_line:
        return text + b"\n"
    named = b"event: " + name.encode() + LINE_END if name else b""
    return named + b"data: " + text + LINE_END + LINE_END


def middle(items: Iterable[Item]) -> Iterator[tuple[bool, Item]]:
    """Give all, and of each whether it is the third piece of the answer."""
    pieces = 0
    for item in items:
        is_piece = item.what in _PIECES
        pieces += is_piece
        yield is_piece and pieces == MIDDLE, item


def lead(writer: Writer) -> int:
    """Count the frames of an honest stream that come before the first piece of text."""
    told = honest("", "", None)
    events = writer.events(told, script(told, with_usage=False))
    return has_comment(writer) + sum(1 for _ in takewhile(lambda event: event.what != "text", events))


def has_comment(writer: Writer) -> bool:
    """Tell whether an honest stream begins with a comment."""
    return not {"sse", "comment"} & set(writer.LACKS)


def each(change: Callable[[Sent], Sent], events: Iterable[Sent]) -> Iterator[Sent]:
    """Change every event."""
    return (change(event) for event in events)


def with_members(event: Sent, **members: Any) -> Sent:
    """Give an event other members."""
    return event._replace(value={**event.value, **members})


def rewritten(event: Sent, change: Change) -> Sent:
    """Change every member of an event, however deep, by its name and value."""

    def walk(value: Any) -> Any:
        if isinstance(value, list):
            return [walk(item) for item in value]
        if not isinstance(value, dict):
            return value
        return dict(chain.from_iterable(change(name, walk(item)).items() for name, item in value.items()))

    return event._replace(value=walk(event.value))


def text_of(body: bytes, dialect: str = "openai-chat") -> str:
    """Give the text of a streamed answer as a reader gets it who decodes UTF-8 and nothing else.

    For tests of what a router passes on: compare it with `provider.text`. Raises UnicodeDecodeError for other bytes,
    ValueError for data that is no JSON, and ConfigError for a dialect that is none.
    """
    writer, said = load(dialect), []
    for line in body.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        is_data = writer.NDJSON or line.startswith("data:")
        data = line.removeprefix("data:").strip() if is_data else ""
        if data and data.encode() != writer.SENTINEL:
            said.append(writer.said(msgspec.json.decode(data)))
    return "".join(said)
