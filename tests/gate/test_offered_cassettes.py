"""Cassettes offered with a row: what they show, what they do not prove, and what they may not hold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import CaptureError, ConfigError
from contracts.record import RecordSettings, record
from contracts.testing import HostileProvider
from tests.gate.conftest import KEY, VARIABLE, Gate, Play, Program, Repository, Row, row

PAID = "loopback/grand"


def offer(repository: Repository, name: str, provider: HostileProvider, environ: dict[str, str]) -> Path:
    """Record a provider as a contributor would, who says that it is the real one."""
    record(RecordSettings(provider=name, config=repository.config), environ=environ)
    folder = repository.folder / "cassettes" / name
    for path in folder.glob("*.yaml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("source: synthetic", "source: recorded"), encoding="utf-8")
    assert provider.request_count > 0
    return folder


@pytest.fixture
def paid(play: Play) -> Row:
    """A good row whose chats cost money, so that no free question shows what a chat is like."""
    return row(play("declared"), billing=None, models=[PAID])


@pytest.fixture
def cassettes(repository: Repository, play: Play, environ: dict[str, str]) -> Any:
    """Offer cassettes of a row that were recorded from another provider, which was free."""

    def write(written: Row, *scenarios: str) -> Path:
        provider = play(*scenarios)
        repository.rows({"neu": row(provider, models=written["models"])})
        folder = offer(repository, "neu", provider, environ)
        repository.change({"neu": written})
        return folder

    repository.base({})
    return write


def test_a_cassette_shows_what_would_cost_money_to_ask(paid: Row, cassettes: Any, gate: Gate) -> None:
    cassettes(paid, "declared")
    came = gate()
    assert (came.status, came.of("violated"), came.gated.report.requests.post_paid) == (0, set(), 0)
    sources = {f.contract: f.evidence.source.value for f in came.gated.report.findings if f.evidence is not None}
    assert sources["sse.charset"] == "recorded"
    assert sources["models.shape"] == sources["error.shape"] == "live"


def test_what_a_cassette_shows_to_be_broken_is_refused(paid: Row, cassettes: Any, gate: Gate) -> None:
    cassettes(paid, "honest")
    came = gate()
    assert (came.status, came.of("violated")) == (1, {"sse.charset"})


def test_a_cassette_that_is_broken_outweighs_a_provider_on_a_good_day(play: Play, cassettes: Any, gate: Gate) -> None:
    cassettes(row(play("declared")), "honest")
    assert (gate().status, gate().of("violated")) == (1, {"sse.charset"})


def test_a_good_cassette_does_not_hide_what_the_provider_shows(play: Play, cassettes: Any, gate: Gate) -> None:
    cassettes(row(play("honest")), "declared")
    assert (gate().status, gate().of("violated")) == (1, {"sse.charset"})


def test_what_a_contributor_recorded_himself_does_not_prove_what_a_free_question_shows(
    paid: Row, cassettes: Any, gate: Gate
) -> None:
    cassettes(paid, "declared")
    came = gate(replay="")
    assert came.status == 3
    assert {"models.shape", "models.resolve", "error.shape", "http.status"} <= came.of("unknown")
    assert {"sse.charset", "reply.json", "text.intact"} <= came.of("holds")
    assert "only a recording offered with the row shows it" in came.reason("models.shape")
    came = gate(replay="", trust_recorded=True)
    assert (came.status, came.of("unknown")) == (0, set())


def test_a_provider_that_cannot_be_reached_is_not_vouched_for_by_its_cassettes(
    paid: Row, cassettes: Any, gate: Gate
) -> None:
    nobody = {**paid, "base_url": "http://127.0.0.1:9/v1"}
    cassettes(nobody, "declared")
    came = gate()
    assert came.status == 3
    assert "models.shape" in came.of("unknown")
    assert "sse.charset" in came.of("holds")


def test_a_row_that_no_free_question_reaches_is_judged_by_its_cassettes(paid: Row, cassettes: Any, gate: Gate) -> None:
    written = {key: value for key, value in paid.items() if key not in ("base_url", "api_key", "listing")}
    cassettes(written, "declared")
    assert gate(replay="").status == 0


def test_what_a_server_of_ours_played_proves_nothing_however_much_is_trusted(
    paid: Row, cassettes: Any, gate: Gate
) -> None:
    folder = cassettes(paid, "declared")
    for path in folder.glob("*.yaml"):
        path.write_text(path.read_text(encoding="utf-8").replace("source: recorded", "source: synthetic"), "utf-8")
    came = gate(replay="", trust_recorded=True)
    assert (came.status, came.of("holds")) == (3, set())
    assert "says nothing of the provider" in came.reason("sse.charset")


def test_without_cassettes_a_replay_judges_nothing(paid: Row, repository: Repository, gate: Gate) -> None:
    repository.base({})
    repository.change({"neu": paid})
    with pytest.raises(ConfigError, match="expected a folder of cassettes"):
        gate(replay="")
    (repository.folder / "cassettes").mkdir()
    assert gate(replay="").status == 3


SECRETS = [
    ("a key", "sk-proj-Aa1Bb2Cc3Dd4Ee5Ff6", "key"),
    ("the machine's own key, in base64", "c2stbG9vcGJhY2stMDEyMzQ1Njc4OWFiY2RlZg==", "key"),
    ("a token", "Bearer abcdefgh12345678", "token"),
    ("an address", "größe@example.org", "e-mail address"),
]


@pytest.mark.parametrize(("name", "secret", "what"), SECRETS, ids=[name for name, _, _ in SECRETS])
@pytest.mark.parametrize("file", ["chat-stream.yaml", "notes.md"])
def test_a_cassette_that_holds_a_secret_is_refused_without_showing_it(  # noqa: PLR0913, PLR0917 - fixtures and a case
    name: str, secret: str, what: str, file: str, paid: Row, cassettes: Any, repository: Repository, program: Program
) -> None:
    folder = cassettes(paid, "declared")
    path = folder / file
    text = path.read_text(encoding="utf-8") if path.exists() else "größer\n"
    path.write_text(f"# {secret}\n{text}", encoding="utf-8")
    repository.commit(name)
    done = program("--replay", "--trust-recorded")
    assert done.returncode == 2
    assert f"cassettes/neu/{file}: expected nothing that may not be published, found {what}" in done.stderr
    assert "has to be revoked" in done.stderr
    assert secret not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("header", "value", "is_refused"),
    [
        ("Authorization", "Bearer größer-als-geheim", True),
        ("Set-Cookie", "__cf=größer", True),
        ("openai-organization", "acme", True),
        ("X-Api-Key", "REDACTED", False),
        ("Authorization", "Bearer ***", False),
        ("cf-ray", "8f2c", False),
    ],
)
def test_headers_that_carry_credentials_are_refused_and_others_are_not(  # noqa: PLR0913, PLR0917 - fixtures and a case
    header: str, value: str, is_refused: bool, paid: Row, cassettes: Any, gate: Gate
) -> None:
    folder = cassettes(paid, "declared")
    path = folder / "models.yaml"
    text = path.read_text(encoding="utf-8")
    assert "    headers:\n" in text
    path.write_text(text.replace("    headers:\n", f"    headers:\n      {header}: ['{value}']\n", 1), "utf-8")
    if is_refused:
        with pytest.raises(ConfigError, match=f"found the header {header.lower()}"):
            gate(replay="", trust_recorded=True)
    else:
        assert gate(replay="", trust_recorded=True).status == 0


def test_a_changed_cassette_of_an_unchanged_row_is_looked_at_too(paid: Row, repository: Repository, gate: Gate) -> None:
    repository.base({"alt": paid})
    repository.write("cassettes/alt/größe.http", f"HTTP/1.1 200 OK\r\n\r\n{KEY}")
    with pytest.raises(ConfigError, match=r"größe\.http: expected nothing that may not be published, found key"):
        gate()
    repository.git("checkout", "--quiet", "main")
    repository.commit()
    repository.git("checkout", "--quiet", "-B", "wölkchen")
    assert gate().status == 0


def test_a_cassette_that_cannot_be_read_is_told(paid: Row, cassettes: Any, gate: Gate) -> None:
    (cassettes(paid, "declared") / "größe.yaml").write_text("interactions: [\n", encoding="utf-8")
    with pytest.raises(CaptureError, match=r"größe\.yaml"):
        gate(replay="")


def test_a_link_out_of_the_repository_is_not_followed(paid: Row, cassettes: Any, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "geheim.yaml").write_text(f"{VARIABLE}: {KEY}\n", encoding="utf-8")
    os.symlink(tmp_path / "geheim.yaml", cassettes(paid, "declared") / "größe.yaml")
    with pytest.raises(ConfigError, match="found a link that leads out of it") as caught:
        gate(replay="")
    assert KEY not in str(caught.value)


def test_a_folder_of_cassettes_that_is_a_link_out_of_the_repository_is_refused(
    paid: Row, repository: Repository, gate: Gate, tmp_path: Path
) -> None:
    (tmp_path / "fremd" / "neu").mkdir(parents=True)
    repository.base({})
    os.symlink(tmp_path / "fremd", repository.folder / "cassettes")
    repository.change({"neu": paid})
    for settings in ({}, {"replay": ""}):
        with pytest.raises(ConfigError, match="found a link that leads out of it"):
            gate(**settings)
    # Whoever runs the gate may name any folder.
    assert gate(replay=str(tmp_path / "fremd")).status == 3
