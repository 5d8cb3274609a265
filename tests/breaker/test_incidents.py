"""The two incidents that the breaker was made for, with their very counts; and what must not be taken for one."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from contracts.breaker.memory import State
from contracts.breaker.observed import Row
from contracts.breaker.tally import Key
from contracts.text.verdict import Verification
from tests.breaker.traffic import (
    CALL,
    EMPTY,
    MANGLED,
    NOON,
    PLAIN,
    WHOLE,
    Router,
    decided,
    opened,
    spread,
)  # fmt: skip

FREE = "nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free"
BEGIN = NOON - timedelta(minutes=45)


def empties(calls: int = 108) -> list[Row]:
    """38 empty completions and 70 tool-call turns of one model in 45 minutes, and three models that had none."""
    mixed = [EMPTY] * 38 + [CALL] * 70
    random.Random(6).shuffle(mixed)  # noqa: S311 - a fixed order
    every = timedelta(minutes=45) / 108
    return [
        *spread("openrouter", FREE, mixed[:calls], BEGIN, every),
        *spread("openrouter", "z-ai/glm-5.3-flash", [WHOLE, PLAIN] * 9, BEGIN, every),
        *spread("neuralwatt", "qwen3.6-35b", [WHOLE] * 8, BEGIN, every),
        *spread("neuralwatt", "größe/2", [PLAIN] * 2, BEGIN, every),
    ]


def test_the_model_that_says_nothing_trips_alone_and_by_rate() -> None:
    decisions = decided(empties())
    assert opened(decisions) == {Key("openrouter", FREE)}
    tripped = decisions[Key("openrouter", FREE)]
    assert (tripped.by, tripped.signature, tripped.count, tripped.calls) == ("rate", "empty response", 38, 38)
    assert len(decisions) == 4 + 2
    for key, one in decisions.items():
        assert key == tripped.key or one.skip_reason
    assert "no fault in 18 judged calls" in (decisions[Key("openrouter", "z-ai/glm-5.3-flash")].skip_reason or "")


def test_it_trips_before_the_incident_is_over() -> None:
    tripping = next(calls for calls in range(1, 109) if opened(decided(empties(calls))))
    judged = sum(one.detail == "empty response" for one in empties(tripping))
    assert judged == 20  # the fewest calls of which a rate is worth a word
    assert tripping <= 60


def test_a_turn_with_a_tool_call_is_no_evidence_either_way() -> None:
    only_calls = spread("openrouter", FREE, [CALL] * 500, BEGIN)
    assert not opened(decided(only_calls))
    few = [one for one in empties() if one.model != FREE] + spread("openrouter", FREE, [EMPTY] * 19 + [CALL] * 500)
    assert not opened(decided(few))
    reason = decided(few)[Key("openrouter", FREE)].skip_reason or ""
    assert "19 of 19 judged calls" in reason
    assert "500 with a tool call" in reason


def mojibake(sightings: int = 1) -> list[Row]:
    """Damage at every model of one provider, and at none of the other."""
    models = ("z-ai/glm-5.3-flash", FREE, "智谱/模型")
    return [
        *(one for model in models for one in spread("openrouter", model, [PLAIN, *[MANGLED] * sightings, PLAIN])),
        *spread("neuralwatt", "qwen3.6-35b", [WHOLE] * 12),
        *spread("neuralwatt", "größe/2", [WHOLE] * 6),
    ]


def test_the_provider_whose_wire_damages_trips_alone_and_by_novelty() -> None:
    decisions = decided(mojibake())
    assert opened(decisions) == {Key("openrouter", None)}
    tripped = decisions[Key("openrouter", None)]
    assert (tripped.by, tripped.signature, tripped.count) == ("novelty", "double-utf8-latin1", 3)
    assert tripped.why == (
        "double-utf8-latin1 3 × at 3 of 3 models, new after a day without it, none at neuralwatt: "
        "the transport did it, not the models"
    )
    assert all(one.skip_reason for key, one in decisions.items() if key != tripped.key)


def test_it_trips_at_the_second_sighting() -> None:
    router = Router()
    for one in sorted(mojibake(3), key=lambda one: one.at):
        router.seen.append(one)
        if opened(router.poll(one.at)):
            break
    assert sum(one.verdict == "mangled" for one in router.seen) == 2


def test_both_at_once_are_told_apart() -> None:
    assert opened(decided([*empties(), *mojibake()])) == {Key("openrouter", None), Key("openrouter", FREE)}


def test_what_was_there_the_day_before_trips_at_the_configured_count() -> None:
    yesterday = spread("openrouter", "größe", [MANGLED], NOON - timedelta(hours=30))
    for number in (2, 19):
        now = spread("openrouter", "größe", [MANGLED] * number, NOON - timedelta(hours=8))
        decisions = decided([*yesterday, *now])
        assert not opened(decisions)
        reason = decisions[Key("openrouter", None)].skip_reason
        assert reason == f"{number} × double-utf8-latin1, known from the day before: it takes 20"
    tripped = decided([*yesterday, *spread("openrouter", "größe", [MANGLED] * 20, NOON - timedelta(hours=8))])
    assert tripped[Key("openrouter", None)].by == "count"
    assert tripped[Key("openrouter", None)].baseline == 1


@pytest.mark.parametrize("hours", [25, 47])
def test_what_was_gone_for_a_day_is_new_again(hours: int) -> None:
    before = spread("openrouter", "größe", [MANGLED] * 5, NOON - timedelta(hours=hours))
    now = spread("openrouter", "größe", [MANGLED] * 2, NOON - timedelta(minutes=1))
    assert opened(decided([*before, *now])) == ({Key("openrouter", None)} if hours > 24 else set())


def test_one_sighting_now_and_one_of_a_poll_ago_are_two() -> None:
    earlier = spread("openrouter", "größe", [MANGLED], NOON - timedelta(hours=20))
    assert not opened(decided(earlier))
    assert opened(decided([*earlier, *spread("openrouter", "größe", [MANGLED], NOON)])) == {Key("openrouter", None)}


def test_where_all_models_say_nothing_none_of_them_is_the_cause() -> None:
    all_empty = [one for n in range(6) for one in spread("openrouter", f"größe/{n}", [EMPTY] * 30 + [PLAIN] * 2)]
    decisions = decided(all_empty)
    assert not opened(decisions)
    assert "where other models had 150 of 160" in (decisions[Key("openrouter", "größe/0")].skip_reason or "")


def test_a_model_that_answers_alone_is_measured_by_itself() -> None:
    alone = Key("openrouter", "größe")
    assert opened(decided(spread("openrouter", "größe", [EMPTY] * 20))) == {alone}
    assert not opened(decided(spread("openrouter", "größe", [EMPTY] * 14 + [PLAIN] * 6)))


def test_a_trip_stays_until_its_time_is_over() -> None:
    router = Router()
    router.seen = mojibake()
    until = NOON + timedelta(minutes=5)
    assert router.poll(NOON)[Key("openrouter", None)].until == until
    again = router.poll(NOON + timedelta(minutes=4))[Key("openrouter", None)]
    assert (again.state, again.skip_reason) == (State.OPEN, "open until 2026-11-30 12:05:00Z")
    assert router.poll(until)[Key("openrouter", None)].state is State.HALF_OPEN


def rows(detail: str, *, attributable: bool = True, number: int = 30) -> list[Row]:
    one = Verification(verdict="mangled", detail=detail, model_attributable=attributable)
    return [*spread("größe", "b", [one] * number), *spread("größe", "c", [WHOLE] * 30)]


@pytest.mark.parametrize(
    ("seen", "tripped"),
    [
        (rows("double-utf8-latin1 [provider]: 3 ×"), {Key("größe", None)}),
        (rows("double-utf8-latin1"), {Key("größe", None)}),
        (rows("replacement-character"), {Key("größe", None)}),
        (rows("double-utf8-latin1 [model]: 3 ×"), {Key("größe", "b")}),
        (rows("double-utf8-latin1 [model]: 3 ×", number=3), set()),
        (rows("replacement-character [undetermined]: 1 ×"), set()),
        (rows("double-utf8-latin1 [undetermined]: 3 ×", attributable=False), set()),
        (rows("double-utf8-latin1 [pipeline]: 3 ×", attributable=False), set()),
        (rows("double-utf8-latin1", attributable=False), set()),
        (rows("non-ascii-absent-from-input"), set()),
        (rows("eine Signatur, die niemand kennt"), set()),
    ],
)
def test_the_signature_says_whom_it_trips(seen: list[Row], tripped: set[Key]) -> None:
    assert opened(decided(seen)) == tripped


def test_damage_that_only_one_model_shows_is_told_as_such() -> None:
    why = decided(rows("double-utf8-latin1"))[Key("größe", None)].why
    assert why.endswith("the transport did it, not the models, though 1 of them came through whole")
