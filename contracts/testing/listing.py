"""The provider's catalogue: its model listing, the endpoints of one model, and what either says of prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from contracts.testing.answer import PIECE_BYTES
from contracts.testing.writers import Writer
from contracts.testing.writers.openai_chat import PARAMETERS, prices

# Price of one token, as text, by model. A router may ask the first without spending.
MODELS: Mapping[str, str] = {
    "loopback/libre": "0",
    "loopback/café": "0.0000006",
    "loopback/grand": "0.000003",
}

Entry = dict[str, Any]
__all__ = ["MODELS", "Entry", "Page", "brief", "encoded", "endpoint", "is_free", "is_zero", "models_of", "prices"]


class Page(msgspec.Struct, kw_only=True):
    """One page of a listing; `members` stand beside the list, and `is_bare` leaves them and its name out."""

    entries: Iterable[Entry]
    members: dict[str, Any] = {}
    is_bare: bool = False


def models_of(writer: Writer) -> Mapping[str, str]:
    """Give the models that are served unless one says which, by ids that the dialect has room for."""
    return {name.replace("/", "-"): price for name, price in MODELS.items()} if "slash" in writer.LACKS else MODELS


def brief(model: str, writer: Writer) -> Entry:
    """Give as little as a listing may say of a model; it is not free."""
    return {writer.ID: model, "object": "model", "pricing": {"prompt": "0.000001", "completion": "0.000002"}}


def endpoint(per_token: str) -> Entry:
    """Give what is said of the one endpoint that serves a model."""
    return {
        "name": "loopback",
        "provider_name": "loopback",
        "tag": "loopback/fp8",
        "context_length": 131_072,
        "max_completion_tokens": 8192,
        "quantization": "fp8",
        "pricing": prices(per_token),
        "supported_parameters": PARAMETERS,
        "status": 0,
    }


def encoded(page: Page, writer: Writer) -> Iterator[bytes]:
    """Give a page as JSON, in pieces, however many entries it has."""
    head = msgspec.json.encode({**writer.HEAD, writer.ITEMS: []})
    buffer = bytearray(b"[" if page.is_bare else head[: -len(b"]}")])
    for position, item in enumerate(page.entries):
        buffer += b",\n" if position else b"\n"
        buffer += msgspec.json.encode(item)
        if len(buffer) >= PIECE_BYTES:
            yield bytes(buffer)
            buffer.clear()
    buffer += b"]"
    if not page.is_bare:
        for name, value in {**writer.TAIL, **page.members}.items():
            buffer += b"," + msgspec.json.encode(name) + b":" + msgspec.json.encode(value)
        buffer += b"}"
    yield bytes(buffer + b"\n")


def is_free(pricing: object) -> bool:
    """Tell whether a price is exactly zero in every component; one that is missing or cannot be read is not."""
    if not isinstance(pricing, dict) or not {"prompt", "completion"} <= pricing.keys():
        return False
    return all(map(is_zero, pricing.values()))


def is_zero(price: object) -> bool:
    """Tell whether a price is exactly zero; one that cannot be read is not."""
    try:
        return Decimal(str(price)) == 0  # a NaN equals nothing, so it is not zero either
    except InvalidOperation:
        return False
