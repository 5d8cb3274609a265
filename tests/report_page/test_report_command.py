"""`contracts report` as a process: the page of a real state, in a file or on standard output."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from tests.history.conftest import MODEL, Program, file, program, where

__all__ = ["file", "program", "where"]

ROWS = """version: 1
providers:
  acme:
    dialect: openai-chat
    models: [größe/b]
"""


def states(page: str) -> dict[str, str]:
    """The state of each provider, by its name."""
    return dict(re.findall(r'<span class="name">([^<]+)</span><b class="s [^"]*">([^<]+)</b>', page))


def test_the_page_tells_what_the_state_remembers(program: Program, where: str, tmp_path: Path) -> None:
    done = program(["report", "--html", "größe.html", "--state", where])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    page = (tmp_path / "größe.html").read_text(encoding="utf-8")
    assert states(page) == {"größe": "holds", "中文": "not-applicable"}
    assert "violated at 2, waived at 1, holds at 2 of 5 polls" in page
    assert f"<code>{MODEL}</code>" in page
    assert "7 changes in the polls shown" in page
    assert "No row of the providers file" not in page


def test_standard_output_gets_the_same_page(program: Program, file: str, tmp_path: Path) -> None:
    assert program(["report", "--html", "p.html", "--state", file]).returncode == 0
    done = program(["report", "--html", "-", "--state", file])
    assert (done.returncode, done.stderr) == (0, b"")
    made = re.compile(rb"as of <time[^>]*>[^<]*</time>")
    assert made.sub(b"", done.stdout) == made.sub(b"", (tmp_path / "p.html").read_bytes())
    assert len(made.findall(done.stdout)) == 1


def test_only_the_providers_that_were_named_are_on_the_page(program: Program, file: str) -> None:
    page = program(["report", "中文", "--html=-", "--polls", "2", "--state", file]).stdout.decode()
    assert states(page) == {"中文": "not-applicable"}
    assert "2 polls, the oldest left" in page


def test_the_providers_file_adds_who_was_never_polled_and_tells_who_is_gone(
    program: Program, file: str, tmp_path: Path
) -> None:
    (tmp_path / "providers.yaml").write_text(ROWS, encoding="utf-8")
    page = program(["report", "--html", "-", "--state", file]).stdout.decode()
    assert states(page) == {"größe": "holds", "中文": "not-applicable", "acme": "not judged"}
    assert page.count("No row of the providers file has this name any more.") == 2
    assert page.count("Not polled yet.") == 1


def test_a_file_that_cannot_be_written_stays_as_it_was(program: Program, file: str, tmp_path: Path) -> None:
    folder = tmp_path / "größe.html"
    folder.mkdir()
    done = program(["report", "--html", folder, "--state", file])
    assert (done.returncode, done.stdout) == (2, b"")
    assert "größe.html: expected a file to write" in done.stderr.decode()
    assert list(folder.iterdir()) == []
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]


@pytest.mark.parametrize("before", [None, "alt – größer"])
def test_a_page_takes_the_place_of_the_last_one(
    program: Program, file: str, tmp_path: Path, before: str | None
) -> None:
    target = tmp_path / "p.html"
    if before is not None:
        target.write_text(before, encoding="utf-8")
    assert program(["report", "--html", target, "--state", file]).returncode == 0
    assert target.read_bytes().endswith(b"</html>\n")
    assert stat.S_ISREG(target.stat().st_mode)


def test_a_file_of_rows_that_cannot_be_read_is_said(program: Program, file: str, tmp_path: Path) -> None:
    (tmp_path / "providers.yaml").write_text(ROWS.replace("dialect", "dialekt"), encoding="utf-8")
    done = program(["report", "--html", "-", "--state", file])
    assert (done.returncode, done.stdout) == (2, b"")
    assert "providers.yaml:4" in done.stderr.decode()
