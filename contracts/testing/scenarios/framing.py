"""Server-sent events that are framed wrongly, and closes that are missing or misplaced."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator

from contracts.testing.ask import Ask
from contracts.testing.reply import DONE, MIDDLE, framed
from contracts.testing.scenario import LOST, scenario

LINE_BYTES = 200 * 1000 * 1000
PIECE = b"A" * 65_536


@scenario("blocks", violates="sse.framing")
def sse_no_final_blank(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Leaves out the blank line behind the last event, so that a conforming reader never sees it."""
    last = next(blocks)
    for block in blocks:
        yield last
        last = block
    yield last.removesuffix(b"\r\n")


@scenario("blocks", violates="sse.framing", also=("reply.finish", *LOST))
def sse_cut_short(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends the body properly in the middle of the third event."""
    for position, block in enumerate(blocks):
        if position == MIDDLE:
            yield block[: len(block) // 2]
            return
        yield block


@scenario("blocks", violates="sse.framing")
def sse_unknown_field(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends a line with a field that the standard does not know."""
    for block in blocks:
        yield b"trace: caf\xc3\xa9\r\n" + block if DONE in block else block


@scenario("blocks", violates="sse.framing", also=("sse.done",))
def sse_bare_done(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends [DONE] without data: before it, so that a conforming reader drops it."""
    return (block.removeprefix(b"data: ") if DONE in block else block for block in blocks)


@scenario("blocks", violates="sse.framing", also=("reply.error",))
def error_as_field(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Tells an error in a field of its own, error:, which conforming readers drop, and ends."""
    for position, block in enumerate(blocks):
        if position == MIDDLE:
            yield b'error: {"message":"le fournisseur en amont a \xc3\xa9chou\xc3\xa9"}\r\n\r\n'
            return
        yield block


@scenario("blocks", violates="sse.framing")
def line_200mb(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends one line of 200 MB."""
    yield next(blocks)
    yield b'data: {"pad":"'
    sent = 0
    while sent < LINE_BYTES:
        yield PIECE
        sent += len(PIECE)
    yield b'"}\r\n\r\n'
    yield from blocks


@scenario("blocks", violates="reply.json")
def sse_joined_events(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Leaves out the blank line between two events, which makes them one event of two JSON values."""
    for position, block in enumerate(blocks):
        yield block.removesuffix(b"\r\n") if position == MIDDLE else block


@scenario("blocks", violates="reply.json")
def comment_as_data(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Puts data: before a comment, as a hop does that re-frames lines it does not understand."""
    yield framed(b": OPENROUTER PROCESSING")
    yield from blocks


@scenario("documents", violates="sse.done")
def done_missing(documents: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends without data: [DONE], so that clients which wait for it hang."""
    return (document for document in documents if document != DONE)


@scenario("documents", violates="sse.done")
def done_twice(documents: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends [DONE] twice."""
    yield from documents
    if ask.wants_stream:
        yield DONE


@scenario("documents", violates="sse.done")
def done_early(documents: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends [DONE] before the last events, which clients then never read."""
    for position, document in enumerate(documents):
        if ask.wants_stream and position == MIDDLE:
            yield DONE
        if document != DONE:
            yield document
