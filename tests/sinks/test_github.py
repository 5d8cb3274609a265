"""GitHub shows ten annotations of a level, and a summary of a mebibyte: the worst come first, the rest is counted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import ConfigError
from contracts.model import Outcome, Severity
from contracts.report import Report
from contracts.sinks import github, markdown
from contracts.sinks.about import About
from tests.sinks.conftest import ROWS, finding, one_of_each, report
from tests.sinks.readers import commands, read_markdown


def annotated(what: Report, about: About) -> list[tuple[str, dict[str, str], str]]:
    """What the runner makes of the output."""
    return list(commands(github.render_report(what, about)))


def test_a_level_is_the_severity_and_an_unknown_is_no_error(about: About) -> None:
    found = [(level, properties["title"]) for level, properties, _ in annotated(one_of_each(), about)]
    assert found == [
        ("error", "größe: sse.charset"),
        ("warning", "größe: reply.usage"),
        ("warning", "größe: models.resolve [größe/b] (unknown)"),
        ("notice", "größe: reply.id"),
        ("notice", "größe: limits.retry-after (unknown)"),
    ]


def test_an_annotation_stands_at_the_row_and_says_where_in_the_evidence(about: About) -> None:
    ((_, properties, text),) = annotated(report(finding(model="größe/b")), about)
    assert (properties["file"], properties["line"], properties["col"]) == ("zeilen, alle.yaml", "6", "23")
    assert text == "was 报告: sse.charset; expected charset=utf-8 (recorded größe.http#0)"


def test_escapes_are_those_of_the_runner(about: About) -> None:
    data = github.render_report(report(finding(provider="größe", detail="100 % böse, so: a")), about).decode()
    assert data.startswith(
        "::error file=zeilen%2C alle.yaml,line=4,col=3,title=größe%3A sse.charset::100 %25 böse, so: a;"
    )


def test_a_file_outside_the_checkout_is_not_named(rows: Path, tmp_path: Path) -> None:
    about = About(config=str(rows), environ={}, root=str(tmp_path / "anderswo"))
    ((_, properties, _),) = annotated(report(finding()), about)
    assert set(properties) == {"title"}


def test_paths_are_told_from_the_checkout_of_the_workflow(rows: Path) -> None:
    about = About(config=str(rows), environ={"GITHUB_WORKSPACE": str(rows.parent.parent)})
    ((_, properties, _),) = annotated(report(finding()), about)
    assert properties["file"] == f"{rows.parent.name}/zeilen, alle.yaml"


COUNTED = [(10, 10, None), (11, 10, "1 more of level error"), (300, 10, "290 more of level error")]


@pytest.mark.parametrize(("count", "shown", "more"), COUNTED)
def test_ten_of_a_level_are_annotated_and_the_rest_counted(
    bare: About, count: int, shown: int, more: str | None
) -> None:
    findings = [finding(model=f"größe/{n}") for n in range(count)]
    what = report(finding("reply.usage", severity=Severity.WARNING), *findings)
    data = github.render_report(what, bare)
    assert [level for level, _, _ in commands(data)] == ["error"] * shown + ["warning"]
    plain = [line for line in data.decode().splitlines() if not line.startswith("::")]
    assert plain == ([] if more is None else [more])


def test_within_a_level_the_violated_come_before_the_unknown(bare: About) -> None:
    unknown = [finding("models.resolve", Outcome.UNKNOWN, model=f"größe/{n}") for n in range(10)]
    what = report(*unknown, finding("sse.done", severity=Severity.WARNING))
    assert annotated(what, bare)[0][1]["title"] == "größe: sse.done"


def summary(path: Path, **variables: str) -> About:
    """A run in a step whose summary is this file."""
    return About(has_rows=False, environ={"GITHUB_STEP_SUMMARY": str(path), **variables})


def test_the_summary_is_added_to_what_the_step_wrote(tmp_path: Path) -> None:
    path = tmp_path / "größe.md"
    path.write_text("vorher\n\n", encoding="utf-8")
    github.accompany(one_of_each(), summary(path))
    text = path.read_text(encoding="utf-8")
    assert text.startswith("vorher\n\n# Contracts\n")
    assert len(read_markdown(text.encode())) == 6


def test_without_a_summary_to_write_nothing_is_written(tmp_path: Path) -> None:
    github.accompany(one_of_each(), About(environ={}, root=str(tmp_path)))
    assert os.listdir(tmp_path) == []


def test_a_summary_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nirgends/a\.md: expected a file for the summary \(GITHUB_STEP_SUMMARY\)"):
        github.accompany(one_of_each(), summary(tmp_path / "nirgends" / "a.md"))


def many() -> Report:
    """More than a summary holds."""
    return report(*(finding(model=f"größe/{n}", detail="é" * 400) for n in range(1_500)))


@pytest.mark.parametrize("before", [0, 1, 1_000_000, (1 << 20) - 10, 1 << 20, 2 << 20])
def test_a_summary_never_grows_beyond_its_limit(tmp_path: Path, before: int) -> None:
    path = tmp_path / "größe.md"
    path.write_bytes(b" " * before)
    github.accompany(many(), summary(path))
    assert path.stat().st_size <= max(before, 1 << 20)


def test_a_long_summary_keeps_whole_rows_and_says_how_many_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "größe.md"
    github.accompany(many(), summary(path))
    data = path.read_bytes()
    told = len(read_markdown(data))
    assert 0 < told < 1_500
    assert data.endswith(f"\n{1_500 - told} more lines are left out.\n".encode())
    assert markdown.render(many(), None).startswith(data.rpartition(b"\n\n")[0])


def test_a_row_is_annotated_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "проект"
    folder.mkdir()
    (folder / "providers.yaml").write_text(ROWS, encoding="utf-8")
    about = About(config=str(folder / "providers.yaml"), environ={}, root=str(tmp_path))
    ((_, properties, _),) = annotated(report(finding()), about)
    given: dict[str, Any] = {"file": "проект/providers.yaml", "line": "4", "col": "3"}
    assert properties == {**given, "title": "größe: sse.charset"}
