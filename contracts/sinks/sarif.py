"""SARIF 2.1.0, for code scanning: rules are contracts, results are violations at their place in the providers file.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html (read 2026-11-30).
A file has one run, of the twenty that GitHub takes. A waived violation is a result that is suppressed. What could not
be judged is no result, since viewers show every result as a fault: it is a notification of the invocation.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec

from contracts import __version__
from contracts.model import Finding, Outcome, Severity, StaleWaiver
from contracts.report import Report, worst_first
from contracts.sinks.about import About, Spot
from contracts.sinks.wording import explained, headline, placed, stale, subject_of
from contracts.text.scrub import scrub

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LIMIT = 1_000  # characters of a message
MAX_RESULTS = 25_000  # that GitHub takes of one run
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def render_report(report: Report, about: About) -> bytes:
    """The report as one SARIF log in UTF-8."""
    findings = worst_first(report.findings)
    ids = sorted({f.contract for f in findings})
    index = {contract_id: number for number, contract_id in enumerate(ids)}
    faults = [f for f in findings if f.outcome in (Outcome.VIOLATED, Outcome.WAIVED)]
    notices = [_notification(f, index, about) for f in findings if f.outcome is Outcome.UNKNOWN]
    notices += [_stale(waiver, about) for waiver in report.stale_waivers]
    if len(faults) > MAX_RESULTS:
        text = f"{len(faults) - MAX_RESULTS} more results are left out"
        notices.insert(0, {"level": "warning", "message": {"text": text}})
    run = {
        "tool": {
            "driver": {
                "name": "provider-contracts",
                "semanticVersion": __version__,
                "rules": [_rule(contract_id, about) for contract_id in ids],
            }
        },
        "automationDetails": {"id": "contracts/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "exitCode": about.status,
                "startTimeUtc": f"{report.started_at:%Y-%m-%dT%H:%M:%SZ}",
                "toolExecutionNotifications": notices,
            }
        ],
        "results": [_result(f, index, about) for f in faults[:MAX_RESULTS]],
    }
    return msgspec.json.encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + b"\n"


def _rule(contract_id: str, about: About) -> dict[str, Any]:
    contract = about.contract(contract_id)
    if contract is None:
        return {"id": _shown(contract_id)}
    source = f"{contract.source.url} (read {contract.source.read})"
    rule: dict[str, Any] = {
        "id": contract.id,
        "shortDescription": {"text": _shown(contract.promise)},
        "fullDescription": {"text": _shown(contract.why)},
        "help": {"text": _shown(f"{contract.why}. {contract.note or contract.promise}. Source: {source}")},
        "defaultConfiguration": {"level": _LEVELS[contract.severity]},
        "properties": {"tags": [contract.basis, contract.scope.value], "source": _shown(source)},
    }
    if contract.source.url.isascii() and contract.source.url.startswith(("https://", "http://")):
        rule["helpUri"] = _shown(contract.source.url)
    return rule


def _result(finding: Finding, index: dict[str, int], about: About) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": _shown(finding.contract),
        "ruleIndex": index[finding.contract],
        "kind": "fail",
        "level": _LEVELS[finding.severity],
        "message": {"text": _shown(_told(finding))},
        "partialFingerprints": {"contracts/v1": _fingerprint(finding)},
        "properties": {
            "scope": finding.scope.value,
            "outcome": finding.outcome.value,
            "where": _shown(placed(finding)),
        },
    }
    written = about.contract_spot(finding.contract)
    spot = about.spot(finding) or written  # GitHub refuses a result that is nowhere
    if spot is not None:
        result["locations"] = [_location(spot, about)]
    if written is not None and about.relative(written.path) is not None:
        result["relatedLocations"] = [
            {"id": 1, "message": {"text": "the contract"}, **_location(written, about)},
        ]
    if finding.waiver is not None:
        because = _shown(f"{finding.waiver.because} ({finding.waiver.owner}, until {finding.waiver.until})")
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": because}]
    return result


def _notification(finding: Finding, index: dict[str, int], about: About) -> dict[str, Any]:
    notification: dict[str, Any] = {
        "level": "warning" if about.counts(finding) else "note",
        "message": {"text": _shown(f"unknown: {_told(finding)}")},
        "associatedRule": {"id": _shown(finding.contract), "index": index[finding.contract]},
    }
    spot = about.spot(finding)
    if spot is not None:
        notification["locations"] = [_location(spot, about)]
    return notification


def _stale(waiver: StaleWaiver, about: About) -> dict[str, Any]:
    spot = about.waivers_spot(waiver.provider)
    return {
        "level": "error" if about.counts_stale() else "warning",
        "message": {"text": _shown(stale(waiver))},
        "locations": [] if spot is None else [_location(spot, about)],
    }


def _told(finding: Finding) -> str:
    return f"{headline(finding)}: {explained(finding)}"


def _location(spot: Spot, about: About) -> dict[str, Any]:
    from urllib.parse import quote

    inside = about.relative(spot.path)
    artifact = (
        {"uri": f"file://{quote(os.fsencode(spot.path))}"}
        if inside is None
        # A colon in the first segment would read as a scheme, so it is quoted as well.
        else {"uri": quote(os.fsencode(inside)), "uriBaseId": "%SRCROOT%"}
    )
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if spot.line is not None:
        physical["region"] = {"startLine": spot.line, "startColumn": spot.column or 1}
    return {"physicalLocation": physical}


def _fingerprint(finding: Finding) -> str:
    """The same for the same fault in every run: neither the words nor the line are in it."""
    from hashlib import sha256

    parts = (subject_of(finding), finding.model or "", finding.contract)
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _shown(text: str) -> str:
    return scrub(text, limit=LIMIT)
