"""Names of models that clients invent fill no output, and nothing that an operator needs is left out for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.breaker.memory import Decision, State
from contracts.breaker.observed import Row
from contracts.breaker.tally import Key
from contracts.degraded import Question, exposition, of_rows
from contracts.degraded.worth import MOST, worth_telling
from contracts.text.verdict import Verification
from contracts_cli.commands.degraded import view
from tests.breaker.test_incidents import FREE, empties, mojibake
from tests.breaker.traffic import CALL, EMPTY, MANGLED, NOON, PLAIN, SECOND, THROTTLED, spread, status
from tests.degraded.test_degraded import series

REAL = [*empties(), *mojibake(), *spread("neuralwatt", "nur-Werkzeuge", [CALL] * 2)]


def invented(number: int, answer: Verification) -> list[Row]:
    return [row for n in range(number) for row in spread("openrouter", f"erfunden-größe-{n}", [answer], NOON - SECOND)]


def test_names_of_which_nothing_is_known_are_a_number() -> None:
    found = of_rows([*REAL, *invented(MOST + 1, status(404))], Question(), NOON)
    without = of_rows(REAL, Question(), NOON)
    assert [one.key for one in found.decisions] == [one.key for one in without.decisions]
    assert Key("neuralwatt", "nur-Werkzeuge") in {one.key for one in found.decisions}
    assert (found.left_out, without.left_out) == (MOST + 1, 0)
    assert series(exposition.render(found).decode()) == series(exposition.render(without).decode())
    assert f"  {MOST + 1} models more: closed or throttled, with no answer that shows" in view(found, 200, verbose=True)
    assert "models more" not in view(found, 200, verbose=False)
    assert "models more" not in view(without, 200, verbose=True)


@pytest.mark.parametrize("answer", [PLAIN, EMPTY, THROTTLED])
def test_where_invented_names_are_answered_those_that_answer_most_are_told(answer: Verification) -> None:
    found = of_rows([*REAL, *invented(MOST + 7, answer)], Question(), NOON)
    told = {one.key for one in found.decisions}
    assert {one.key for one in of_rows(REAL, Question(), NOON).decisions} <= told
    others = sum(key.model is not None and key.model.startswith("erfunden") for key in told)
    models = len({(row.provider, row.model) for row in REAL})
    assert MOST - models <= others <= MOST
    assert len(told) + found.left_out == models + 2 + MOST + 7
    assert {one.model for one in found.warnings if one.provider == "openrouter"} >= {FREE, "智谱/模型"}


DECISIONS = st.builds(
    Decision,
    provider=st.sampled_from(["größe", "日本", ""]),
    model=st.one_of(st.none(), st.text(max_size=3)),
    state=st.sampled_from(State),
    was=st.sampled_from(State),
    attempt=st.integers(0, 2),
    since=st.sampled_from([None, NOON]),
    skip_reason=st.sampled_from([None, "größer als gedacht"]),
)


@given(st.lists(DECISIONS, unique_by=lambda one: one.key))
def test_whatever_was_decided_stands_or_was_tripped_is_told_in_its_order(decisions: list[Decision]) -> None:
    told = worth_telling(decisions, {})
    assert [one for one in decisions if one in told] == list(told)
    for one in decisions:
        stands = one.state in {State.OPEN, State.HALF_OPEN} or one.attempt or one.since
        closes = one.state is State.CLOSED and one.was is not State.CLOSED
        if stands or closes or one.state is State.THROTTLED or not one.model:
            assert one in told


def test_a_note_has_one_line_for_all_models_whose_wire_damages() -> None:
    found = of_rows([*REAL, *invented(2_000, MANGLED)], Question(), NOON)
    (note,) = (one for one in found.notes if one.provider == "openrouter")
    assert note.line.count("Text is damaged on the wire (double-utf8-latin1, 2003 × in 24 h at 2003 models)") == 1
    assert f"{FREE}: 38 of 40 empty responses" in note.line
