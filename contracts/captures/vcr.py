"""vcrpy cassettes, as its YAML and its JSON serializer write them, read without vcrpy and its loader.

Bodies may be text, `!!binary`, `{string: …}`, `{base64_string: …}` or, from old versions, stand in `content` beside
`status_code`; header values may be lists or texts. vcrpy keeps the bytes that came over the wire unless told to decode,
so a body that is still compressed is decompressed here (`coding`), as the client that plays it would do. It
merges all chunks into one and never tells how the connection ended.

A cassette of ours says in its key `recorded`, which vcrpy ignores, what it is:

    recorded:
      source: synthetic        # or `recorded`, which is also the default
      by: tools/cassettes.py
      at: 2026-11-30T12:00:00Z
      note: played by a loopback server of this project
      keyless: [0]             # interactions whose request left its credentials out on purpose
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct, field

from contracts.captures.coding import CodingError, decoded
from contracts.captures.intake import Capture, Path, gathered, shaped
from contracts.captures.parts import instant, nothing_sent, text_bytes, unbase64, values
from contracts.config.words import KINDS, show
from contracts.errors import CaptureError, ConfigError
from contracts.model import Ended, Exchange, Headers, Request, Source

_SOURCES = {"recorded": Source.RECORDED, "synthetic": Source.SYNTHETIC}

# Says where the value at a path stands, as messages begin: `file:line:column` or `file: interactions[0].request`.
Locate = Callable[[Path], str]


class _Request(Struct):
    uri: str
    method: str = "GET"
    headers: dict[str, Any] = field(default_factory=dict)
    body: Any = None


class _Status(Struct):
    code: int


class _Response(Struct):
    status: _Status | None = None
    headers: dict[str, Any] = field(default_factory=dict)
    body: Any = None
    status_code: int | None = None
    content: Any = None
    parsed_body: Any = None  # as serializers of some projects write it, in place of the bytes


class _Interaction(Struct):
    request: _Request
    response: _Response


class _Recorded(Struct, forbid_unknown_fields=True):
    source: str = "recorded"
    by: str = ""
    at: datetime | None = None
    note: str = ""
    keyless: list[int] = field(default_factory=list)


class _Cassette(Struct):
    interactions: list[_Interaction]
    recorded: _Recorded = field(default_factory=_Recorded)


def from_yaml(data: bytes, path: str) -> Capture:
    """Read a cassette in YAML.

    Raises:
        CaptureError: when it is no YAML that a cassette needs, or as `from_document`.
    """
    from contracts.config.cache import cached_load
    from contracts.config.yaml_loader import CASSETTE, Document

    try:
        document = Document(cached_load(path, data, CASSETTE), path, data, CASSETTE)
    except ConfigError as error:
        raise CaptureError("\n".join(error.problems)) from error
    return _capture(document.value, path, document.at)


def from_document(document: object, path: str) -> Capture:
    """Read a cassette that was decoded already.

    Raises:
        CaptureError: when it has not the shape of one or holds no interaction.
    """
    return _capture(document, path, None)


def _capture(document: object, path: str, locate: Locate | None) -> Capture:
    cassette = shaped(document, _Cassette, path, locate)
    recorded = cassette.recorded
    _check_recorded(cassette, path, locate)
    exchanges: list[Exchange] = []
    skipped: list[str] = []
    for index, interaction in enumerate(cassette.interactions):
        try:
            exchanges.append(_exchange(interaction, f"{path}#{index}", recorded, keyless=index in recorded.keyless))
        except CodingError as error:
            skipped.append(str(error))
    return gathered(exchanges, skipped, path)


def _check_recorded(cassette: _Cassette, path: str, locate: Locate | None) -> None:
    def refuse(member: str, expected: str, got: str) -> CaptureError:
        where = locate(("recorded", member)) if locate else f"{path}: recorded.{member}"
        return CaptureError(f"{where}: expected {expected}, found {got}")

    recorded = cassette.recorded
    if recorded.source not in _SOURCES:
        raise refuse("source", "'recorded' or 'synthetic'", show(recorded.source))
    strangers = set(recorded.keyless).difference(range(len(cassette.interactions)))
    if strangers:
        raise refuse("keyless", f"numbers below {len(cassette.interactions)}", str(min(strangers)))


def _exchange(interaction: _Interaction, ref: str, recorded: _Recorded, *, keyless: bool) -> Exchange:
    asked, response = interaction.request, interaction.response
    status = response.status.code if response.status else response.status_code
    if status is None:
        raise CaptureError(f"{ref}: expected a status code in the response, found none")
    headers = _headers(response.headers, ref)
    raw = _bytes(response.content if response.body is None else response.body, ref)
    if raw is None and response.parsed_body is not None:
        raise CodingError(f"{ref}: expected the bytes of a body, found 'parsed_body', which somebody decoded")
    body, whole = decoded(headers, raw or b"", ref)
    sent = _bytes(asked.body, ref)
    return Exchange(
        request=Request(
            method=asked.method,
            url=asked.uri,
            headers=_headers(asked.headers, ref),
            body=nothing_sent(asked.method) if sent is None else sent,
            keyless=keyless,
        ),
        status=status,
        headers=headers,
        body=(body,) if body else (),
        ref=ref,
        ended=Ended.CUT if whole is False else Ended.UNKNOWN,
        source=_SOURCES[recorded.source],
        at=instant(recorded.at) or instant(next(iter(values(headers, "date")), None)),
    )


def _bytes(body: object, ref: str) -> bytes | None:
    """Turn a body in any of its forms into bytes; None where the cassette shows none."""
    if isinstance(body, dict):
        packed = body.get("base64_string")
        if isinstance(packed, str):
            try:
                return unbase64(packed)
            except ValueError as error:
                raise CaptureError(f"{ref}: expected base64, found text that is none") from error
        body = packed if body.get("string") is None else body["string"]
    match body:
        case None:
            return None
        case bytes():
            return body
        case str():
            return text_bytes(body)
        case _:
            raise CaptureError(f"{ref}: expected a body of text or bytes, found {_kind(body)}")


def _headers(headers: dict[str, Any], ref: str) -> Headers:
    pairs: list[tuple[str, str]] = []
    for name, value in headers.items():
        for one in value if isinstance(value, list) else [value]:
            match one:
                case str():
                    pairs.append((name, one))
                case bytes():
                    pairs.append((name, one.decode("latin-1")))
                case bool() | int() | float():
                    # Written by hand, without quotes: `content-length: 12`.
                    pairs.append((name, str(one)))
                case _:
                    raise CaptureError(f"{ref}: expected a header of text, found {_kind(one)} in {show(name)}")
    return tuple(pairs)


def _kind(value: object) -> str:
    return KINDS.get(type(value), "another value")
