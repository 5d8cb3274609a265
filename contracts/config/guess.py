"""What a model listing says of the API that gave it: the dialect, and where its members are. Pure."""

from __future__ import annotations

from types import UnionType
from typing import Any

from msgspec import Struct

# Members that listings in use have, with the expression that reads each. The first that most entries have is taken.
_MEMBERS: dict[str, tuple[tuple[str, ...], type | UnionType]] = {
    "context_tokens": (
        ("context_length", "context_window", "max_context_length", "max_model_len", "context_size"),
        int,
    ),
    "output_tokens": (("max_completion_tokens", "max_output_tokens"), int),
    # Null in most entries, and there all the same.
    "deprecated": (("expiration_date", "deprecation", "deprecation_date", "deprecated_at"), str | int | None),
    "parameters": (("supported_parameters", "supported_sampling_parameters"), list),
}
_ENOUGH = 0.5  # of the entries


class Guess(Struct, frozen=True, kw_only=True):
    """A guess: `listing` as a row writes it, without its path; `ids` in the order of the listing.

    `chat` are those of `ids` that the listing says are for chat, None where it does not say. `free` are those that it
    prices at zero. `hints` say what else was seen.
    """

    dialect: str
    listing: dict[str, str]
    ids: tuple[str, ...]
    chat: tuple[str, ...] | None = None
    free: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


def guess(value: Any) -> Guess | None:
    """Guess from the answer of an endpoint; None where it is no model listing that is known."""
    if isinstance(value, list):
        return _of_openai(_entries(value, "id"), "@", {}) if _entries(value, "id") else None
    if not isinstance(value, dict):
        return None
    if data := _entries(value.get("data"), "id"):
        if "has_more" in value and all(e.get("type") == "model" for e in data):
            listing = {"items": "data", "id": "id", "more": "has_more"}
            return Guess(dialect="anthropic-messages", listing=listing, ids=_texts(data, "id"))
        return _of_openai(data, "data", value)
    models = _entries(value.get("models"), "name")
    if not models:
        return None
    ids = _texts(models, "name")
    if _most(models, lambda e: isinstance(e.get("supportedGenerationMethods"), list)):
        chat = tuple(e["name"] for e in models if "generateContent" in (e.get("supportedGenerationMethods") or ()))
        return Guess(dialect="gemini", listing={}, ids=ids, chat=chat)
    if _most(models, lambda e: isinstance(e.get("endpoints"), list)):
        chat = tuple(e["name"] for e in models if "chat" in (e.get("endpoints") or ()))
        return Guess(dialect="cohere", listing={}, ids=ids, chat=chat)
    if _most(models, lambda e: "digest" in e or "modified_at" in e):
        return Guess(dialect="ollama", listing={"items": "models", "id": "name"}, ids=ids)
    return None


def _of_openai(entries: list[dict[str, Any]], items: str, value: dict[str, Any]) -> Guess:
    listing = {"items": items, "id": "id"}
    chat, expression = _chat(entries)
    if expression:
        listing["chat"] = expression
    free: tuple[str, ...] = ()
    if _most(entries, lambda e: isinstance(e.get("pricing"), dict)):
        listing["prices"] = "pricing"
        free = tuple(e["id"] for e in entries if _is_free(e.get("pricing")))
    for member, (names, kind) in _MEMBERS.items():
        found = next(
            (n for n in names if _most(entries, lambda e, n=n, kind=kind: n in e and isinstance(e[n], kind))), None
        )
        if found:
            listing[member] = found
    if value.get("has_more") is True:
        listing["more"] = "has_more"
    owners = sorted({e["owned_by"] for e in entries if isinstance(e.get("owned_by"), str)})
    hints = tuple(f"entries are owned_by {owner}" for owner in owners[:1] if len(owners) == 1)
    return Guess(dialect="openai-chat", listing=listing, ids=_texts(entries, "id"), chat=chat, free=free, hints=hints)


def _chat(entries: list[dict[str, Any]]) -> tuple[tuple[str, ...] | None, str]:
    """Find the member that tells chat models from others, and the expression that reads it."""
    if _most(entries, lambda e: isinstance(e.get("capabilities"), dict) and "completion_chat" in e["capabilities"]):
        ids = tuple(e["id"] for e in entries if (e.get("capabilities") or {}).get("completion_chat") is True)
        return ids, "capabilities.completion_chat"
    if _most(entries, lambda e: isinstance(e.get("type"), str)) and any(e.get("type") == "chat" for e in entries):
        return tuple(e["id"] for e in entries if e.get("type") == "chat"), "type && type == 'chat'"
    if _most(entries, lambda e: isinstance(e.get("active"), bool)):
        return tuple(e["id"] for e in entries if e.get("active") is True), "active"
    return None, ""


def _is_free(pricing: Any) -> bool:
    """Suggest a model as free; what proves it is this run's listing, read by the spend guard."""
    if not isinstance(pricing, dict) or not pricing:
        return False
    return all(isinstance(p, str | int | float) and str(p).strip("0.") == "" and str(p) for p in pricing.values())


def _entries(value: Any, member: str) -> list[dict[str, Any]]:
    """Give the entries of a list that most of them are, None of which lacks its id."""
    if not isinstance(value, list):
        return []
    found = [e for e in value if isinstance(e, dict) and isinstance(e.get(member), str) and e[member]]
    return found if len(found) > len(value) * _ENOUGH else []


def _texts(entries: list[dict[str, Any]], member: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(e[member] for e in entries))


def _most(entries: list[dict[str, Any]], has: Any) -> bool:
    return sum(bool(has(e)) for e in entries) > len(entries) * _ENOUGH
