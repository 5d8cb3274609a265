"""Code scanning gets results with a place and a lasting name, and nothing that is no fault."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec import structs

from contracts.model import Outcome, Severity
from contracts.report import Report
from contracts.sinks import sarif
from contracts.sinks.about import About
from tests.sinks.conftest import finding, one_of_each, report
from tests.sinks.test_hostile_text import HOSTILE, hostile

SHAPE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sarif-shape.json")


def run_of(what: Report, about: About) -> dict[str, Any]:
    """The one run of a log, after it was held against the shape."""
    log = json.loads(sarif.render_report(what, about))
    with open(SHAPE, encoding="utf-8") as file:
        validator = jsonschema_rs.validator_for(file.read(), validate_formats=True)
    assert [error.message for error in validator.iter_errors(log)] == []
    (run,) = log["runs"]
    found: dict[str, Any] = run
    return found


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_log_has_the_standard_shape_whatever_was_said(text: str, about: About) -> None:
    assert len(run_of(hostile(text), about)["results"]) == 2


def test_a_log_of_nothing_has_the_standard_shape(bare: About) -> None:
    assert run_of(report(), bare)["results"] == []


def test_violations_are_results_and_what_could_not_be_judged_is_a_notification(about: About) -> None:
    run = run_of(one_of_each(), about)
    assert [(r["ruleId"], r["level"], "suppressions" in r) for r in run["results"]] == [
        ("sse.charset", "error", False),
        ("reply.usage", "warning", False),
        ("reply.id", "note", False),
        ("text.intact", "error", True),
    ]
    (invocation,) = run["invocations"]
    notices = [(n["associatedRule"]["id"], n["level"]) for n in invocation["toolExecutionNotifications"]]
    assert notices == [("models.resolve", "warning"), ("limits.retry-after", "note")]
    assert "kein Verzeichnis" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    assert invocation["exitCode"] == 1


def test_rules_are_contracts_with_why_and_source(about: About) -> None:
    run = run_of(one_of_each(), about)
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == sorted({f.contract for f in one_of_each().findings})
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    (charset,) = (r for r in rules if r["id"] == "sse.charset")
    contract = about.contract("sse.charset")
    assert contract is not None
    assert charset["shortDescription"]["text"] == contract.promise
    assert charset["fullDescription"]["text"] == contract.why
    assert charset["helpUri"] == contract.source.url
    assert contract.source.url in charset["help"]["text"]


def test_a_contract_that_is_not_known_is_a_rule_all_the_same(about: About) -> None:
    assert run_of(report(finding("größe.gone")), about)["tool"]["driver"]["rules"] == [{"id": "größe.gone"}]


PLACES = [
    ({}, 4, 3),  # the row
    ({"contract": "sse.done"}, 8, 7),  # what the row says of the contract
    ({"model": "größe/b"}, 6, 23),  # the model in the row
    ({"model": "größe/c"}, 4, 3),
    ({"provider": "другой", "model": "größe/b"}, 15, 3),  # a row that extends another is the one to act on
]


@pytest.mark.parametrize(("given", "line", "column"), PLACES)
def test_a_result_stands_where_a_reader_would_act(about: About, given: dict[str, Any], line: int, column: int) -> None:
    (result,) = run_of(report(finding(**given)), about)["results"]
    place = result["locations"][0]["physicalLocation"]
    # The path is a reference: quoted, and relative to the checkout.
    assert place["artifactLocation"] == {"uri": "zeilen%2C%20alle.yaml", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": line, "startColumn": column}


def test_a_contract_of_ones_own_is_told_with_the_result(rows: Path) -> None:
    own = rows.parent / "größe.yaml"
    shipped = About(has_rows=False, environ={}).contract_spot("sse.charset")
    assert shipped is not None
    own.write_text(Path(shipped.path).read_text(encoding="utf-8").replace("id: sse.charset", "id: own.größe"), "utf-8")
    own.write_text(own.read_text(encoding="utf-8").replace("own.größe", "own.promise"), "utf-8")
    text = rows.read_text(encoding="utf-8").replace("sse.done: {sentinel: none}", "own.promise: {file: größe.yaml}")
    rows.write_text(text, encoding="utf-8")
    about = About(config=str(rows), environ={}, root=str(rows.parent))
    (result,) = run_of(report(finding("own.promise")), about)["results"]
    assert result["relatedLocations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "gr%C3%B6%C3%9Fe.yaml", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 2, "startColumn": 1},
    }


@pytest.mark.parametrize(
    ("name", "ref"), [("größe.http", ""), ("größe.yaml", "#3"), ("a#1.http", ""), ("a#1.har", "#0")]
)
def test_a_capture_without_a_row_is_the_place_of_what_was_found_in_it(tmp_path: Path, name: str, ref: str) -> None:
    capture = tmp_path / name
    capture.write_bytes(b"")
    about = About(has_rows=False, environ={}, root=str(tmp_path / "anderswo"))
    evidence = finding().evidence
    assert evidence is not None
    found = finding(provider=None, evidence=structs.replace(evidence, ref=f"{capture}{ref}"))
    (result,) = run_of(report(found), about)["results"]
    assert result["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": capture.as_uri()}}


def fingerprint(about: About, **given: Any) -> str:
    """What code scanning knows a finding by."""
    (result,) = run_of(report(finding(**given)), about)["results"]
    (value,) = result["partialFingerprints"].values()
    return str(value)


def test_a_fingerprint_outlives_words_and_lines_and_tells_faults_apart(about: About, bare: About) -> None:
    one = fingerprint(about)
    same: list[dict[str, Any]] = [
        {"detail": "in anderen Worten", "observed": "größer"},
        {"evidence": None, "severity": Severity.WARNING},
        {"outcome": Outcome.WAIVED},
    ]
    assert {fingerprint(about, **given) for given in same} | {fingerprint(bare)} == {one}
    others: list[dict[str, Any]] = [{"provider": "другой"}, {"model": "größe/b"}, {"contract": "sse.done"}]
    assert len({one, *(fingerprint(about, **given) for given in others)}) == 4


def test_of_more_results_than_are_taken_the_worst_are_told_and_the_rest_counted(bare: About) -> None:
    many = [finding("reply.id", severity=Severity.INFO) for _ in range(sarif.MAX_RESULTS)]
    log = json.loads(sarif.render_report(report(*many, finding()), bare))
    (run,) = log["runs"]
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert run["results"][0]["ruleId"] == "sse.charset"
    notices = run["invocations"][0]["toolExecutionNotifications"]
    assert notices[0]["message"]["text"] == "1 more results are left out"
