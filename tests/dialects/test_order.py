"""The order of events: what may follow what, and what opens and closes a block, each violation with its place."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.dialects.order import MAX_OPEN, Block, Order, OrderTable
from tests.dialects.folding import CATALOGUE, NAMES, TEXT, Folded, streamed

TABLE = OrderTable(
    first=("anfang",),
    follows={"anfang": ("auf", "ende"), "zu": ("auf", "ende"), "ende": ()},
    blocks=(Block(open="auf", inside=("stück",), close="zu", key="größe"),),
)


def seen(*events: tuple[str, Any]) -> list[tuple[str, str]]:
    order = Order(TABLE)
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


def test_blocks_that_are_open_are_bounded_and_beyond_that_nobody_is_blamed() -> None:
    order = Order(TABLE)
    order.see("anfang", {})
    assert [order.see("auf", {"größe": n}) for n in range(2 * MAX_OPEN)] == [None] * 2 * MAX_OPEN
    assert [order.see("stück", {"größe": n}) for n in range(2 * MAX_OPEN)] == [None] * 2 * MAX_OPEN


@pytest.mark.parametrize("name", NAMES)
def test_a_table_names_no_event_that_leads_nowhere(name: str) -> None:
    table = CATALOGUE.tables(name).order
    if table is None:
        return
    if table.follows:
        assert {after for all_after in table.follows.values() for after in all_after} <= set(table.follows)
        assert set(table.first) <= set(table.follows)
        for block in table.blocks:
            assert block.close in table.follows[block.open]
            assert set(block.inside) <= set(table.follows[block.open])
    assert table.follows or table.blocks


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
