"""Server-sent events that are framed wrongly, and closes that are missing or misplaced."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator

from contracts.testing.ask import Ask
from contracts.testing.scenario import LOST, scenario
from contracts.testing.stream import Document, Documents, framed, lead, middle

LINE_BYTES = 200 * 1000 * 1000
PIECE = b"A" * 65_536


@scenario("blocks", violates="sse.framing", needs=("sse",))
def sse_no_final_blank(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Leaves out the blank line behind the last event, so that a conforming reader never sees it."""
    last = next(blocks)
    for block in blocks:
        yield last
        last = block
    yield last.removesuffix(b"\r\n")


@scenario("blocks", violates="sse.framing", also=("reply.finish", *LOST), needs=("sse",))
def sse_cut_short(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends the body properly in the middle of the second piece of text."""
    second = lead(ask.writer) + 1
    for position, block in enumerate(blocks):
        if position == second:
            yield block[: len(block) // 2]
            return
        yield block


@scenario("blocks", violates="sse.framing", needs=("sse",))
def sse_unknown_field(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends a line with a field that the standard does not know."""
    last = next(blocks)
    for block in blocks:
        yield last
        last = block
    yield b"trace: caf\xc3\xa9\r\n" + last


@scenario("blocks", violates="sse.framing", also=("sse.done",), needs=("sentinel",))
def sse_bare_done(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends [DONE] without data: before it, so that a conforming reader drops it."""
    end = b"data: " + (ask.writer.SENTINEL or b"")
    return (block.removeprefix(b"data: ") if block.startswith(end) else block for block in blocks)


@scenario("blocks", violates="sse.framing", also=("reply.error",), needs=("sse",))
def error_as_field(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Tells an error in a field of its own, error:, which conforming readers drop, and ends."""
    second = lead(ask.writer) + 1
    for position, block in enumerate(blocks):
        if position == second:
            yield b'error: {"message":"le fournisseur en amont a \xc3\xa9chou\xc3\xa9"}\r\n\r\n'
            return
        yield block


@scenario("blocks", violates="sse.framing")
def line_200mb(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends one line of 200 MB."""
    yield next(blocks)
    yield b'{"pad":"' if ask.writer.NDJSON else b'data: {"pad":"'
    sent = 0
    while sent < LINE_BYTES:
        yield PIECE
        sent += len(PIECE)
    yield b'"}\n' if ask.writer.NDJSON else b'"}\r\n\r\n'
    yield from blocks


@scenario("blocks", violates="reply.json", needs=("sse",))
def sse_joined_events(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Leaves out the blank line between two events, which makes them one event of two JSON values."""
    second = lead(ask.writer) + 1
    for position, block in enumerate(blocks):
        yield block.removesuffix(b"\r\n") if position == second else block


@scenario("blocks", violates="reply.json", needs=("sse",))
def comment_as_data(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Puts data: before a comment, as a hop does that re-frames lines it does not understand."""
    yield framed(b": OPENROUTER PROCESSING")
    yield from blocks


@scenario("blocks", violates="http.media-type")
def framed_otherwise(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends lines of JSON where its label says events, or events where it says lines."""
    if ask.writer.NDJSON:
        return (framed(block.rstrip(b"\n")) for block in blocks)
    datas = (line.removeprefix(b"data: ") for block in blocks for line in block.split(b"\r\n") if line[:1] == b"d")
    return (data + b"\n" for data in datas if data != ask.writer.SENTINEL)


@scenario("blocks", violates="reply.json", also=("sse.done", "reply.finish"), needs=("ndjson",))
def lines_cut_short(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends the body properly in the middle of the second line."""
    second = lead(ask.writer) + 1
    for position, block in enumerate(blocks):
        if position == second:
            yield block[: len(block) // 2]
            return
        yield block


@scenario("blocks", violates="reply.json", needs=("ndjson",))
def lines_joined(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends two values on one line."""
    second = lead(ask.writer) + 1
    for position, block in enumerate(blocks):
        yield block.removesuffix(b"\n") if position == second else block


@scenario("documents", violates="sse.done", needs=("close",))
def done_missing(documents: Documents, ask: Ask) -> Documents:
    """Ends without the close of the dialect, such as data: [DONE], so that clients which wait for it hang."""
    return (document for document in documents if not document.closes)


@scenario("documents", violates="sse.done", needs=("close",))
def done_twice(documents: Documents, ask: Ask) -> Documents:
    """Sends the close twice."""
    for document in documents:
        yield document
        if document.closes:
            yield document


@scenario("documents", violates="sse.done", needs=("close",))
def done_early(documents: Documents, ask: Ask) -> Iterator[Document]:
    """Sends the close before the last events, which clients then never read."""
    told = list(documents)
    close = [document for document in told if document.closes]
    for is_middle, document in middle(told):
        if is_middle:
            yield from close
        if not document.closes:
            yield document
