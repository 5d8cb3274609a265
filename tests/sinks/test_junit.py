"""A CI server shows red what the exit status counts, and nothing else."""

from __future__ import annotations

from datetime import timedelta
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from contracts.model import Outcome, Severity
from contracts.report import Report, SharedPoll
from contracts.sinks import junit
from contracts.sinks.about import About
from tests.sinks.conftest import NOON, finding, one_of_each, report


def parsed(what: Report, about: About) -> ET.Element:
    """The document as another reads it."""
    return ET.fromstring(junit.render_report(what, about))  # noqa: S314 - our own output


def tags(what: Report, about: About) -> dict[str, str]:
    """What became of each case, by name."""
    cases = parsed(what, about).iter("testcase")
    return {str(case.get("name")): " ".join(child.tag for child in case) for case in cases}


def test_every_outcome_has_its_own_result(about: About) -> None:
    assert tags(one_of_each(), about) == {
        "sse.charset": "failure",
        "reply.usage": "system-out",
        "reply.id": "system-out",
        "models.resolve [größe/b]": "error",
        "limits.retry-after": "skipped",
        "text.intact": "skipped",
        "sse.done": "",
        "sse.timing": "skipped",
        "sse.framing": "",
    }


def test_a_suite_says_when_another_run_asked(about: About) -> None:
    polled_at = NOON - timedelta(minutes=7)
    root = parsed(structs.replace(one_of_each(), shared=(SharedPoll(provider="größe", polled_at=polled_at),)), about)
    suites = {suite.get("name"): suite for suite in root.iter("testsuite")}
    assert suites["größe"].get("timestamp") == "2026-11-30T11:53:00"
    said = [one.attrib for one in suites["größe"].iterfind("properties/property")]
    assert said == [{"name": "poll", "value": "asked by another run at 2026-11-30 11:53:00Z"}]
    assert suites["größe"][0].tag == "properties"  # where the schemas of CI servers want them
    assert suites["другой"].get("timestamp") == "2026-11-30T12:00:00"
    assert suites["другой"].find("properties") is None


FAIL_ON = [
    ("unknown", 1, "failure", "system-out", "error"),
    ("unknown", 3, "failure", "system-out", "error"),
    ("unknown", 0, "failure", "system-out", "skipped"),  # as of a pending row
    ("violation", 1, "failure", "system-out", "skipped"),
    ("warning", 1, "failure", "failure", "error"),
    ("never", 0, "failure", "system-out", "skipped"),
]


@pytest.mark.parametrize(("fail_on", "status", "error", "warning", "unknown"), FAIL_ON)
def test_what_is_red_is_what_the_exit_status_counts(
    fail_on: str, status: int, error: str, warning: str, unknown: str
) -> None:
    about = About(status=status, fail_on=fail_on, has_rows=False, environ={})
    found = report(
        finding("a.größe"),
        finding("b.größe", severity=Severity.WARNING),
        finding("c.größe", Outcome.UNKNOWN),
        finding("d.größe", Outcome.UNKNOWN, beyond=True),
    )
    assert tags(found, about) == {"a.größe": error, "b.größe": warning, "c.größe": unknown, "d.größe": "skipped"}


def test_a_suite_is_a_provider_and_counts_its_cases(about: About) -> None:
    root = parsed(one_of_each(), about)
    assert {s.get("name"): (s.get("tests"), s.get("failures"), s.get("errors"), s.get("skipped")) for s in root} == {
        "größe": ("8", "1", "1", "3"),
        "другой": ("1", "0", "0", "0"),
    }
    assert (root.get("tests"), root.get("failures"), root.get("time")) == ("9", "1", "1.500")


def test_a_failure_says_what_a_person_needs_and_where_the_row_is(about: About) -> None:
    (case,) = parsed(report(finding("sse.done", observed="größer")), about).iter("testcase")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == "was 报告: sse.done; expected charset=utf-8; observed größer"
    assert failure.get("type") == "sse.done"
    assert "where: recorded größe.http#0" in str(failure.text)
    assert (case.get("file"), case.get("line")) == ("zeilen, alle.yaml", "8")


def test_what_was_skipped_says_why(about: About) -> None:
    messages = [str(s.get("message")) for s in parsed(one_of_each(), about).iter("skipped")]
    assert [message.partition(":")[0] for message in messages] == ["unknown", "waived", "not-applicable"]
    assert "waived until 2027-03-01 by Bär: weiß ich — 已知" in messages[1]


def test_no_findings_are_a_document_too(bare: About) -> None:
    assert parsed(report(), bare).get("tests") == "0"
