"""What a listing says of the API that gave it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.config.guess import guess

CASES: list[tuple[Any, str, dict[str, str]]] = [
    ({"object": "list", "data": [{"id": "größe"}]}, "openai-chat", {"items": "data", "id": "id"}),
    ([{"id": "größe", "type": "chat"}, {"id": "é", "type": "image"}], "openai-chat",
     {"items": "@", "id": "id", "chat": "type && type == 'chat'"}),
    ({"data": [{"id": "é", "capabilities": {"completion_chat": True}, "max_context_length": 8, "deprecation": None}]},
     "openai-chat", {"items": "data", "id": "id", "chat": "capabilities.completion_chat",
                     "context_tokens": "max_context_length", "deprecated": "deprecation"}),
    ({"data": [{"id": "é", "active": True, "context_window": 8, "max_completion_tokens": 4}]}, "openai-chat",
     {"items": "data", "id": "id", "chat": "active", "context_tokens": "context_window",
      "output_tokens": "max_completion_tokens"}),
    ({"data": [{"id": "é", "pricing": {"prompt": "0"}, "supported_parameters": []}]}, "openai-chat",
     {"items": "data", "id": "id", "prices": "pricing", "parameters": "supported_parameters"}),
    ({"data": [{"id": "é", "type": "model"}], "has_more": False}, "anthropic-messages",
     {"items": "data", "id": "id", "more": "has_more"}),
    ({"data": [{"id": "é", "context_length": "8k", "deprecation": {"am": 1}, "supported_parameters": "größe"}]},
     "openai-chat", {"items": "data", "id": "id"}),
    ({"models": [{"name": "models/é", "supportedGenerationMethods": ["generateContent"]}]}, "gemini", {}),
    ({"models": [{"name": "é", "endpoints": ["chat"]}]}, "cohere", {}),
    ({"models": [{"name": "é:8b", "digest": "00", "modified_at": "x"}]}, "ollama", {"items": "models", "id": "name"}),
]  # fmt: skip


@pytest.mark.parametrize(("value", "dialect", "listing"), CASES)
def test_a_listing_tells_its_dialect_and_its_members(value: Any, dialect: str, listing: dict[str, str]) -> None:
    found = guess(value)
    assert found is not None
    assert (found.dialect, found.listing) == (dialect, listing)


@pytest.mark.parametrize(("value", "dialect", "listing"), CASES)
def test_what_is_guessed_reads_the_listing(value: Any, dialect: str, listing: dict[str, str]) -> None:
    from contracts.config import catalogue
    from contracts.dialects import listing as reader
    from contracts.model import Provider

    found = guess(value)
    assert found is not None
    row = Provider(name="é", dialect=dialect, listing={"path": "/models", **listing})
    read = reader.read(value, catalogue.load(None).tables(dialect, row).listing)
    assert read.faults == ()
    assert tuple(m.id for m in read.models) == found.ids
    if found.chat is not None:
        assert tuple(m.id for m in read.models if m.chat) == found.chat


@pytest.mark.parametrize(
    "value",
    [None, 7, "é", {}, [], {"data": []}, {"data": {"id": "é"}}, {"error": {"message": "größe"}}, [["é"]],
     {"data": [{"name": "é"}]}, {"models": [{"id": "é"}]}, {"models": [{"name": "é"}]}],
)  # fmt: skip
def test_what_is_no_listing_tells_nothing(value: Any) -> None:
    assert guess(value) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["data", "id", "name", "models", "pricing", "type", "é", "active"]), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=300, deadline=None)
@given(JSON)
def test_no_answer_stops_the_guessing(value: Any) -> None:
    found = guess(value)
    assert found is None or found.ids


def test_free_is_what_costs_nothing_in_any_component() -> None:
    def ids(**prices: Any) -> tuple[str, ...]:
        found = guess({"data": [{"id": "é", "pricing": prices}]})
        assert found is not None
        return found.free

    assert ids(prompt="0", completion="0.00", image=0) == ("é",)
    assert ids(prompt="0", completion="0.000001") == ids(prompt="0", completion="-0") == ids(prompt=None) == ids() == ()
