"""Canaries of the hostile provider in every dialect: whose fault a difference is, and that no word is told."""

from __future__ import annotations

import msgspec
import pytest

from contracts.canary.told import Told, status
from contracts.model import Scope
from contracts.testing import HostileProvider, writers
from contracts.text.canary import SEGMENTS
from tests.canary.conftest import KEY, Canary

DIALECTS = writers.names()


def of(told: Told, model: str) -> tuple[str, Scope | None]:
    """What one model came to."""
    found = next(one for one in told.models if one.model == model)
    return found.outcome, found.scope


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_comes_back_in_every_way_is_intact(dialect: str, canary: Canary) -> None:
    with HostileProvider("echo", dialect=dialect) as provider:
        told = canary(provider)
    assert [one.outcome for one in told.models] == ["intact"] * 3
    assert (told.outcome, status(told, "unknown")) == ("intact", 0)
    assert told.spend_usd == 0
    assert [answer.intact for answer in told.models[0].answers] == [True] * 5
    assert [answer.streamed for answer in told.models[0].answers] == [True, True, False, True, True]
    assert told.notes[0].line == ""


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_all_models_take_in_every_way_is_the_providers(dialect: str, canary: Canary) -> None:
    with HostileProvider("echo", "echo-double-encoded", dialect=dialect) as provider:
        told = canary(provider)
    assert {of(told, model) for model in provider.models} == {("damaged", Scope.PROVIDER)}
    assert told.models[0].kinds == ("double-encoded",)
    assert status(told, "unknown") == 1
    assert "3 models; fault: provider" in told.notes[0].line


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_streams_take_and_whole_answers_do_not_is_the_streaming_path(dialect: str, canary: Canary) -> None:
    with HostileProvider("echo", "echo-stream-double-encoded", dialect=dialect) as provider:
        told = canary(provider)
    assert of(told, provider.models[0]) == ("damaged", Scope.PROVIDER)
    assert "streaming path" in told.models[0].reasons[0]
    by_way = {answer.way: answer.intact for answer in told.models[0].answers}
    assert by_way == {"control": True, "streamed": False, "whole": True, "call": False, "repeat": False}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_one_model_takes_and_others_do_not_is_that_models(dialect: str, canary: Canary) -> None:
    with HostileProvider(dialect=dialect) as plain:
        models = plain.models
    with HostileProvider("echo", by_model={models[1]: "echo-double-encoded"}, dialect=dialect) as provider:
        told = canary(provider)
    assert [of(told, model) for model in models] == [("intact", None), ("damaged", Scope.MODEL), ("intact", None)]
    assert status(told, "unknown") == 1


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "openai-completions"])
def test_a_model_that_writes_anew_what_its_calls_carry_says_nothing_of_the_wire(dialect: str, canary: Canary) -> None:
    with HostileProvider("echo", "echo-text-normalised", dialect=dialect) as provider:
        told = canary(provider)
    assert of(told, provider.models[0]) == ("altered", Scope.MODEL)
    assert told.models[0].kinds == ("normalised",)
    assert (told.outcome, status(told, "unknown")) == ("intact", 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_that_does_not_do_as_it_is_told_proves_nothing(dialect: str, canary: Canary) -> None:
    with HostileProvider("honest", dialect=dialect) as provider:
        told = canary(provider)
    assert of(told, provider.models[0]) == ("unknown", Scope.UNDETERMINED)
    assert "the control in plain ASCII did not come back either" in told.models[0].reasons[0]
    assert (status(told, "unknown"), status(told, "violation"), status(told, "never")) == (3, 0, 0)
    assert told.notes == ()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_tokenizer_does_as_well_needs_a_second_model(dialect: str, canary: Canary) -> None:
    with HostileProvider("echo", "echo-marks-dropped", dialect=dialect) as provider:
        alone = canary(provider, models=provider.models[:1])
        together = canary(provider)
    assert of(alone, provider.models[0]) == ("damaged", Scope.UNDETERMINED)
    assert status(alone, "unknown") == 3
    assert of(together, provider.models[0]) == ("damaged", Scope.PROVIDER)
    assert together.models[0].kinds == ("dropped",)


def test_what_stands_around_the_line_is_told_and_no_fault(canary: Canary) -> None:
    with HostileProvider("echo", "echo-in-a-fence") as provider:
        told = canary(provider)
    assert told.outcome == "intact"
    assert told.models[0].answers[1].damages[0].how == "by a code fence"


@pytest.mark.parametrize(("scenario", "scope"), [("bad-gateway", Scope.UNDETERMINED)])
def test_no_answer_is_no_verdict(scenario: str, scope: Scope, canary: Canary) -> None:
    with HostileProvider(f"chat:{scenario}") as provider:
        told = canary(provider)
        asked = len(provider.requests)
    assert of(told, provider.models[0]) == ("unknown", scope)
    assert "status 502" in told.models[0].reasons[0]
    assert asked == 3, "what refuses the first question is not asked the rest"


def test_a_key_that_is_not_there_is_ours_and_nothing_is_asked(canary: Canary) -> None:
    with HostileProvider("echo") as provider:
        told = canary(provider, environ={})
        assert provider.request_count == 0
    assert of(told, provider.models[0]) == ("unknown", Scope.PIPELINE)
    assert told.models[0].reasons == ("ACME_API_KEY is not set",)


def test_a_request_that_is_refused_is_ours(canary: Canary) -> None:
    with HostileProvider("echo", models={"autre/mod\u00e8le": "0"}) as provider:
        told = canary(provider, {"models": ["aucun/mod\u00e8le"]})
    assert of(told, "aucun/mod\u00e8le") == ("unknown", Scope.PIPELINE)


def test_nothing_of_what_was_said_is_told_and_no_key(canary: Canary) -> None:
    with HostileProvider("echo", "echo-double-encoded") as provider:
        told = canary(provider)
    with HostileProvider("honest") as provider:
        other = canary(provider)
    for output in (msgspec.json.encode(told).decode(), msgspec.json.encode(other).decode()):
        assert KEY not in output
        assert "D\u00e9j\u00e0" not in output
        assert not any(s.text in output for s in SEGMENTS if not s.text.isascii())
        assert "\u00c3" not in output
    assert "U+2014 \u2192 U+00E2 U+0080 U+0094" in msgspec.json.encode(told).decode()
