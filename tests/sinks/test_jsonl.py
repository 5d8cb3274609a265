"""JSON Lines hold every finding as the report does, by its published schema."""

from __future__ import annotations

import json
import os

import jsonschema_rs
import pytest

import contracts
from contracts.sinks import json as json_sink
from contracts.sinks import jsonl
from contracts.sinks.about import About
from tests.sinks.conftest import one_of_each
from tests.sinks.test_hostile_text import HOSTILE, hostile

SCHEMA = os.path.join(os.path.dirname(contracts.__file__), "library", "schemas", "finding.json")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_every_line_is_as_the_schema_says(text: str, bare: About) -> None:
    with open(SCHEMA, encoding="utf-8") as file:
        validator = jsonschema_rs.validator_for(file.read())
    lines = [json.loads(line) for line in jsonl.render_report(hostile(text), bare).splitlines()]
    assert len(lines) == 3
    assert all(validator.is_valid(line) for line in lines)
    assert not validator.is_valid({**lines[0], "surplus": "größe"})


def test_the_lines_are_the_findings_of_the_report(bare: About) -> None:
    document = json.loads(json_sink.render_report(one_of_each(), bare))
    lines = [json.loads(line) for line in jsonl.render_report(one_of_each(), bare).splitlines()]
    assert lines == document["findings"]


def test_honest_text_is_written_as_it_is(bare: About) -> None:
    assert "weiß ich — 已知".encode() in jsonl.render_report(one_of_each(), bare)


def test_a_report_for_people_is_indented() -> None:
    data = json_sink.render_report(one_of_each(), About(indented=True, environ={}))
    assert data.startswith(b'{\n  "schema"')
