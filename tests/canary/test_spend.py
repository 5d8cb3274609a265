"""What canaries cost: never beyond a budget, in any interleaving; a crash between holding back and booking is spent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.canary.costs import told_prices
from contracts.canary.purse import Held, Purse
from contracts.errors import ConfigError, SpendRefused
from contracts.state.canaries import Canaries
from contracts.state.opening import connect, open_state
from contracts.testing import HostileProvider
from tests.canary.conftest import Canary

LISTED = {"billing": "metered", "listing": {"path": "/models", "items": "data", "id": "id", "prices": "pricing"}}
PAID, FREE = "loopback/caf\u00e9", "loopback/libre"
MORNING = datetime(2026, 11, 30, 7, tzinfo=UTC)


@pytest.fixture
def where(tmp_path: Path) -> str:
    """The path of a state."""
    return str(tmp_path / "zust\u00e4nde.db")


@pytest.fixture
def state(where: str) -> Iterator[Canaries]:
    """An empty state."""
    canaries = Canaries(connect(where))
    yield canaries
    canaries.close()


def test_without_a_budget_only_what_costs_nothing_is_asked(canary: Canary, state: Canaries, where: str) -> None:
    with HostileProvider("echo") as provider:
        told = canary(provider, LISTED, state=state)
        assert provider.paid_chats == ()
        assert {asked.model for asked in provider.requests if asked.kind == "chat"} == {FREE}
    assert [one.outcome for one in told.models] == ["intact", "left", "left"]
    assert "which is not left" in told.models[1].reasons[0]
    assert (told.requests.post_free, told.requests.post_paid, told.requests.refused) == (5, 0, 2)
    assert told.spend_usd == 0
    assert open_state(where).spend() == {}


def test_what_a_paid_model_cost_is_settled_by_its_usage_to_the_last_digit(
    canary: Canary, state: Canaries, where: str
) -> None:
    with HostileProvider("echo", models={PAID: "0.0000006"}) as provider:
        told = canary(provider, LISTED, state=state, max_spend_usd=Decimal(1))
    (model,) = told.models
    # Nine tokens in and nine out, five times, as the provider's usage has it.
    tokens = [answer.cost_usd / Decimal("0.0000006") for answer in model.answers]
    assert all(count == int(count) and count >= 10 for count in tokens)
    assert model.outcome == "intact"
    assert told.spend_usd == model.cost_usd == sum(answer.cost_usd for answer in model.answers)
    assert model.most_usd is not None
    assert told.spend_usd < model.most_usd < 1
    assert told.day_usd == told.spend_usd
    assert open_state(where).spend() == {"acme": told.spend_usd}


def test_a_usage_that_is_none_counts_all_that_was_held_back(canary: Canary, state: Canaries) -> None:
    with HostileProvider("echo", "usage-missing", models={PAID: "0.0000006"}) as provider:
        told = canary(provider, LISTED, state=state, max_spend_usd=Decimal(1))
    (model,) = told.models
    streamed = [answer.cost_usd for answer in model.answers if answer.streamed]
    assert min(streamed) > Decimal("0.0000006") * 3000


def test_a_price_that_nobody_lists_is_told_by_the_user_or_nothing_is_asked(canary: Canary) -> None:
    row = {"billing": "metered", "listing": {"path": "/models"}}
    with HostileProvider("echo", dialect="anthropic-messages") as provider:
        model = provider.models[1]
        untold = canary(provider, row, models=(model,), max_spend_usd=Decimal(1))
        assert [asked.kind for asked in provider.requests] == ["listing"]
        told = canary(provider, row, models=(model,), max_spend_usd=Decimal(1), prices=(f"{model}=3/15",))
    assert "nothing that the provider lists bounds what it costs" in untold.models[0].reasons[0]
    assert told.models[0].outcome == "intact"
    assert 0 < told.spend_usd < Decimal("0.02")


@pytest.mark.parametrize("option", ["mod\u00e8le", "mod\u00e8le=3", "mod\u00e8le=-1/2", "=1/2", "m=NaN/1", "m=1/2/3"])
def test_a_price_that_is_none_is_refused(option: str) -> None:
    with pytest.raises(ConfigError, match="--price: expected MODEL=INPUT/OUTPUT"):
        told_prices([option])


def test_a_dry_run_asks_for_the_listing_alone_and_shows_the_highest_cost(canary: Canary, state: Canaries) -> None:
    with HostileProvider("echo") as provider:
        told = canary(provider, LISTED, state=state, dry_run=True)
        assert [asked.kind for asked in provider.requests] == ["listing"]
    assert [one.outcome for one in told.models] == ["left"] * 3
    assert told.models[0].most_usd == 0
    assert told.models[1].most_usd is not None
    assert f"for at most {told.models[1].most_usd:f} USD" in told.models[1].reasons[0]


def test_a_days_budget_holds_for_all_runs_of_the_day(canary: Canary, state: Canaries) -> None:
    with HostileProvider("echo", models={f"mod\u00e8le-{n}": "0.0000006" for n in range(6)}) as provider:
        budget = Decimal("0.003")  # one question is held back with 0.0037 or so at most
        first = canary(provider, LISTED, state=state, max_spend_usd=Decimal(1), budget_per_day_usd=budget)
        assert {one.outcome for one in first.models} == {"left"}
        budget = Decimal("0.0045")
        runs = [
            canary(provider, LISTED, state=state, max_spend_usd=Decimal(1), budget_per_day_usd=budget) for _ in range(8)
        ]
    assert sum(run.spend_usd for run in runs) <= budget
    assert runs[-1].day_usd == sum(run.spend_usd for run in runs)


def test_models_take_turns_the_oldest_first_and_those_that_were_left_are_next(canary: Canary, state: Canaries) -> None:
    models = ["\u00e4", "\u00f6", "\u00fc"]
    asked = []
    with HostileProvider("echo", models=dict.fromkeys(models, "0")) as provider:
        for _ in range(4):
            told = canary(provider, state=state, at_most=1)
            asked.append([one.model for one in told.models if one.outcome == "intact"])
    assert asked == [["\u00e4"], ["\u00f6"], ["\u00fc"], ["\u00e4"]]


def test_of_two_runs_at_once_one_asks_a_model(state: Canaries, where: str) -> None:
    other = Canaries(connect(where))
    assert state.begin("acme", "mod\u00e8le", MORNING, MORNING)
    assert not other.begin("acme", "mod\u00e8le", MORNING + timedelta(seconds=1), MORNING)
    assert other.begin("acme", "mod\u00e8le", MORNING + timedelta(days=1), MORNING + timedelta(hours=23))
    other.forget("acme", "mod\u00e8le")
    assert state.begin("acme", "mod\u00e8le", MORNING, MORNING)
    other.close()


AMOUNTS = st.decimals(min_value=0, max_value=1, places=7)
STEPS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["hold", "settle", "crash"]), AMOUNTS), max_size=30)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Canaries, Iterator[int]]]:
    """A state in which every example has a day of its own."""
    canaries = Canaries(connect(str(tmp_path_factory.mktemp("\u00e9tat") / "state.db")))
    yield canaries, count()
    canaries.close()


@given(STEPS, AMOUNTS)
def test_two_runs_never_pass_a_days_budget(
    days: tuple[Canaries, Iterator[int]], steps: list[tuple[int, str, Decimal]], budget: Decimal
) -> None:
    state, numbers = days
    today = MORNING + timedelta(days=next(numbers))
    purses = [Purse("acme", state, budget, pytest.fail, lambda: today) for _ in range(2)]
    under_way: list[list[Held]] = [[], []]
    expected = Decimal(0)
    for run, step, usd in steps:
        if step == "hold":
            try:
                under_way[run].append(purses[run].hold(usd))
                expected += usd
            except SpendRefused:
                assert expected + usd > budget
        elif step == "settle" and under_way[run]:
            held = under_way[run].pop()
            cost = min(usd, held.usd)
            purses[run].settle(held, cost)
            expected += cost - held.usd
        elif step == "crash":
            under_way[run].clear()  # nobody settles what it held back, so that it stays spent
        assert state.spent_usd(f"{today:%Y-%m-%d}") == expected <= budget


def test_a_run_that_dies_has_spent_what_it_held_back(state: Canaries, where: str) -> None:
    Purse("acme", state, Decimal(1), pytest.fail, lambda: MORNING).hold(Decimal("0.7"))
    another = Purse("acme", Canaries(connect(where)), Decimal(1), pytest.fail, lambda: MORNING)
    with pytest.raises(SpendRefused, match=r"0[.]4 USD, which is not left of the day's 1"):
        another.hold(Decimal("0.4"))
    assert open_state(where).spend() == {"acme": Decimal("0.7")}
    tomorrow = Purse("acme", state, Decimal(1), pytest.fail, lambda: MORNING + timedelta(days=1))
    assert tomorrow.hold(Decimal("0.4")).booked


def test_what_is_settled_after_midnight_is_of_the_day_on_which_it_was_held_back(state: Canaries) -> None:
    night = MORNING.replace(hour=23, minute=59)
    clock = [night]
    purse = Purse("acme", state, None, pytest.fail, lambda: clock[0])
    held = purse.hold(Decimal("0.5"))
    clock[0] = night + timedelta(minutes=2)
    purse.settle(held, Decimal("0.1"))
    assert state.spent_usd("2026-11-30") == Decimal("0.1")
    assert state.spent_usd("2026-12-01") == 0


def test_without_a_state_a_days_budget_covers_nothing() -> None:
    with pytest.raises(SpendRefused, match="kept in the state"):
        Purse("acme", None, Decimal(5), pytest.fail).hold(Decimal("0.01"))
    assert not Purse("acme", None, None, pytest.fail).hold(Decimal("0.01")).booked


def test_a_shared_database_keeps_the_same_books(postgres_url: str) -> None:
    one, two = Canaries(connect(postgres_url)), Canaries(connect(postgres_url))
    assert one.reserve("acm\u00e9", MORNING, Decimal("0.7"), Decimal(1))
    assert not two.reserve("acm\u00e9", MORNING, Decimal("0.4"), Decimal(1))
    one.settle("acm\u00e9", MORNING, Decimal("0.7"), Decimal("0.25"))
    assert two.reserve("acm\u00e9", MORNING, Decimal("0.4"), Decimal(1))
    assert one.spent_usd("2026-11-30") == Decimal("0.65")
    assert one.begin("acm\u00e9", "m", MORNING, MORNING)
    assert not two.begin("acm\u00e9", "m", MORNING, MORNING)
    assert two.oldest_first("acm\u00e9", ["m", "n"]) == ["n", "m"]
    one.close()
    two.close()
