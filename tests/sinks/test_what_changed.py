"""Every format for people says how new a finding is, and which waivers matched nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from msgspec import structs

from contracts.model import Novelty, Outcome
from contracts.report import Report
from contracts.sinks import formats, github, junit, markdown, sarif
from contracts.sinks.about import About
from tests.cli.conftest import ROOT, Program
from tests.cli.conftest import program as program  # noqa: PLC0414 - a fixture
from tests.sinks.conftest import NOON, STALE, finding, report
from tests.sinks.readers import commands, read_markdown
from tests.sinks.test_hostile_text import HOSTILE
from tests.sinks.test_sarif import run_of

ONGOING = Novelty(state="ongoing", since=NOON, polls=3)


@pytest.mark.parametrize("name", ["github", "junit", "markdown", "sarif"])
def test_a_finding_says_how_new_it_is(name: str, about: About) -> None:
    def told(**given: Any) -> str:
        text = formats.render(name, report(finding(**given)), about).decode()
        return text.replace("&#58;", ":").replace("%3A", ":")

    assert "; ongoing since 2026-11-30 12:00Z, 3 polls" in told(novelty=ONGOING)
    assert "; new" in told(novelty=structs.replace(ONGOING, state="new"))
    assert "poll" not in told()


def test_what_was_fixed_is_told_where_it_is_listed(bare: About) -> None:
    fixed = finding("sse.done", Outcome.HOLDS, novelty=structs.replace(ONGOING, state="fixed"))
    (told,) = read_markdown(markdown.render_report(report(fixed, finding("sse.framing", Outcome.HOLDS)), bare))
    assert told.contract == "sse.done"
    assert told.text == "was 报告: sse.done; fixed, was violated since 2026-11-30 12:00Z, 3 polls"


def with_stale(**given: Any) -> Report:
    """A run in which all holds and a waiver matched nothing."""
    stale = structs.replace(STALE, **given)
    return report(finding("text.intact", Outcome.HOLDS, provider=stale.provider), stale_waivers=(stale,))


def strict(about: About) -> About:
    """The same run with --strict-waivers."""
    about.strict_waivers = True
    return about


def test_a_stale_waiver_is_a_warning_and_an_error_where_the_exit_status_counts_it(about: About) -> None:
    ((level, properties, text),) = commands(github.render_report(with_stale(), about))
    assert (level, properties["title"], properties["line"]) == ("warning", "größe: waiver of text.intact", "9")
    assert text.startswith("größe: the waiver of text.intact for model größe/b matched no violation")
    ((level, _, _),) = commands(github.render_report(with_stale(), strict(about)))
    assert level == "error"
    about.fail_on = "never"
    ((level, _, _),) = commands(github.render_report(with_stale(), about))
    assert level == "warning"


def test_code_scanning_is_told_of_a_stale_waiver_beside_the_results(about: About) -> None:
    for is_strict, level in ((False, "warning"), (True, "error")):
        run = run_of(with_stale(), strict(about) if is_strict else about)
        (notice,) = run["invocations"][0]["toolExecutionNotifications"]
        assert notice["level"] == level
        assert notice["locations"][0]["physicalLocation"]["region"]["startLine"] == 9
        assert run["results"] == []


def test_a_stale_waiver_is_a_case_that_fails_only_where_it_counts(about: About) -> None:
    for is_strict, tag in ((False, "system-out"), (True, "failure")):
        data = junit.render_report(with_stale(), strict(about) if is_strict else about)
        root = ET.fromstring(data)  # noqa: S314 - our own output
        (case,) = root.iterfind(".//testcase[@name='waiver of text.intact [größe/b]']")
        assert [child.tag for child in case] == [tag]
        assert root.get("failures") == str(int(is_strict))


def test_the_option_makes_a_stale_waiver_fail(program: Program, tmp_path: Path) -> None:
    waiver = "{contract: reply.usage, because: weiß ich, owner: Bär, until: 2099-01-01}"
    row = f"  neuralwatt:\n    extends: neuralwatt\n    models: [qwen3.6-35b]\n    waivers: [{waiver}]\n"
    (tmp_path / "providers.yaml").write_text(f"version: 1\nproviders:\n{row}", encoding="utf-8")
    arguments = ["check", f"--replay={ROOT}/cassettes", "-f", "junit"]
    for more, failures in (([], "0"), (["--strict-waivers"], "1")):
        done = program([*arguments, *more])
        assert (done.returncode, ET.fromstring(done.stdout).get("failures")) == (int(failures), failures)  # noqa: S314


@pytest.mark.parametrize("is_strict", [False, True])
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_of_a_waiver_breaks_a_format(text: str, about: About, *, is_strict: bool) -> None:
    about.strict_waivers = is_strict
    what = with_stale(provider=text, model=text, observed=text, because=text, owner=text)
    for name in ("github", "junit", "markdown", "sarif"):
        data = formats.render(name, what, about)
        assert all(char.isprintable() or char == "\n" for char in data.decode())
        assert len(data) < 100_000
    ((_, properties, _),) = commands(github.render_report(what, about))
    assert properties["title"].endswith(": waiver of text.intact")
    assert read_markdown(markdown.render_report(what, about)) == []
    assert len(ET.fromstring(junit.render_report(what, about)).findall(".//testcase")) == 2  # noqa: S314 - our own output
    assert len(json.loads(sarif.render_report(what, about))["runs"]) == 1
