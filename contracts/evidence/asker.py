"""Ask one provider one thing: the request, through the guard, with retries for connections alone, to Facts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from contracts import __version__
from contracts.errors import EvidenceError
from contracts.evidence import keys, network, reading, troubles
from contracts.evidence.transport import Incoming, Outgoing, parts
from contracts.model import Evidence, Request, Source

if TYPE_CHECKING:
    from contracts.evidence.guard import SpendGuard
    from contracts.facts import AnswerKind

AGENT = f"provider-contracts/{__version__}"
CONNECTING = ("dns", "connect", "tls", "proxy")
REDIRECTS = (301, 302, 303, 307, 308)
RETRY_S = 0.25  # before the first retry, doubled before each further one


class Question(Struct, frozen=True, kw_only=True):
    """One thing to ask. `url` is absolute; `about` is the model that the answer speaks of.

    `streamed`: a chat with a key is asked for as a stream.
    """

    kind: AnswerKind
    url: str
    method: str = "GET"
    body: bytes | None = None
    keyless: bool = False
    about: str | None = None
    streamed: bool = True


class Line(Struct, frozen=True, kw_only=True):
    """The line to one provider: the guarded transport, and what every question has in common.

    `deadline` is by the loop's clock, `retries` are for connections alone.
    """

    guard: SpendGuard
    reader: reading.Reader
    headers: tuple[tuple[str, str], ...]
    credentials: tuple[tuple[str, str], ...]
    keys: tuple[keys.Key, ...]
    deadline: float
    retries: int
    room: asyncio.Semaphore


async def ask(line: Line, question: Question) -> Evidence:
    """Ask, and give the answer as evidence.

    Raises:
        EvidenceError: where there is no answer, saying why.
        SpendRefused: where the guard did not let the question pass.
    """
    phase = ["queue"]
    try:
        # The deadline is set again for the body, which is judged as far as it came.
        if line.room.locked():
            async with asyncio.timeout_at(line.deadline):
                await line.room.acquire()
        else:
            await line.room.acquire()  # at once, so that it needs no deadline
        try:
            for attempt in range(line.retries + 1):
                try:
                    return await _followed(line, question, phase)
                except EvidenceError as error:
                    if error.phase not in CONNECTING or attempt == line.retries:
                        raise
                    async with asyncio.timeout_at(line.deadline):
                        await asyncio.sleep(RETRY_S * 2**attempt)
        finally:
            line.room.release()
    except TimeoutError as error:
        raise EvidenceError(f"deadline: the time was up while {troubles.WAITED[phase[0]]}", phase[0]) from error
    raise AssertionError("a loop of at least one attempt ends by itself")


async def _followed(line: Line, question: Question, phase: list[str]) -> Evidence:
    """Ask, and follow redirects of a GET that stay on the origin.

    Raises:
        TimeoutError: where the deadline came before the head of an answer.
    """
    url = question.url
    for hop in range(line.reader.bounds.redirects + 1):
        at = datetime.now(UTC)
        request = _request(line, question, url)
        seen = network.Arrival()
        network.arrival.set(seen)
        sent_at = asyncio.get_running_loop().time()
        async with asyncio.timeout_at(line.deadline):
            response = await line.guard.send(request, phase)
        try:
            onward = _onward(question, url, response) if hop < line.reader.bounds.redirects else None
            if onward is None:
                return await _answer(line, question, response, reading.Clock(seen, sent_at), at)
            url = onward
        finally:
            closing = response.close()
            if closing is not None:
                await closing
    raise AssertionError("the last hop is not followed")


def _request(line: Line, question: Question, url: str) -> Outgoing:
    streamed = question.kind == "chat" and question.streamed and not question.keyless
    headers = (
        ("Accept", "text/event-stream" if streamed else "application/json"),
        # A stream is asked for as it is: some hops buffer what they compress.
        ("Accept-Encoding", "identity" if streamed else "gzip"),
        ("User-Agent", AGENT),
        *(() if question.body is None else (("Content-Type", "application/json"),)),
        *line.headers,
        *(() if question.keyless else line.credentials),
    )
    return Outgoing(question.method, url, headers, question.body or b"")


def _onward(question: Question, url: str, response: Incoming) -> str | None:
    """Find where a redirect leads that may be followed: of a GET, to the same origin."""
    if question.method != "GET" or response.status not in REDIRECTS:
        return None
    location = next((v.decode("latin-1") for n, v in response.headers if n.lower() == b"location"), "")
    if not location:
        return None
    try:
        there = urljoin(url, location).partition("#")[0]
        here, onward = urlsplit(url), urlsplit(there)
        same = (here.scheme, here.hostname, here.port) == (onward.scheme, onward.hostname, onward.port)
    except ValueError:
        return None
    return there if same and onward.username is None else None


async def _answer(line: Line, question: Question, response: Incoming, clock: reading.Clock, at: datetime) -> Evidence:
    request = Request(method=question.method, url=parts(question.url)[1], body=question.body, keyless=question.keyless)
    wanted = reading.Wanted(request, question.kind, question.about)
    facts = await reading.read(response, wanted, line.reader, clock, line.deadline)
    url = question.url
    for key in line.keys:
        url = key.hidden_in(url)  # the cursor of a page is the provider's to choose
    ref = f"{question.method} {keys.shown(url)}"
    return Evidence(facts=keys.without(facts, line.keys), source=Source.LIVE, ref=ref, at=at)
