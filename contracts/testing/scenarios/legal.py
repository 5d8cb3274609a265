"""What breaks no promise: a provider that behaves, and oddities that the standards allow."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterator

from contracts.testing import reply
from contracts.testing.answer import Answer, mapped
from contracts.testing.ask import Ask
from contracts.testing.reply import INPUT_TOKENS, PIECES, Reply, Usage
from contracts.testing.scenario import scenario
from contracts.testing.stream import COMMENT, Documents
from contracts.testing.writers import Sent


@scenario("none", violates="sse.charset")
def honest() -> None:
    """Behaves, but declares no charset: raw UTF-8, cut inside characters and line ends. The rule when none is named."""


@scenario("answer")
def declared(answer: Answer, ask: Ask) -> Answer:
    """Declares charset=utf-8 on streams, and so breaks no promise at all."""
    if answer.is_events:
        answer.with_header("Content-Type", "text/event-stream; charset=utf-8")
    return answer


@scenario("before", needs=("key",))
def keyless(ask: Ask) -> None:
    """Asks for no key."""
    ask.is_keyed = True


@scenario("blocks", needs=("sse",))
def lf(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends lines with LF, as most providers do, instead of CRLF."""
    return (block.replace(b"\r\n", b"\n") for block in blocks)


@scenario("blocks", needs=("sse",))
def cr(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Ends lines with a lone CR, which the standard allows and few clients read."""
    return (block.replace(b"\r\n", b"\r") for block in blocks)


@scenario("blocks", needs=("sse",))
def no_space(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends no space after the colon of data:, which the standard allows."""
    return (block.replace(b"data: ", b"data:", 1) for block in blocks)


@scenario("blocks", needs=("sse",))
def bom(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Begins the stream with a byte order mark, which readers have to skip."""
    yield b"\xef\xbb\xbf"
    yield from blocks


@scenario("blocks", needs=("sse",))
def data_on_two_lines(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Spreads the JSON of every event over two data lines, which readers have to join by a line feed."""
    return (block.replace(b',"', b',\r\ndata: "', 1) for block in blocks)


@scenario("blocks", needs=("sse",))
def comments(blocks: Iterator[bytes], ask: Ask) -> Iterator[bytes]:
    """Sends a comment before every event, which readers have to skip."""
    return (COMMENT + block for block in blocks)


@scenario("documents")
def escaped(documents: Documents, ask: Ask) -> Documents:
    r"""Writes every character beyond ASCII as \uXXXX, an emoji as a pair of surrogates."""
    return (document._replace(text=ascii_json(document.text)) for document in documents)


def ascii_json(document: bytes) -> bytes:
    """Escape what is not ASCII in a JSON text."""
    units = (f"\\u{u:04x}" if u > 0x7F else chr(u) for u in utf16(document.decode()))  # noqa: PLR2004 - ASCII ends
    return "".join(units).encode()


def utf16(text: str) -> Iterator[int]:
    """Give the UTF-16 code units of a text."""
    data = text.encode("utf-16-be")
    return (int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2))


@scenario("reply", needs=("tools",))
def tool_calls(told: Reply, ask: Ask) -> None:
    """Answers with two tool calls, as it should."""
    reply.two_calls(told)


@scenario("reply", needs=("reasoning",))
def reasoning(told: Reply, ask: Ask) -> None:
    """Sends reasoning text before the answer."""
    told.reasoning = ["Réfléchissons: ", "日本…"]


@scenario("reply")
def brief(told: Reply, ask: Ask) -> None:
    """Says less: three pieces of text."""
    told.pieces = [PIECES[0], PIECES[4], "".join(PIECES[-3:])]
    told.usage = Usage(output_tokens=3, total_tokens=INPUT_TOKENS + 3)


@scenario("events", needs=("prompt-filter",))
def prompt_filter(events: Iterator[Sent], told: Reply, ask: Ask) -> Iterator[Sent]:
    """Begins with an event of a prompt filter, with empty names and no choice."""
    empty = {"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": []}
    yield Sent("frame", empty)
    yield from events


@scenario("answer")
def early_hints(answer: Answer, ask: Ask) -> Answer:
    """Sends an interim answer, 103, before the real one."""
    answer.before = (b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n",)
    return answer


@scenario("answer")
def until_close(answer: Answer, ask: Ask) -> Answer:
    """Sends neither a length nor chunks: the body ends with the connection."""
    answer.transfer, answer.length = "close", None
    return answer


@scenario("answer")
def byte_by_byte(answer: Answer, ask: Ask) -> Answer:
    """Sends every byte of the body on its own, without waiting."""
    answer.body = mapped(answer.body, lambda piece: (piece[at : at + 1] for at in range(len(piece))))
    return answer
