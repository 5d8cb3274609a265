"""Which outcomes change with a poll: of what is told, and of what is not."""

from __future__ import annotations

import pytest

from contracts.state.outcomes import changed
from tests.state.findings import LETTERS, finding

A, B = "智谱/a", "größe/b"


def told(known: dict[str, str], poll: dict[str, str], *, complete: bool = False) -> dict[str, str]:
    """What changes of one contract, by model; the provider as a whole is ''."""
    before = {(model, "sse.charset"): (LETTERS[letter].value, "2026") for model, letter in known.items()}
    findings = {(model, "sse.charset"): finding(letter, model or None) for model, letter in poll.items()}
    letters = {outcome.value: letter for letter, outcome in LETTERS.items()}
    return {model: letters[became] for (model, _), (became, _) in changed(before, findings, complete=complete).items()}


CASES = [
    ({}, {"": "h"}, {"": "h"}),
    ({"": "h"}, {"": "h"}, {}),
    ({"": "v"}, {"": "w"}, {"": "w"}),
    ({"": "h"}, {"": "?"}, {"": "?"}),
    ({A: "v", B: "h"}, {A: "v", B: "v"}, {B: "v"}),
    # What is said of the provider as a whole is said of its models.
    ({A: "v", B: "h"}, {"": "h"}, {"": "h", A: "h"}),
    ({A: "v", B: "h"}, {"": "?"}, {"": "?", A: "?", B: "?"}),
    ({A: "v", B: "v"}, {"": "h", A: "v"}, {"": "h", B: "h"}),
    # What is said of models alone says nothing of the whole, nor of other models.
    ({"": "?", B: "v"}, {A: "h"}, {"": "-", A: "h"}),
]


@pytest.mark.parametrize(("known", "poll", "expected"), CASES)
def test_outcomes_change(known: dict[str, str], poll: dict[str, str], expected: dict[str, str]) -> None:
    assert told(known, poll) == expected


def test_what_a_complete_poll_does_not_name_is_gone_and_what_another_does_not_name_stays() -> None:
    known = {"": "h", A: "v", B: "-"}
    assert told(known, {}, complete=True) == {"": "-", A: "-"}
    assert told(known, {}) == {}
    assert told({A: "v", B: "h"}, {B: "h"}, complete=True) == {A: "-"}


def test_one_contract_says_nothing_of_another() -> None:
    known = {("", "sse.done"): ("violated", "2026"), (A, "sse.done"): ("holds", "2026")}
    assert list(changed(known, {("", "sse.charset"): finding("h")}, complete=False)) == [("", "sse.charset")]
