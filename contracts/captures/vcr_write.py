"""Write exchanges as a cassette that vcrpy plays, with the key `recorded` that says what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contracts.model import Exchange, Headers

SYNTHETIC = "played by a server on this machine; not sent by the provider"


def cassette(exchanges: Sequence[Exchange], at: datetime, *, by: str, synthetic: bool) -> bytes:
    """Give the YAML of a cassette.

    Args:
        exchanges: in their order; bodies without a content coding.
        at: when it was recorded.
        by: what recorded it.
        synthetic: no provider sent it.
    """
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    recorded: dict[str, Any] = {"source": "synthetic" if synthetic else "recorded", "by": by, "at": at.isoformat()}
    if synthetic:
        recorded["note"] = SYNTHETIC
    recorded["keyless"] = [number for number, e in enumerate(exchanges) if e.request.keyless]
    head = yaml.dump({"recorded": recorded}, Dumper=dumper, sort_keys=False)
    interactions = [_interaction(exchange) for exchange in exchanges]
    # vcrpy sorts its keys and escapes what is not ASCII, so that its diffs and ours look alike.
    rest = yaml.dump({"interactions": interactions, "version": 1}, Dumper=dumper, sort_keys=True)
    return f"{head}{rest}".encode()


def _interaction(exchange: Exchange) -> dict[str, Any]:
    from http import HTTPStatus

    request = exchange.request
    known = exchange.status in HTTPStatus._value2member_map_
    return {
        "request": {
            "method": request.method,
            "uri": request.url,
            "body": _text(request.body) if request.body else None,
            "headers": _headers(request.headers),
        },
        "response": {
            "status": {"code": exchange.status, "message": HTTPStatus(exchange.status).phrase if known else ""},
            "headers": _headers(exchange.headers),
            "body": {"string": _text(b"".join(exchange.body))},
        },
    }


def _headers(headers: Headers) -> dict[str, list[str]]:
    """Gather the values of each name under the spelling that came first."""
    found: dict[str, tuple[str, list[str]]] = {}
    for name, value in headers:
        found.setdefault(name.lower(), (name, []))[1].append(value)
    return dict(found.values())


def _text(data: bytes) -> str | bytes:
    """Give text where the bytes are UTF-8, which a reader of the file can then search."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
