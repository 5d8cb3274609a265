"""A tap on an answer that was asked for with `requests`.

    with requests.post(url, json=body, stream=True) as response:
        for chunk in of_requests.forward(taps, "openrouter", response):
            send(chunk)

What is forwarded is bytes: `iter_content(decode_unicode=True)`, `iter_lines` and `text` decode by a guess, and for a
stream that names no charset the guess is ISO-8859-1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts import taps as tapping
from contracts.model import Request
from contracts.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Generator

    import requests

    from contracts.facts import Asked
    from contracts.taps import Taps


def forward(
    taps: Taps, provider: str, response: requests.Response, *, asked: Asked | None = None
) -> Generator[bytes, None, None]:
    """Give the chunks of a response that is streamed, without its content coding, as they arrive."""
    return tapping.forward(response.iter_content(chunk_size=None), tap(taps, provider, response, asked=asked))


def tap(
    taps: Taps, provider: str, response: requests.Response, *, asked: Asked | None = None, is_coded: bool = False
) -> Tap:
    """Make a tap for a response; `is_coded` where what is fed comes from `response.raw`."""
    try:
        headers = tuple((str(name), str(value)) for name, value in response.headers.items())
        request = asked_of(response.request)
        head_ms = response.elapsed.total_seconds() * 1000
    except Exception as error:  # noqa: BLE001 - of a response that no session made: it is forwarded all the same
        return Tap.failed(error)
    return taps.tap(
        provider, request, response.status_code, headers, asked=asked, is_coded=is_coded, head_ms=head_ms
    )  # fmt: skip


def asked_of(request: requests.PreparedRequest) -> Request:
    """Tell what was asked; a body that was streamed is not known."""
    body = request.body.encode() if isinstance(request.body, str) else request.body
    return Request(
        method=request.method or "", url=request.url or "", body=body if isinstance(body, bytes) else None
    )  # fmt: skip
