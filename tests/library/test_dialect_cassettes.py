"""The shipped cassettes of every dialect prove of each contract that it can hold there, and that it can be violated.

What has to be there is derived from `tests/dialects/matrix.yaml`, of which docs/dialects.md is made too.
"""

from __future__ import annotations

import http.client
import os
from collections import defaultdict
from functools import cache
from urllib.parse import urlsplit

import pytest
import vcr  # type: ignore[import-untyped] # vcrpy ships no types

from contracts import captures, dialects
from contracts.config import catalogue as catalogues
from contracts.fold import fold
from contracts.judge import judge
from contracts.model import Evidence, Exchange, Outcome, Source
from contracts.run import inspect
from contracts.settings import InspectSettings
from contracts.testing import known_scenarios
from contracts.testing.writers import load, names
from tools import dialect_cassettes as recorder
from tools.doc_tables import ROOT, matrix
from tools.questions import KEY, PROMPT, model_of

FOLDER = os.path.join(ROOT, "cassettes", recorder.FOLDER)
MOST_BYTES = 80 * 1024  # of one cassette
CATALOGUE = catalogues.load(None)
DIALECTS = names()
PLACES = [(contract, dialect) for contract, row in matrix().items() for dialect in row]
PATHS = list(recorder.paths(FOLDER))
VIOLATIONS = [(d, number, one) for d in DIALECTS for number, one in enumerate(recorder.violating(d))]


def path_of(dialect: str, name: str) -> str:
    return os.path.join(FOLDER, dialect, f"{name}.yaml")


@cache
def exchanges(dialect: str, name: str) -> tuple[Exchange, ...]:
    return tuple(captures.read(path_of(dialect, name)))


@cache
def outcomes(dialect: str, name: str, number: int) -> dict[str, Outcome]:
    """Judge one interaction by the dialect's rules."""
    exchange = exchanges(dialect, name)[number]
    facts = fold(exchange, dialects.load(dialect), CATALOGUE.tables(dialect))
    evidence = [Evidence(facts=facts, source=exchange.source, ref=exchange.ref)]
    found = judge(CATALOGUE.bound_to_dialect(dialect), evidence, provider=None, models=[model_of(dialect)])
    told: dict[str, Outcome] = {}
    for finding in found:
        # Of a contract that is judged of the model too, what counts is what says more.
        if told.get(finding.contract) in (None, Outcome.NOT_APPLICABLE):
            told[finding.contract] = finding.outcome
    return told


@cache
def seen(dialect: str) -> dict[str, set[str]]:
    """Tell what each contract came to over both cassettes; a violation counts only where it is the one meant."""
    found: dict[str, set[str]] = defaultdict(set)
    for number in range(len(exchanges(dialect, recorder.HOLDS))):
        for contract, outcome in outcomes(dialect, recorder.HOLDS, number).items():
            found[contract].add(outcome.value)
    for number, one in enumerate(recorder.violating(dialect)):
        assert one.contract is not None
        found[one.contract].add(outcomes(dialect, recorder.VIOLATED, number)[one.contract].value)
    return found


@pytest.mark.parametrize(("contract", "dialect"), PLACES, ids=[f"{c}: {d}" for c, d in PLACES])
def test_a_contract_holds_and_is_violated_in_a_dialect_or_a_reason_says_why_not(contract: str, dialect: str) -> None:
    reason = matrix()[contract][dialect]
    found = seen(dialect)[contract]
    if reason == recorder.JUDGED:
        assert {"holds", "violated"} <= found
    else:
        assert "violated" not in found
        assert len(reason.split()) > 3, "a reason is a sentence"


def test_the_matrix_has_a_place_for_every_contract_and_every_dialect() -> None:
    assert {(contract, dialect) for contract in CATALOGUE.contracts for dialect in DIALECTS} == set(PLACES)


def test_a_hole_in_the_evidence_is_named() -> None:
    planted = {**matrix(), "größe.geprüft": dict.fromkeys(DIALECTS, recorder.JUDGED)}
    with pytest.raises(LookupError, match=r"größe\.geprüft is judged in gemini, and no scenario breaks it there"):
        recorder.violating("gemini", planted)


@pytest.mark.parametrize(
    ("dialect", "number", "played"), VIOLATIONS, ids=[f"{d}: {p.contract}" for d, _, p in VIOLATIONS]
)
def test_what_was_played_violates_what_its_scenario_says_and_nothing_else(
    dialect: str, number: int, played: recorder.Played
) -> None:
    broken = {c for c, outcome in outcomes(dialect, recorder.VIOLATED, number).items() if outcome is Outcome.VIOLATED}
    assert broken == set(known_scenarios(dialect)[played.scenarios[-1]].breaks(load(dialect)))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_provider_that_keeps_every_promise_violates_nothing_but_what_a_429_must(dialect: str) -> None:
    for number, one in enumerate(recorder.holding(dialect)):
        found = outcomes(dialect, recorder.HOLDS, number)
        broken = {contract for contract, outcome in found.items() if outcome is Outcome.VIOLATED}
        assert broken == ({"http.status"} if "rate-limited" in one.scenarios else set())


def test_recording_anew_gives_the_same_cassettes_byte_for_byte(tmp_path: os.PathLike[str]) -> None:
    recorder.main(os.fspath(tmp_path))
    made = {os.path.relpath(path, tmp_path): read(path) for path in recorder.paths(os.fspath(tmp_path))}
    assert made == {os.path.relpath(path, FOLDER): read(path) for path in recorder.paths(FOLDER)}
    assert sum(len(files) for _, _, files in os.walk(FOLDER)) == len(made)


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: os.path.relpath(path, FOLDER))
def test_a_cassette_is_small_says_that_it_is_synthetic_and_holds_no_key(path: str) -> None:
    text = read(path)
    assert len(text.encode()) <= MOST_BYTES
    assert text.startswith("# Synthetic: the hostile provider of this project ")
    assert "  source: synthetic\n" in text
    told = captures.read(path)
    assert {exchange.source for exchange in told} == {Source.SYNTHETIC}
    assert all(exchange.request.url.startswith(f"{recorder.HOST}/") for exchange in told)
    assert any(PROMPT.encode() in (e.request.body or b"") or rb"\u00e7a va?" in (e.request.body or b"") for e in told)
    for secret in (KEY, "sk-loopback", "bearer", "authorization", "127.0.0.1", "localhost"):
        assert secret.lower() not in text.lower()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: os.path.relpath(path, FOLDER))
def test_a_client_under_vcrpy_gets_every_answer_and_the_cassette_is_never_written(path: str) -> None:
    before = os.stat(path).st_mtime_ns
    with vcr.use_cassette(path, record_mode="none") as cassette:
        for exchange in captures.read(path):
            request, where = exchange.request, urlsplit(exchange.request.url)
            connection = http.client.HTTPConnection(where.netloc)
            target = f"{where.path}?{where.query}" if where.query else where.path
            connection.request(request.method, target, request.body)
            answer = connection.getresponse()
            assert (answer.status, answer.read()) == (exchange.status, b"".join(exchange.body))
        assert cassette.all_played
    assert os.stat(path).st_mtime_ns == before


@pytest.mark.parametrize("dialect", DIALECTS)
def test_inspect_finds_the_dialect_by_the_path_that_was_asked(dialect: str) -> None:
    report, status = inspect(InspectSettings(files=(path_of(dialect, recorder.VIOLATED),)))
    violated = {f.contract for f in report.findings if f.outcome is Outcome.VIOLATED}
    meant = {one.contract for one in recorder.violating(dialect)}
    assert status == 1
    # A listing says by its path alone no dialect but the usual one.
    assert violated >= meant - {"models.shape", "models.resolve"}
