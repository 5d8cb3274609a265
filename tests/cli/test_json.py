"""JSON for a terminal and for programs: what a provider or a file sent is data there as well."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Program

ROW = """version: 1
providers:
  acme:
    dialect: openai-chat
    models: ["a\\u202eb", "c\\u009b31md", "中文"]
"""


def test_json_holds_no_command_to_a_terminal_and_means_the_same(program: Program, tmp_path: Path) -> None:
    (tmp_path / "providers.yaml").write_text(ROW, encoding="utf-8")
    done = program(["list", "-f", "json"])
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.removesuffix("\n").isprintable()
    assert json.loads(text)["providers"][0]["models"] == ["a\u202eb", "c\u009b31md", "中文"]
    assert "中文" in text
