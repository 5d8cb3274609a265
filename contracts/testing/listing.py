"""The provider's catalogue: its model listing, the endpoints of one model, and what either says of prices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from contracts.testing.answer import PIECE_BYTES
from contracts.testing.reply import CREATED

# Price of one token, as text, by model. A router may ask the first without spending.
MODELS: Mapping[str, str] = {
    "loopback/libre": "0",
    "loopback/café": "0.0000006",
    "loopback/grand": "0.000003",
}
COMPONENTS = ("prompt", "completion", "request", "image", "web_search", "internal_reasoning", "input_cache_read")

Entry = dict[str, Any]


class Page(msgspec.Struct, kw_only=True):
    """One page of a listing; `members` stand beside the list, and `is_bare` leaves them and its name out."""

    entries: Iterable[Entry]
    members: dict[str, Any] = {}
    is_bare: bool = False


def prices(per_token: str) -> dict[str, str]:
    """Give every component of a price; only tokens cost anything."""
    return {name: per_token if name in ("prompt", "completion") else "0" for name in COMPONENTS}


def entry(model: str, per_token: str) -> Entry:
    """Give what the listing says of one model."""
    return {
        "id": model,
        "object": "model",
        "created": CREATED,
        "owned_by": "loopback",
        "name": f"Model {model}",
        "context_length": 131_072,
        "architecture": {
            "modality": "text->text",
            "input_modalities": ["text"],
            "output_modalities": ["text"],
        },
        "pricing": prices(per_token),
        "top_provider": {"context_length": 131_072, "max_completion_tokens": 8192, "is_moderated": False},
        "supported_parameters": ["max_tokens", "temperature", "tools"],
    }


def brief(model: str) -> Entry:
    """Give as little as a listing may say of a model; it is not free."""
    return {"id": model, "object": "model", "pricing": {"prompt": "0.000001", "completion": "0.000002"}}


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
        "supported_parameters": ["max_tokens", "temperature", "tools"],
        "status": 0,
    }


def encoded(page: Page) -> Iterator[bytes]:
    """Give a page as JSON, in pieces, however many entries it has."""
    buffer = bytearray(b"[" if page.is_bare else b'{"object":"list","data":[')
    for position, item in enumerate(page.entries):
        buffer += b",\n" if position else b"\n"
        buffer += msgspec.json.encode(item)
        if len(buffer) >= PIECE_BYTES:
            yield bytes(buffer)
            buffer.clear()
    buffer += b"]"
    if not page.is_bare:
        for name, value in page.members.items():
            buffer += b"," + msgspec.json.encode(name) + b":" + msgspec.json.encode(value)
        buffer += b"}"
    yield bytes(buffer + b"\n")


def is_free(pricing: object) -> bool:
    """Tell whether a price is exactly zero in every component; one that is missing or cannot be read is not."""
    if not isinstance(pricing, dict) or not {"prompt", "completion"} <= pricing.keys():
        return False
    try:
        # A NaN equals nothing, so it is not zero either.
        return all(Decimal(str(price)) == 0 for price in pricing.values())
    except InvalidOperation:
        return False
