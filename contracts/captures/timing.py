"""The sidecar of a cassette: when the pieces of each body arrived and where they were cut, which vcrpy merges.

    {"schema": "contracts.timing/1", "interactions": [{"ended": "complete", "chunks": [[12.5, 4096], [13.1, 57]]}]}

A chunk is its arrival in ms since the request was sent, and its length in bytes of the body as the cassette holds it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct, structs

from contracts.captures import timing_of
from contracts.captures.intake import file_bytes, json_value, shaped
from contracts.errors import CaptureError
from contracts.model import Ended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.model import Exchange

SCHEMA = "contracts.timing/1"


class Interaction(Struct, forbid_unknown_fields=True):
    """One body: its chunks, in order of arrival, and how the connection ended."""

    chunks: list[tuple[float, int]]
    ended: Literal["complete", "cut", "unknown"] = "unknown"


class Sidecar(Struct, forbid_unknown_fields=True):
    """What stands in the file; one entry for each interaction of the cassette."""

    schema: str
    interactions: list[Interaction]


def written(exchanges: Iterable[Exchange]) -> bytes:
    """Write the sidecar of a cassette that holds these exchanges."""
    interactions = [
        Interaction(
            chunks=[(round(ms, 1), len(c)) for ms, c in zip(e.arrivals_ms or (), e.body, strict=True)],
            ended=e.ended.value,
        )
        for e in exchanges
    ]
    return msgspec.json.format(msgspec.json.encode(Sidecar(SCHEMA, interactions)), indent=1) + b"\n"


def applied(exchanges: tuple[Exchange, ...], path: str) -> tuple[Exchange, ...]:
    """Give exchanges the chunks, arrivals and ends that the cassette's sidecar tells.

    Raises:
        CaptureError: for a sidecar that cannot be read, or that is not of this cassette.
    """
    name = timing_of(path)
    sidecar = shaped(json_value(file_bytes(name), name), Sidecar, name)
    if sidecar.schema != SCHEMA:
        raise CaptureError(f"{name}: expected the schema '{SCHEMA}', found another")
    return tuple(_applied(exchange, sidecar, name) for exchange in exchanges)


def _applied(exchange: Exchange, sidecar: Sidecar, name: str) -> Exchange:
    number = int(exchange.ref.rpartition("#")[2])
    if number >= len(sidecar.interactions):
        raise CaptureError(f"{name}: expected the timing of {number + 1} interactions, found fewer")
    told = sidecar.interactions[number]
    body, size = b"".join(exchange.body), sum(length for _, length in told.chunks)
    if size != len(body) or any(length <= 0 for _, length in told.chunks):
        found = f"chunks of {size}" if size != len(body) else "an empty chunk"
        raise CaptureError(f"{name}: interactions[{number}]: expected chunks of {len(body)} bytes, found {found}")
    arrivals = tuple(ms for ms, _ in told.chunks)
    if any(later < earlier for earlier, later in pairwise(arrivals)):
        raise CaptureError(f"{name}: interactions[{number}]: expected arrivals in order, found one before another")
    chunks, at = [], 0
    for _, length in told.chunks:
        chunks.append(body[at : at + length])
        at += length
    return structs.replace(exchange, body=tuple(chunks), arrivals_ms=arrivals, ended=Ended(told.ended))
