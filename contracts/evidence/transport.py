"""The wire to one origin: httpcore under httpx's transport interface, so that the spend guard can stand before it."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import httpcore
import httpx

from contracts.errors import EvidenceError
from contracts.evidence.network import Network

if TYPE_CHECKING:
    from contracts.evidence.proxies import Proxy

PER_HOST = 4  # connections; browsers take six
IDLE_S = 30.0


def has_http2() -> bool:
    """Tell whether the extra `http2` is installed."""
    return find_spec("h2") is not None


class Body(httpx.AsyncByteStream):
    """The bytes of an answer as they were on the wire."""

    def __init__(self, response: httpcore.Response) -> None:
        """Hold an answer whose head has arrived."""
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Give the bytes as they arrive."""
        assert not isinstance(self._response.stream, bytes)  # noqa: S101 - the pool gives a stream
        async for chunk in self._response.aiter_stream():
            yield chunk

    async def aclose(self) -> None:
        """Give the connection back, or end it where not all was read."""
        await self._response.aclose()


class Wire(httpx.AsyncBaseTransport):
    """Sends to one origin, directly or through a proxy. Never decodes, never follows, never tries twice."""

    def __init__(self, context: ssl.SSLContext, proxy: Proxy | None = None, *, http2: bool | None = None) -> None:
        """Prepare; nothing is connected before the first request.

        Raises:
            EvidenceError: for a SOCKS proxy without the package that speaks to it.
        """
        network = Network(proxy.variable if proxy else None)
        http2 = has_http2() if http2 is None else http2
        self._pool: httpcore.AsyncConnectionPool
        if proxy is None:
            self._pool = httpcore.AsyncConnectionPool(
                ssl_context=context,
                max_connections=PER_HOST,
                keepalive_expiry=IDLE_S,
                http2=http2,
                network_backend=network,
            )
        elif proxy.url.startswith("socks"):
            if find_spec("socksio") is None:
                raise EvidenceError(f"{proxy.variable}: a SOCKS proxy needs the package socksio", "proxy")
            self._pool = httpcore.AsyncSOCKSProxy(
                proxy_url=proxy.url,
                proxy_auth=proxy.auth,
                ssl_context=context,
                max_connections=PER_HOST,
                keepalive_expiry=IDLE_S,
                http2=http2,
                network_backend=network,
            )
        else:
            self._pool = httpcore.AsyncHTTPProxy(
                proxy_url=proxy.url,
                proxy_auth=proxy.auth,
                ssl_context=context,
                proxy_ssl_context=context if proxy.url.startswith("https:") else None,
                max_connections=PER_HOST,
                keepalive_expiry=IDLE_S,
                http2=http2,
                network_backend=network,
            )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and give its answer, of which only the head has arrived."""
        assert isinstance(request.stream, httpx.AsyncByteStream)  # noqa: S101 - requests are made by `asker`
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        response = await self._pool.handle_async_request(
            httpcore.Request(
                method=request.method,
                url=target,
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=Body(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        """End every connection."""
        await self._pool.aclose()
