"""`contracts history` as a process: what it shows of a state, and what it says where there is none."""

from __future__ import annotations

import json
import os
import re
import resource
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

import contracts
from contracts.errors import ConfigError
from contracts_cli.commands.history import before_of
from tests.history.conftest import BEGIN, HOUR, MODEL, POLLS, Program, remember

LIBRARY = os.path.join(os.path.dirname(contracts.__file__), "library")


def cells(text: str) -> dict[str, str]:
    """The cells of each line of a view, without those before the first judgement, by its label."""
    found = (re.match(r"  (\S.*?) {2,}([·V?w -]+?)  [a-z]", line) for line in text.splitlines())
    return {match[1]: match[2] for match in found if match}


def test_a_pipe_gets_every_poll_in_plain_text(program: Program, where: str) -> None:
    done = program(["history", "--state", where])
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b" not in text
    assert cells(text) == {
        "sse.charset": "·VVw·",
        "reply.id": "·····",
        f"models.resolve {MODEL}": "V?··",
        "http.status": "··-",
    }
    assert "größe  3 hold · 5 polls, 2026-11-29 05:07Z to 2026-11-29 09:07Z\n" in text
    assert "中文  1 not applicable · 3 polls, 2026-11-29 05:07Z to 2026-11-29 09:07Z\n" in text


def test_only_what_was_asked_for_is_shown(program: Program, file: str) -> None:
    def shown(*words: str) -> dict[str, str]:
        done = program(["history", "--state", file, *words])
        assert (done.returncode, done.stderr) == (0, b"")
        return cells(done.stdout.decode())

    assert shown("中文") == {"http.status": "··-"}
    assert shown("größe", "--polls", "2") == {
        "sse.charset": "w·",
        "reply.id": "··",
        f"models.resolve {MODEL}": "··",
    }
    assert shown("--contract", "sse.charset") == {"sse.charset": "·VVw·"}
    assert shown("--model", MODEL) == {f"models.resolve {MODEL}": "V?··"}
    assert shown("--changed") == {"sse.charset": "·VVw·", f"models.resolve {MODEL}": "V?··"}
    assert shown("--changed", "--polls", "1") == {}


def test_json_says_the_same_and_keeps_to_its_schema(program: Program, where: str) -> None:
    done = program(["history", "--state", where, "-f", "json"])
    assert (done.returncode, done.stderr) == (0, b"")
    told: dict[str, Any] = json.loads(done.stdout)
    with open(os.path.join(LIBRARY, "schemas", "history.json"), encoding="utf-8") as opened:
        jsonschema_rs.validator_for(opened.read()).validate(told)
    assert told["schema"] == "contracts.history/1"
    assert told["pruned"] is None
    assert [one["provider"] for one in told["providers"]] == ["größe", "中文"]
    assert [datetime.fromisoformat(at) for at in told["providers"][0]["polls"]] == [BEGIN + n * HOUR for n in range(5)]
    lines = {(line["contract"], line["model"]): line for line in told["providers"][0]["lines"]}
    charset = lines["sse.charset", None]
    assert [change["outcome"] for change in charset["changes"]] == ["holds", "violated", "waived", "holds"]
    assert (charset["outcome"], datetime.fromisoformat(charset["since"])) == ("holds", BEGIN + 4 * HOUR)
    assert datetime.fromisoformat(charset["first_violated"]) == BEGIN + HOUR
    assert lines["models.resolve", MODEL]["violated_polls"] == 1


@pytest.mark.parametrize(
    ("variables", "is_painted"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour_is_only_where_it_is_wanted(
    program: Program, file: str, variables: dict[str, str], *, is_painted: bool
) -> None:
    done = program(["history", "--state", file], **variables)
    assert (b"\x1b[" in done.stdout) is is_painted
    assert cells(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode()))["sse.charset"] == "·VVw·"


def test_lines_fit_a_width_that_is_told(program: Program, file: str) -> None:
    text = program(["history", "--state", file], COLUMNS="60").stdout.decode()
    assert max(map(len, text.splitlines())) <= 60
    assert "·VVw·" in text


def test_an_encoding_without_the_dot_gets_another(program: Program, file: str) -> None:
    text = program(["history", "--state", file], PYTHONIOENCODING="ascii").stdout.decode("ascii")
    assert ".VVw." in text
    assert "gr\\xf6\\xdfe" in text


WRONG = [
    (["history", "größ"], "expected a provider that was polled, found 'größ' (did you mean 'größe'?)"),
    (["history", "a\x1b[31m"], "expected a provider that was polled, found 'a\\x1b[31m'"),
    (["history", "--contract", "sse.charst"], "expected a contract that was judged, found 'sse.charst'"),
    (["history", "--model", "größe"], "expected a model that was judged, found 'größe'"),
    (["history", "--polls", "0"], "--polls: expected 1 or more, found 0"),
    (["history", "--prune", "soon"], "--prune: expected an age such as 90d, 12h or 8w, found 'soon'"),
    (["history", "größe", "--prune", "1d"], "--prune: expected it without a provider"),
    (["report"], "report: expected --html FILE"),
    (["report", "--html", "p.html", "größ"], "expected a provider that was polled, found 'größ'"),
    (["report", "--html", "nirgends/p.html"], "nirgends/p.html: expected a file to write"),
]


@pytest.mark.parametrize(("words", "said"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_what_is_wrong_is_said_and_nothing_is_shown(program: Program, file: str, words: list[str], said: str) -> None:
    done = program([*words, "--state", file])
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize(
    "words", [["history"], ["history", "--prune", "1d"], ["report", "--html", "p.html"]], ids=" ".join
)
def test_where_there_is_no_state_none_is_made(program: Program, tmp_path: Path, words: list[str]) -> None:
    done = program([*words, "--state", "größe.db"])
    assert (done.returncode, done.stdout) == (2, b"")
    assert "größe.db: expected the state that `contracts check` leaves there (--state), found nothing" in (
        done.stderr.decode()
    )
    done = program(words, CONTRACTS_STATE="none")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "expected the state of earlier runs, found none, which switches it off" in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_state_is_left_alone(program: Program, tmp_path: Path) -> None:
    other = tmp_path / "größe.db"
    other.write_bytes("ein Brief über Größe, kein Zustand\n".encode() * 40)
    was = other.read_bytes()
    done = program(["history", "--state", other])
    assert (done.returncode, done.stdout) == (2, b"")
    assert "the state cannot be used" in done.stderr.decode()
    assert other.read_bytes() == was


def test_a_password_of_a_database_is_not_shown(program: Program) -> None:
    done = program(["history", "--state", "postgresql://größe:geheim-0815@127.0.0.1:1/x"])
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"geheim" not in done.stderr


def test_a_state_that_remembers_nothing_says_so(program: Program, tmp_path: Path) -> None:
    remember(str(tmp_path / "leer.db"), [])
    done = program(["history", "--state", "leer.db"])
    assert (done.returncode, done.stdout, done.stderr) == (0, b"nothing was polled yet\n", b"")


def test_prune_drops_what_is_older_says_how_much_and_keeps_the_rest(program: Program, where: str) -> None:
    # Five polls of the present day, and five that are a year old.
    now = datetime.now(UTC).replace(microsecond=0) - 5 * HOUR
    remember(where, POLLS, now)
    before = json.loads(program(["history", "--state", where, "-f", "json", "--polls", "99"]).stdout)
    assert [len(one["polls"]) for one in before["providers"]] == [10, 6]
    nothing = program(["history", "--state", where, "--prune", "9999w"])
    assert nothing.stdout.startswith(b"dropped 0 rows older than ")
    done = program(["history", "--state", where, "--prune", f"{(datetime.now(UTC) - now).days + 1}d", "-f", "json"])
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert told["pruned"]["rows"] >= 5
    assert told["providers"] == []
    after = json.loads(program(["history", "--state", where, "-f", "json", "--polls", "99"]).stdout)
    assert [len(one["polls"]) for one in after["providers"]] == [5, 3]
    assert cells(program(["history", "--state", where]).stdout.decode())["sse.charset"] == "·VVw·"


def test_an_age_is_a_number_and_a_unit() -> None:
    now = datetime(2026, 11, 30, tzinfo=UTC)
    for age, seconds in (("90d", 90 * 86400), ("12h", 43200), ("8w", 8 * 7 * 86400), ("5m", 300), ("0s", 0)):
        assert (now - before_of(age, now)).total_seconds() == seconds
    assert before_of("999999w", now).year == 1
    for wrong in ("", "d", "90", "-1d", "1.5d", "٣d", "1y", "9999999d", "1 d"):
        with pytest.raises(ConfigError, match="expected an age such as 90d"):
            before_of(wrong, now)


def cpu_s() -> float:
    """CPU time of the processes that were run so far: a machine that is busy with others does not lengthen it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
def test_three_hundred_providers_over_ten_thousand_polls_are_shown_within_a_second(
    program: Program, tmp_path: Path
) -> None:
    from tests.history.big import CONTRACTS, PROVIDERS, make

    state = str(tmp_path / "groß.db")
    make(state, polls=10_000)
    for words in (["history"], ["history", "-f", "json"], ["report", "--html", "p.html"]):
        took = []
        for _ in range(3):
            begun = cpu_s()
            assert program([*words, "--state", state]).returncode == 0
            took.append(cpu_s() - begun)
        assert min(took) < 1.0, words
    assert (tmp_path / "p.html").stat().st_size < 300 * PROVIDERS * CONTRACTS
    assert os.path.getsize(state) < 20_000_000
