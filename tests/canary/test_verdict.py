"""Whose fault a difference is, by what came back in each way and at other models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.canary.questions import WAYS, Way
from contracts.canary.verdict import Back, Verdict, of_model, of_provider
from contracts.model import Scope
from contracts.text import echo
from contracts.text.alterations import misread
from contracts.text.canary import CANARY, CONTROL

CLEAN = Back(echo=echo.of_canary(CANARY))
READ_WRONG = Back(echo=echo.of_canary(misread(CANARY, "cp1252")))
MARKS = Back(echo=echo.of_canary(CANARY.replace("\u0301", "").replace("\u0303", "")))
ANEW = Back(echo=echo.of_canary("Voil\u00e0, une autre ligne."))
SILENT = Back(why_not="the deadline was up")
OURS = Back(why_not="it was answered with status 404", is_ours=True)
CONTROL_CAME = Back(echo=echo.of_control(CONTROL))
EVERYTHING = st.sampled_from([CLEAN, READ_WRONG, MARKS, ANEW, SILENT, OURS])


def back(streamed: Back, whole: Back, call: Back, repeat: Back, control: Back = CONTROL_CAME) -> dict[Way, Back]:
    """What came back in each way."""
    return {"control": control, "streamed": streamed, "whole": whole, "call": call, "repeat": repeat}


CASES = [
    (back(CLEAN, CLEAN, CLEAN, CLEAN), "intact", None, ""),
    (back(CLEAN, CLEAN, SILENT, CLEAN), "intact", None, "call: the deadline was up"),
    (back(CLEAN, SILENT, CLEAN, CLEAN), "unknown", Scope.UNDETERMINED, "whole: the deadline was up"),
    (back(SILENT, SILENT, SILENT, SILENT, SILENT), "unknown", Scope.UNDETERMINED, "the deadline was up"),
    (back(OURS, OURS, OURS, OURS, OURS), "unknown", Scope.PIPELINE, "status 404"),
    (back(READ_WRONG, CLEAN, READ_WRONG, READ_WRONG), "damaged", Scope.PROVIDER, "every stream"),
    (back(READ_WRONG, CLEAN, CLEAN, CLEAN), "damaged", Scope.PROVIDER, "1 of 3 streams"),
    (back(CLEAN, READ_WRONG, CLEAN, CLEAN), "damaged", Scope.PROVIDER, "and no stream"),
    (back(READ_WRONG, READ_WRONG, READ_WRONG, READ_WRONG), "damaged", Scope.PROVIDER, "every way"),
    (back(READ_WRONG, READ_WRONG, CLEAN, READ_WRONG), "damaged", Scope.MODEL, "the model writes so"),
    (back(READ_WRONG, READ_WRONG, CLEAN, CLEAN), "damaged", Scope.UNDETERMINED, "too little to tell"),
    (back(MARKS, MARKS, CLEAN, MARKS), "altered", Scope.MODEL, "on the same wire"),
    (back(MARKS, CLEAN, MARKS, MARKS), "damaged", Scope.PROVIDER, "streaming path"),
    (back(MARKS, MARKS, MARKS, MARKS), "damaged", Scope.UNDETERMINED, "a model's tokenizer"),
    (back(MARKS, MARKS, SILENT, CLEAN), "altered", Scope.MODEL, "not write the same twice"),
    (back(ANEW, ANEW, CLEAN, ANEW), "altered", Scope.MODEL, "on the same wire"),
    (back(ANEW, ANEW, ANEW, ANEW, ANEW), "unknown", Scope.UNDETERMINED, "the control in plain ASCII did not"),
    (back(ANEW, ANEW, ANEW, ANEW), "unknown", Scope.UNDETERMINED, "the control in plain ASCII came back"),
]


@pytest.mark.parametrize(("came", "outcome", "scope", "said"), CASES)
def test_one_model_is_judged_by_all_ways_together(
    came: dict[Way, Back], outcome: str, scope: Scope | None, said: str
) -> None:
    found = of_model(came)
    assert (found.outcome, found.scope) == (outcome, scope)
    assert said in "; ".join(found.reasons)


EVERYWHERE = of_model(back(READ_WRONG, READ_WRONG, READ_WRONG, READ_WRONG))
TOKENS = of_model(back(MARKS, MARKS, MARKS, MARKS))
INTACT = of_model(back(CLEAN, CLEAN, CLEAN, CLEAN))
PATH = of_model(back(READ_WRONG, CLEAN, READ_WRONG, READ_WRONG))
UNKNOWN = of_model(back(ANEW, ANEW, ANEW, ANEW, ANEW))


@pytest.mark.parametrize(
    ("verdicts", "scope"),
    [
        ([EVERYWHERE], Scope.PROVIDER),
        ([EVERYWHERE, UNKNOWN], Scope.PROVIDER),
        ([EVERYWHERE, INTACT], Scope.MODEL),
        ([PATH, INTACT], Scope.MODEL),
        ([PATH, PATH], Scope.PROVIDER),
        ([TOKENS], Scope.UNDETERMINED),
        ([TOKENS, TOKENS], Scope.PROVIDER),
        ([TOKENS, INTACT], Scope.MODEL),
        ([TOKENS, TOKENS, INTACT], Scope.UNDETERMINED),
    ],
)
def test_models_are_judged_beside_each_other(verdicts: list[Verdict], scope: Scope) -> None:
    assert of_provider(verdicts)[0].scope is scope


def test_a_proxy_of_ours_that_sees_the_answers_may_have_done_it() -> None:
    (found,) = of_provider([EVERYWHERE], proxy="http_proxy")
    assert found.scope is Scope.PIPELINE
    assert "http_proxy" in found.reasons[-1]


@given(st.fixed_dictionaries(dict.fromkeys(WAYS, EVERYTHING)))
def test_no_wire_is_blamed_while_nothing_that_only_a_wire_does_came_back(came: dict[Way, Back]) -> None:
    found = of_model(came)
    if READ_WRONG not in (came[way] for way in WAYS if way != "control") and not found.path:
        assert found.scope is not Scope.PROVIDER
    if all(came[way] is CLEAN for way in ("streamed", "whole", "call", "repeat")):
        assert found.outcome == "intact"
    assert found.outcome in ("intact", "altered", "damaged", "unknown")
    assert (found.outcome == "intact") == (found.scope is None)
