"""Metrics for node_exporter's textfile collector: `-o prometheus=DIR` writes a `.prom` file for each provider.

https://github.com/prometheus/node_exporter#textfile-collector (read 2026-11-30): files are put in place whole, carry no
timestamps, and no series may stand in two of them, so every series here names its provider. A folder of files outlives
its writer: alert on the age of `contracts_last_run_timestamp_seconds` first.

What a file counts up or remembers (spend, the last success) is carried over from the file that it replaces.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.errors import ConfigError
from contracts.model import Finding, Outcome, Scope, Severity
from contracts.report import Report, worst_first
from contracts.sinks.about import About
from contracts.sinks.wording import subject_of
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from prometheus_client import Metric

MODE = 0o644  # the collector runs as another user
LONGEST_NAME = 200  # bytes of a file's name; file systems end at 255
DEGRADED = ".degraded"
LAST_SUCCESS = "contracts_last_success_timestamp_seconds"
SPEND = "contracts_spend_usd_total"
MANGLED = "contracts_mangled_output_warnings"


class Subject(Struct, frozen=True, kw_only=True):
    """One provider of a report. `earlier` holds what an earlier file said, by the name of the series."""

    name: str
    findings: tuple[Finding, ...]
    report: Report
    share: int
    earlier: Mapping[str, float] = {}


def render_report(report: Report, about: About) -> bytes:
    """Every provider's metrics in one text; nothing earlier is known here."""
    return _exposed(_subjects(report), about)


def write_report(path: str, report: Report, about: About) -> None:
    """Write one file for each provider into a folder; the file of a provider that was not judged is left as it is.

    Raises:
        ConfigError: when a file cannot be written.
    """
    from msgspec import structs

    from contracts.sinks import whole_file

    for subject in _subjects(report):
        file = os.path.join(path, file_name(subject.name))
        earlier = _earlier(file, subject.name)
        # No series may stand in two files; what real traffic showed says more than one poll.
        without = (MANGLED,) if os.path.exists(degraded_file(file)) else ()
        whole_file.write(file, _exposed([structs.replace(subject, earlier=earlier)], about, without), MODE)


def check_target(path: str) -> None:
    """Refuse a target that is no folder.

    Raises:
        ConfigError: saying what was expected.
    """
    if not os.path.isdir(path):
        raise ConfigError(f"-o prometheus={path}: expected a folder that is there, for a .prom file of each provider")


def file_name(provider: str) -> str:
    """Name a provider's file, so that no two share one and none leads out of the folder."""
    from hashlib import sha256
    from urllib.parse import quote

    name = quote(provider, safe="", errors="surrogatepass")
    if name.endswith(DEGRADED):  # quoting leaves a dot as it is
        name = f"{name.removesuffix(DEGRADED)}%2E{DEGRADED[1:]}"
    if len(name) > LONGEST_NAME:
        name = f"{name[:LONGEST_NAME]}-{sha256(name.encode()).hexdigest()[:16]}"
    return f"{name}.prom"


def degraded_file(path: str) -> str:
    """Name the file beside a provider's that `contracts degraded` writes."""
    return f"{path.removesuffix('.prom')}{DEGRADED}.prom"


def label_of(name: str) -> str:
    """Show a name as the value of a label, so that no two share a series: where it cannot be shown, with its digest."""
    from hashlib import sha256

    shown = scrub(name)
    return shown if shown == name else f"{shown}~{sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"


def _subjects(report: Report) -> list[Subject]:
    groups: dict[str, list[Finding]] = {}
    for finding in worst_first(report.findings):
        groups.setdefault(subject_of(finding), []).append(finding)
    return [
        Subject(name=name, findings=tuple(group), report=report, share=len(groups))
        for name, group in sorted(groups.items())
    ]


def _exposed(subjects: list[Subject], about: About, without: tuple[str, ...] = ()) -> bytes:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.registry import Collector

    class Found(Collector):
        """What was found, as the library asks for it."""

        def collect(self) -> Iterator[Metric]:
            yield from (family for family in _metrics(subjects, about) if family.name not in without)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Found())
    return generate_latest(registry)


def _metrics(subjects: list[Subject], about: About) -> Iterator[Metric]:
    from prometheus_client import Metric

    for name, (kind, text) in _FAMILIES.items():
        # The library writes the samples of a counter with the suffix that their family must not have.
        family = Metric(name.removesuffix("_total"), text, kind)
        for subject in subjects:
            for labels, value in _samples(name, subject, about):
                shown = {key: label_of(label) for key, label in labels.items()}
                family.add_sample(name, {"provider": label_of(subject.name), **shown}, value)
        if family.samples:
            yield family


_FAMILIES = {
    "contracts_check_success": ("gauge", "1 if a contract holds or is waived, 0 if it is violated or unknown."),
    "contracts_check_state": ("gauge", "1 for the state that a contract is in, the worst of its models; else 0."),
    "contracts_check_duration_seconds": ("gauge", "How long the run took in which the provider was judged."),
    "contracts_last_run_timestamp_seconds": ("gauge", "When the provider was judged last."),
    LAST_SUCCESS: ("gauge", "When the provider was judged last and all that is required of it held."),
    SPEND: ("counter", "Money that was spent on judging the provider; of a run of several, an equal share."),
    "contracts_waiver_expiry_timestamp_seconds": ("gauge", "When a waiver ends."),
    "contracts_build_info": ("gauge", "The version that judged."),
    MANGLED: ("gauge", "Findings of damaged text in the last run that are not of our own doing."),
}

_Samples = Iterator[tuple[dict[str, str], float]]


def _samples(name: str, subject: Subject, about: About) -> _Samples:
    report = subject.report
    ended_at = report.started_at.timestamp() + report.duration_ms / 1000
    match name:
        case "contracts_check_success":
            yield from _successes(subject)
        case "contracts_check_state":
            yield from _states(subject)
        case "contracts_check_duration_seconds":
            yield {}, report.duration_ms / 1000
        case "contracts_last_run_timestamp_seconds":
            yield {}, ended_at
        case "contracts_last_success_timestamp_seconds":
            last = ended_at if _succeeded(subject, about) else subject.earlier.get(LAST_SUCCESS)
            yield from () if last is None else (({}, last),)
        case "contracts_spend_usd_total":
            yield {}, subject.earlier.get(SPEND, 0.0) + float(report.spend_usd / subject.share)
        case "contracts_waiver_expiry_timestamp_seconds":
            yield from _expiries(subject, about)
        case "contracts_build_info":
            yield {"version": report.tool.version}, 1.0
        case _:
            damaged = [f for f in subject.findings if f.contract.startswith("text.") and f.outcome is Outcome.VIOLATED]
            yield {}, float(sum(f.scope is not Scope.PIPELINE for f in damaged))  # what we damaged is no alert on it


def _successes(subject: Subject) -> _Samples:
    for contract, outcome in _worst(subject).items():
        if outcome is not Outcome.NOT_APPLICABLE:
            yield {"contract": contract}, float(outcome in (Outcome.HOLDS, Outcome.WAIVED))


def _states(subject: Subject) -> _Samples:
    for contract, outcome in _worst(subject).items():
        for state in Outcome:
            yield {"contract": contract, "state": state.value}, float(state is outcome)


def _worst(subject: Subject) -> dict[str, Outcome]:
    """The worst outcome of each contract; findings come worst first."""
    outcomes: dict[str, Outcome] = {}
    for finding in subject.findings:
        outcomes.setdefault(finding.contract, finding.outcome)
    return dict(sorted(outcomes.items()))


def _succeeded(subject: Subject, about: About) -> bool:
    """Tell whether something was judged and nothing required is violated or unknown.

    What no source in use can show is not required.
    """
    judged = any(f.outcome in (Outcome.HOLDS, Outcome.WAIVED) for f in subject.findings)
    ended_well = about.status == 0 and about.fail_on in ("unknown", "warning")
    faults = (Outcome.VIOLATED,) if ended_well else (Outcome.VIOLATED, Outcome.UNKNOWN)
    required = (f for f in subject.findings if f.severity is Severity.ERROR and not f.beyond)
    return judged and not any(f.outcome in faults for f in required)


def _expiries(subject: Subject, about: About) -> _Samples:
    """Each waiver of the row, and those that findings name; a waiver ends when its last day has, in UTC."""
    last: dict[tuple[str, str, str], date] = {}
    waivers = [(w.contract, w.model, w.observed, w.until) for w in about.waivers(subject.name)]
    used = [(f.contract, f.model, None, f.waiver.until) for f in subject.findings if f.waiver is not None]
    told = {contract for contract, *_ in waivers}
    for contract, model, observed, until in (*waivers, *(u for u in used if u[0] not in told)):
        key = (contract, model or "", observed or "")
        last[key] = max(until, last.get(key, until))  # an extended waiver may stand beside the old one
    ends: dict[tuple[str, str], datetime] = {}
    for (contract, model, _), day in last.items():
        end = datetime.combine(day, time(), UTC) + timedelta(days=1)
        ends[contract, model] = min(end, ends.get((contract, model), end))  # of those about different faults
    for (contract, model), end in sorted(ends.items()):
        yield {"contract": contract, "model": model}, end.timestamp()


def _earlier(path: str, provider: str) -> dict[str, float]:
    """What a file of this program said of a provider; nothing where there is none that can be read."""
    from prometheus_client.parser import text_string_to_metric_families

    try:
        with open(path, encoding="utf-8") as file:
            families = list(text_string_to_metric_families(file.read()))
    except (OSError, ValueError):
        return {}
    samples = [s for f in families for s in f.samples if s.labels == {"provider": label_of(provider)}]
    return {s.name: s.value for s in samples if s.name in (LAST_SUCCESS, SPEND) and 0 <= s.value < float("inf")}
