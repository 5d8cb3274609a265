"""Degraded output end to end: from what a router wrote down to the warning, the note, the exit status and the trip."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from msgspec import structs
from prometheus_client.parser import text_string_to_metric_families

from contracts.breaker.observed import Row
from contracts.breaker.tally import Key
from contracts.config.library import FOLDER
from contracts.degraded import Question, of_rows, of_table
from contracts.facts import Body, Facts
from contracts.model import Scope
from contracts.observations import Observation
from contracts.text.verdict import EMPTY, Verification
from contracts.verifications.place import parse
from contracts.verifications.store import Verifications
from tests.breaker.test_incidents import FREE, empties, mojibake
from tests.breaker.traffic import NOON, WHOLE, spread
from tests.cli.conftest import environment
from tests.sinks.conftest import finding, report

Degraded = Callable[..., "subprocess.CompletedProcess[str]"]


def lately(rows: Iterable[Row]) -> list[Row]:
    """The same traffic, as if it had ended now."""
    shift = datetime.now(UTC) - NOON - timedelta(seconds=1)
    return [structs.replace(row, at=row.at + shift) for row in rows]


@pytest.fixture
def router(tmp_path: Path) -> Path:
    """A router's database with its table and its providers."""
    path = tmp_path / "größe.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(
            """CREATE TABLE verifications (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, verdict TEXT, detail TEXT,
               model_attributable INTEGER, applied_at TEXT, anbieter TEXT NOT NULL, modell TEXT NOT NULL);
               CREATE TABLE providers (name TEXT PRIMARY KEY, note TEXT, degraded TEXT);
               INSERT INTO providers VALUES ('openrouter', 'vom Vertrag', NULL), ('neuralwatt', NULL, 'alt');"""
        )
    return path


def url_of(router: Path) -> str:
    return f"sqlite:///{router}?provider=anbieter&model=modell"


def record(router: Path, rows: Iterable[Row]) -> None:
    table = Verifications(parse(url_of(router)))
    table.record(rows)
    table.close()


def asked(router: Path, statement: str) -> list[Any]:
    with closing(sqlite3.connect(router)) as connection:
        return connection.execute(statement).fetchall()


@pytest.fixture
def degraded(tmp_path: Path) -> Degraded:
    """The command as a process."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "contracts_cli", "degraded", *arguments], cwd=tmp_path, check=False,
            env=environment(PYTHONUTF8="1"), capture_output=True, text=True, encoding="utf-8", timeout=60,
        )  # fmt: skip

    return run


def test_both_incidents_are_told_apart_and_only_loudly(router: Path, degraded: Degraded) -> None:
    record(router, lately([*empties(), *mojibake()]))
    before = asked(router, "SELECT count(*) FROM verifications")
    done = degraded("--verifications", url_of(router), "-f", "json", "--note", note_of(router))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    models = ("z-ai/glm-5.3-flash", FREE, "智谱/模型")
    told = {(one["provider"], one["model"], one["signature"], one["scope"]) for one in found["warnings"]}
    assert told == {
        ("openrouter", FREE, EMPTY, "model"),
        *(("openrouter", model, "double-utf8-latin1", "provider") for model in models),
    }
    (empty,) = (one for one in found["warnings"] if one["signature"] == EMPTY)
    assert (empty["count"], empty["judged"], empty["answers"], empty["baseline"]) == (38, 40, 111, 0)
    tripped = [(one["provider"], one["model"], one["by"]) for one in found["decisions"] if one["skip_reason"] is None]
    assert tripped == [("openrouter", None, "novelty"), ("openrouter", FREE, "rate")]
    assert all(one["why"] for one in found["decisions"])
    assert (found["applied"], asked(router, "SELECT count(*) FROM verifications")) == (None, before)
    assert [(note["provider"], note["status"], note["severity"]) for note in found["notes"]] == [
        ("neuralwatt", "holds", None),
        ("openrouter", "violated", "warning"),
    ]
    notes = dict(asked(router, "SELECT name, degraded FROM providers"))
    assert notes["openrouter"].startswith("Text is damaged on the wire (double-utf8-latin1, 3 × in 24 h at 3 models): ")
    assert f"{FREE}: 38 of 40 empty responses in 24 h" in notes["openrouter"]
    assert notes["neuralwatt"] is None, "what is in order clears what stood there"
    assert asked(router, "SELECT note FROM providers ORDER BY name") == [(None,), ("vom Vertrag",)]


def note_of(router: Path) -> str:
    return f"sqlite:///{router}?table=providers&key=name&note=degraded"


def test_postgresql_is_judged_alike(degraded: Degraded, postgres_url: str) -> None:
    import psycopg

    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE verifications (kind TEXT, verdict TEXT, detail TEXT, model_attributable BOOLEAN, "
            "applied_at TIMESTAMPTZ, provider TEXT, model TEXT)"
        )
    table = Verifications(parse(f"{postgres_url}&table=verifications"))
    table.record(lately([*empties(), *mojibake()]))
    table.close()
    done = degraded("--verifications", postgres_url, "--apply")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("4 warnings, 163 answers in 24 h; 2 decisions written\n")
    with psycopg.connect(postgres_url) as connection:
        rows = connection.execute(
            "SELECT provider, model, model_attributable FROM verifications WHERE kind = 'breaker' ORDER BY model"
        ).fetchall()
    assert rows == [("openrouter", "*", False), ("openrouter", FREE, False)]


def test_the_output_is_as_its_schema_says(router: Path, degraded: Degraded) -> None:
    record(router, lately([*empties(), *mojibake()]))
    schema = (Path(FOLDER) / "schemas" / "degraded.json").read_text(encoding="utf-8")
    for more in ((), ("--apply",), ()):
        found = json.loads(degraded("--verifications", url_of(router), "-f", "json", *more).stdout)
        jsonschema_rs.validator_for(schema).validate(found)


def test_a_trip_is_written_once_and_stands(router: Path, degraded: Degraded) -> None:
    record(router, lately(empties()))
    first = degraded("--verifications", url_of(router), "--apply", "--fail-on", "warning")
    assert (first.returncode, first.stderr) == (1, "")
    assert first.stdout.endswith("1 warning, 136 answers in 24 h; 1 decision written\n")
    second = degraded("--verifications", url_of(router), "--apply")
    (until,) = (line for line in second.stdout.splitlines() if line.startswith("    open until "))
    assert f"{until}: empty response: 38 of 38 judged calls" in first.stdout
    assert second.stdout.endswith("; no decisions written\n")
    rows = asked(router, "SELECT kind, verdict, model_attributable, anbieter, modell FROM verifications WHERE id > 136")
    assert rows == [("breaker", "open", 0, "openrouter", FREE)]


def test_the_view_says_whose_it_is_and_what_to_do(router: Path, degraded: Degraded) -> None:
    record(router, lately(mojibake()))
    done = degraded("--verifications", url_of(router), "-v")
    assert "! openrouter [智谱/模型]: mangled, double-utf8-latin1: 1 of 3 judged (33.3%), 3 answers" in done.stdout
    assert (
        "    would be open: double-utf8-latin1 3 × at 3 of 3 models, new after a day without it, none at "
        in done.stdout
    )
    assert "the transport did it, not the models\n    → decode its streams as UTF-8" in done.stdout
    assert "  neuralwatt: closed: no damage in 18 answers that could have shown it\n" in done.stdout


def test_a_poll_that_had_nothing_to_decide_says_what_it_wrote(router: Path, degraded: Degraded) -> None:
    record(router, lately(spread("größe", "b", [WHOLE] * 5)))
    said = [degraded("--verifications", url_of(router), "--apply").stdout for _ in range(2)]
    assert said == [
        "no warnings, 5 answers in 24 h; nothing to decide, and a row that says so\n",
        "no warnings, 5 answers in 24 h; no decisions written\n",
    ]


def test_what_is_closed_is_said_as_what_is_tripped_is(router: Path, degraded: Degraded) -> None:
    record(router, (structs.replace(row, at=row.at - timedelta(minutes=20)) for row in lately(mojibake())))
    of_table(url_of(router), Question(), datetime.now(UTC) - timedelta(minutes=19), apply=True)
    record(router, lately(spread("openrouter", "智谱/模型", [WHOLE], NOON)))
    said = "  openrouter: {}closed: a clean answer with text beyond ASCII\n"
    assert said.format("would be ") in degraded("--verifications", url_of(router)).stdout
    done = degraded("--verifications", url_of(router), "--apply").stdout
    assert said.format("") in done
    assert done.endswith("; 1 decision written\n")


def test_how_far_back_decisions_were_looked_for_is_told(router: Path, degraded: Degraded) -> None:
    record(router, lately(spread("größe", "b", [WHOLE] * 5)))
    assert "were not looked for (--apply does)" in degraded("--verifications", url_of(router), "-v").stdout
    found = of_table(url_of(router), Question(), now := datetime.now(UTC), apply=False)
    assert found.decisions_from == now - timedelta(days=4)
    assert of_table(url_of(router), Question(), now, apply=True).decisions_from is None
    assert of_table(url_of(router), Question(), now, apply=False).decisions_from is None


def test_what_was_left_to_another_poll_is_said() -> None:
    from contracts.verifications.decided import LEFT
    from contracts_cli.commands.degraded import view

    found = of_rows(mojibake(), Question(), NOON)
    left = [structs.replace(one, by=None, skip_reason=LEFT) if one.by else one for one in found.decisions]
    shown = view(structs.replace(found, applied=0, decisions=tuple(left)), 200, verbose=False)
    assert shown.endswith("; no decisions written, 1 left to another --apply\n")


def test_names_that_are_not_told_apart_are_said() -> None:
    from contracts_cli.commands.degraded import view

    found = structs.replace(of_rows(mojibake(), Question(), NOON), models_apart=5000)
    assert "too many models were asked for: the 5000 that answered most are told apart" in view(
        found, 200, verbose=False
    )


def test_honest_traffic_is_told_in_a_line(router: Path, degraded: Degraded) -> None:
    record(router, lately(spread("größe", "b", [WHOLE] * 5)))
    done = degraded("--verifications", url_of(router), "--fail-on", "warning")
    assert (done.returncode, done.stdout) == (0, "no warnings, 5 answers in 24 h; nothing to write\n")


@pytest.mark.parametrize(("fail_on", "status"), [("unknown", 3), ("warning", 3), ("violation", 0), ("never", 0)])
def test_nothing_judged_is_not_well(router: Path, degraded: Degraded, fail_on: str, status: int) -> None:
    done = degraded("--verifications", url_of(router), "--fail-on", fail_on)
    assert done.returncode == status
    assert "no answer of the last 24 hours is there to judge" in done.stderr


def test_what_taps_wrote_down_is_judged_as_well(tmp_path: Path, degraded: Degraded) -> None:
    facts = Facts(dialect="openai-chat", kind="chat", status=200, headers=(), body=Body(kind="sse", bytes=1))
    empty = Verification(verdict="malformed", detail=EMPTY, model_attributable=True, scope=Scope.MODEL)
    now = datetime.now(UTC)
    seen = [
        Observation(at=now, provider="größe", model="b", facts=facts, verification=empty, count=25),
        Observation(
            at=now, provider="größe", model="c", facts=facts, verification=Verification(verdict="ok"), count=30
        ),
        Observation(at=now, provider="größe", model=None, facts=facts, verification=Verification(verdict="ok")),
    ]
    path = tmp_path / "größe.jsonl"
    path.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in seen) + b"kein JSON\n")
    done = degraded("--observed", str(path), "--fail-on", "warning")
    assert done.returncode == 1
    assert "! größe [b]: malformed, empty response: 25 of 25 judged (100.0%)" in done.stdout
    assert f"{path}:4: expected an observation" in done.stderr


@pytest.mark.parametrize(("lines", "said"), [("", "found none\n"), ("größe\n", "found none that can be read\n")])
def test_a_file_that_holds_no_observation_is_not_well(
    tmp_path: Path, degraded: Degraded, lines: str, said: str
) -> None:
    path = tmp_path / "größe.jsonl"
    path.write_text(lines, encoding="utf-8")
    for fail_on, status in (("unknown", 3), ("warning", 3), ("never", 0)):
        done = degraded("--observed", str(path), "--fail-on", fail_on)
        assert done.returncode == status
        assert f"{path}: expected observations, {said}" in done.stderr
        assert "no answer of the last 24 hours is there to judge" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected --verifications URL or --observed FILE"),
        (["--verifications", "sqlite:///größe.db", "--observed", "a"], "expected a router's database, found none"),
        (["--observed", "größe.jsonl", "--apply"], "--apply: expected --verifications URL"),
        (["--observed", "größe.jsonl", "--familiar-at", "1"], "as one answer never trips"),
        (
            ["--observed", "größe.jsonl", "-o", "junit=größe.xml"],
            "expected FORMAT=FILE with one of text, json",
        ),
        (["--observed", "größe.jsonl"], "größe.jsonl: expected a file of observations"),
        (["--verifications", "sqlite:///größe.db"], "größe.db: expected a router's database, found none"),
        (["--verifications", "postgresql://a:geheim#x@größe/b"], "@ or # in it"),
    ],
)
def test_what_cannot_be_done_is_said_at_once(degraded: Degraded, arguments: list[str], said: str) -> None:
    done = degraded(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "geheim" not in done.stderr


def test_a_database_that_does_not_answer_leaves_it_unknown(degraded: Degraded) -> None:
    where = "postgresql://nutzer:geheim@127.0.0.1:1/größe?connect_timeout=2"
    done = degraded("--verifications", where)
    assert done.returncode == 3
    assert "geheim" not in done.stderr
    assert degraded("--verifications", where, "--fail-on", "never").returncode == 0


def series(data: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in text_string_to_metric_families(data)
        for sample in family.samples
    }


def test_a_collector_finds_warnings_and_states_by_provider(router: Path, degraded: Degraded, tmp_path: Path) -> None:
    record(router, lately([*empties(), *mojibake()]))
    folder = tmp_path / "textfile"
    folder.mkdir()
    done = degraded("--verifications", url_of(router), "-f", "prometheus", "-o", f"prometheus={folder}")
    shown = series(done.stdout)
    assert shown["contracts_mangled_output_warnings", "openrouter"] == 3
    assert shown["contracts_mangled_output_warnings", "neuralwatt"] == 0
    assert shown["contracts_degraded_output_warnings", "openrouter", "malformed"] == 1
    assert shown["contracts_breaker_state", "", "openrouter", "open"] == 1
    assert shown["contracts_breaker_state", FREE, "openrouter", "open"] == 1
    assert shown["contracts_breaker_state", "z-ai/glm-5.3-flash", "openrouter", "closed"] == 1
    assert shown["contracts_breaker_state", "z-ai/glm-5.3-flash", "openrouter", "open"] == 0
    files = {path.name: series(path.read_text(encoding="utf-8")) for path in folder.iterdir()}
    assert set(files) == {"openrouter.degraded.prom", "neuralwatt.degraded.prom"}
    written = {**files["openrouter.degraded.prom"], **files["neuralwatt.degraded.prom"]}
    assert written.keys() == shown.keys()
    assert not files["openrouter.degraded.prom"].keys() & files["neuralwatt.degraded.prom"].keys()


def test_whom_nobody_names_has_no_series_and_no_note() -> None:
    from contracts.degraded import exposition

    rows = [structs.replace(row, model="") for row in empties()] + [
        structs.replace(row, provider="") for row in mojibake()
    ]
    found = of_rows(rows, Question(), NOON)
    assert not found.warnings
    names = [
        (sample.name, *sample.labels.items())
        for family in text_string_to_metric_families(exposition.render(found).decode())
        for sample in family.samples
    ]
    assert len(names) == len(set(names))
    assert ("provider", "") not in {label for name in names for label in name[1:]}
    assert "" not in {note.provider for note in found.notes}


def test_two_names_that_are_shown_alike_are_one_series() -> None:
    from contracts.degraded import exposition

    long, hidden = "größe" * 200, "größe\x1b"
    rows = [structs.replace(row, model=model) for row in mojibake() for model in (long + "1", long + "2")]
    rows += [structs.replace(row, model=model) for row in empties() for model in (hidden, "größe\\x1b")]
    rows += [structs.replace(row, provider=name) for row in mojibake() for name in (hidden, "größe\\x1b")]
    text = exposition.render(of_rows(rows, Question(), NOON)).decode()
    lines = [line.rpartition(" ")[0] for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == len(set(lines))


def test_providers_that_are_shown_alike_share_no_series_in_their_files(tmp_path: Path) -> None:
    from contracts.degraded import exposition

    alike = ("größe\x1b", "größe\\x1b")
    rows = [structs.replace(row, provider=name) for row in mojibake() for name in alike]
    exposition.write(str(tmp_path), of_rows(rows, Question(), NOON))
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.prom")]
    lines = [line.rpartition(" ")[0] for text in texts for line in text.splitlines() if not line.startswith("#")]
    assert len(texts) == len(alike)
    assert len(lines) == len(set(lines))


def test_no_series_ever_stands_in_two_files_of_a_folder(tmp_path: Path) -> None:
    from contracts.degraded import exposition
    from contracts.sinks import prometheus
    from contracts.sinks.about import About

    name = "contracts_mangled_output_warnings"
    found = of_rows(mojibake(), Question(), NOON)
    check = report(finding("text.intact", provider="openrouter"))
    told = []
    for turn in ("check", "degraded", "check", "degraded", "check"):
        if turn == "check":
            prometheus.write_report(str(tmp_path), check, About())
        else:
            exposition.write(str(tmp_path), found)
        told.append([path.name for path in sorted(tmp_path.glob("openrouter*")) if name in path.read_text("utf-8")])
    assert told == [
        ["openrouter.prom"],
        ["openrouter.prom"],
        [],
        ["openrouter.degraded.prom"],
        ["openrouter.degraded.prom"],
    ]


def test_a_trip_of_which_the_day_shows_nothing_more_is_warned_of(router: Path) -> None:
    record(router, mojibake())
    question = Question()
    of_table(url_of(router), question, NOON, apply=True)
    late = of_table(url_of(router), question, NOON + timedelta(hours=30), apply=True)
    (left,) = late.warnings
    assert (left.provider, left.model, left.signature, left.count) == ("openrouter", None, "double-utf8-latin1", 0)
    assert (left.standing, left.state) == (True, "half-open")


def test_hostile_names_are_shown_and_not_obeyed(router: Path, degraded: Degraded) -> None:
    record(router, lately(structs.replace(row, model="\x1b[31m\u202eb\n" + row.model) for row in mojibake()))
    for arguments in ((), ("-v",)):
        shown = degraded("--verifications", url_of(router), *arguments).stdout
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert "[\\x1b[31m\\u202eb\\x0a" in shown


def test_a_new_signature_and_a_known_one_are_told_apart() -> None:
    yesterday = [structs.replace(row, at=row.at - timedelta(hours=26)) for row in mojibake()]
    today = [structs.replace(row, at=row.at - timedelta(hours=5)) for row in mojibake(10)]
    found = of_rows([*yesterday, *today], Question(), NOON)
    assert {(one.novel, one.baseline) for one in found.warnings} == {(False, 1)}
    assert {one.novel for one in of_rows(mojibake(), Question(), NOON).warnings} == {True}
    assert Key("openrouter", None) in {one.key for one in found.decisions}
