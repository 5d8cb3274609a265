"""`contracts canary` as a program: what it prints, its schema, its notes, its exit status, and nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs
import pytest

from contracts.canary.told import Told
from contracts.testing import HostileProvider
from tests.canary.conftest import KEY
from tests.cli.conftest import environment
from tools import schemas

DEADLINE_S = 60


def command(folder: Path, provider: HostileProvider, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command on a row for a provider that is running."""
    row = {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "api_key": "ACME_API_KEY",
        "models": list(provider.models),
        "listing": {"path": "/models", "prices": "pricing"},
    }
    (folder / "providers.yaml").write_text(json.dumps({"version": 1, "providers": {"cafe": row}}), encoding="utf-8")
    state = str(folder / "\u00e9tat.db")
    return subprocess.run(
        [sys.executable, "-m", "contracts_cli", "canary", "cafe", "--state", state, *arguments],
        cwd=folder, env=environment(ACME_API_KEY=KEY), capture_output=True, check=False, timeout=DEADLINE_S,
    )  # fmt: skip


def test_damage_is_shown_segment_by_segment_and_fails(tmp_path: Path) -> None:
    with HostileProvider("echo", "echo-stream-double-encoded") as provider:
        done = command(tmp_path, provider, "--model", "loopback/libre", "--note", "-")
    text = done.stdout.decode()
    assert (done.returncode, done.stderr) == (1, b"")
    assert "! loopback/libre: damaged (double-encoded), fault: provider; 0 USD" in text
    assert "- streamed (a stream): double-encoded: UTF-8 read as latin-1" in text
    assert "em dash: double-encoded: U+2014 \u2192 U+00E2 U+0080 U+0094" in text
    assert "1 GET, 5 free POST, 0 paid POST, 0 refused; spent 0 USD" in " ".join(text.split())
    note = json.loads(text.splitlines()[-1])
    assert (note["provider"], note["status"], note["contracts"][0]["contract"]) == (
        "cafe",
        "violated",
        "canary.echo",
    )
    assert KEY not in text


@pytest.mark.parametrize(
    ("scenario", "why"),
    [
        ("listing:bad-gateway", "cafe: the model listing was answered with status 502"),
        ("listing:edge-page", "cafe: the model listing cannot be read"),
    ],
)
def test_a_listing_that_tells_nothing_is_told_and_nobody_is_asked(scenario: str, why: str, tmp_path: Path) -> None:
    with HostileProvider("echo", scenario) as provider:
        done = command(tmp_path, provider, "--max-spend", "0.5")
    assert not provider.paid_chats
    assert (done.returncode, done.stderr.decode()) == (3, f"contracts: {why}\n")
    assert "loopback/libre: not asked" in done.stdout.decode()


@pytest.mark.parametrize("scenario", ["echo", "echo-double-encoded", "echo-in-a-fence", "honest", "chat:bad-gateway"])
def test_what_it_prints_for_programs_is_what_its_schema_says(scenario: str, tmp_path: Path) -> None:
    with HostileProvider("echo", scenario) if scenario.startswith("echo-") else HostileProvider(scenario) as provider:
        done = command(tmp_path, provider, "-f", "json", "--max-spend", "0.5")
    told = json.loads(done.stdout)
    validator = jsonschema_rs.validator_for(schemas.render(Told).decode())
    assert [error.message for error in validator.iter_errors(told)] == []
    assert told["schema"] == "contracts.canary/1"
    assert done.returncode == {"damaged": 1, "intact": 0, "unknown": 3}[told["outcome"]]


def test_a_budget_pays_for_paid_models_and_the_books_are_kept(tmp_path: Path) -> None:
    with HostileProvider("echo") as provider:
        done = command(tmp_path, provider, "-f", "json", "--max-spend", "0.5", "--budget-per-day", "0.4")
        again = command(tmp_path, provider, "--dry-run")
    told = json.loads(done.stdout)
    assert (done.returncode, told["requests"]["post_paid"], told["requests"]["post_free"]) == (0, 10, 5)
    assert 0 < float(told["spend_usd"]) < 0.1
    assert told["day_usd"] == told["spend_usd"]
    assert f"{told['spend_usd']} USD of canaries today" in " ".join(again.stdout.decode().split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--max-spend", "zw\u00f6lf"), "--max-spend: expected an amount in USD"),
        (("--budget-per-day", "-1"), "--budget-per-day: expected an amount in USD"),
        (("--model", "aucun/mod\u00e8le"), "--model: expected one of"),
        (("--price", "mod\u00e8le"), "--price: expected MODEL=INPUT/OUTPUT"),
        (("--at-most", "0"), "--at-most: expected 1 or more"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    arguments: tuple[str, str], said: str, tmp_path: Path
) -> None:
    with HostileProvider("echo") as provider:
        done = command(tmp_path, provider, *arguments)
        assert provider.request_count == 0
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
