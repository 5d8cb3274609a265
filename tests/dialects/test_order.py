"""The order of events: what may follow what, and what opens and closes a block, each violation with its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json, structs

from contracts import captures, dialects
from contracts.dialects.order import MAX_OPEN, Block, Disorder, End, Grammar, Order, OrderTable, Said
from contracts.dialects.recorder import Recorder
from contracts.fold import fold
from contracts.judge import judge
from contracts.model import Evidence, Exchange, Finding, Outcome, Source
from tests.dialects.folding import CATALOGUE, FOLDER, NAMES, TEXT, Folded, streamed

TABLE = OrderTable(
    first=("anfang",),
    follows={"anfang": ("auf", "ende"), "zu": ("auf", "ende"), "ende": ()},
    blocks=(Block(open="auf", inside=("stück",), close="zu", key="größe"),),
)


def seen(*events: tuple[str, Any]) -> list[tuple[str, str]]:
    order = Order(Grammar(TABLE))
    found = [order.see(name, {"type": name, "größe": number}) for name, number in events]
    return [(one.expected, one.found) for one in found if one is not None]


@pytest.mark.parametrize(
    ("events", "found"),
    [
        ([("anfang", None), ("auf", 0), ("stück", 0), ("zu", 0), ("ende", None)], []),
        ([("anfang", None), ("ende", None)], []),
        ([("neu", None), ("anfang", None), ("neu", 7), ("ende", None)], []),
        ([("anfang", None), ("auf", 0), ("auf", 1), ("stück", 0), ("stück", 1), ("zu", 1)], []),
        ([("auf", 0)], [("anfang", "auf")]),
        ([("anfang", None), ("anfang", None)], [("auf or ende", "anfang")]),
        ([("anfang", None), ("auf", 0), ("stück", 1)], [("auf of größe 1", "stück")]),
        ([("anfang", None), ("auf", 0), ("zu", 0), ("stück", 0)], [("auf or ende", "stück")]),
        ([("anfang", None), ("auf", 0), ("auf", 0)], [("zu of größe 0", "auf")]),
        ([("anfang", None), ("auf", None), ("stück", "größe"), ("zu", [])], []),
        ([("anfang", None), ("ende", None), ("anfang", None)], []),
    ],
)
def test_what_is_out_of_place_is_told_with_what_was_expected(
    events: list[tuple[str, Any]], found: list[tuple[str, str]]
) -> None:
    assert seen(*events) == found


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ((0, 1, 2), []),
        ((1,), [("größe 0", "größe 1")]),
        ((0, 2, 3), [("größe 1", "größe 2")]),
        ((0, 0, 1), [("größe 1", "größe 0")]),
    ],
)
def test_blocks_that_are_counted_come_one_by_one(numbers: tuple[int, ...], found: list[tuple[str, str]]) -> None:
    (block,) = TABLE.blocks
    order = Order(Grammar(OrderTable(blocks=(structs.replace(block, counted=True),))))
    told = [order.see(name, {"größe": n}) for n in numbers for name in ("auf", "stück", "zu")]
    assert [(one.expected, one.found) for one in told if one is not None] == found
    order = Order(Grammar(OrderTable(blocks=(block,))))
    assert [order.see(name, {"größe": n}) for n in numbers for name in ("auf", "stück", "zu")] == [None] * 3 * len(
        numbers
    )


def test_blocks_that_are_open_are_bounded_and_beyond_that_nobody_is_blamed() -> None:
    order = Order(Grammar(TABLE))
    order.see("anfang", {})
    assert [order.see("auf", {"größe": n}) for n in range(2 * MAX_OPEN)] == [None] * 2 * MAX_OPEN
    assert [order.see("stück", {"größe": n}) for n in range(2 * MAX_OPEN)] == [None] * 2 * MAX_OPEN


@pytest.mark.parametrize("name", NAMES)
def test_a_table_names_no_event_that_leads_nowhere(name: str) -> None:
    table = CATALOGUE.tables(name).order
    assert table is not None
    if table.follows:
        assert {after for all_after in table.follows.values() for after in all_after} <= set(table.follows)
        assert set(table.first) <= set(table.follows)
        for block in table.blocks:
            assert block.close in table.follows[block.open]
            assert set(block.inside) <= set(table.follows[block.open])
    assert table.follows or table.blocks or table.ends


def started() -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": "ä"}}


def opened(index: int) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}


def piece(index: int) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": TEXT}}


def messages(*events: Any) -> Folded:
    return streamed("anthropic-messages", *events)


def test_disorder_is_told_with_its_event_and_what_is_out_of_place_is_folded_all_the_same() -> None:
    found = messages(started(), opened(0), piece(0), opened(1), piece(1), {"type": "ping"}, {"type": "message_stop"})
    expected = "content_block_delta or content_block_stop"
    assert found.disorder == [(expected, "content_block_start", 3), (expected, "message_stop", 6)]
    assert found.chars[0] == 2 * len(TEXT)


def test_a_stream_that_begins_in_its_middle_is_told() -> None:
    assert messages(piece(0)).disorder == [("message_start", "content_block_delta", 0)]


ENDS = OrderTable(
    ends=(
        End(by="finish", of="choice", then=("usage", "close"), judged="reply.finish"),
        End(by="close", of="stream", then=(), judged="sse.done"),
    )
)


def test_what_comes_after_an_end_is_told_with_what_was_expected_and_what_has_no_end_may_go_on() -> None:
    order = Order(Grammar(ENDS))
    assert order.after("finish", "text") == Disorder("usage or close", "text")
    assert order.after("finish", "usage") is None
    assert order.after("close", "event") == Disorder("nothing", "event")
    assert order.after("usage", "event") is None


def honest(name: str) -> Exchange:
    """A stream in order, from the dialect's captures."""
    if name != "openai-chat":
        path = FOLDER / f"{name}-{'usage' if name == 'openai-completions' else 'stream'}-ok"
    else:
        path = Path(__file__).parent.parent / "evidence" / "stream-usage-ok"
    (exchange,) = captures.read(f"{path}.http", captures.read_request(f"{path}.request.json"))
    return exchange


def pieces(name: str, exchange: Exchange) -> list[bytes]:
    """The events as they came, each with what ends it."""
    end = b"\n" if dialects.load(name).NDJSON else b"\n\n"
    body = b"".join(exchange.body).replace(b"\r\n", b"\n")
    return [piece + end for piece in body.split(end) if piece.strip()]


def place(name: str, exchange: Exchange, events: list[bytes], what: str) -> int:
    """Where the first event stands that has text, or that ends a choice, or that closes the stream."""
    for number in range(len(events)):
        part = structs.replace(exchange, body=(b"".join(events[: number + 1]),))
        reply = fold(part, dialects.load(name), CATALOGUE.tables(name)).reply
        assert reply is not None
        found = {"text": any(c.text_chars for c in reply.choices), "finish": any(c.finishes for c in reply.choices),
                 "usage": reply.usage.placed == "last", "close": reply.close.count}  # fmt: skip
        if found[what]:
            return number
    return -1


def judged(name: str, exchange: Exchange, events: list[bytes]) -> dict[str, Finding]:
    """What is violated by these events."""
    facts = fold(structs.replace(exchange, body=(b"".join(events),)), dialects.load(name), CATALOGUE.tables(name))
    evidence = Evidence(facts=facts, source=Source.SYNTHETIC, ref="größe")
    findings = judge(CATALOGUE.bound_to_dialect(name), [evidence], provider=None, models=())
    return {f.contract: f for f in findings if f.outcome is Outcome.VIOLATED}


EMPTY = re.compile(rb'("(?:content|text)":)"[^"]+"')
FINISH_IS_LAST = ("cohere", "ollama", "openai-responses")  # the event that ends the choice, and the stream with it
STATED = [(name, end) for name in NAMES for end in (CATALOGUE.tables(name).order or OrderTable()).ends]


@pytest.mark.parametrize(("name", "end"), STATED, ids=[f"{name}-{end.by}" for name, end in STATED])
def test_what_comes_after_an_end_breaks_the_contract_that_the_table_names_at_its_event_and_byte(
    name: str, end: End
) -> None:
    exchange = honest(name)
    events = pieces(name, exchange)
    assert judged(name, exchange, events) == {}
    text, ended = place(name, exchange, events, "text"), place(name, exchange, events, end.by)
    if ended < 0:
        assert name == "gemini"  # has no close but one that a row names
        return
    # An empty piece is fine after a choice's finish, and not after usage.
    piece = EMPTY.sub(rb'\1""', events[text]) if end.by == "usage" else events[text]
    late = [*events[: ended + 1], piece, *events[ended + 1 :]]
    found = judged(name, exchange, late)
    if end.by == "finish" and name in FINISH_IS_LAST:
        assert set(found) == {"sse.done"}
        return
    # Of what has types, a text that comes late is also none that may follow.
    assert set(found) - {"reply.schema"} == {end.judged}
    assert end.by == "finish" or set(found) == {end.judged}
    finding = found[end.judged]
    if end.by == "usage":
        assert finding.where.event == ended
        return
    assert finding.expected == (" or ".join(end.then) or "nothing")
    assert (finding.where.event, finding.observed) == (ended + 1, "text" if end.by == "finish" else "event")
    assert (finding.where.byte or 0) - sum(map(len, late[: ended + 1])) in range(40)


@pytest.mark.parametrize("name", NAMES)
def test_without_a_table_the_same_comes_in_any_order(name: str) -> None:
    exchange = honest(name)
    events = pieces(name, exchange)
    text, ended = place(name, exchange, events, "text"), place(name, exchange, events, "finish")
    late = b"".join([*events[: ended + 1], events[text], *events[ended + 1 :]])
    tables = structs.replace(CATALOGUE.tables(name), order=None)
    reply = fold(structs.replace(exchange, body=(late,)), dialects.load(name), tables).reply
    assert reply is not None
    assert [c.after_finish for c in reply.choices] == [None]
    assert reply.close.after is None


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_compiled_once_for_all_streams(name: str) -> None:
    tables = CATALOGUE.tables(name)
    assert isinstance(tables.grammar, Grammar)
    first, second = Recorder(tables, streamed=True), Recorder(tables, streamed=True)
    assert first.order is not second.order
    assert structs.replace(tables, order=None).grammar.ends == {}


CHUNK = {"id": "ä", "object": "chat.completion.chunk", "created": 1, "model": "größe"}
SAID: dict[str, dict[str, Any]] = {
    "text": {"choices": [{"index": 0, "delta": {"content": TEXT}}]},
    "reasoning": {"choices": [{"index": 0, "delta": {"reasoning": TEXT}}]},
    "refusal": {"choices": [{"index": 0, "delta": {"refusal": TEXT}}]},
    "tool call": {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "é", "function": {}}]}}]},
    "empty": {"choices": [{"index": 0, "delta": {}}]},
    "finish": {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    "usage": {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}},
}
WORDS = get_args(Said)
THEN = st.lists(st.sampled_from(WORDS), unique=True).map(tuple)


@given(st.lists(st.sampled_from([*SAID, "close"]), max_size=9), THEN, st.booleans())
@settings(max_examples=300, deadline=None)
def test_whatever_is_said_in_whatever_order_it_is_out_of_place_where_the_table_says_so(
    said: list[str], then: tuple[Said, ...], usage_ends: bool
) -> None:
    ends = [End(by="finish", of="choice", then=then, judged="reply.finish"),
            End(by="close", of="stream", then=(), judged="sse.done")]  # fmt: skip
    ends += [End(by="usage", of="stream", then=("close",), judged="reply.usage")] if usage_ends else []
    tables = structs.replace(CATALOGUE.tables("openai-chat"), order=OrderTable(ends=tuple(ends)))
    sent = [b"[DONE]" if word == "close" else json.encode({**CHUNK, **SAID[word]}) for word in said]
    exchange = structs.replace(honest("openai-chat"), body=tuple(b"data: " + one + b"\n\n" for one in sent))
    reply = fold(exchange, dialects.load("openai-chat"), tables, kind="chat").reply
    if reply is None:
        assert not said
        return
    over = said.index("close") if "close" in said else len(said)
    ended = said.index("finish") if "finish" in said else len(said)
    told = [n for n in range(ended + 1, over) if said[n] in WORDS[:4] and said[n] not in then]
    late = [c.after_finish.event for c in reply.choices if c.after_finish is not None]
    assert late == told[:1]
    after = reply.close.after
    assert (None if after is None else after.event) == (over + 1 if over + 1 < len(said) else None)
    reports = [n for n, word in enumerate(said) if word == "usage"]
    if not reports:
        assert reply.usage.placed is None
        return
    followed = any(n > reports[-1] for n in range(over))
    assert reply.usage.placed == ("early" if usage_ends and followed else "last")
