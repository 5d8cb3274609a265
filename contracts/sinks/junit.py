"""JUnit XML, for CI servers that show tests: a suite for each provider, a case for each finding.

The schema that CI servers read is nowhere standardized; the members used here are those that all of them know
(https://github.com/testmoapp/junitxml, read 2026-11-30). A violated error is a failure. What could not be judged is an
error where the exit status counts it, else it is skipped, as what is waived or not applicable is. A violated warning is
a case that passed and says so, unless `--fail-on warning` counts it: a build must not be red whose exit status is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.model import Finding, Outcome, StaleWaiver
from contracts.report import Report, worst_first
from contracts.sinks.about import About
from contracts.sinks.wording import explained, placed, shared, stale, subject_of, title_of
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LIMIT = 2_000  # characters of one text: CI servers show more in no view
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render_report(report: Report, about: About) -> bytes:
    """The report as one document in UTF-8."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    root = Element("testsuites", name="contracts")
    suites: dict[str, Element] = {}
    polled = {_shown(one.provider): one.polled_at for one in report.shared}
    for finding in worst_first(report.findings):
        subject = _shown(subject_of(finding))
        if subject not in suites:
            suites[subject] = SubElement(root, "testsuite", name=subject)
            suites[subject].set("timestamp", f"{polled.get(subject, report.started_at):%Y-%m-%dT%H:%M:%S}")
            if subject in polled:
                properties = SubElement(suites[subject], "properties")
                SubElement(properties, "property", name="poll", value=shared(polled[subject]))
        _add_case(suites[subject], subject, finding, about)
    for waiver in report.stale_waivers:
        subject = _shown(waiver.provider)
        if subject in suites:  # a stale waiver's contract was judged
            _add_waiver(suites[subject], subject, waiver, about)
    for element in (*suites.values(), root):
        _count(element)
    root.set("time", f"{report.duration_ms / 1000:.3f}")
    indent(root)
    data: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _add_case(suite: Element, subject: str, finding: Finding, about: About) -> None:
    from xml.etree.ElementTree import SubElement

    case = SubElement(suite, "testcase", name=_shown(title_of(finding)), classname=subject)
    spot = about.spot(finding)
    if spot is not None:
        case.set("file", _shown(about.relative(spot.path) or spot.path))
        if spot.line is not None:
            case.set("line", str(spot.line))
    tag = _tag(finding, about)
    if tag is not None:
        message = explained(finding) if tag != "skipped" else f"{finding.outcome}: {explained(finding)}"
        result = SubElement(case, tag, message=_shown(message))
        if tag != "skipped":
            result.set("type", finding.contract)
            result.text = "\n".join(_facts(finding))
    elif finding.outcome is Outcome.VIOLATED:
        SubElement(case, "system-out").text = f"{finding.severity}: {_shown(explained(finding))}"


def _add_waiver(suite: Element, subject: str, waiver: StaleWaiver, about: About) -> None:
    from xml.etree.ElementTree import SubElement

    name = f"waiver of {waiver.contract}" + ("" if waiver.model is None else f" [{waiver.model}]")
    case = SubElement(suite, "testcase", name=_shown(name), classname=subject)
    if about.counts_stale():
        SubElement(case, "failure", message=_shown(stale(waiver)), type="waiver")
    else:
        SubElement(case, "system-out").text = f"warning: {_shown(stale(waiver))}"


def _tag(finding: Finding, about: About) -> str | None:
    match finding.outcome:
        case Outcome.HOLDS:
            return None
        case Outcome.VIOLATED:
            return "failure" if about.counts(finding) else None
        case Outcome.UNKNOWN:
            return "error" if about.counts(finding) else "skipped"
        case _:
            return "skipped"


def _facts(finding: Finding) -> list[str]:
    """What a person reads below the message, a line each."""
    rows = (
        ("scope", finding.scope.value),
        ("severity", finding.severity.value),
        ("expected", finding.expected),
        ("observed", finding.observed),
        ("reason", finding.reason),
        ("where", placed(finding)),
    )
    return [f"{name}: {_shown(value)}" for name, value in rows if value]


def _count(element: Element) -> None:
    element.set("tests", str(len(element.findall(".//testcase"))))
    for tag, name in _COUNTED.items():
        element.set(name, str(len(element.findall(f".//testcase/{tag}"))))


def _shown(text: str) -> str:
    """Leave only characters of XML 1.0: what is printable is one, and scrub writes the others as escapes."""
    return scrub(text, limit=LIMIT)
