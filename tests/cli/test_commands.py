"""The commands that judge nothing: list, explain, lint, schema, and files that are written whole."""

from __future__ import annotations

import os
from pathlib import Path

import jsonschema_rs
import msgspec
import pytest

import contracts
from contracts.config import catalogue
from contracts.errors import ConfigError
from contracts.sinks import jsonl_note, whole_file
from contracts_cli.terminal import columns_of
from tests.cli.conftest import ROOT, Program

LIBRARY = os.path.join(os.path.dirname(contracts.__file__), "library")
ROWS = """version: 1
providers:
  acme:
    dialect: openai-chat
    models: [größe/b]
"""


def schema(name: str) -> jsonschema_rs.Validator:
    """The published schema of an output."""
    with open(os.path.join(LIBRARY, "schemas", f"{name}.json"), encoding="utf-8") as file:
        return jsonschema_rs.validator_for(file.read())


@pytest.mark.parametrize(
    "name",
    [
        "providers",
        "contract",
        "report",
        "finding",
        "note",
        "list",
        "explain",
        "lint",
        "history",
        "degraded",
        "observation",
    ],
)
def test_a_schema_is_printed_as_it_was_published(program: Program, name: str) -> None:
    done = program(["schema", name])
    with open(os.path.join(LIBRARY, "schemas", f"{name}.json"), "rb") as file:
        assert (done.returncode, done.stdout) == (0, file.read())


@pytest.fixture
def folder(tmp_path: Path, good: Path, bad: Path) -> Path:
    """A folder with rows, captures that hold and do not, a bad file, and no cassettes."""
    assert good.parent == bad.parent == tmp_path
    (tmp_path / "providers.yaml").write_text(ROWS, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(ROWS.replace("dialect", "dialekt"), encoding="utf-8")
    (tmp_path / "nothing").mkdir()
    return tmp_path


OUTPUTS = [
    ("list", ["list", "-f", "json"], 0),
    ("explain", ["explain", "sse.charset", "-f", "json"], 0),
    ("explain", ["explain", "strict_json", "-f", "json"], 0),
    ("lint", ["lint", "-f", "json"], 0),
    ("lint", ["lint", "bad.yaml", "-f", "json"], 2),
    ("report", ["inspect", "good.http", "-f", "json"], 0),
    ("report", ["inspect", "bad.http", "-f", "json"], 1),
    ("report", ["check", "--config", f"{ROOT}/providers.yaml", "--replay", "-f", "json"], 1),
    ("report", ["check", "--replay=nothing", "-f", "json"], 3),
]


@pytest.mark.parametrize(
    ("name", "arguments", "status"), OUTPUTS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_every_json_output_is_as_its_schema_says(
    program: Program, folder: Path, name: str, arguments: list[str], status: int
) -> None:
    assert folder.exists()
    done = program(arguments)
    assert (done.returncode, done.stderr) == (status, b"")
    document = msgspec.json.decode(done.stdout)
    assert [error.message for error in schema(name).iter_errors(document)] == []
    if name != "explain":
        assert any(document.get(member) for member in ("providers", "problems", "findings")) or arguments == [
            "lint",
            "-f",
            "json",
        ]


def test_a_replay_leaves_a_note_as_its_schema_says(tmp_path: Path, program: Program) -> None:
    arguments = [
        "check",
        "--config",
        f"{ROOT}/providers.yaml",
        "--replay",
        "--quiet",
        "--note",
        "-",
        "--note",
        "notizen.jsonl",
    ]
    done = program(arguments)
    lines = (tmp_path / "notizen.jsonl").read_bytes().splitlines()
    assert len(lines) == 2
    assert done.stdout.splitlines()[-2:] == lines
    for line in lines:
        assert schema("note").is_valid(msgspec.json.decode(line))
    assert program(arguments).returncode == 1
    assert (tmp_path / "notizen.jsonl").read_bytes().count(b"\n") == 4


@pytest.mark.parametrize("contract", sorted(catalogue.load(None).contracts))
def test_every_contract_is_explained(program: Program, contract: str) -> None:
    done = program(["explain", contract])
    text = done.stdout.decode()
    assert done.returncode == 0
    for part in ("promise", "why", "source", "What it checks", "Why it matters", "Example", "Source"):
        assert part in text


def test_a_list_fits_a_narrow_terminal_and_names_everything(program: Program, tmp_path: Path) -> None:
    (tmp_path / "providers.yaml").write_text(ROWS, encoding="utf-8")
    lines = program(["list"], COLUMNS="40").stdout.decode().splitlines()
    assert max(map(columns_of, lines)) <= 40
    text = " ".join(lines)
    assert "acme" in text
    assert all(contract in text for contract in catalogue.load(None).contracts)


def test_lint_says_the_place_and_exits_with_2(program: Program, tmp_path: Path) -> None:
    (tmp_path / "größe.yaml").write_text(ROWS.replace("dialect:", "dialekt:"), encoding="utf-8")
    done = program(["lint", "größe.yaml"])
    first, *_, last = done.stdout.decode().splitlines()
    assert done.returncode == 2
    assert first.startswith("größe.yaml:4:5: error: ")
    assert "dialekt" in first
    assert "error" in last


def test_a_waiver_that_has_run_out_is_a_warning_and_lint_exits_with_0(program: Program, tmp_path: Path) -> None:
    waiver = "    waivers: [{contract: sse.charset, because: alt, owner: Bär, until: 2020-01-01}]\n"
    (tmp_path / "providers.yaml").write_text(ROWS + waiver, encoding="utf-8")
    done = program(["lint", "providers.yaml"])
    assert done.returncode == 0
    assert "warning: " in done.stdout.decode()


def test_a_report_is_written_to_every_file_that_was_asked_for(program: Program, bad: Path) -> None:
    done = program(["inspect", bad, "-o", "json=a.json", "-o", "text=ä.txt", "-q", "-f", "json"], FORCE_COLOR="1")
    folder = bad.parent
    assert schema("report").is_valid(msgspec.json.decode((folder / "a.json").read_bytes()))
    assert (folder / "a.json").read_bytes().count(b"\n") == 1
    text = (folder / "ä.txt").read_text(encoding="utf-8")
    assert text.count("violated") == 1
    assert "\x1b" not in text
    assert msgspec.json.decode(done.stdout) == msgspec.json.decode((folder / "a.json").read_bytes())
    assert sorted(path.name for path in folder.iterdir()) == ["a.json", "bad.http", "ä.txt"]


REFUSED = [
    (["-o", "json=nirgends/a.json"], "expected a file in a folder that is there"),
    (
        ["-o", "xml=a.xml"],
        "expected FORMAT=FILE with one of text, github, json, ",
    ),
    (["-o", "json="], "expected FORMAT=FILE"),
    (["--note", "sqlite:notes.db"], "--note sqlite:notes.db: expected sqlite:///FILE?table="),
    (["--note", "gopher:notes.db"], "found 'gopher' (a file of that name is written ./gopher:notes.db)"),
    (["--note", ""], "found 'nothing'"),
]


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_a_target_that_cannot_be_is_refused_before_anything_is_judged(
    program: Program, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = program(["inspect", "not-even-looked-at.http", *arguments])
    assert done.returncode == 2
    assert said in done.stderr.decode()
    assert b"not-even-looked-at" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_keeps_what_it_held(tmp_path: Path) -> None:
    target = tmp_path / ("b" * 250 + ".json")  # as long as a name may be, so that none fits beside it
    target.write_bytes(b"old")
    with pytest.raises(ConfigError, match="expected a file to write"):
        whole_file.write(str(target), b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "ziel.json", tmp_path / "link.json"
    target.write_bytes(b"old")
    link.symlink_to(target)
    whole_file.write(str(link), "größer".encode())
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "größer"


def test_what_is_no_ordinary_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    # A pipe of our own and no device: whoever breaks this as root must not replace one of the machine's.
    pipe = tmp_path / "rohr"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        whole_file.write(str(pipe), "größer".encode())
        assert os.read(reading, 100).decode() == "größer"
    finally:
        os.close(reading)
    assert pipe.is_fifo()


def test_notes_that_cannot_be_appended_say_where(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nirgends/notes\.jsonl: expected a file to append notes to"):
        jsonl_note.append(str(tmp_path / "nirgends" / "notes.jsonl"), ())


HOSTILE = (
    '{"error":{"message":"\\u001b[2J\\u001b]0;b\\u00f6se\\u0007 [bold red]x[/]\\ngood.http  holds\\r'
    '\\u202etxet \\u009b31m","type":"\\u001b[1m","code":"\\u009b","param":null}}'
)


@pytest.mark.parametrize("view", [[], ["-v"], ["-f", "json"]])
def test_hostile_text_of_a_provider_reaches_no_terminal(program: Program, tmp_path: Path, view: list[str]) -> None:
    head = "HTTP/1.1 400 Bad\x1b[31m Request\r\nContent-Type: application/json; \x1b]0;x\x07\r\nX-B: \x1b[7m\r\n\r\n"
    (tmp_path / "hostile.http").write_bytes((head + HOSTILE).encode())
    (tmp_path / "request.json").write_text(
        '{"method":"POST","path":"/v1/chat/completions","body":{"model":"\\u001b[2J größe"}}', encoding="utf-8"
    )
    done = program(["inspect", "hostile.http", "--request", "request.json", *view])
    assert done.returncode in (0, 1, 3)
    text = done.stdout.decode()
    assert len(text) > 50
    assert not {c for c in text if c != "\n" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0 or c == "\u202e")}
    assert not any(line.startswith("good.http") for line in text.splitlines())


def test_an_explanation_fits_and_its_example_is_still_yaml(program: Program) -> None:
    wide = program(["explain", "strict_json"], COLUMNS="200").stdout.decode()
    narrow = program(["explain", "strict_json"], COLUMNS="50").stdout.decode()
    assert max(map(columns_of, narrow.splitlines())) <= 50
    assert narrow.split() == wide.split()
    assert "\n    check: {kind: strict_json}\n" in narrow
    assert not narrow.endswith("\n\n")
