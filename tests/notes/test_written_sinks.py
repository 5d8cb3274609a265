"""Sinks that a providers file names: looked at by `contracts lint`, and relative to the folder of that file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from contracts.config.lint import lint
from contracts.sinks import notes

ROW = 'version: 1\nproviders: {cafe: {dialect: openai-chat, base_url: "https://größe.example/v1"}}\nnotes:\n  - "-"\n'
WRONG = [
    ("mysql://u:geheim@h/d", "mysql:…: expected - (standard output), the path of a file, sqlite:///FILE?table=…"),
    ("sqlite:///ä.db?table=t&key=k", "found no note"),
    ("sqlite:///ä.db?table=t&key=k&note=n&größe=x", "found 'größe'"),
    ("postgresql://u:geheim@h/d?key=k&note=n", "postgresql:…: expected table, key and note"),
    ("http://example.org/x", "expected https"),
    ("https://example.org/x?secret=", "expected one secret=VARIABLE"),
    ("https://[größe/geheim", "found a host that is none"),
]


@pytest.mark.parametrize(("sink", "said"), WRONG, ids=[sink for sink, _ in WRONG])
def test_a_sink_that_is_none_is_told_with_its_line(tmp_path: Path, sink: str, said: str) -> None:
    path = tmp_path / "größe.yaml"
    path.write_text(f"{ROW}  - ä.jsonl\n  - {sink}\n", encoding="utf-8")
    (problem,) = lint([str(path)], date(2026, 11, 30), sink=notes.lint)
    assert (problem.severity, problem.line, problem.column) == ("error", 6, 5)
    assert said in problem.text
    assert "geheim" not in str(problem)
    assert "--note" not in str(problem)


def test_a_sink_that_another_machine_will_write_is_good_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEHEIM", raising=False)
    path = tmp_path / "größe.yaml"
    good = ("https://example.org/x?secret=GEHEIM", "sqlite:////nirgends/ä.db?table=t&key=k&note=n")
    path.write_text(ROW + "".join(f"  - {sink}\n" for sink in good), encoding="utf-8")
    assert lint([str(path)], date(2026, 11, 30), sink=notes.lint) == []


QUERY = "?table=t&key=k&note=n"
BESIDE = [
    (f"sqlite:///d%C3%A4ten/r.db{QUERY}", f"sqlite:////gr%C3%B6%C3%9Fe%20%3F/d%C3%A4ten/r.db{QUERY}"),
    (f"SQLite:///r.db{QUERY}", f"sqlite:////gr%C3%B6%C3%9Fe%20%3F/r.db{QUERY}"),
    (f"sqlite:////var/r.db{QUERY}", f"sqlite:////var/r.db{QUERY}"),
    ("ä.jsonl", "/größe ?/ä.jsonl"),
    ("/var/ä.jsonl", "/var/ä.jsonl"),
    ("-", "-"),
    ("https://example.org/x", "https://example.org/x"),
    (f"postgresql://h/d{QUERY}", f"postgresql://h/d{QUERY}"),
]


@pytest.mark.parametrize(("sink", "meant"), BESIDE, ids=[sink for sink, _ in BESIDE])
def test_a_relative_path_of_a_providers_file_starts_at_its_folder(sink: str, meant: str) -> None:
    assert notes.beside(sink, "/größe ?/providers.yaml") == meant
    assert notes.beside(sink, "providers.yaml") == sink
    assert notes.beside(sink, None) == sink
