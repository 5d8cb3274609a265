"""What an answer depends on, how long it is shared, and how a reader is told that another run asked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec import Struct, structs

from contracts.config import catalogue as catalogues
from contracts.config.binding import BoundContract
from contracts.ending import Outcomes, finish
from contracts.evidence.subject import Subject
from contracts.evidence.turns import interval, key_of
from contracts.model import Provider, Waiver
from contracts.report import SharedPoll
from contracts.settings import Settings
from contracts_cli.view import View
from tests.fleet.test_answers import FINDING

TODAY = date(2026, 11, 30)
ROW = Provider(
    name="größe",
    dialect="openai-chat",
    base_url="https://größe.example/v1",
    models=("模型/é",),
    waivers=(Waiver(contract="sse.charset", because="ü", owner="é", until=date(2026, 12, 1)),),
)
CATALOGUE = catalogues.load(None)
BOUND = tuple(CATALOGUE.bound_to_dialect("openai-chat"))


class OneName(Struct):
    """Parameters whose order nobody says."""

    names: frozenset[str]


def key(row: Provider = ROW, bound: tuple[BoundContract, ...] = BOUND, today: date = TODAY, **more: Any) -> str:
    found = key_of(Subject(row, bound, more.pop("models", row.models)), today, **{"has_key": True, **more})
    assert found.provider == "größe"
    return found.digest


OTHERS: list[dict[str, Any]] = [
    {"row": structs.replace(ROW, base_url="https://anders.example/v1")},
    {"row": structs.replace(ROW, waivers=())},
    {"row": structs.replace(ROW, contracts={"reply.finish": {"repeats": "allowed"}})},
    {"row": structs.replace(ROW, free_chats_per_day=0)},
    {"bound": BOUND[1:]},
    {"bound": (structs.replace(BOUND[0], params=OneName(frozenset({"größe"}))), *BOUND[1:])},
    {"models": ()},
    {"today": date(2026, 12, 2)},
    {"has_key": False},
]


@pytest.mark.parametrize("other", OTHERS, ids=[" ".join(one) for one in OTHERS])
def test_whatever_would_change_an_answer_changes_its_key(other: dict[str, Any]) -> None:
    assert key(**other) != key()


def test_another_day_changes_nothing_until_a_waiver_ends() -> None:
    assert key(today=date(2026, 12, 1)) == key()


def test_the_order_in_which_a_host_holds_a_set_changes_nothing() -> None:
    names = [f"größe-{number}" for number in range(64)]
    one, other = (
        key(bound=(structs.replace(BOUND[0], params=OneName(frozenset(order))),)) for order in (names, names[::-1])
    )
    assert one == other


def test_answers_are_shared_for_ten_minutes_in_postgresql_and_in_a_file_only_where_it_is_said() -> None:
    assert interval(None, "postgresql://größe/d") == timedelta(minutes=10)
    assert interval(60, "postgres://größe/d") == timedelta(minutes=1)
    assert interval(None, "/var/état.db") is None
    assert interval(60, "/var/état.db") == timedelta(minutes=1)
    assert interval(60, None) is None


def test_a_reader_is_told_that_another_run_asked_and_when() -> None:
    at = datetime(2026, 11, 30, 12, 0, 5, tzinfo=UTC)
    polls = [SharedPoll(provider="größe", polled_at=at)]
    report, status = finish(at, Outcomes([FINDING], shared=polls), Settings())
    assert status == 1
    assert report.shared == tuple(polls)
    first, *_ = View().render(report).splitlines()
    assert first == "größe  violated  1 of 1 contract · asked by another run at 2026-11-30 12:00:05Z"
    assert "another run" not in View().render(structs.replace(report, shared=()))
