"""Whatever a provider sends in place of a member, every dialect folds it and every contract judges it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from contracts import captures, dialects
from contracts.config import catalogue
from contracts.fold import fold
from contracts.judge import judge
from contracts.model import Evidence, Source
from contracts.report import Report, encode, summarize

EVIDENCE = Path(__file__).parent.parent / "evidence"
EXPECTED: dict[str, dict[str, Any]] = json.loads((EVIDENCE / "expect.json").read_text("utf-8"))
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
CATALOGUE = catalogue.load(None)
ODD: list[Any] = [None, "", "größe", 0, -1, 10**40, True, [], {}, [[]], [None], {"größe": None}, "\ud83d"]
NAMES = [n for n, said in EXPECTED.items() if said["dialect"] != "openai-chat"] + ["tool-calls-ok", "tool-custom-ok"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Walk the paths of all members."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def replaced(line: str, odd: Any) -> Iterator[str]:
    """Give a line once for each member of its JSON, with that member replaced."""
    start = line.find("{")
    if start < 0:
        return
    value = json.loads(line[start:])
    for path in places(value):
        changed = deepcopy(value)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = odd
        yield line[:start] + json.dumps(changed)


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
@pytest.mark.parametrize("name", NAMES)
def test_no_member_of_any_kind_makes_a_fold_or_a_check_raise(name: str, odd: Any) -> None:
    dialect = EXPECTED[name]["dialect"]
    request = captures.read_request(str(EVIDENCE / f"{name}.request.json"))
    whole = next(iter(captures.read(str(EVIDENCE / f"{name}.http"), request)))
    lines = b"".join(whole.body).decode().split("\n")
    bound, tables = CATALOGUE.bound_to_dialect(dialect), CATALOGUE.tables(dialect)
    for number, line in enumerate(lines):
        for other in replaced(line, odd):
            body = "\n".join([*lines[:number], other, *lines[number + 1 :]]).encode()
            facts = fold(structs.replace(whole, body=(body,)), dialects.load(dialect), tables)
            evidence = Evidence(facts=facts, source=Source.SYNTHETIC, ref="größe")
            findings = tuple(judge(bound, [evidence], provider=None, models=("größe",)))
            encode(Report(started_at=NOON, duration_ms=0, summary=summarize(findings), findings=findings))
