"""The text view says the verdict first, shows only what is not in order, and lets no hostile text through."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec import structs

from contracts.model import EvidenceRef, Finding, Novelty, Outcome, Scope, Severity, Source, WaiverRef, Where
from contracts.report import Report, Requests, summarize
from contracts_cli.terminal import columns_of
from contracts_cli.view import View

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def finding(contract: str, outcome: Outcome, severity: Severity = Severity.ERROR, **given: Any) -> Finding:
    """A finding of `größe`, with what a case is not about filled in."""
    filled: dict[str, Any] = {
        "provider": "größe",
        "model": None,
        "scope": Scope.PROVIDER,
        "expected": None,
        "observed": None,
        "detail": "",
        "reason": None,
        "where": Where(),
        "evidence": EvidenceRef(source=Source.RECORDED, ref="a.http#0", at=NOON),
    }
    return Finding(contract=contract, outcome=outcome, severity=severity, **{**filled, **given})


VIOLATED = finding(
    "sse.charset",
    Outcome.VIOLATED,
    detail="text/event-stream declares no charset, and 3 non-ASCII characters came with it",
    expected="charset=utf-8",
    observed="text/event-stream",
    where=Where(header="content-type"),
)
WARNING = finding(
    "reply.usage", Outcome.VIOLATED, Severity.WARNING, detail="no usage — gar keine", where=Where(event=7, byte=1)
)
UNKNOWN = finding("models.resolve", Outcome.UNKNOWN, model="z-ai/größer", reason="no listing was captured")
HOLDS = finding("sse.done", Outcome.HOLDS, detail="the close came once")
NOT_APPLICABLE = finding("sse.timing", Outcome.NOT_APPLICABLE, reason="a capture shows no arrival times", evidence=None)
WAIVED = finding(
    "text.intact", Outcome.WAIVED, waiver=WaiverRef(because="alter Proxy", owner="Router-Team", until=date(2027, 3, 1))
)


NOVELTIES = [
    (VIOLATED, "new", "sse.charset · scope provider · new"),
    (VIOLATED, "ongoing", "sse.charset · scope provider · ongoing since 2026-11-30 12:00Z, 3 polls"),
    (VIOLATED, "flapping", "sse.charset · scope provider · flapping since 2026-11-30 12:00Z, 3 polls"),
    (HOLDS, "fixed", "holds  sse.done · fixed, was violated since 2026-11-30 12:00Z, 3 polls"),
    (
        UNKNOWN,
        "ongoing",
        "model z-ai/größer · violated when it was last judged, since 2026-11-30 12:00Z, 3 polls",
    ),
]


@pytest.mark.parametrize(("found", "state", "line"), NOVELTIES, ids=[f"{f.outcome} {s}" for f, s, _ in NOVELTIES])
def test_what_is_new_is_said(found: Finding, state: Any, line: str) -> None:
    assert line in shown(structs.replace(found, new=False, novelty=Novelty(state=state, since=NOON, polls=3)))


def shown(*findings: Finding, **view: Any) -> str:
    """The view of a report with these findings."""
    report = Report(started_at=NOON, duration_ms=8, summary=summarize(findings), findings=findings)
    return View(**view).render(report)


VERDICTS = [
    ([HOLDS, NOT_APPLICABLE], "größe  holds  1 contract"),
    ([HOLDS, VIOLATED], "größe  violated  1 of 2 contracts"),
    ([HOLDS, WARNING], "größe  warning  1 of 2 contracts violated"),
    ([HOLDS, VIOLATED, UNKNOWN, WAIVED], "größe  violated  1 of 4 contracts · 1 not judged · 1 waived"),
    ([HOLDS, UNKNOWN], "größe  unknown  1 of 2 contracts not judged"),
    ([HOLDS, WAIVED], "größe  waived  1 of 2 contracts waived"),
    ([NOT_APPLICABLE], "größe  unknown  nothing was judged"),
    ([], "nothing was judged"),
]


@pytest.mark.parametrize(("findings", "verdict"), VERDICTS, ids=[verdict for _, verdict in VERDICTS])
def test_the_verdict_is_one_line_and_comes_first(findings: list[Finding], verdict: str) -> None:
    assert shown(*findings).split("\n")[0] == verdict
    assert shown(*findings, quiet=True) == f"{verdict}\n"


def test_only_what_is_not_in_order_is_shown_worst_first() -> None:
    text = shown(HOLDS, NOT_APPLICABLE, WAIVED, UNKNOWN, WARNING, VIOLATED)
    order = [text.index(f.contract) for f in (VIOLATED, WARNING, UNKNOWN, WAIVED)]
    assert order == sorted(order)
    assert "sse.done" not in text
    assert "sse.timing" not in text


def test_everything_is_shown_with_its_reason_to_who_asks() -> None:
    text = shown(HOLDS, NOT_APPLICABLE, verbose=True)
    assert "the close came once" in text
    assert "a capture shows no arrival times" in text


def test_a_violation_says_what_where_whose_and_on_what_evidence() -> None:
    lines = shown(VIOLATED).split("\n")
    assert lines[3:7] == [
        "  violated  sse.charset · scope provider",
        "    text/event-stream declares no charset, and 3 non-ASCII characters came with it",
        "    expected charset=utf-8, observed text/event-stream",
        "    header content-type · recorded a.http#0",
    ]


def test_a_waiver_says_who_until_when_and_why() -> None:
    assert "waived until 2027-03-01 by Router-Team: alter Proxy" in shown(WAIVED)


def test_what_it_cost_to_know_comes_last() -> None:
    other = finding("reply.id", Outcome.HOLDS, evidence=EvidenceRef(source=Source.SYNTHETIC, ref="b"))
    findings = (VIOLATED, HOLDS, other)
    report = Report(
        started_at=NOON,
        duration_ms=8,
        summary=summarize(findings),
        findings=findings,
        requests=Requests(get=2, post_free=1, refused=1),
    )
    last = View().render(report).split("\n")[-2]
    assert last == "evidence 1 recorded, 1 synthetic · requests 2 GET, 1 free POST, 1 refused · spend 0 USD · 8 ms"
    assert shown(HOLDS).split("\n")[-2] == "evidence 1 recorded · requests none · spend 0 USD · 8 ms"


def test_synthetic_evidence_is_named_in_the_verdict_even_when_it_holds() -> None:
    played = finding("sse.done", Outcome.HOLDS, evidence=EvidenceRef(source=Source.SYNTHETIC, ref="b"))
    assert shown(played, quiet=True).endswith(" · synthetic evidence\n")


def test_verdicts_stand_in_columns_whatever_the_script() -> None:
    other = finding("sse.done", Outcome.HOLDS, provider="東京")
    first, second = shown(VIOLATED, other, quiet=True).splitlines()
    assert columns_of(first.partition("violated")[0]) == columns_of(second.partition("holds")[0])


@pytest.mark.parametrize("verbose", [False, True])
def test_every_line_fits_a_narrow_terminal(verbose: bool) -> None:
    text = shown(VIOLATED, WARNING, UNKNOWN, HOLDS, WAIVED, NOT_APPLICABLE, width=40, verbose=verbose)
    assert max(map(columns_of, text.splitlines())) <= 40
    assert "charset=utf-8" in text


def test_a_pipe_gets_one_line_for_each_text() -> None:
    long = finding("reply.error", Outcome.VIOLATED, detail="kein Guthaben — " * 17)
    assert "kein Guthaben — " * 16 in shown(long)


HOSTILE = "\x1b[2J\x1b]0;böse\x07 [bold red]x[/] zeile\nopenrouter  holds\r\u202etxet\u009b31m"
CONTROL = {chr(c) for c in (*range(0x20), *range(0x7F, 0xA0))} - {"\n"} | set("\u202a\u202b\u202d\u202e\u2066\u2067")


@pytest.mark.parametrize(
    "given",
    [
        {"detail": HOSTILE},
        {"reason": HOSTILE},
        {"expected": HOSTILE, "observed": HOSTILE},
        {"model": HOSTILE},
        {"provider": HOSTILE},
        {"evidence": EvidenceRef(source=Source.RECORDED, ref=HOSTILE)},
        {"where": Where(header=HOSTILE)},
        {"waiver": WaiverRef(because=HOSTILE, owner=HOSTILE, until=date(2027, 3, 1))},
    ],
    ids=" ".join,
)
def test_hostile_text_reaches_no_terminal(given: dict[str, Any]) -> None:
    text = shown(finding("reply.error", Outcome.VIOLATED, **given), verbose=True)
    assert not set(text) & CONTROL
    assert not any(line.startswith("openrouter") for line in text.splitlines())


def test_colour_changes_nothing_but_colour() -> None:
    findings = (VIOLATED, WARNING, UNKNOWN, WAIVED)
    coloured = shown(*findings, colour=True, width=60)
    assert "\x1b[31mviolated\x1b[0m" in coloured
    plain = coloured
    for code in ("31", "33", "36", "2", "1", "0"):
        plain = plain.replace(f"\x1b[{code}m", "")
    assert plain == shown(*findings, width=60)


def test_what_could_not_be_judged_for_one_reason_is_told_once() -> None:
    unseen = [
        finding(contract, Outcome.UNKNOWN, reason="größer als erlaubt", detail="größer als erlaubt", evidence=None)
        for contract in ("reply.error", "sse.charset")
    ]
    told = shown(*unseen)
    assert "unknown  reply.error, sse.charset\n" in told
    assert told.count("größer als erlaubt") == 1
