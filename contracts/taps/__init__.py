"""Taps for a router: made from its providers file, they write down what real traffic shows.

    taps = Taps.open("providers.yaml", "/var/lib/router/observed.jsonl")
    asked = taps.asked("openrouter", request)            # once, however many providers are tried
    tap = taps.tap("openrouter", request, status, headers, asked=asked)
    for chunk in forward(response.iter_raw(), tap): …

`contracts check --observed FILE` judges what was written. `forward` reads along an iterator and tells how it ended;
`of_requests`, `of_httpx` and `asgi` do all of it for those libraries, which they do not import.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, json, structs

from contracts import dialects
from contracts.config import catalogue as catalogues
from contracts.errors import ConfigError
from contracts.observations import Observation
from contracts.observations.writer import Writer
from contracts.tap import Tap
from contracts.taps.once import WAIT_S, Once

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping

    from contracts.dialects import Dialect, Tables
    from contracts.facts import Asked
    from contracts.model import Headers, Request
    from contracts.tap import Ended, Seen


LONGEST_NAME = 500  # characters of a model and of a path that are written down; no real one is as long


class _Named(Struct):
    model: object = None


class Spoken(NamedTuple):
    """What a tap needs to know of one provider."""

    dialect: Dialect
    tables: Tables


class Taps:
    """Makes taps. One object serves a whole process and all its threads."""

    def __init__(self, providers: Mapping[str, Spoken], write: Callable[[Observation], None]) -> None:
        """Serve these providers; `write` takes each observation and must not block."""
        self._providers, self._write = providers, write
        self._writer: Writer | None = None
        self._waiting: dict[Once, float] = {}
        # Tasks and threads that serve a request inherit it. Of each object, as each writes to a file of its own.
        self._once: ContextVar[Once | None] = ContextVar("contracts answers", default=None)

    @classmethod
    def open(cls, config: str, to: str) -> Taps:
        """Read a providers file, and write observations to a file.

        Args:
            config: path of the providers file.
            to: path of the file that observations are appended to.

        Raises:
            ConfigError: for a bad providers file, or a path that cannot be written.
        """
        catalogue = catalogues.load(config)
        rows = {name: catalogue.provider(name) for name in catalogue.providers}
        writer = Writer(to)
        taps = cls(
            {n: Spoken(dialects.load(r.dialect), catalogue.tables(r.dialect, r)) for n, r in rows.items()}, writer.write
        )
        taps._writer = writer
        writer.look = taps.look_after
        return taps

    def asked(self, provider: str, request: Request) -> Asked | None:
        """Learn once what a request asks and in what characters; None where it cannot be read."""
        try:
            return self._spoken(provider).dialect.asked(request)
        except Exception:  # noqa: BLE001 - a router forwards what it does not understand
            return None

    def tap(  # noqa: PLR0913 - what is known when an answer begins
        self,
        provider: str,
        request: Request,
        status: int,
        headers: Headers,
        *,
        asked: Asked | None = None,
        is_coded: bool = False,
        head_ms: float = 0.0,
        sent: Once | None = None,
    ) -> Tap:
        """Start to look at an answer; what it came to is written when the tap is finished.

        Args:
            provider: name of the row. Of one that is not in the file nothing is learnt (see `Tap.failure`).
            request: what was asked of the provider.
            status: of the answer.
            headers: of the answer, as text.
            asked: what `asked` gave for this request, or for the same one to another provider: the model and the path
                are read anew, as providers call one model by several names.
            head_ms: how long the headers were waited for, since the request was sent.
            is_coded: the chunks still have the Content-Encoding that the headers name.
            sent: the request of a client that this is the answer to, where it is sent to that client and does not come.
        """
        try:
            spoken = self._spoken(provider)
        except (ConfigError, TypeError) as error:  # a name that is no text, such as None, is nobody's either
            return Tap.failed(error)
        once = self._once.get()
        write = sent.sent if sent is not None else once.began() if once is not None and once.is_here else self._write

        def tell(seen: Seen) -> None:
            was = _bounded(seen.facts.asked)
            write(
                Observation(
                    at=datetime.now(UTC),
                    provider=provider,
                    model=None if was is None else was.model,
                    facts=structs.replace(seen.facts, asked=was),
                    verification=seen.verification,
                )
            )

        asked = None if asked is None else _again(spoken.dialect, request, asked)
        return Tap(request, status, headers, *spoken, asked=asked, is_coded=is_coded, head_ms=head_ms, tell=tell)

    @contextmanager
    def request(self) -> Generator[Once, None, None]:
        """Serve one request of a client: an answer that is tapped as it comes and as it is sent is written once."""
        before = self._once.get()
        once = Once(self._write if before is None or not before.is_here else before.came, self._waiting)
        if self._writer is not None:
            self._writer.start()  # it looks after what waits
        self._once.set(once)
        try:
            yield once
        finally:
            # Not by a token: what is collected while it waits ends in another context.
            self._once.set(before)
            once.over()

    def look_after(self, now: float | None = None) -> None:
        """Write what has waited for too long at an instant of the monotonic clock; all of it where there is none."""
        for once, since in list(self._waiting.items()):
            if not once.is_here:
                self._waiting.pop(once, None)
            elif now is None or now - since >= WAIT_S:
                once.release()

    def close(self) -> None:
        """Write what is left."""
        if self._writer is None:
            self.look_after()
        else:
            self._writer.close()

    @property
    def dropped(self) -> int:
        """How many answers of this process could not be written down, because the disk failed or did not keep up."""
        return 0 if self._writer is None else self._writer.dropped

    @property
    def failure(self) -> str | None:
        """What the system said when answers could not be written down last, None as long as all were."""
        return None if self._writer is None else self._writer.failure

    def _spoken(self, provider: str) -> Spoken:
        try:
            return self._providers[provider]
        except KeyError:
            known = ", ".join(sorted(self._providers))
            raise ConfigError(f"expected one of the providers {known}, found '{provider}'") from None


def _again(dialect: Dialect, request: Request, asked: Asked) -> Asked:
    """Read the model and the path of one attempt; all else was learnt of the first."""
    if request.body is None:
        return asked
    try:
        small = json.encode({"model": json.decode(request.body, type=_Named).model})
        own = dialect.asked(structs.replace(request, body=small))
    except Exception:  # noqa: BLE001 - a router forwards what it does not understand
        return asked
    return asked if own is None else structs.replace(asked, path=own.path, model=own.model)


def _bounded(asked: Asked | None) -> Asked | None:
    """Cut what a client may make as long as it likes: it is held for each kind of answer, and stands in a line."""
    if asked is None or (len(asked.path) <= LONGEST_NAME and len(asked.model or "") <= LONGEST_NAME):
        return asked
    model = None if asked.model is None else asked.model[:LONGEST_NAME]
    return structs.replace(asked, path=asked.path[:LONGEST_NAME], model=model)


def forward(chunks: Iterable[bytes], tap: Tap) -> Generator[bytes, None, None]:
    """Give every chunk on as it is, let the tap look, and tell it how the answer ended.

    An exception of `chunks` is the provider's connection that broke; one who takes no more chunks has left.
    """
    ended: Ended = "unknown"
    try:
        since = perf_counter()
        for chunk in chunks:
            tap.feed(chunk, (perf_counter() - since) * 1000)
            yield chunk
            since = perf_counter()
        ended = "complete"
    except Exception:
        ended = "cut"
        raise
    finally:
        tap.finish(ended)


async def aforward(chunks: AsyncIterable[bytes], tap: Tap) -> AsyncGenerator[bytes, None]:
    """Do the same for chunks that are waited for."""
    ended: Ended = "unknown"
    try:
        since = perf_counter()
        async for chunk in chunks:
            tap.feed(chunk, (perf_counter() - since) * 1000)
            yield chunk
            since = perf_counter()
        ended = "complete"
    except Exception:
        ended = "cut"
        raise
    finally:
        tap.finish(ended)
