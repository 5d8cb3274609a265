"""Waivers: what a signature narrows, which are stale, and rows that are proposed and read back."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.model import Finding, Outcome, Scope, Severity, Waiver, Where
from contracts.waivers import PROPOSED, apply, fits, propose, stale
from contracts_cli import waiver_rows
from contracts_cli.argv import parse

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 30)
LATER = date(2027, 3, 1)
MODEL = "智谱/größe"


def finding(outcome: Outcome = Outcome.VIOLATED, **given_: Any) -> Finding:
    filled: dict[str, Any] = {
        "provider": "größe",
        "model": None,
        "contract": "sse.charset",
        "severity": Severity.ERROR,
        "scope": Scope.PROVIDER,
        "expected": "charset=utf-8",
        "observed": "text/event-stream; profil=„größe“",
        "detail": "was 报告",
        "reason": None,
        "where": Where(),
        "evidence": None,
    }
    return Finding(outcome=outcome, **{**filled, **given_})


def waiver(**given_: Any) -> Waiver:
    return Waiver(**{"contract": "sse.charset", "because": "已知", "owner": "Bär", "until": LATER, **given_})


SIGNATURES = [
    ("text/event-stream; profil=„größe“", Outcome.WAIVED),
    ("profil=„größe“", Outcome.WAIVED),
    ("profil=„große“", Outcome.VIOLATED),
    ("TEXT/EVENT-STREAM", Outcome.VIOLATED),
]


@pytest.mark.parametrize(("observed", "outcome"), SIGNATURES)
def test_a_signature_has_to_occur_in_what_was_observed(observed: str, outcome: Outcome) -> None:
    assert apply(finding(), [waiver(observed=observed)], TODAY).outcome is outcome


def test_a_signature_waives_nothing_where_nothing_was_observed() -> None:
    assert apply(finding(observed=None), [waiver(observed="größe")], TODAY).outcome is Outcome.VIOLATED
    assert apply(finding(observed=None), [waiver()], TODAY).outcome is Outcome.WAIVED


def test_a_waiver_that_ended_does_not_speak_of_another_signature() -> None:
    ended = waiver(observed="etwas anderes", until=date(2026, 1, 1))
    assert apply(finding(), [ended], TODAY) == finding()


def test_of_two_that_fit_the_later_counts_and_one_that_does_not_fit_takes_no_part() -> None:
    both = [waiver(until=LATER, because="jetzt"), waiver(until=date(2028, 1, 1), observed="anderes", because="nie")]
    found = apply(finding(), both, TODAY)
    assert found.waiver is not None
    assert found.waiver.because == "jetzt"


HOLDS, UNKNOWN = finding(Outcome.HOLDS), finding(Outcome.UNKNOWN)
MODEL_HOLDS = finding(Outcome.HOLDS, model=MODEL)
APART = finding(Outcome.NOT_APPLICABLE)
STALE = [
    ("it holds", waiver(), [HOLDS], (), True),
    ("it is violated", waiver(), [finding()], (), False),
    ("it is waived", waiver(), [finding(Outcome.WAIVED)], (), False),
    ("it ended and is violated", waiver(until=date(2026, 1, 1)), [finding()], (), False),
    ("it ended and holds", waiver(until=date(2026, 1, 1)), [HOLDS], (), True),
    ("violated with another signature", waiver(observed="große"), [finding()], (), True),
    ("it could not be judged", waiver(), [UNKNOWN], (), False),
    ("it does not apply", waiver(), [APART], (), False),
    ("it was not selected", waiver(), [finding(Outcome.HOLDS, contract="sse.done")], (), False),
    ("one model could not be judged", waiver(), [HOLDS, finding(Outcome.UNKNOWN, model=MODEL)], (), False),
    ("one model is violated", waiver(), [HOLDS, finding(model=MODEL)], (), False),
    ("only some models were judged", waiver(), [HOLDS], (MODEL,), False),
    ("its model holds", waiver(model=MODEL), [finding(Outcome.HOLDS, model=MODEL)], (), True),
    ("its model alone was judged", waiver(model=MODEL), [finding(Outcome.HOLDS, model=MODEL)], (MODEL,), True),
    ("another model holds", waiver(model=MODEL), [finding(Outcome.HOLDS, model="b")], (), False),
    ("the provider holds and not the model", waiver(model=MODEL), [HOLDS], (), False),
    ("another model is violated", waiver(model=MODEL), [finding(model="b"), MODEL_HOLDS], (), True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given_", "findings", "models", "is_stale"), [c[1:] for c in STALE], ids=[c[0] for c in STALE]
)
def test_a_waiver_is_stale(given_: Waiver, findings: list[Finding], models: tuple[str, ...], is_stale: bool) -> None:
    assert [w.until for w in stale("größe", [given_], findings, models)] == [given_.until] * is_stale


def test_what_holds_for_the_provider_holds_for_a_model_that_answered() -> None:
    about = [waiver(model=MODEL)]
    assert stale("größe", about, [HOLDS], answered={MODEL})
    assert not stale("größe", about, [HOLDS], answered={"b"})
    assert not stale("größe", about, [HOLDS, UNKNOWN], answered={MODEL})
    assert not stale("größe", about, [finding(model=MODEL)], answered={MODEL})


def test_a_stale_waiver_says_all_that_is_written_of_it() -> None:
    (found,) = stale("größe", [waiver(observed="große")], [finding()])
    assert (found.provider, found.contract, found.model, found.observed) == ("größe", "sse.charset", None, "große")
    assert (found.because, found.owner, found.until) == ("已知", "Bär", LATER)


texts = st.text(max_size=30)
findings_ = st.builds(
    finding,
    st.sampled_from(Outcome),
    contract=st.sampled_from(["sse.charset", "text.intact"]),
    model=st.none() | texts,
    observed=st.none() | texts,
)


@given(st.lists(findings_, max_size=8))
def test_what_is_proposed_waives_every_violation_for_ninety_days_and_nothing_is_stale(findings: list[Finding]) -> None:
    proposed = propose(findings, TODAY).get("größe", [])
    for found in findings:
        if found.outcome is Outcome.VIOLATED:
            assert apply(found, proposed, TODAY + timedelta(days=90)).outcome is Outcome.WAIVED
            assert apply(found, proposed, TODAY + timedelta(days=91)).outcome is Outcome.VIOLATED
        else:
            assert apply(found, proposed, TODAY) == found
    violated = [f for f in findings if f.outcome is Outcome.VIOLATED]
    assert all(any(fits(w, f) for f in violated) for w in proposed)
    assert timedelta(days=90) == PROPOSED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The shipped rows and cassettes, to be changed."""
    shutil.copy(ROOT / "providers.yaml", tmp_path)
    shutil.copytree(ROOT / "cassettes", tmp_path / "cassettes")
    return tmp_path


def run(folder: Path, capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    chosen = parse(["check", "--config", str(folder / "providers.yaml"), "--replay", *arguments])
    assert chosen is not None
    command, settings = chosen
    status = command.run(settings)
    out, err = capfd.readouterr()
    return status, out, err


def put(folder: Path, rows: dict[str, Any]) -> None:
    path = folder / "providers.yaml"
    written = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, row in rows.items():
        written["providers"][name].update(row)
    path.write_text(yaml.safe_dump(written, allow_unicode=True), encoding="utf-8")


def test_what_is_proposed_is_read_back_and_nothing_is_violated_then(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = run(folder, capfd)
    status, text, _ = run(folder, capfd, "--write-waivers")
    proposed = yaml.safe_load(text)["providers"]
    put(folder, proposed)
    after = run(folder, capfd, "--strict-waivers")
    again = run(folder, capfd, "--write-waivers")
    assert (before[0], status, after[0]) == (1, 1, 0)
    assert any(w["contract"] == "sse.charset" for w in proposed["openrouter"]["waivers"])
    assert {w["owner"] for row in proposed.values() for w in row["waivers"]} == {"TO BE FILLED IN"}
    assert "waived" in after[1]
    assert again[1].startswith("# Nothing is violated on ")


def test_a_stale_waiver_is_said_and_fails_a_run_only_where_that_was_asked_for(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    status, text, _ = run(folder, capfd, "--write-waivers")
    proposed = yaml.safe_load(text)["providers"]
    old = {"contract": "sse.framing", "observed": "größe", "because": "已知", "owner": "Bär", "until": "2027-03-01"}
    proposed["openrouter"]["waivers"].append({**old, "until": date(2027, 3, 1)})
    put(folder, proposed)
    status, out, err = run(folder, capfd, "-f", "json")
    assert status == 0
    assert "openrouter: the waiver of sse.framing matched no violation with 'größe' observed and can go" in err
    assert yaml.safe_load(out)["stale_waivers"] == [{"provider": "openrouter", "model": None, **old}]
    assert run(folder, capfd, "--strict-waivers")[0] == 1
    assert run(folder, capfd, "--strict-waivers", "--fail-on", "never")[0] == 0
    assert run(folder, capfd, "--strict-waivers", "--exclude", "sse.framing")[0] == 0


def test_text_that_yaml_would_take_for_something_else_comes_back_as_it_was() -> None:
    odd = ["null", "- a: b", "größe: 智谱 # kein Kommentar", "'\"", "2026-11-30", "*anker", "x" * 400]
    rows = yaml.safe_load(waiver_rows.render([finding(observed=text) for text in odd], TODAY))
    assert [row["observed"] for row in rows["providers"]["größe"]["waivers"]] == odd


def test_what_cannot_be_seen_in_a_file_is_left_out() -> None:
    rows = yaml.safe_load(waiver_rows.render([finding(observed="a\u202eb"), finding(observed="é\ud83d")], TODAY))
    assert ["observed" in row for row in rows["providers"]["größe"]["waivers"]] == [False]


def test_now_is_the_day_of_the_run(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, text, _ = run(folder, capfd, "--write-waivers")
    until = yaml.safe_load(text)["providers"]["openrouter"]["waivers"][0]["until"]
    assert until - datetime.now(UTC).date() in (PROPOSED, PROPOSED - timedelta(days=1))


def test_a_model_id_that_turns_text_round_is_proposed_so_that_it_is_seen() -> None:
    odd = "größe\u202e\u2028x"
    text = waiver_rows.render([finding(model=odd)], TODAY).decode()
    assert all(line.isprintable() for line in text.split("\n"))
    assert yaml.safe_load(text)["providers"]["größe"]["waivers"][0]["model"] == odd
