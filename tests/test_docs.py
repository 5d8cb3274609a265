"""The generated parts of the documentation: made anew where they stand, and the same on every machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tools import doc_tables, docs

ROOT = Path(__file__).parent.parent


def test_a_part_is_made_anew_and_what_stands_around_it_stays() -> None:
    text = "# Größe\n\n<!-- table: formats -->\nalt\n<!-- end -->\n\n– danach –\n"
    new = docs.generated(text)
    assert new.startswith("# Größe\n\n<!-- table: formats -->\n| format |")
    assert new.endswith("|\n<!-- end -->\n\n– danach –\n")
    assert docs.generated(new) == new


def test_a_command_is_shown_with_its_exit_status_and_without_time() -> None:
    printed = "\n  ongoing since 2026-11-30 20:25Z, 2 polls\nevidence 1 live · 812 ms\nstall 20000 ms long\n"
    assert docs.shown("contracts check größe", printed, 3) == (
        "$ contracts check größe\n"
        "  ongoing since …, 2 polls\n"
        "evidence 1 live · … ms\n"
        "stall 20000 ms long\n"
        "(exit status 3)"
    )


def test_a_history_is_shown_without_its_instants() -> None:
    printed = "acme  2 polls, 2026-11-29 05:07Z to 2026-11-30 20:25Z\n  größe.id  ·V  2026-11-30\n"
    assert docs.shown("contracts history acme", printed, 0) == (
        "$ contracts history acme\nacme  2 polls, … to …\n  größe.id  ·V  …"
    )


def test_a_session_shows_neither_its_folder_nor_a_port(tmp_path: Path) -> None:
    session = docs.Session(str(tmp_path))
    shown = session.show("pwd ; printf 'http://127.0.0.1:41234/v1 é' ; export NAME=ü ; printenv NAME ; printenv HOME")
    assert shown == (
        "```console\n$ pwd\n~/project\n$ printf 'http://127.0.0.1:41234/v1 é'\nhttp://127.0.0.1:8000/v1 é\n"
        "$ export NAME=ü\n$ printenv NAME\nü\n$ printenv HOME\n~\n```\n"
    )
    assert session.show("""sh -c 'echo "$PWD/cassettes/é.yaml"'""").splitlines()[2] == "cassettes/é.yaml"


def test_a_command_that_runs_unseen_has_to_succeed(tmp_path: Path) -> None:
    session = docs.Session(str(tmp_path))
    assert session.show("@true ; printf é") == "```console\n$ printf é\né\n```\n"
    with pytest.raises(RuntimeError, match="false: exit status 1"):
        session.show("@false ; printf é")


def test_nothing_of_the_user_reaches_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACME_API_KEY", "CONTRACTS_FORMAT", "HTTPS_PROXY", "XDG_STATE_HOME", "PYTHONPATH"):
        monkeypatch.setenv(name, "größe")
    printed, _ = docs.Session(str(tmp_path)).run("env", str(tmp_path))
    assert "größe" not in printed


def test_the_numbers_of_the_dialects_table_are_those_of_the_reasons() -> None:
    cells = {cell for row in doc_tables.dialect_rows() for cell in row[1:]}
    used = {cell for cell in cells if cell.isdigit()}
    assert used == {line.partition(".")[0] for line in doc_tables.reason_text().splitlines()}
    assert cells - used == {"judged", *(row for row in next(doc_tables.dialect_rows())[1:])}


@pytest.mark.parametrize("name", docs.documents())
def test_a_document_links_to_files_that_are_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    linked = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text) if "://" not in target]
    missing = [target for target in linked if not (ROOT / os.path.dirname(name) / target).exists()]
    assert missing == []
