"""What a stream of the Responses API says more than once has to agree: numbers, ids, texts, and how it ended."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.folding import SORRY, TEXT, THOUGHT, Folded, streamed

NAME = "openai-responses"
COUNTS = {"input_tokens": 5, "output_tokens": 9, "total_tokens": 14}
ITEM = {"type": "message", "id": "msg_ä", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]}


def event(kind: str, **members: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", **members}


def response(status: str = "completed", **over: Any) -> dict[str, Any]:
    usual = {"id": "resp_ä", "object": "response", "created_at": 1, "model": "gpt-größe", "output": [ITEM]}
    return {**usual, "status": status, "error": None, "incomplete_details": None, "usage": COUNTS, **over}


def part(kind: str, index: Any = 0, item_id: Any = "msg_ä", **members: Any) -> dict[str, Any]:
    return event(kind, item_id=item_id, output_index=index, content_index=0, **members)


ADDED = event("output_item.added", output_index=0, item={**ITEM, "content": []})
DELTA = part("output_text.delta", delta=TEXT)
DONE = part("output_text.done", text=TEXT)
END = event("completed", response=response())
STREAM = (event("created", response=response("in_progress", output=[], usage=None)), ADDED, DELTA, DONE, END)


def folded(*events: Any) -> Folded:
    return streamed(NAME, *events)


def numbered(*numbers: Any) -> list[dict[str, Any]]:
    """Give the stream with these numbers; None leaves one out."""
    pairs = zip(STREAM, numbers, strict=True)
    return [value if n is None else {**value, "sequence_number": n} for value, n in pairs]


@pytest.mark.parametrize(
    ("numbers", "departures"),
    [
        ((0, 1, 2, 3, 4), []),
        ((7, 8, 9, 10, 11), []),
        ((None, None, None, None, None), []),
        ((0, 1, 3, 4, 5), ["sequence_number"]),
        ((0, 1, 1, 2, 3), ["sequence_number"]),
        ((4, 3, 2, 1, 0), ["sequence_number"]),
        ((0, 1, None, 2, 3), ["sequence_number"]),
        ((0, 1, "2", 2, 3), ["sequence_number"]),
    ],
)
def test_each_event_has_the_number_after_the_last(numbers: tuple[Any, ...], departures: list[str]) -> None:
    assert folded(*numbered(*numbers)).departures == departures


def test_an_error_has_whatever_number_it_has() -> None:
    error = {"type": "error", "message": SORRY, "code": "server_error", "sequence_number": 0}
    found = folded(*numbered(0, 1, 2, 3, 4)[:3], error, {**DELTA, "sequence_number": 9})
    assert (found.departures, [e.message for e in found.errors]) == ([], [SORRY])


@pytest.mark.parametrize(
    ("value", "departures"),
    [
        (part("output_text.delta", item_id="msg_ü", delta=TEXT), ["item_id"]),
        (part("output_text.delta", item_id="", delta=TEXT), []),
        ({k: v for k, v in DELTA.items() if k != "item_id"}, ["item_id"]),
        ({k: v for k, v in DELTA.items() if k != "output_index"}, ["output_index"]),
        ({k: v for k, v in DELTA.items() if k != "content_index"}, ["content_index"]),
    ],
)
def test_a_delta_says_of_which_item_it_is(value: Any, departures: list[str]) -> None:
    assert folded(ADDED, value, END).departures == departures


@pytest.mark.parametrize(
    ("stem", "member"),
    [
        ("output_text", "text"),
        ("refusal", "refusal"),
        ("reasoning_text", "text"),
        ("reasoning_summary_text", "text"),
    ],
)
def test_what_is_done_is_what_its_deltas_brought(stem: str, member: str) -> None:
    delta, index = f"{stem}.delta", "summary_index" if "summary" in stem else "content_index"
    ids = {"item_id": "msg_ä", "output_index": 0, index: 0}
    brought = [event(delta, **ids, delta=piece) for piece in (THOUGHT, "", TEXT)]
    assert folded(ADDED, *brought, event(f"{stem}.done", **ids, **{member: THOUGHT + TEXT}), END).departures == []
    assert folded(ADDED, *brought, event(f"{stem}.done", **ids, **{member: TEXT}), END).departures == [member]
    other = {**ids, index: 1}
    assert folded(ADDED, *brought, event(f"{stem}.done", **other, **{member: TEXT}), END).departures == []


@settings(max_examples=200, deadline=None)
@given(st.text(min_size=1), st.data())
def test_wherever_a_text_was_cut_even_within_a_pair_it_is_the_same(text: str, data: st.DataObject) -> None:
    halves = text.encode("utf-16-le", "surrogatepass")
    units = [halves[n : n + 2].decode("utf-16-le", "surrogatepass") for n in range(0, len(halves), 2)]
    cuts = sorted(data.draw(st.sets(st.integers(0, len(units)))) | {0, len(units)})
    pieces = ["".join(units[a:b]) for a, b in pairwise(cuts)]
    deltas = [part("output_text.delta", delta=piece) for piece in pieces]
    assert folded(ADDED, *deltas, part("output_text.done", text=text), END).departures == []
    assert folded(ADDED, *deltas, part("output_text.done", text=text + "ß"), END).departures == ["text"]


@pytest.mark.parametrize(
    ("pieces", "whole", "faults"),
    [
        (('{"ort": "Kö', 'ln"}'), '{"ort": "Köln"}', []),
        (('{"ort": "Kö',), '{"ort": "Köln"}', ["deltas-differ", "arguments-truncated"]),
        (("{}", '{"ort": "Köln"}'), '{"ort": "Köln"}', ["deltas-differ", "arguments-again"]),
        ((), '{"ort": "Köln"}', []),
    ],
)
def test_what_a_call_is_given_is_what_its_deltas_brought(
    pieces: tuple[str, ...], whole: str, faults: list[str]
) -> None:
    item = {"type": "function_call", "id": "fc_ä", "call_id": "call_ä", "name": "größe", "arguments": ""}
    deltas = [part("function_call_arguments.delta", item_id="fc_ä", delta=piece) for piece in pieces]
    done = part("function_call_arguments.done", item_id="fc_ä", arguments=whole)
    found = folded(event("output_item.added", output_index=0, item=item), *deltas, done, END)
    assert (found.call_faults, found.departures) == (faults, [])


@pytest.mark.parametrize(
    ("end", "departures", "codes"),
    [
        (END, [], []),
        (event("completed", response=response(output=[])), ["response.output"], []),
        (event("completed", response=response("incomplete")), ["response.status"], []),
        (event("incomplete", response=response("incomplete", output=[])), [], []),
        (event("failed", response=response("failed", output=[])), [], ["failed"]),
        (
            event("failed", response=response("failed", error={"code": "overloaded", "message": SORRY})),
            [],
            ["overloaded"],
        ),
    ],
)
def test_the_end_agrees_with_what_was_streamed(end: Any, departures: list[str], codes: list[str]) -> None:
    found = folded(ADDED, DELTA, DONE, end)
    assert (found.departures, [e.code for e in found.errors]) == (departures, codes)
    assert found.chars[0] == len(TEXT)
