"""HTTP/2, and the ways through a proxy, by httpcore over connections of our own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpcore

from contracts.errors import EvidenceError
from contracts.evidence import network

if TYPE_CHECKING:
    from contracts.evidence.proxies import Proxy
    from contracts.evidence.transport import Outgoing

CUT = (httpcore.RemoteProtocolError, httpcore.LocalProtocolError, httpcore.ReadError)
FAILED = (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError, httpcore.ConnectionNotAvailable)
PHASES = {
    "connect_tcp": "connect",
    "start_tls": "tls",
    "send_request_headers": "write",
    "receive_response_headers": "headers",
}


class Stream(httpcore.AsyncNetworkStream):
    """A connection as httpcore wants it. The run's deadline bounds every wait, so its timeouts are passed over."""

    def __init__(self, connection: network.Connection) -> None:
        """Hold a connection."""
        self._connection = connection

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's name
        """Read what has arrived."""
        del max_bytes, timeout
        try:
            return await self._connection.read()
        except ConnectionResetError as error:
            raise httpcore.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's name
        """Write."""
        del timeout
        try:
            await self._connection.write(buffer)
        except ConnectionResetError as error:
            raise httpcore.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Close at once."""
        self._connection.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
    ) -> httpcore.AsyncNetworkStream:
        """Begin TLS."""
        del timeout
        return Stream(await self._connection.start_tls(ssl_context, server_hostname or ""))

    def get_extra_info(self, info: str) -> Any:
        """Tell httpcore what it asks of a connection."""
        if info == "is_readable":
            return self._connection.is_readable
        return self._connection.about({"client_addr": "sockname", "server_addr": "peername"}.get(info, info))


class Network(httpcore.AsyncNetworkBackend):
    """Makes connections to a proxy, which a variable named."""

    def __init__(self, via: str) -> None:
        """Make connections."""
        self._via = via

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the proxy."""
        del timeout, local_address, socket_options
        return Stream(await network.connect(host, port, self._via))

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def through(proxy: Proxy, context: ssl.SSLContext, connections: int, *, http2: bool) -> httpcore.AsyncConnectionPool:
    """Make a pool whose connections lead through a proxy.

    Raises:
        EvidenceError: for a SOCKS proxy without the package that speaks to it.
    """
    if proxy.url.startswith("socks"):
        if find_spec("socksio") is None:
            raise EvidenceError(f"{proxy.variable}: a SOCKS proxy needs the package socksio", "proxy")
        return httpcore.AsyncSOCKSProxy(
            proxy_url=proxy.url, proxy_auth=proxy.auth, ssl_context=context, max_connections=connections,
            http2=http2, network_backend=Network(proxy.variable),
        )  # fmt: skip
    return httpcore.AsyncHTTPProxy(
        proxy_url=proxy.url, proxy_auth=proxy.auth, ssl_context=context, max_connections=connections, http2=http2,
        proxy_ssl_context=context if proxy.url.startswith("https:") else None, network_backend=Network(proxy.variable),
    )  # fmt: skip


def over_http2(connection: network.Connection, url: str) -> httpcore.AsyncHTTP2Connection:
    """Speak HTTP/2 on a connection that agreed on it."""
    return httpcore.AsyncHTTP2Connection(origin=httpcore.URL(url).origin, stream=Stream(connection))


async def send(
    over: httpcore.AsyncConnectionPool | httpcore.AsyncHTTP2Connection, request: Outgoing, phase: list[str]
) -> httpcore.Response:
    """Send one request; `phase` is kept at what it waits for."""
    headers = [("Host", urlsplit(request.url).netloc), *request.headers]
    if request.body or request.method == "POST":
        headers.append(("Content-Length", str(len(request.body))))

    async def trace(name: str, info: dict[str, Any]) -> None:
        del info
        step, _, state = name.rpartition(".")
        known = PHASES.get(step.rpartition(".")[2])
        if known is not None and state == "started":
            phase[0] = known

    return await over.handle_async_request(
        httpcore.Request(
            request.method, request.url, headers=headers, content=request.body, extensions={"trace": trace}
        )
    )
