"""The hostile provider: a server on a loopback port, run by the caller's event loop or by one in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import msgspec

from contracts.testing import ask as asks
from contracts.testing import certificate, honest, http1, listing, reply, writers
from contracts.testing.answer import Answer
from contracts.testing.ask import Ask, Asked, Record
from contracts.testing.scenario import choose

HOST = "127.0.0.1"
CLOSE_S = 0.4  # for each of the two steps of closing, which together end within a second
ACCEPTING = 8  # turns of the loop within which a connection that was being accepted is known; asyncio takes four
HANDSHAKE_S = 5.0  # for a client that connects and does not begin TLS
BACKLOG = 1024  # connections of an impatient client that wait to be accepted

Watch = Callable[[Ask, Answer], Answer]


class HostileProvider:
    """A provider that misbehaves as its scenarios say.

        async with HostileProvider("slow-loris", interval_s=0.01) as provider: ...
        with HostileProvider("usage-twice", models={"a/b": "0"}) as provider: ...
        with HostileProvider("finish-twice", dialect="gemini") as provider: ...

    Args:
        scenarios: names, each of which may be kept to one kind of request: `listing:gzip-bomb`.
        by_model: scenarios of single models; several names stand between blanks.
        dialect: the wire API that it speaks; `contracts.testing.writers.names()` are those it can.
        models: price of one token by model id, as the listing says it where it has prices.
        any_model: answer chats on other models too, for nothing: a relay may call one as it likes.
        host: the address that it listens on; beyond loopback anybody may ask.
        port: 0 is any that is free.
        tls: serve https with a certificate made at start; needs the package `trustme`.
        interval_s: seconds between two bytes of whatever is sent slowly.
        watch: sees each answer to a request, as the scenarios left it, before it is sent, and may wrap its body.

    Raises:
        ConfigError: for a dialect or a scenario that does not exist, or not in that dialect.
    """

    text = reply.TEXT

    def __init__(  # noqa: PLR0913 - what may be said of a provider, each by its name
        self,
        *scenarios: str,
        by_model: Mapping[str, str] | None = None,
        dialect: str = writers.USUAL,
        models: Mapping[str, str] | None = None,
        any_model: bool = False,
        host: str = HOST,
        port: int = 0,
        tls: bool = False,
        interval_s: float = 1.0,
        watch: Watch | None = None,
    ) -> None:
        """Prepare; nothing listens yet."""
        words = [(m, w) for m, names in (by_model or {}).items() for w in names.split()]
        writer = writers.load(dialect)
        served = dict(listing.models_of(writer) if models is None else models)
        chosen = choose(scenarios, words, writer)
        self._play = honest.Play(writer=writer, models=served, chosen=chosen, any_model=any_model)
        terms = [c.scenario.act() for c in self._play.chosen if c.scenario.stage == "certificate"]
        self._terms = terms[-1] if terms else certificate.Terms() if tls else None
        self._host, self._port, self._interval_s, self._watch = host, port, interval_s, watch
        self._record, self._strays = Record(), Record()
        self._origins = ("", "")
        self._authority_pem: bytes | None = None
        self._sent = [0]
        self._servers: list[asyncio.Server] = []
        self._tasks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._thread: _Thread | None = None

    @property
    def base_url(self) -> str:
        """What a router is configured with, as the dialect has it, without a slash at the end."""
        return f"{self._origins[0]}{self._play.writer.BASE}"

    @property
    def origin(self) -> str:
        """Scheme, host and port alone, which is what some official clients are configured with."""
        return self._origins[0]

    @property
    def models(self) -> tuple[str, ...]:
        """The ids of the models that it serves, the free one first unless one said which."""
        return tuple(self._play.models)

    @property
    def dialect(self) -> str:
        """The wire API that it speaks."""
        return self._play.writer.NAME

    @property
    def authority_pem(self) -> bytes | None:
        """The certificate that a client has to trust; None without TLS."""
        return self._authority_pem

    @property
    def requests(self) -> tuple[Asked, ...]:
        """What was asked, the oldest first, as far back as it is kept."""
        return self._record.requests

    @property
    def request_count(self) -> int:
        """How many requests ever came."""
        return self._record.count

    @property
    def paid_chats(self) -> tuple[Asked, ...]:
        """Chats on models that the provider's own latest listing does not give away."""
        return self._record.paid_chats

    @property
    def strays(self) -> tuple[Asked, ...]:
        """What was asked of the other host, to which only a redirect leads."""
        return self._strays.requests

    def play(self, *scenarios: str) -> None:
        """Play other scenarios from the next request on, in place of all so far. Raises ConfigError as making one."""
        self._play = msgspec.structs.replace(self._play, chosen=choose(scenarios, (), self._play.writer))

    def chats_of(self, model: str) -> tuple[Asked, ...]:
        """Chats that asked for a model, also refused ones. Raises LookupError where requests were forgotten."""
        return self._record.chats_of(model)

    @property
    def open_connections(self) -> int:
        """How many connections are being served now."""
        return len(self._tasks)

    @property
    def bytes_sent(self) -> int:
        """How many bytes were handed to the network, headers and framing counted."""
        return self._sent[0]

    async def __aenter__(self) -> Self:
        """Start listening."""
        tls = None
        if self._terms is not None:
            identity = certificate.make(self._terms)
            tls, self._authority_pem = identity.context, identity.authority_pem
        scheme = "https" if tls else "http"
        limits: dict[str, Any] = {"ssl_handshake_timeout": HANDSHAKE_S, "ssl_shutdown_timeout": CLOSE_S} if tls else {}
        for record, port in ((self._record, self._port), (self._strays, 0)):
            server = await asyncio.start_server(
                self._accept(record),
                self._host,
                port,
                ssl=tls,
                backlog=BACKLOG,
                **limits,
            )
            self._servers.append(server)
        main, other = (s.sockets[0].getsockname()[1] for s in self._servers)
        # By another name, so that also a client that compares hosts alone must see the difference.
        self._origins = (f"{scheme}://{self._host}:{main}", f"{scheme}://localhost:{other}")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop within a second, whatever is still being sent."""
        # asyncio loses, unclosed, a connection that it is accepting while its server closes: stop accepting first.
        with contextlib.suppress(NotImplementedError):
            for listening in (s for server in self._servers for s in server.sockets):
                asyncio.get_running_loop().remove_reader(listening.fileno())
        for _ in range(ACCEPTING):
            await asyncio.sleep(0)
        for server in self._servers:
            server.close()
        for task, writer in self._tasks.items():
            writer.transport.abort()
            task.cancel()
        if self._tasks:
            await asyncio.wait(tuple(self._tasks), timeout=CLOSE_S)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(s.wait_closed() for s in self._servers)), CLOSE_S)
        self._servers.clear()

    def __enter__(self) -> Self:
        """Start listening, served by a thread of its own."""
        self._thread = _Thread(self)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop within a second and end the thread."""
        if self._thread is not None:
            self._thread.stop()
            self._thread = None

    def _accept(self, record: Record) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            # Not a coroutine: its task could be cancelled before it runs, and nobody would close the connection.
            task = asyncio.ensure_future(self._serve(reader, writer, record))
            self._tasks[task] = writer
            task.add_done_callback(self._tasks.pop)

        return accept

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, record: Record) -> None:
        try:
            connection = http1.Connection(reader, writer, self._sent)
            await self._answer(connection, record)
            await connection.close()
        # A client that leaves is what scenarios are for; cancelling is how closing ends them.
        except (OSError, http1.GoneError, asyncio.CancelledError):
            writer.transport.abort()

    async def _answer(self, connection: http1.Connection, record: Record) -> None:
        keep = True
        while keep:
            try:
                head = await connection.head()
                body = await connection.body(head)
            except http1.BadRequestError as refused:
                refusal = asks.read("", "", (), b"", self._play.writer).error(refused.status, str(refused))
                await connection.send(refusal, version="HTTP/1.1", keep=False)
                await connection.linger()
                return
            ask = self._asked(head, body, record)
            answer = self._stray(ask) if record is self._strays else honest.answer(self._play, ask)
            if self._watch is not None:
                answer = self._watch(ask, answer)
            keep = await connection.send(answer, version=head.version, keep=head.keeps_alive)

    def _asked(self, head: http1.Head, body: bytes, record: Record) -> Ask:
        ask = asks.read(head.method, head.target, head.headers, body, self._play.writer)
        ask.interval_s = self._interval_s
        ask.origin, ask.elsewhere = self._origins
        polls = record.turn("listing", is_first_page=ask.kind == "listing" and not ask.query)
        ask.turn = polls if ask.kind == "listing" else record.turn(ask.kind, is_first_page=True)
        record.add(asks.kept(ask, paid=honest.is_paid(self._play, ask, polls)))
        return ask

    def _stray(self, ask: Ask) -> Answer:
        return honest.answer(msgspec.structs.replace(self._play, chosen=()), ask)


class _Thread:
    """The event loop of a provider that is used without async."""

    def __init__(self, provider: HostileProvider) -> None:
        self._provider = provider
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="hostile-provider", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            self._thread.join()
            raise self._failed

    def stop(self) -> None:
        if self._loop is not None and self._stopping is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that started this one
            self._failed = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        async with self._provider:
            self._ready.set()
            await self._stopping.wait()
