"""A tap on an answer that was asked for with `httpx`.

    async with client.stream("POST", url, json=body) as response:
        async for chunk in of_httpx.aforward(taps, "openrouter", response):
            await send(chunk)

What is forwarded is the bytes of the wire, so the answer's Content-Encoding has to be forwarded with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts import taps as tapping
from contracts.model import Request
from contracts.tap import Tap

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    import httpx

    from contracts.facts import Asked
    from contracts.taps import Taps


def forward(
    taps: Taps, provider: str, response: httpx.Response, *, asked: Asked | None = None
) -> Generator[bytes, None, None]:
    """Give the chunks of a response that is streamed, as they are on the wire."""
    return tapping.forward(response.iter_raw(), tap(taps, provider, response, asked=asked))


def aforward(
    taps: Taps, provider: str, response: httpx.Response, *, asked: Asked | None = None
) -> AsyncGenerator[bytes, None]:
    """Give the chunks of a response that is streamed and waited for, as they are on the wire."""
    return tapping.aforward(response.aiter_raw(), tap(taps, provider, response, asked=asked))


def tap(
    taps: Taps, provider: str, response: httpx.Response, *, asked: Asked | None = None, is_coded: bool = True
) -> Tap:
    """Make a tap for a response; `is_coded` unless what is fed comes from `iter_bytes`."""
    try:
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
        request = asked_of(response.request)
    except Exception as error:  # noqa: BLE001 - of a response that no client made: it is forwarded all the same
        return Tap.failed(error)
    return taps.tap(provider, request, response.status_code, headers, asked=asked, is_coded=is_coded)


def asked_of(request: httpx.Request) -> Request:
    """Tell what was asked; a body that was streamed is not known."""
    try:
        body: bytes | None = request.content
    except RuntimeError:  # httpx.RequestNotRead is one
        body = None
    return Request(method=request.method, url=str(request.url), body=body)
