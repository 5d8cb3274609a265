"""What holds of the breaker whatever comes: laws over polls and answers in any order."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contracts.breaker.memory import Decision, Memory, State, cooldown, standing, state_at
from contracts.breaker.observed import observed
from contracts.breaker.rate import Limits, Rate, bounds, compare
from contracts.breaker.tally import Key
from contracts.text.verdict import Verification
from tests.breaker.traffic import (
    CALL,
    EMPTY,
    MANGLED,
    NOON,
    PLAIN,
    SECOND,
    THROTTLED,
    WHOLE,
    Router,
    decided,
    opened,
    spread,
    status,
)

PROVIDERS = ("openrouter", "größe")
MODELS = ("智谱/模型", "b", "c")
LOOP = Verification(verdict="looping", detail="38 characters 40 times over", model_attributable=True)
ANSWERS = {
    "whole": WHOLE, "plain": PLAIN, "empty": EMPTY, "call": CALL, "mangled": MANGLED, "loop": LOOP,
    "throttled": THROTTLED, "ours": status(400), "theirs": status(503),
}  # fmt: skip


class Breaker(RuleBasedStateMachine):
    """Routers that write down anything, and poll whenever they like."""

    @initialize(jitter=st.floats(0, 1))
    def begin(self, jitter: float) -> None:
        self.router = Router(jitter)
        self.now = NOON
        self.polled = NOON - timedelta(days=3)
        self.before: dict[Key, Memory] = {}
        self.decisions: dict[Key, Decision] = {}

    @rule(
        provider=st.sampled_from(PROVIDERS), model=st.sampled_from(MODELS), name=st.sampled_from(sorted(ANSWERS)),
        number=st.integers(1, 30),
    )  # fmt: skip
    def answers(self, provider: str, model: str, name: str, number: int) -> None:
        for _ in range(number):
            self.now += SECOND
            self.router.seen.append(observed(self.now, provider, model, ANSWERS[name]))

    @rule(minutes=st.sampled_from([1, 6, 30, 90, 60 * 25]))
    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule()
    def poll(self) -> None:
        self.now += SECOND
        self.before = dict(self.router.memories)
        self.seen = list(self.router.seen)
        self.decisions = self.router.poll(self.now)
        self.polled = self.now

    def _since(self, key: Key) -> list[str]:
        """What came of a key since it may have been probed."""
        memory = self.before[key]
        return [
            one.verdict + one.detail
            for one in self.seen
            if one.provider == key.provider and key.model in (None, one.model) and one.at >= memory.counts_from
        ]

    @invariant()
    @precondition(lambda self: self.decisions)
    def nothing_is_closed_without_a_clean_answer(self) -> None:
        for key, one in self.decisions.items():
            memory = self.before.get(key)
            if memory is None or memory.state not in (State.OPEN, State.HALF_OPEN) or one.state is not State.CLOSED:
                continue
            assert one.by == "clean"
            assert "ok" in self._since(key) or (key.model is not None and "okASCII only" in self._since(key))

    @invariant()
    @precondition(lambda self: self.decisions)
    def an_open_key_stays_open_until_its_time_is_over(self) -> None:
        for key, one in self.decisions.items():
            memory = self.before.get(key)
            if memory is not None and state_at(memory, self.polled) is State.OPEN:
                assert (one.state, one.skip_reason is None) == (State.OPEN, False)

    @invariant()
    @precondition(lambda self: self.decisions)
    def whoever_trips_shows_the_fault_that_is_said(self) -> None:
        for key in opened(self.decisions):
            own = [one for one in self.router.seen if one.provider == key.provider and key.model in (None, one.model)]
            faults = [
                one for one in own if (one.verdict == "mangled") == (key.model is None) and one.model_attributable
            ]
            memory = self.before.get(key)
            is_probed = memory is not None and memory.state in (State.OPEN, State.HALF_OPEN)
            assert len(faults) >= (1 if is_probed else 2 if key.model is None else Limits().min_faults)
            assert self.decisions[key].by in (("probe",) if is_probed else ("novelty", "count", "rate"))

    @invariant()
    @precondition(lambda self: self.decisions)
    def every_key_says_why(self) -> None:
        for one in self.decisions.values():
            assert one.why
            assert (one.skip_reason is None) == (one.by is not None)
            assert one.skip_reason is not None or one.state is not one.was or one.by == "time"

    @invariant()
    @precondition(lambda self: self.decisions)
    def only_damage_moves_a_provider_and_only_content_a_model(self) -> None:
        for key, one in self.decisions.items():
            if one.by in ("novelty", "count"):
                assert key.model is None
            if one.by in ("rate", "throttle"):
                assert key.model is not None
            if one.state is State.THROTTLED:
                assert key.model is not None


TestBreaker = Breaker.TestCase
TestBreaker.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


@given(
    st.lists(
        st.tuples(st.sampled_from(MODELS), st.sampled_from(["whole", "plain", "call", "throttled", "ours", "theirs"])),
        max_size=60,
    ),
    st.integers(0, 60),
)
@settings(max_examples=60, deadline=None)
def test_one_mangled_answer_never_trips(others: list[tuple[str, str]], place: int) -> None:
    seen = [one for number, (model, name) in enumerate(others)
            for one in spread("größe", model, [ANSWERS[name]], NOON - number * SECOND)]  # fmt: skip
    seen += spread("größe", "b", [MANGLED], NOON - place * SECOND)
    assert not opened(decided(seen))


@given(
    st.lists(st.sampled_from([400, 401, 402, 403, 404, 413, 422, 429, 500, 502, 503, 529]), min_size=1, max_size=200)
)
@settings(max_examples=40, deadline=None)
def test_no_status_trips_anything(codes: list[int]) -> None:
    seen = spread("größe", "b", [status(code) for code in codes], NOON - len(codes) * SECOND)
    decisions = decided(seen)
    assert not opened(decisions)
    throttled = decisions[Key("größe", "b")].state is State.THROTTLED
    assert throttled == (codes[-1] == 429)


def test_a_throttle_is_over_by_itself_and_hides_no_trip() -> None:
    key = Key("größe", "b")
    router = Router()
    router.seen = spread("größe", "b", [WHOLE, THROTTLED], NOON)
    assert router.poll(NOON + 2 * SECOND)[key].state is State.THROTTLED
    assert router.poll(NOON + 3 * SECOND)[key].skip_reason == "throttled already"
    assert router.poll(NOON + timedelta(minutes=2))[key].state is State.CLOSED
    router.seen += spread("größe", "b", [EMPTY] * 30, NOON + timedelta(minutes=3))
    late = NOON + timedelta(minutes=4)
    assert router.poll(late)[key].state is State.OPEN
    router.seen += spread("größe", "b", [THROTTLED], late)
    assert router.poll(late + SECOND)[key].state is State.OPEN


def test_a_provider_and_its_model_do_not_close_each_other() -> None:
    provider, model = Key("größe", None), Key("größe", "b")
    router = Router()
    router.seen = spread("größe", "b", [EMPTY] * 30 + [MANGLED] * 3)
    assert opened(router.poll(NOON)) == {provider, model}
    late = NOON + timedelta(minutes=10)
    # Of another model, and intact: good for the wire, no evidence for the model that said nothing.
    router.seen += spread("größe", "c", [WHOLE], late)
    both = router.poll(late + SECOND)
    assert (both[provider].state, both[model].state) == (State.CLOSED, State.HALF_OPEN)
    assert standing(router.memories, "größe", "b", late) is State.HALF_OPEN
    assert standing(router.memories, "größe", "c", late) is State.CLOSED
    router.seen += spread("größe", "b", [PLAIN], late + 2 * SECOND)
    assert router.poll(late + 3 * SECOND)[model].state is State.CLOSED


def test_an_answer_in_ascii_says_nothing_of_the_wire() -> None:
    provider = Key("größe", None)
    router = Router()
    router.seen = spread("größe", "b", [MANGLED] * 3)
    router.poll(NOON)
    late = NOON + timedelta(minutes=10)
    router.seen += spread("größe", "b", [PLAIN] * 50 + [EMPTY, CALL], late)
    assert router.poll(late + 90 * SECOND)[provider].state is State.HALF_OPEN
    router.seen += spread("größe", "b", [WHOLE], late + 100 * SECOND)
    assert router.poll(late + 101 * SECOND)[provider].state is State.CLOSED


def test_a_probe_that_fails_trips_for_twice_as_long() -> None:
    model = Key("größe", "b")
    router = Router(jitter=1.0)
    router.seen = spread("größe", "b", [EMPTY] * 30)
    now, lasted = NOON, []
    for _ in range(8):
        tripped = router.poll(now)[model]
        assert tripped.until is not None
        lasted.append((tripped.until - now).total_seconds())
        now = tripped.until + SECOND
        router.seen += spread("größe", "b", [EMPTY], now)
        now += SECOND
    assert lasted == [375, 750, 1500, 3000, 6000, 12000, 18000, 18000]
    router.seen += spread("größe", "b", [PLAIN], now + timedelta(hours=6))
    router.poll(now)
    assert router.poll(now + timedelta(hours=7))[model].state is State.CLOSED


def test_what_led_to_a_trip_does_not_count_again_and_a_relapse_does() -> None:
    provider, model = Key("größe", None), Key("größe", "b")
    router = Router()
    router.seen = spread("größe", "b", [EMPTY] * 30 + [MANGLED] * 30)
    router.poll(NOON)
    late = NOON + timedelta(minutes=6)
    router.seen += spread("größe", "b", [WHOLE], late)
    assert {one.state for one in router.poll(late + SECOND).values()} == {State.CLOSED}
    assert not opened(router.poll(late + 2 * SECOND))
    router.seen += spread("größe", "b", [MANGLED], late + 3 * SECOND)
    assert not opened(router.poll(late + 4 * SECOND))
    router.seen += spread("größe", "b", [MANGLED], late + 5 * SECOND)
    relapse = router.poll(late + 6 * SECOND)
    assert opened(relapse) == {provider}
    assert relapse[provider].attempt == 2
    assert relapse[model].state is State.CLOSED


def test_the_first_answer_after_a_trip_decides() -> None:
    model = Key("größe", "b")
    for answers, state in (([PLAIN, EMPTY], State.CLOSED), ([EMPTY, PLAIN], State.OPEN), ([CALL], State.HALF_OPEN)):
        router = Router()
        router.seen = spread("größe", "b", [EMPTY] * 30)
        router.poll(NOON)
        router.seen += spread("größe", "b", answers, NOON + timedelta(minutes=6))
        assert router.poll(NOON + timedelta(minutes=7))[model].state is state


def test_what_waits_for_a_probe_is_written_again_each_day() -> None:
    router = Router()
    router.seen = spread("größe", "b", [EMPTY] * 30)
    router.poll(NOON)
    written = [
        hours for hours in range(1, 100)
        if router.poll(NOON + timedelta(hours=hours))[Key("größe", "b")].skip_reason is None
    ]  # fmt: skip
    assert written == [1, 25, 49, 73, 97]


def test_an_answer_that_was_written_down_late_is_seen() -> None:
    router = Router()
    router.seen = spread("größe", "b", [EMPTY] * 30)
    router.poll(NOON)
    for hours in (1, 25, 49):
        assert router.poll(NOON + timedelta(hours=hours))[Key("größe", "b")].state is State.HALF_OPEN
    router.seen += spread("größe", "b", [PLAIN], NOON + timedelta(hours=48))
    assert router.poll(NOON + timedelta(hours=50))[Key("größe", "b")].state is State.CLOSED


def test_a_trip_that_lasts_is_written_again_each_day() -> None:
    key, router = Key("größe", "b"), Router()
    router.memories[key] = Memory(state=State.OPEN, at=NOON, until=NOON + timedelta(days=9), attempt=3)
    late = NOON + timedelta(hours=23)
    assert router.poll(late)[key].skip_reason == "open until 2026-12-09 12:00:00Z"
    again = router.poll(late + timedelta(hours=1))[key]
    assert (again.state, again.by, again.skip_reason, again.until) == (
        State.OPEN, "time", None, NOON + timedelta(days=9),
    )  # fmt: skip
    assert again.attempt == 3


@given(st.integers(0, 400), st.integers(0, 400), st.sampled_from([1.96, 2.576]))
def test_a_rate_lies_within_its_bounds_and_more_calls_bring_them_together(faults: int, more: int, z: float) -> None:
    rate = Rate(faults, faults + more)
    lower, upper = bounds(rate, z)
    assert 0 <= lower <= upper <= 1
    if rate.calls:
        assert lower <= faults / rate.calls + 1e-12
        assert upper >= faults / rate.calls - 1e-12
        closer = bounds(Rate(4 * faults, 4 * rate.calls), z)
        assert closer[1] - closer[0] <= upper - lower + 1e-12


def test_the_bounds_are_wilsons() -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
    for faults, calls, expected in ((81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611))):
        assert [round(bound, 4) for bound in bounds(Rate(faults, calls), 1.959964)] == list(expected)


def test_few_calls_and_small_rates_are_not_worth_a_word() -> None:
    limits = Limits()
    clean = Rate(0, 1000)
    assert not compare(Rate(19, 19), clean, limits).is_worse
    assert not compare(Rate(4, 20), clean, limits).is_worse
    assert not compare(Rate(100, 2000), clean, limits).is_worse  # 5 %, however sure
    assert compare(Rate(12, 20), clean, limits).is_worse


@given(st.integers(1, 30), st.floats(0, 1))
def test_no_trip_lasts_longer_than_the_longest(attempt: int, jitter: float) -> None:
    limits = Limits()
    lasts = cooldown(attempt, jitter, limits).total_seconds()
    assert limits.cooldown_s <= lasts <= limits.longest_s * (1 + limits.jitter)
