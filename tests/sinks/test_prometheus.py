"""A collector finds for each provider one whole file, in which no series is missing, stale or that of another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from contracts import __version__
from contracts.errors import ConfigError
from contracts.model import Finding, Outcome, Scope, Severity
from contracts.report import Report
from contracts.sinks import prometheus
from contracts.sinks.about import About
from tests.sinks.conftest import NOON, finding, one_of_each, report

ENDED = NOON.timestamp() + 1.5
LAST = "contracts_last_success_timestamp_seconds"
SPEND = "contracts_spend_usd_total"
HOLDS = finding("sse.done", Outcome.HOLDS)
Series = dict[tuple[str, ...], float]


def parsed(data: bytes) -> Series:
    """Each series by its name and the values of its labels in order of their names, without the provider."""
    found: Series = {}
    for family in text_string_to_metric_families(data.decode()):
        assert family.documentation
        assert family.type in ("gauge", "counter")
        for sample in family.samples:
            labels = {name: value for name, value in sample.labels.items() if name != "provider"}
            found[sample.name, *(labels[name] for name in sorted(labels))] = sample.value
    return found


def written(folder: Path, what: Report, about: About, provider: str = "gr%C3%B6%C3%9Fe") -> Series:
    """What stands in the provider's file after a run."""
    prometheus.write_report(str(folder), what, about)
    return parsed((folder / f"{provider}.prom").read_bytes())


def named(series: Series, name: str) -> Series:
    """The series of one name."""
    return {labels[1:]: value for labels, value in series.items() if labels[0] == name}


def test_the_names_are_the_published_ones(tmp_path: Path, about: About) -> None:
    series = written(tmp_path, report(HOLDS), about)
    assert {labels[0] for labels in series} == {
        "contracts_check_success",
        "contracts_check_state",
        "contracts_check_duration_seconds",
        "contracts_last_run_timestamp_seconds",
        "contracts_last_success_timestamp_seconds",
        "contracts_spend_usd_total",
        "contracts_waiver_expiry_timestamp_seconds",
        "contracts_build_info",
        "contracts_mangled_output_warnings",
    }
    assert series["contracts_check_duration_seconds",] == 1.5
    assert series["contracts_last_run_timestamp_seconds",] == ENDED
    assert series["contracts_build_info", __version__] == 1


def test_every_state_is_a_series_and_one_of_them_is_1(tmp_path: Path, about: About) -> None:
    states = named(written(tmp_path, one_of_each(), about), "contracts_check_state")
    assert len(states) == 8 * len(Outcome)
    assert {labels for labels, value in states.items() if value == 1} == {
        ("sse.done", "holds"),
        ("sse.charset", "violated"),
        ("reply.usage", "violated"),
        ("reply.id", "violated"),
        ("models.resolve", "unknown"),
        ("limits.retry-after", "unknown"),
        ("text.intact", "waived"),
        ("sse.timing", "not-applicable"),
    }
    assert set(states.values()) == {0, 1}


def test_success_is_what_holds_or_is_waived_and_says_nothing_of_what_does_not_apply(
    tmp_path: Path, about: About
) -> None:
    success = named(written(tmp_path, one_of_each(), about), "contracts_check_success")
    assert {contract for (contract,), value in success.items() if value == 1} == {"sse.done", "text.intact"}
    assert ("sse.timing",) not in success
    assert len(success) == 7


def test_of_several_models_the_worst_decides(tmp_path: Path, about: About) -> None:
    what = report(*(finding("models.resolve", o, model=o) for o in (Outcome.HOLDS, Outcome.VIOLATED, Outcome.UNKNOWN)))
    series = written(tmp_path, what, about)
    assert series["contracts_check_success", "models.resolve"] == 0
    assert series["contracts_check_state", "models.resolve", "violated"] == 1


def test_a_provider_has_a_file_of_its_own_that_anybody_may_read(tmp_path: Path, about: About) -> None:
    umask = os.umask(0o077)
    try:
        prometheus.write_report(str(tmp_path), one_of_each(), about)
    finally:
        os.umask(umask)
    files = [path for path in sorted(tmp_path.iterdir()) if path.suffix != ".yaml"]
    assert [path.name for path in files] == ["%D0%B4%D1%80%D1%83%D0%B3%D0%BE%D0%B9.prom", "gr%C3%B6%C3%9Fe.prom"]
    assert [path.stat().st_mode & 0o777 for path in files] == [0o644, 0o644]


def test_no_series_stands_in_two_files(tmp_path: Path, about: About) -> None:
    prometheus.write_report(str(tmp_path), one_of_each(), about)
    series: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    for path in tmp_path.glob("*.prom"):
        for family in text_string_to_metric_families(path.read_text(encoding="utf-8")):
            series += [(s.name, tuple(sorted(s.labels.items()))) for s in family.samples]
    assert len(series) == len(set(series))
    assert all(dict(labels).get("provider") in ("größe", "другой") for _, labels in series)


def test_a_provider_that_was_not_judged_keeps_its_file(tmp_path: Path, about: About) -> None:
    prometheus.write_report(str(tmp_path), one_of_each(), about)
    other = next(tmp_path.glob("%D0*.prom"))
    before = other.stat()
    prometheus.write_report(str(tmp_path), report(HOLDS), about)
    assert (other.stat().st_ino, other.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_is_put_in_place_whole(tmp_path: Path, about: About) -> None:
    written(tmp_path, report(HOLDS), about)
    path = tmp_path / "gr%C3%B6%C3%9Fe.prom"
    with path.open("rb") as reader:  # a collector that is reading keeps what it reads
        inode = path.stat().st_ino
        written(tmp_path, report(finding()), about)
        assert reader.read().endswith(b"\n")
    assert path.stat().st_ino != inode
    assert not list(tmp_path.glob("*.tmp"))


NAMES = [
    "größe",
    "a/b",
    "../../etc/passwd",
    "..",
    ".",
    "a b",
    "a\nb",
    "A",
    "a",
    "%2F",
    "x" * 5_000,
    "x" * 5_001,
    "é" * 300,
    "\x00",
    "\ud800",
]


def test_no_name_leads_out_of_the_folder_or_to_the_file_of_another() -> None:
    files = [prometheus.file_name(name) for name in NAMES]
    assert len(set(files)) == len(NAMES)
    assert all("/" not in file and len(file) <= 255 and file.isascii() and file.endswith(".prom") for file in files)


def test_names_that_are_shown_alike_share_no_series(tmp_path: Path, about: About) -> None:
    alike = ["größe\x1b", "größe\\x1b", "größe" * 200 + "1", "größe" * 200 + "2", "größe\u3000", "größe "]
    findings = [finding("sse.done", Outcome.HOLDS, provider=name) for name in alike]
    findings += [finding("b.c", Outcome.WAIVED, provider=name, model=model) for name in alike for model in alike]
    prometheus.write_report(str(tmp_path), report(*findings), about)
    files = list(tmp_path.glob("*.prom"))
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    series = [line.rpartition(" ")[0] for line in lines]
    assert len(files) == len(alike)
    assert len(series) == len(set(series))
    assert prometheus.label_of("größe") == "größe"


def test_what_is_counted_for_a_name_that_cannot_be_shown_is_carried_over(tmp_path: Path, about: About) -> None:
    what = report(finding("sse.done", Outcome.HOLDS, provider="größe\x1b"), spend_usd=Decimal("0.5"))
    assert written(tmp_path, what, about, "gr%C3%B6%C3%9Fe%1B")[SPEND,] == 0.5
    assert written(tmp_path, what, about, "gr%C3%B6%C3%9Fe%1B")[SPEND,] == 1.0


def test_no_provider_has_the_file_of_what_degraded_another() -> None:
    for name in NAMES:
        beside = prometheus.degraded_file(prometheus.file_name(name))
        assert beside not in {prometheus.file_name(other) for other in (*NAMES, f"{name}.degraded")}


def success(**given: Any) -> Finding:
    """What holds."""
    return finding("reply.error", Outcome.HOLDS, **given)


SUCCEEDED = [
    ("all holds", [success()], 0, True),
    ("waived", [finding("text.intact", Outcome.WAIVED)], 0, True),
    ("a violated warning", [success(), finding("b.c", severity=Severity.WARNING)], 0, True),
    ("violated", [success(), finding()], 1, False),
    ("nothing judged", [finding("b.c", Outcome.NOT_APPLICABLE)], 3, False),
    ("all unknown", [finding("b.c", Outcome.UNKNOWN)], 0, False),
    ("unknown, which the exit status does not count", [success(), finding("b.c", Outcome.UNKNOWN)], 0, True),
    ("unknown", [success(), finding("b.c", Outcome.UNKNOWN)], 3, False),
    ("unknown, which no source can show", [success(), finding("b.c", Outcome.UNKNOWN, beyond=True)], 3, True),
    ("an unknown warning", [success(), finding("b.c", Outcome.UNKNOWN, severity=Severity.WARNING)], 3, True),
]


@pytest.mark.parametrize(
    ("findings", "status", "is_success"), [s[1:] for s in SUCCEEDED], ids=[s[0] for s in SUCCEEDED]
)
def test_the_last_success_is_told_when_it_was_one_and_carried_over_when_not(
    tmp_path: Path, findings: list[Finding], status: int, is_success: bool
) -> None:
    about = About(status=status, has_rows=False, environ={})
    assert ((LAST,) in written(tmp_path, report(*findings), about)) is is_success
    earlier = datetime(2026, 11, 1, tzinfo=UTC)
    well = About(has_rows=False, environ={})
    written(tmp_path, report(success(), started_at=earlier), well)
    series = written(tmp_path, report(*findings), about)
    assert series[LAST,] == (ENDED if is_success else earlier.timestamp() + 1.5)
    assert series["contracts_last_run_timestamp_seconds",] == ENDED


def test_a_run_that_never_fails_does_not_call_an_unknown_a_success(tmp_path: Path) -> None:
    about = About(status=0, fail_on="never", has_rows=False, environ={})
    assert (LAST,) not in written(tmp_path, report(success(), finding("b.c", Outcome.UNKNOWN)), about)


def test_spend_counts_up_over_runs_and_is_shared_by_the_providers_of_a_run(tmp_path: Path, about: About) -> None:
    assert written(tmp_path, report(HOLDS), about)[SPEND,] == 0
    assert written(tmp_path, report(HOLDS, spend_usd=Decimal("0.25")), about)[SPEND,] == 0.25
    both = report(HOLDS, finding(provider="другой"), spend_usd=Decimal("0.5"))
    assert written(tmp_path, both, about)[SPEND,] == 0.5
    assert written(tmp_path, report(HOLDS), about)[SPEND,] == 0.5
    assert prometheus.render_report(both, about).count(b'contracts_spend_usd_total{provider="gr') == 1


GARBAGE = [
    b"",
    b"\xff\xfe\x00",
    b'contracts_spend_usd_total{provider="gr',
    "contracts_spend_usd_total{provider=größe} x\n".encode(),
    'contracts_spend_usd_total{provider="größe"} NaN\n'.encode(),
    'contracts_last_success_timestamp_seconds{provider="größe"} +Inf\n'.encode(),
    'contracts_spend_usd_total{provider="größe"} -5\n'.encode(),
    'contracts_spend_usd_total{provider="другой"} 5\n'.encode(),
    b"{}\n{\n}}\n# TYPE\n# HELP\n#\n",
    "größe größe größe\n".encode(),
]


@pytest.mark.parametrize("before", GARBAGE)
def test_a_file_that_says_nothing_of_the_provider_is_replaced(tmp_path: Path, about: About, before: bytes) -> None:
    (tmp_path / "gr%C3%B6%C3%9Fe.prom").write_bytes(before)
    series = written(tmp_path, report(finding()), about)
    assert series[SPEND,] == 0
    assert (LAST,) not in series


def expiries(series: Series) -> Iterator[tuple[str, str, datetime]]:
    """When each waiver ends, by contract and model."""
    for (contract, model), value in named(series, "contracts_waiver_expiry_timestamp_seconds").items():
        yield contract, model, datetime.fromtimestamp(value, UTC)


def test_a_waiver_ends_with_its_last_day_whether_or_not_it_was_needed(tmp_path: Path, about: About) -> None:
    assert list(expiries(written(tmp_path, report(HOLDS), about))) == [
        ("reply.id", "", datetime(2027, 4, 5, tzinfo=UTC)),  # of two that are about different faults, the first to end
        ("sse.charset", "größe/b", datetime(2028, 1, 1, tzinfo=UTC)),
        ("text.intact", "", datetime(2027, 3, 2, tzinfo=UTC)),
    ]


def test_where_no_rows_were_judged_by_none_are_read(rows: Path) -> None:
    assert len(About(config=str(rows), environ={}).waivers("größe")) == 5
    assert About(config=str(rows), has_rows=False, environ={}).waivers("größe") == ()


def test_a_waiver_that_only_a_finding_names_is_told(tmp_path: Path, bare: About) -> None:
    waived = finding("text.intact", Outcome.WAIVED)
    assert waived.waiver is not None
    end = datetime.combine(waived.waiver.until, datetime.min.time(), UTC) + timedelta(days=1)
    assert list(expiries(written(tmp_path, report(waived), bare))) == [("text.intact", "", end)]


def test_damaged_text_is_counted_and_no_other_fault_is(tmp_path: Path, about: About) -> None:
    damaged = [finding("text.intact", model=f"größe/{n}") for n in range(3)]
    ours = finding("text.intact", model="größe/4", scope=Scope.PIPELINE)
    what = report(*damaged, finding(), finding("text.intact", Outcome.UNKNOWN), ours)
    assert written(tmp_path, what, about)["contracts_mangled_output_warnings",] == 3


def test_a_target_is_a_folder(tmp_path: Path) -> None:
    prometheus.check_target(str(tmp_path))
    with pytest.raises(ConfigError, match=r"-o prometheus=.*größe\.prom: expected a folder that is there"):
        prometheus.check_target(str(tmp_path / "größe.prom"))


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, about: About) -> None:
    (tmp_path / "gr%C3%B6%C3%9Fe.prom").mkdir()
    with pytest.raises(ConfigError, match="expected a file to write"):
        prometheus.write_report(str(tmp_path), report(HOLDS), about)
