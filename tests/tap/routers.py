"""Small routers under uvicorn, as people write them: what comes is tapped, and what is sent as well."""

from __future__ import annotations

import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx
import uvicorn

from contracts.taps import Taps, of_httpx
from contracts.taps.asgi import TapMiddleware

if TYPE_CHECKING:
    from contracts.taps.asgi import App, Receive, Scope, Send

KEY = {"Authorization": "Bearer test"}
Change = Callable[[bytes], bytes]


@contextmanager
def serving(app: App) -> Iterator[str]:
    """Serve an application on loopback; gives its base URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)
            assert not thread.is_alive()


def tapped(app: App, taps: Taps) -> App:
    """Put the middleware before an application that writes the provider into its state, as uvicorn's has none."""

    async def stated(scope: Scope, receive: Receive, send: Send) -> None:
        scope.setdefault("state", {})
        await inner(scope, receive, send)

    inner = TapMiddleware(app, taps, lambda scope: scope["state"].get("provider"))
    return stated


async def body_of(receive: Receive) -> bytes:
    """Read a request."""
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body") or b"")
        if not message.get("more_body"):
            return b"".join(pieces)


async def begin(send: Send, response: httpx.Response) -> None:
    """Pass the head of an answer on."""
    kept = [(n, v) for n, v in response.headers.raw if n.lower() in (b"content-type", b"content-encoding")]
    await send({"type": "http.response.start", "status": response.status_code, "headers": kept})


def router(taps: Taps, *tries: tuple[str, str], change: Change = bytes, whole: bool = False) -> App:
    """Forward what is asked to the first provider, by name and base URL, that does not fail.

    `change` is what it does to each chunk; `whole` reads an answer to its end before it sends it.
    """

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked = await body_of(receive)
        async with httpx.AsyncClient() as client:
            for name, url in tries:
                async with client.stream("POST", url + scope["path"], content=asked, headers=KEY) as response:
                    chunks: AsyncIterator[bytes] = of_httpx.aforward(taps, name, response)
                    if response.status_code >= 500 and name != tries[-1][0]:
                        async for _ in chunks:
                            pass
                        continue
                    scope["state"]["provider"] = name
                    if whole:
                        chunks = _again([chunk async for chunk in chunks])
                    await begin(send, response)
                    async for chunk in chunks:
                        await send({"type": "http.response.body", "body": change(chunk), "more_body": True})
                    break
        await send({"type": "http.response.body", "body": b""})

    return app


async def _again(chunks: list[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk


def misread() -> Change:
    """Do what this project was born from: read UTF-8 as ISO-8859-1 and encode it again."""
    return lambda chunk: chunk.decode("latin-1").encode()
