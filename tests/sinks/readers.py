"""Independent readers, one for each format: what somebody else's program takes each finding to be.

`READERS` gives by format a function from the bytes to (provider, contract, text) of every finding that the format
tells as a fault; it fails on whatever such a program would stumble over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from xml.etree import ElementTree as ET

import sarif_pydantic  # type: ignore[import-untyped]  # it has annotations and no marker
from junitparser import JUnitXml
from markdown_it import MarkdownIt
from prometheus_client.parser import text_string_to_metric_families


class Told(NamedTuple):
    """One fault as a reader takes it; a format that has no room for a text gives None."""

    provider: str
    contract: str
    text: str | None


def read_json(data: bytes) -> list[Told]:
    """The standard library's reader, on one line."""
    assert data.count(b"\n") == 1
    found = json.loads(data)["findings"]
    return [Told(f["provider"], f["contract"], f["detail"]) for f in found]


def read_jsonl(data: bytes) -> list[Told]:
    """Whatever a reader takes for the end of a line, each line is a value."""
    found = [json.loads(line) for line in data.decode().splitlines()]
    return [Told(f["provider"], f["contract"], f["detail"]) for f in found]


def read_junit(data: bytes) -> list[Told]:
    """Expat and junitparser, which have to agree."""
    root = ET.fromstring(data)  # noqa: S314 - our own output, and it has to parse anywhere
    found = [
        Told(str(case.get("classname")), str(case.get("name")), fault.get("message"))
        for case in root.iter("testcase")
        for fault in case.iter("failure")
    ]
    suites = list(JUnitXml.fromstring(data.decode()))
    assert sum(suite.tests for suite in suites) == len(list(root.iter("testcase")))
    results = [case.get("name") for case in root.iter("testcase") if {e.tag for e in case} - {"system-out"}]
    assert [case.name for suite in suites for case in suite if case.result] == results
    return found


def read_sarif(data: bytes) -> list[Told]:
    """A model of SARIF that others made."""
    log = sarif_pydantic.Sarif.model_validate_json(data)
    (run,) = log.runs
    return [
        Told(_headline(result.message.text or "")[0], result.rule_id or "", result.message.text)
        for result in run.results or ()
    ]


_HEADLINE = re.compile(r"(.*?): ([a-z0-9-]+(?:\.[a-z0-9-]+)+.*)")


def _headline(text: str) -> tuple[str, str]:
    """The provider, and the contract with what follows it, as a person takes them."""
    match = _HEADLINE.fullmatch(text)
    assert match is not None
    return match[1], match[2]


# What the runner of GitHub Actions does with a line: ActionCommand.TryParseV2 and its two tables of escapes.
_COMMAND = re.compile(r"^::(?P<name>[a-z]+)(?: (?P<properties>.*?))?::(?P<data>.*)$")


def commands(data: bytes) -> Iterator[tuple[str, dict[str, str], str]]:
    """Every command of a log: its name, its properties and its text. Other lines must not look like one."""
    for line in re.split(r"\r\n|\r|\n", data.decode()):
        match = _COMMAND.match(line.lstrip())
        if match is None:
            assert "::" not in line
            assert "##[" not in line
            continue
        pairs = (pair.split("=", 1) for pair in (match["properties"] or "").split(",") if pair)
        properties = {name: _unescaped(value, "%3A", "%2C", "%0D", "%0A", "%25") for name, value in pairs}
        yield match["name"], properties, _unescaped(match["data"], "%0D", "%0A", "%25")


def _unescaped(text: str, *escapes: str) -> str:
    for escape in escapes:
        text = text.replace(escape, chr(int(escape[1:], 16)))
    return text


def read_github(data: bytes) -> list[Told]:
    """The runner of GitHub Actions."""
    found = []
    for name, properties, text in commands(data):
        assert name in ("error", "warning", "notice")
        provider, contract = _headline(properties["title"])
        found.append(Told(provider, contract, text))
    return found


def read_prometheus(data: bytes) -> list[Told]:
    """The library's parser; a series must not come twice."""
    samples = [s for family in text_string_to_metric_families(data.decode()) for s in family.samples]
    series = [(s.name, tuple(sorted(s.labels.items()))) for s in samples]
    assert len(series) == len(set(series))
    assert all(s.timestamp is None for s in samples)
    return [
        Told(s.labels["provider"], s.labels["contract"], None)
        for s in samples
        if s.name == "contracts_check_success" and s.value == 0
    ]


def read_markdown(data: bytes) -> list[Told]:
    """A CommonMark parser with tables: a page holds headings, paragraphs and tables of plain text, nothing else."""
    found: list[Told] = []
    provider, cells = "", list[str]()
    tokens = MarkdownIt("commonmark").enable("table").parse(data.decode())
    for at, token in enumerate(tokens):
        assert token.type.startswith(("heading", "paragraph", "table", "thead", "tbody", "tr", "th", "td", "inline"))
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline":
            kinds = {child.type for child in token.children or ()}
            assert kinds <= {"text", "text_special", "strong_open", "strong_close"}
            text = "".join(child.content for child in token.children or ())
            cells.append(text)
            provider = text if tokens[at - 1].tag == "h2" else provider
        elif token.type == "tr_close" and len(cells) == 6 and cells[0] != "outcome":
            found.append(Told(provider, cells[1], cells[4]))
    return found


READERS: dict[str, Callable[[bytes], list[Told]]] = {
    name.removeprefix("read_"): reader for name, reader in sorted(globals().items()) if name.startswith("read_")
}
