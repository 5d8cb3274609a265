"""Laws and cases of what counts as a change between two listings."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.facts import Fault, Listing
from contracts.listed import Change, Model
from contracts.state.changes import EVERY, MAX_CHANGES, compare

IDS = st.sampled_from(["z-ai/glm-5.3-flash", "智谱/模型:free", "é", "é", "A", "a"])
AMOUNTS = st.sampled_from(["0", "0.0", "2e-6", "0.0000020", "2", "0.002", "-1", "gratuit", "", "1e999999999", "9" * 60])
MODELS = st.builds(
    Model,
    id=IDS,
    chat=st.none() | st.booleans(),
    prices=st.dictionaries(st.sampled_from(["prompt", "completion", "请求"]), AMOUNTS).map(lambda d: tuple(d.items())),
    context_tokens=st.none() | st.sampled_from([8192, 131072, 10**30, -1]),
    quantization=st.none() | st.sampled_from(["fp8", "ｆｐ８"]),
    parameters=st.sets(st.sampled_from(["tools", "seed", "größe"])).map(lambda s: tuple(sorted(s))),
    deprecated=st.none() | st.sampled_from(["2026-12-31", "überholt"]),
)
LISTINGS = st.builds(
    Listing, models=st.lists(MODELS, unique_by=lambda m: m.id, max_size=6).map(tuple), more=st.booleans()
)
LAW = settings(max_examples=100, deadline=None)


def one(**members: object) -> Listing:
    return Listing(models=(Model(id="智谱/模型", **members),))  # type: ignore[arg-type]  # data of a case


def price(**amounts: str) -> Listing:
    return one(prices=tuple(sorted(amounts.items())))


@LAW
@given(LISTINGS)
def test_a_listing_differs_in_nothing_from_itself(listing: Listing) -> None:
    assert compare(listing, listing) == ()


@LAW
@given(LISTINGS, LISTINGS)
def test_the_way_back_tells_the_same_with_was_and_now_exchanged(was: Listing, now: Listing) -> None:
    def of_models(changes: tuple[Change, ...]) -> list[tuple[str, str, str | None, str | None]]:
        return [(c.model, c.member, c.was, c.now) for c in changes if c.model != EVERY]

    there, back = compare(was, now), compare(now, was)
    turned = [(model, member, after, before) for model, member, before, after in of_models(back)]
    # What began to be told is no change, what ceased to be told is one: that much is not the same both ways.
    folded = {(c.member) for c in (*there, *back) if c.model == EVERY}
    assert [c for c in of_models(there) if c[1] not in folded] == [c for c in turned if c[1] not in folded]


@LAW
@given(LISTINGS, LISTINGS)
def test_order_and_repetition_of_the_comparison_do_not_matter(was: Listing, now: Listing) -> None:
    told = compare(was, now)
    shuffled = Listing(models=tuple(reversed(now.models)), more=now.more)
    assert compare(was, shuffled) == told
    assert len({(c.model, c.member) for c in told}) == len(told)
    assert all(c.was != c.now for c in told)


@LAW
@given(st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=0, max_value=1000))
def test_a_price_written_in_another_way_is_the_same_price(amount: Decimal) -> None:
    spellings = [f"{amount:f}", f"{amount:e}", f"{amount.normalize()}", f"{amount:f}" + "0" * 5, f"+{amount}"]
    for written in spellings:
        assert compare(price(prompt=f"{amount:f}"), price(prompt=written)) == ()


@pytest.mark.parametrize("factor", [Decimal(1000), Decimal(1_000_000)])
def test_all_prices_in_another_unit_are_one_change(factor: Decimal) -> None:
    token = {"prompt": "0.00000015", "completion": "6e-7", "image": "0"}
    scaled = {name: str(Decimal(text) * factor) for name, text in token.items()}
    (change,) = compare(price(**token), price(**scaled))
    assert change.member == "price unit"
    assert compare(price(**scaled), price(**token)) == (
        Change(model=change.model, member="price unit", was=change.now, now=change.was),
    )


def test_a_unit_that_was_computed_in_doubles_is_the_same_unit() -> None:
    (change,) = compare(price(a="1.5e-7", b="6e-7"), price(a="0.15000000000000002", b="0.6"))
    assert change.member == "price unit"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"a": "0.001", "b": "0.002"}, {"a": "1", "b": "3"}),
        ({"a": "0.001", "b": "2"}, {"a": "1", "b": "0.002"}),
        ({"a": "1", "b": "2"}, {"a": "2", "b": "4"}),
        ({"a": "0", "b": "2"}, {"a": "1000", "b": "2000"}),
    ],
)
def test_prices_that_moved_otherwise_are_changes_of_price(was: dict[str, str], now: dict[str, str]) -> None:
    assert [c.member for c in compare(price(**was), price(**now))] == ["price a", "price b"]


@pytest.mark.parametrize("amount", ["1e999999999", "1e-999999999", "NaN", "sNaN", "Infinity", "-0", "９", "9" * 10_000])
def test_no_number_stops_the_comparison(amount: str) -> None:
    assert compare(price(a="1", b="2"), price(a=amount, b=amount))
    assert compare(price(a=amount, b=amount), price(a=amount, b=amount)) == ()


def test_a_catalogue_that_vanishes_or_appears_whole_is_one_change() -> None:
    many = Listing(models=tuple(Model(id=f"模型-{n}") for n in range(300)))
    assert compare(many, Listing()) == (Change(model=EVERY, member="listed", was="listed", now=None),)
    assert compare(Listing(), many) == (Change(model=EVERY, member="listed", was=None, now="listed"),)


def test_what_the_listing_begins_to_tell_of_most_models_was_changed_by_nobody() -> None:
    before = Listing(models=tuple(Model(id=f"模型-{n}") for n in range(10)))
    after = Listing(
        models=tuple(
            Model(id=f"模型-{n}", context_tokens=8192, chat=True, prices=(("prompt", "0.1"),), parameters=("größe",))
            for n in range(10)
        )
    )
    assert compare(before, after) == ()
    ceased = compare(after, before)
    assert {c.model for c in ceased} == {EVERY}
    assert [c.member for c in ceased] == ["chat", "context_tokens", "parameters", "price prompt", "prices"]


def test_a_new_cost_is_news_although_every_model_has_it() -> None:
    def models(*prices: tuple[str, str]) -> Listing:
        return Listing(models=tuple(Model(id=f"模型-{n}", prices=prices) for n in range(4)))

    told = compare(models(("prompt", "1")), models(("prompt", "1"), ("request", "0.01")))
    assert [(c.member, c.was, c.now) for c in told] == [("price request", None, "0.01")] * 4
    assert compare(models(("prompt", "1")), models(("prompt", "1"), ("request", "0"))) == ()


def test_the_first_deprecations_are_news() -> None:
    before = Listing(models=tuple(Model(id=f"模型-{n}") for n in range(3)))
    after = Listing(models=tuple(Model(id=f"模型-{n}", deprecated="2026-12-31") for n in range(3)))
    assert [c.member for c in compare(before, after)] == ["deprecated"] * 3


@pytest.mark.parametrize("kind", ["no-list", "no-id", "too-many"])
def test_what_could_not_be_read_has_not_vanished(kind: str) -> None:
    whole = Listing(models=(Model(id="a"), Model(id="智谱")))
    broken = Listing(models=(Model(id="a"),), faults=(Fault(kind=kind),))
    assert compare(whole, broken) == compare(broken, whole) == ()


def test_a_page_of_more_tells_of_its_own_models_only() -> None:
    was = Listing(models=(Model(id="a", context_tokens=1), Model(id="智谱")), more=True)
    told = compare(was, Listing(models=(Model(id="a", context_tokens=2),)))
    assert [(c.model, c.member) for c in told] == [("a", "context_tokens")]


def test_changes_are_bounded() -> None:
    def models(tokens: int) -> Listing:
        return Listing(models=tuple(Model(id=f"模型-{n}", context_tokens=tokens) for n in range(3 * MAX_CHANGES)))

    assert len(compare(models(1), models(2))) == MAX_CHANGES


def test_a_hundred_thousand_models_are_compared_in_linear_time() -> None:
    def steps(count: int) -> int:
        was = Listing(models=tuple(Model(id=f"模型-{n}", context_tokens=n) for n in range(count)))
        now = Listing(models=tuple(Model(id=f"模型-{n}", context_tokens=n + n % 2) for n in range(count)))
        calls = 0

        def count_calls(*_: object) -> None:
            nonlocal calls
            calls += 1

        sys.setprofile(count_calls)
        try:
            compare(was, now)
        finally:
            sys.setprofile(None)
        return calls

    assert steps(2000) < 2.5 * steps(1000)
