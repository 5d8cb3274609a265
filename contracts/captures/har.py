"""HAR 1.2: every entry with an answer becomes an Exchange.

A recorder has taken framing and content coding off, so a gzip header beside a plain body is normal (`coding` tells).
Text content is a JSON string: what was not UTF-8 on the wire cannot be told from it any more; from base64 it can.

Skipped, and said so: an entry with status 0 (blocked or aborted: nothing was answered), and one whose content has no
text though the answer was not empty (a recorder that keeps sizes only): judged, it would look like a blank answer.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from contracts.captures.coding import CodingError, coded_as, decoded
from contracts.captures.intake import Capture, gathered, shaped
from contracts.captures.parts import instant, nothing_sent, text_bytes, unbase64, values
from contracts.config.words import show
from contracts.errors import CaptureError
from contracts.model import Ended, Exchange, Headers, Request


class _Pair(Struct):
    name: str
    value: str | None = None


class _PostData(Struct, rename="camel"):
    mime_type: str | None = None
    text: str | None = None
    encoding: str | None = None
    params: list[_Pair] | None = None


class _Request(Struct, rename="camel"):
    method: str = ""
    url: str = ""
    headers: list[_Pair] = field(default_factory=list)
    post_data: _PostData | None = None


class _Content(Struct):
    size: float | None = None
    text: str | None = None
    encoding: str | None = None


class _Response(Struct, rename="camel"):
    status: int
    headers: list[_Pair] = field(default_factory=list)
    content: _Content = field(default_factory=_Content)
    body_size: float | None = None
    # Chrome's own member: `net::ERR_INCOMPLETE_CHUNKED_ENCODING` and the like.
    error: str | None = field(default=None, name="_error")


class _Entry(Struct, rename="camel"):
    request: _Request
    response: _Response
    started_date_time: Any = None


class _Log(Struct):
    entries: list[_Entry]


class _Har(Struct):
    log: _Log


def from_document(document: object, path: str) -> Capture:
    """Read a decoded HAR.

    Raises:
        CaptureError: when it has not the shape of one, or when none of its entries holds an answer.
    """
    exchanges: list[Exchange] = []
    skipped: list[str] = []
    for index, entry in enumerate(shaped(document, _Har, path).log.entries):
        ref = f"{path}#{index}"
        if reason := _unusable(entry.response):
            skipped.append(f"{ref}: {reason}")
            continue
        try:
            exchanges.append(_exchange(entry, ref))
        except CodingError as error:
            skipped.append(str(error))
    return gathered(exchanges, skipped, path)


def _unusable(response: _Response) -> str | None:
    if response.status <= 0:
        return f"no answer arrived ({show(response.error)})" if response.error else "no answer arrived (status 0)"
    content = response.content
    # -1 is HAR's word for "not known".
    if content.text is None and response.status not in (204, 304) and content.size != 0 and response.body_size != 0:
        return "the recorder did not keep the body"
    return None


def _exchange(entry: _Entry, ref: str) -> Exchange:
    response = entry.response
    headers = _headers(response.headers)
    raw = _bytes(response.content.text or "", response.content.encoding, ref)
    body, whole = decoded(headers, raw, ref)
    return Exchange(
        request=_request(entry.request, ref),
        status=response.status,
        headers=headers,
        body=(body,) if body else (),
        ref=ref,
        ended=Ended.CUT if response.error or whole is False else _ended(headers, body),
        at=instant(entry.started_date_time),
    )


def _ended(headers: Headers, body: bytes) -> Ended:
    # A length that differs proves nothing: recorders decode text, and people edit what they publish.
    is_equal = not coded_as(headers) and values(headers, "content-length") == [str(len(body))]
    return Ended.COMPLETE if is_equal else Ended.UNKNOWN


def _request(request: _Request, ref: str) -> Request:
    return Request(method=request.method, url=request.url, headers=_headers(request.headers), body=_sent(request, ref))


def _sent(request: _Request, ref: str) -> bytes | None:
    data = request.post_data
    if data is None:
        return nothing_sent(request.method)
    if data.text:
        return _bytes(data.text, data.encoding, ref)
    if data.params and not (data.mime_type or "").lower().startswith("multipart/"):
        from urllib.parse import urlencode

        pairs = [(text_bytes(pair.name), text_bytes(pair.value or "")) for pair in data.params]
        return urlencode(pairs).encode("ascii")
    # The parts of a multipart form stand in it without their boundary; null text is text that was not kept.
    return None if data.params or data.text is None else b""


def _headers(pairs: list[_Pair]) -> Headers:
    """Keep order and duplicates; drop the pseudo headers of HTTP/2, which are no headers."""
    return tuple((pair.name, pair.value or "") for pair in pairs if not pair.name.startswith(":"))


def _bytes(text: str, encoding: str | None, ref: str) -> bytes:
    match (encoding or "").lower():
        case "" | "utf-8" | "utf8":
            return text_bytes(text)
        case "base64":
            try:
                return unbase64(text)
            except ValueError as error:
                raise CaptureError(f"{ref}: expected base64, found text that is none") from error
        case _:
            raise CaptureError(f"{ref}: expected the encoding 'base64' or none, found {show(encoding)}")
