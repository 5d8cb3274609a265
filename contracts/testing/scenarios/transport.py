"""What happens below HTTP's meaning: bytes too many, too few, too slow, or not at all."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, count, islice, repeat

from contracts.testing import certificate
from contracts.testing.answer import Answer, End, Pause, Step, Torn, joined, mapped
from contracts.testing.ask import Ask
from contracts.testing.certificate import Terms
from contracts.testing.scenario import LOST, scenario
from contracts.testing.stream import lead

HEADERS = 10_000
HEADER_CHARS = 1_000_000
PIECE = b": " + b"." * 65_000 + b"\r\n\r\n"


def first(body: Iterable[Step], size: int, *then: Step) -> Iterator[Step]:
    """Give the first steps of a body, then others."""
    yield from islice(body, size)
    yield from then


def begun(ask: Ask) -> bytes:
    """Give the beginning of an event that ends inside a character."""
    return (b"" if ask.writer.NDJSON else b"data: ") + b'{"id":"chatcmpl-\xc3'


def whole_length(answer: Answer, off: int) -> Answer:
    """Claim a Content-Length that is off by so many bytes."""
    data = joined(answer.body)
    answer.body, answer.transfer, answer.length = (data,), "length", len(data) + off
    return answer


@scenario("answer")
def slow_loris(answer: Answer, ask: Ask) -> Answer:
    """Sends a byte of the body, waits (a second, or as --interval says), and sends the next."""
    pause = Pause(ask.interval_s)
    answer.body = mapped(answer.body, lambda p: chain.from_iterable((p[at : at + 1], pause) for at in range(len(p))))
    return answer


@scenario("answer")
def slow_headers(answer: Answer, ask: Ask) -> Answer:
    """Sends a header, waits (a second, or as --interval says), and sends the next, for ever."""
    answer.before = (b"HTTP/1.1 200 OK\r\n",)
    answer.has_head, answer.transfer = False, "close"
    answer.body = chain.from_iterable((f"X-Slow-{n}: é\r\n".encode(), Pause(ask.interval_s)) for n in count())
    return answer


@scenario("answer")
def stall_before_headers(answer: Answer, ask: Ask) -> Answer:
    """Takes the request and says nothing."""
    answer.before = (End.HOLD,)
    return answer


@scenario("answer", violates="reply.json", also=("reply.not-empty",))
def stall_after_headers(answer: Answer, ask: Ask) -> Answer:
    """Sends the headers and then nothing, on an open connection."""
    answer.transfer, answer.length, answer.body = "chunked", None, (End.HOLD,)
    return answer


@scenario("answer", violates="reply.finish", also=LOST)
def stall_mid_stream(answer: Answer, ask: Ask) -> Answer:
    """Falls silent after two pieces of text, on an open connection."""
    steps = first(answer.body, lead(ask.writer) + 2, End.HOLD)
    answer.transfer, answer.length, answer.body = "chunked", None, steps
    return answer


@scenario("answer", violates="sse.timing")
def pause_mid_stream(answer: Answer, ask: Ask) -> Answer:
    """Falls silent in the middle (for twenty intervals, 20 seconds as a rule), and then goes on."""
    steps = iter(answer.body)
    answer.transfer, answer.length = "chunked", None
    answer.body = chain(first(steps, 3, Pause(20 * ask.interval_s)), steps)
    return answer


@scenario("answer", violates="sse.timing")
def one_block(answer: Answer, ask: Ask) -> Answer:
    """Sends the whole stream in one write at the end, as a hop does that buffers."""
    answer.body, answer.is_cut = (joined(answer.body),), False
    return answer


@scenario("answer", needs=("sse",))
def keep_alive_for_ever(answer: Answer, ask: Ask) -> Answer:
    """Sends keep-alive comments, one each interval, and never an event."""
    if answer.is_stream:
        answer.body = chain.from_iterable(repeat((b": keep-alive\r\n\r\n", Pause(ask.interval_s))))
    return answer


@scenario("answer")
def endless_body(answer: Answer, ask: Ask) -> Answer:
    """Sends a body that never ends, as fast as the client takes it."""
    answer.transfer, answer.length = "chunked", None
    filler = PIECE if answer.is_events else b" " * len(PIECE)
    answer.body = chain(answer.body, repeat(filler))
    return answer


@scenario("answer")
def length_too_long(answer: Answer, ask: Ask) -> Answer:
    """Claims a Content-Length 100 bytes above what it sends before it closes."""
    answer = whole_length(answer, 100)
    answer.body = (*answer.body, End.CLOSE)
    return answer


@scenario("answer", violates="sse.framing", also=LOST)
def length_too_short(answer: Answer, ask: Ask) -> Answer:
    """Claims a Content-Length 100 bytes below what it sends, so that the rest looks like the next answer."""
    return whole_length(answer, -100)


@scenario("answer", violates="reply.finish", also=LOST)
def chunked_cut(answer: Answer, ask: Ask) -> Answer:
    """Closes after two pieces of text without the last chunk, so that the body was cut and a client can know it."""
    steps = first(answer.body, lead(ask.writer) + 2, End.CLOSE)
    answer.transfer, answer.length, answer.body = "chunked", None, steps
    return answer


@scenario("answer", violates="sse.framing", also=("reply.finish", *LOST))
def chunk_cut(answer: Answer, ask: Ask) -> Answer:
    """Closes in the middle of a chunk, which is shorter than its size line says."""
    answer.transfer, answer.length = "chunked", None
    answer.body = first(answer.body, lead(ask.writer) + 1, Torn(begun(ask)), End.CLOSE)
    return answer


@scenario("answer", violates="sse.framing", also=("reply.finish", *LOST))
def reset_mid_event(answer: Answer, ask: Ask) -> Answer:
    """Resets the connection in the middle of an event."""
    answer.transfer, answer.length = "chunked", None
    pause = Pause(min(0.05, ask.interval_s))
    answer.body = first(answer.body, lead(ask.writer) + 1, begun(ask), pause, End.RESET)
    return answer


@scenario("answer")
def reset_at_once(answer: Answer, ask: Ask) -> Answer:
    """Takes the request and resets the connection."""
    answer.before = (End.RESET,)
    return answer


@scenario("answer")
def close_at_once(answer: Answer, ask: Ask) -> Answer:
    """Takes the request and closes the connection."""
    answer.before = (End.CLOSE,)
    return answer


@scenario("answer")
def not_http(answer: Answer, ask: Ask) -> Answer:
    """Answers in another protocol than HTTP."""
    answer.before, answer.has_head = (b"SSH-2.0-OpenSSH_9.6 \xc3\xa9\r\n", End.CLOSE), False
    return answer


@scenario("answer")
def header_flood(answer: Answer, ask: Ask) -> Answer:
    """Sends 10,000 headers."""
    answer.headers = [*answer.headers, *((f"X-Flood-{n}", "é") for n in range(HEADERS))]
    return answer


@scenario("answer")
def header_huge(answer: Answer, ask: Ask) -> Answer:
    """Sends one header of a million characters."""
    answer.headers = [*answer.headers, ("X-Huge", "A" * HEADER_CHARS)]
    return answer


@scenario("certificate")
def tls_expired() -> Terms:
    """Shows a TLS certificate that expired yesterday."""
    return certificate.Terms(days=-1)


@scenario("certificate")
def tls_other_host() -> Terms:
    """Shows a TLS certificate of another host."""
    return certificate.Terms(names=("elsewhere.invalid",))
