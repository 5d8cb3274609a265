"""What no source in use can show is marked, so that every format can tell it from what had to be judged and was not."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

from contracts.model import Outcome
from contracts.sinks import junit, markdown, prometheus
from contracts.sinks.about import About
from contracts.testing import HostileProvider
from tests.live.conftest import Check, row

Provider = Callable[..., HostileProvider]


def test_a_chat_that_the_row_does_not_allow_is_beyond_and_a_listing_that_is_not_given_is_not(
    hostile_provider: Provider, check: Check
) -> None:
    rows = {
        "cafe": row(hostile_provider("declared"), free_chats_per_day=0),
        "groesser": row(hostile_provider("declared", "listing:close-at-once")),
    }
    checked = check(rows)
    unknown = {(f.provider, f.contract): f.beyond for f in checked.report.findings if f.outcome is Outcome.UNKNOWN}
    assert (checked.status, unknown["cafe", "sse.charset"], unknown["groesser", "models.shape"]) == (3, True, False)
    assert not [f for f in checked.report.findings if f.beyond and f.outcome is not Outcome.UNKNOWN]
    about = About(status=3, has_rows=False, environ={})
    cases = ET.fromstring(junit.render_report(checked.report, about)).iter("testcase")  # noqa: S314 - our own output
    became = {(case.get("classname"), case.get("name")): [child.tag for child in case] for case in cases}
    assert became["cafe", "sse.charset"] == ["skipped"]
    assert became["groesser", "models.shape"] == ["error"]
    lines = prometheus.render_report(checked.report, about).decode().splitlines()
    succeeded = [line for line in lines if line.startswith("contracts_last_success_timestamp_seconds{")]
    assert [line.partition("} ")[0] for line in succeeded] == [
        'contracts_last_success_timestamp_seconds{provider="cafe"'
    ]
    told = markdown.render_report(checked.report, about).decode()
    assert "| unknown (not required) | sse.charset" in told
    assert "| unknown | models.shape" in told
