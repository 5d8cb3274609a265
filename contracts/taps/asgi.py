"""A tap on what an ASGI application sends its clients: what it has done to an answer is seen as well.

    app = TapMiddleware(app, taps, provider_of=lambda scope: scope.get("state", {}).get("provider"))

The provider is asked for when the answer begins, so that the application may choose one while it works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.model import Request

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    from contracts.tap import Tap
    from contracts.taps import Taps
    from contracts.taps.once import Once

    Scope = MutableMapping[str, Any]
    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[Scope, Receive, Send], Awaitable[None]]

MAX_REQUEST_BYTES = 4 * 1024 * 1024  # held to learn what was asked; of a larger request that is not known
BODILESS = ("HEAD", "OPTIONS")  # of a probe, and of a browser before it asks: no model's answer is as empty


class TapMiddleware:
    """Looks at every answer whose provider is known."""

    def __init__(self, app: App, taps: Taps, provider_of: Callable[[Scope], str | None]) -> None:
        """Stand before an application; `provider_of` gives the row that an answer comes from, None for no tap."""
        self._app, self._taps, self._provider_of = app, taps, provider_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, self._ending(send))
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        with self._taps.request() as once:
            await self._serve(once, scope, receive, send)

    async def _serve(self, once: Once, scope: Scope, receive: Receive, send: Send) -> None:
        watch = _Watch(self._taps, self._provider_of, scope, once)

        async def receiving() -> Message:
            message = await receive()
            watch.received(message)
            return message

        async def sending(message: Message) -> None:
            watch.sent(message)
            await send(message)

        try:
            await self._app(scope, receiving, sending)
        finally:
            watch.left()

    def _ending(self, send: Send) -> Send:
        """Write what is left when the application has shut down: a server that ends by a signal does not."""

        async def sending(message: Message) -> None:
            if message["type"] in ("lifespan.shutdown.complete", "lifespan.shutdown.failed"):
                self._taps.close()
            await send(message)

        return sending


class _Watch:
    """One request and its answer."""

    def __init__(self, taps: Taps, provider_of: Callable[[Scope], str | None], scope: Scope, once: Once) -> None:
        self._taps, self._provider_of, self._scope, self._once = taps, provider_of, scope, once
        self._body: list[bytes] | None = []
        self._size = 0
        self._tap: Tap | None = None

    def received(self, message: Message) -> None:
        if message["type"] != "http.request" or self._body is None:
            return
        piece = message.get("body") or b""
        self._size += len(piece)
        if self._size > MAX_REQUEST_BYTES:
            self._body = None
        elif piece:
            self._body.append(bytes(piece))

    def sent(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._tap = self._begin(message)
            if self._tap is None:
                self._once.over()
        elif message["type"] == "http.response.body" and self._tap is not None:
            self._tap.feed(message.get("body") or b"")
            if not message.get("more_body", False):
                self._tap.finish("complete")
                self._tap = None

    def left(self) -> None:
        """Finish an answer that was not sent to its end: the client left, or the application failed."""
        if self._tap is not None:
            self._tap.finish("unknown")

    def _begin(self, message: Message) -> Tap | None:
        try:
            provider = self._provider_of(self._scope)
            if provider is None or self._scope["method"] in BODILESS:
                return None
            body = None if self._body is None else b"".join(self._body)
            request = Request(method=str(self._scope["method"]), url=_url(self._scope), body=body)
            headers = tuple((n.decode("latin-1"), v.decode("latin-1")) for n, v in message.get("headers", ()))
            return self._taps.tap(
                provider, request, int(message["status"]), headers, is_coded=True, sent=self._once
            )  # fmt: skip
        except Exception:  # noqa: BLE001 - the answer goes out, whatever the tap makes of it
            return None


def _url(scope: Scope) -> str:
    """Give the path as it was asked for, and the query: Gemini's says whether an answer is streamed."""
    path: bytes = scope.get("raw_path") or str(scope["path"]).encode()
    query: bytes = scope.get("query_string") or b""
    return (path.partition(b"?")[0] + (b"?" + query if query else b"")).decode(errors="replace")
