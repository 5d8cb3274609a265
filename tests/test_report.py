"""The report counts what was found, the note says the worst first, and both are as published."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from contracts.model import EvidenceRef, Finding, Novelty, Outcome, Scope, Severity, Source, Where
from contracts.report import (
    SCHEMA,
    Report,
    encode,
    status_of,
    summarize,
    worst_first,
    write_note,
)
from tools import schemas

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
EVENING = datetime(2026, 11, 30, 18, tzinfo=UTC)


def finding(contract: str, outcome: Outcome, severity: Severity = Severity.ERROR, **given: Any) -> Finding:
    """A finding of the provider `größe`, with what a case is not about filled in."""
    filled: dict[str, Any] = {
        "provider": "größe",
        "model": None,
        "scope": Scope.PROVIDER,
        "expected": None,
        "observed": None,
        "detail": f"{contract}: was 报告",
        "reason": None,
        "where": Where(),
        "evidence": EvidenceRef(source=Source.RECORDED, ref="a.http#0", at=NOON),
    }
    return Finding(contract=contract, outcome=outcome, severity=severity, **{**filled, **given})


HOLDS = finding("sse.done", Outcome.HOLDS)
VIOLATED = finding("sse.charset", Outcome.VIOLATED)
WARNING = finding("reply.usage", Outcome.VIOLATED, Severity.WARNING)
UNKNOWN = finding("models.resolve", Outcome.UNKNOWN, reason="no listing")
WAIVED = finding("text.intact", Outcome.WAIVED)
NOT_APPLICABLE = finding("sse.timing", Outcome.NOT_APPLICABLE)

STATUSES = [
    ([], "unknown", None),
    ([NOT_APPLICABLE], "unknown", None),
    ([HOLDS, NOT_APPLICABLE], "holds", None),
    ([HOLDS, WAIVED], "waived", Severity.ERROR),
    ([HOLDS, WAIVED, UNKNOWN], "unknown", Severity.ERROR),
    ([UNKNOWN, WARNING], "violated", Severity.WARNING),
    ([WARNING, VIOLATED, UNKNOWN], "violated", Severity.ERROR),
]


@pytest.mark.parametrize(("findings", "status", "severity"), STATUSES)
def test_a_status_is_the_worst_outcome(findings: list[Finding], status: str, severity: Severity | None) -> None:
    assert status_of(findings) == (status, severity)


def test_worst_comes_first_whatever_the_order_was() -> None:
    ordered = [VIOLATED, WARNING, UNKNOWN, WAIVED, HOLDS, NOT_APPLICABLE]
    assert worst_first(reversed(ordered)) == ordered


def test_a_summary_counts_each_outcome_under_its_own_name() -> None:
    counted = summarize([VIOLATED, WARNING, UNKNOWN, NOT_APPLICABLE, NOT_APPLICABLE])
    assert msgspec.json.encode(counted) == (b'{"holds":0,"violated":2,"unknown":1,"waived":0,"not-applicable":2}')


def test_a_note_says_the_texts_of_the_violated_worst_first_and_each_once() -> None:
    again = finding("sse.charset", Outcome.VIOLATED, model="m/größer")
    note = write_note(
        "größe",
        [WARNING, HOLDS, UNKNOWN, again, VIOLATED],
        {"sse.charset": "decode as UTF-8, jamais autrement", "models.resolve": "not said: it is not violated"},
        replay=True,
    )
    assert note.line == "decode as UTF-8, jamais autrement; reply.usage: was 报告"
    assert [told.contract for told in note.contracts] == ["sse.charset", "sse.charset", "reply.usage", "models.resolve"]
    assert note.replay
    assert not note.synthetic


def test_a_note_tells_what_was_violated_when_it_was_last_judged() -> None:
    since = Novelty(state="ongoing", since=EVENING, polls=3)
    texts = {"models.resolve": "décode — 解码"}
    note = write_note("größe", [HOLDS, msgspec.structs.replace(UNKNOWN, novelty=since)], texts, replay=False)
    assert (note.status, note.line) == ("unknown", "décode — 解码")
    fixed = msgspec.structs.replace(HOLDS, novelty=Novelty(state="fixed", since=EVENING, polls=3))
    assert write_note("größe", [fixed], {"sse.done": "nie"}, replay=False).line == ""


def test_a_note_names_its_evidence_and_the_latest_instant() -> None:
    played = finding("sse.done", Outcome.HOLDS, evidence=EvidenceRef(source=Source.SYNTHETIC, ref="b", at=EVENING))
    undated = finding("reply.id", Outcome.HOLDS, evidence=EvidenceRef(source=Source.SYNTHETIC, ref="c"))
    note = write_note("größe", [HOLDS, played, undated], {}, replay=False)
    assert (note.at, note.sources, note.synthetic) == (EVENING, (Source.RECORDED, Source.SYNTHETIC), True)
    assert (note.status, note.line, note.contracts) == ("holds", "", ())


def report(*findings: Finding) -> Report:
    """A report with these findings and one note."""
    return Report(
        started_at=NOON,
        duration_ms=8,
        summary=summarize(findings),
        findings=findings,
        notes=(write_note("größe", findings, {}, replay=True),),
    )


def test_an_unpaired_surrogate_in_a_model_id_does_not_keep_the_report_from_being_written() -> None:
    odd = finding("reply.model", Outcome.VIOLATED, model="größe\ud83d", expected="größe\ud83d")
    document = msgspec.json.decode(encode(report(odd, VIOLATED)))
    assert [f["model"] for f in document["findings"]] == ["größe?", None]
    assert document["findings"][0]["detail"] == "reply.model: was 报告"


def test_the_members_stand_in_the_published_order() -> None:
    document = msgspec.json.decode(encode(report(VIOLATED)))
    assert list(document) == [
        "schema", "tool", "started_at", "duration_ms", "spend_usd", "requests", "summary", "findings", "notes",
        "stale_waivers", "shared",
    ]  # fmt: skip
    assert list(document["findings"][0]) == [
        "provider", "model", "contract", "outcome", "severity", "scope", "expected", "observed", "detail", "reason",
        "where", "evidence", "new", "waiver", "novelty", "beyond",
    ]  # fmt: skip
    assert document["schema"] == SCHEMA
    assert document["started_at"] == "2026-11-30T12:00:00Z"
    assert document["spend_usd"] == "0"


@pytest.mark.parametrize("name", schemas.PRINTED)
def test_every_published_schema_is_that_of_the_record(name: str) -> None:
    with open(f"{schemas.FOLDER}/{name}.json", "rb") as file:
        assert file.read() == schemas.render(schemas.PRINTED[name]), "make schemas"


def test_the_published_schema_takes_the_report_and_no_other_members() -> None:
    validator = jsonschema_rs.validator_for(schemas.render(Report).decode())
    document = msgspec.json.decode(encode(report(VIOLATED, UNKNOWN, NOT_APPLICABLE)))
    assert validator.is_valid(document)
    for broken in (
        {**document, "surplus": 1},
        {name: value for name, value in document.items() if name != "summary"},
        {**document, "findings": [{**document["findings"][0], "outcome": "fine"}]},
    ):
        assert not validator.is_valid(broken)
