"""A row from the library or from a host, by the command as it is run."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from typing import Any

import pytest
import yaml

from contracts import dialects
from contracts.config import catalogue
from contracts.testing import HostileProvider

KEY = "acme-Zwiebel-0815"


@pytest.fixture
def path(tmp_path: Any) -> str:
    return str(tmp_path / "providers.yaml")


def command(path: str, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    own = {k: v for k, v in os.environ.items() if not k.startswith("CONTRACTS_")}
    own |= {"PYTHONPATH": os.pathsep.join(sys.path), **environ}
    return subprocess.run(
        [sys.executable, "-m", "contracts_cli", "init", *arguments],
        check=False, capture_output=True, text=True, env=own, timeout=60, cwd=os.path.dirname(path),
    )  # fmt: skip


def rows(path: str) -> dict[str, Any]:
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = yaml.safe_load(file)["providers"]
    return found


def test_a_row_of_the_library_is_written_into_a_new_file(path: str) -> None:
    done = command(path, "openrouter")
    assert (done.returncode, done.stdout) == (0, "  openrouter:\n    extends: openrouter\n    models: []\n")
    assert done.stderr.endswith("written to providers.yaml\n")
    assert catalogue.load(path).provider("openrouter").base_url == "https://openrouter.ai/api/v1"


def test_a_row_is_appended_under_a_name_of_its_own_and_nothing_is_overwritten(path: str) -> None:
    text = "# größe\nversion: 1\nproviders:\n  openrouter: {extends: openrouter} # é\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o640)
    refused = command(path, "openrouter")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "expected no provider 'openrouter', found one; it is left as it is" in refused.stderr
    with open(path, encoding="utf-8") as file:
        assert file.read() == text
    assert command(path, "openrouter", "--as", "zweiter", "--key", "OTHER_KEY").returncode == 0
    with open(path, encoding="utf-8") as file:
        assert file.read().startswith(text)
    assert rows(path)["zweiter"] == {"extends": "openrouter", "api_key": "OTHER_KEY", "models": []}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o640
    assert os.listdir(os.path.dirname(path)) == ["providers.yaml"]


def test_a_host_is_not_asked_for_a_row_that_is_there(path: str) -> None:
    assert command(path, "openrouter").returncode == 0
    with HostileProvider("keyless") as provider:
        done = command(path, provider.base_url, "--as", "openrouter")
        assert provider.request_count == 0
    assert (done.returncode, done.stdout) == (2, "")


def test_a_name_that_is_nearly_one_is_asked_back(path: str) -> None:
    done = command(path, "opnrouter")
    assert done.returncode == 2
    assert "unknown provider 'opnrouter' (did you mean 'openrouter'?)" in done.stderr
    assert not os.path.exists(path)


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/models", "/v1/chat/completions"])
def test_a_host_says_what_it_is_and_the_row_judges_it(path: str, ending: str) -> None:
    with HostileProvider("keyless") as provider:
        origin = provider.base_url.removesuffix("/v1")
        done = command(path, origin + ending, "--as", "acme")
        assert done.returncode == 0, done.stderr
        assert {(a.method, a.keyed) for a in provider.requests} == {("GET", False)}
        assert rows(path)["acme"] == {
            "dialect": "openai-chat",
            "base_url": provider.base_url,
            "models": ["loopback/libre", "loopback/café", "loopback/grand"],
            "listing": {
                "path": "/models",
                "items": "data",
                "id": "id",
                "prices": "pricing",
                "context_tokens": "context_length",
                "parameters": "supported_parameters",
            },
        }
    assert "found: dialect openai-chat, by its listing of 3 models" in done.stderr
    assert "could not tell: which models are for chat: the listing does not say" in done.stderr
    assert catalogue.load(path).provider("acme").models[0] == "loopback/libre"


def test_a_key_is_sent_where_its_variable_is_named_and_is_shown_nowhere(path: str) -> None:
    with HostileProvider() as provider:
        done = command(path, provider.base_url, "--as", "acme", "--key", "ACME_API_KEY", ACME_API_KEY=KEY)
        assert [(a.method, a.keyed) for a in provider.requests] == [("GET", True)]
    assert rows(path)["acme"]["api_key"] == "ACME_API_KEY"
    with open(path, encoding="utf-8") as file:
        assert KEY not in file.read() + done.stdout + done.stderr


def test_a_key_that_a_host_repeats_in_its_listing_reaches_neither_the_file_nor_the_terminal(path: str) -> None:
    models = {f"größe/{KEY}": "0", "größe/gut": "0.1"}
    with HostileProvider(models=models) as provider:
        done = command(path, provider.base_url, "--as", "acme", "--key", "ACME_API_KEY", ACME_API_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert rows(path)["acme"]["models"] == ["größe/gut"]
    assert "which model ids your router allows; one is written" in done.stderr
    with open(path, encoding="utf-8") as file:
        assert KEY not in file.read() + done.stdout + done.stderr


def test_a_key_that_is_named_and_not_set_is_asked_for(path: str) -> None:
    done = command(path, "http://127.0.0.1:9/v1", "--key", "ACME_API_KEY")
    assert (done.returncode, done.stdout) == (3, "")
    assert "ACME_API_KEY is not set" in done.stderr


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ("bad-gateway", "no model listing that is known: GET /models: status 502"),
        ("edge-page", "no model listing that is known: GET /models: status 200, and no JSON that can be read"),
        ("listing-text", "no JSON that can be read"),
        ("redirect-elsewhere", "no model listing that is known: GET /models: status 30"),
        ("gzip-bomb", "no model listing that is known"),
        ("reset-at-once", "the connection was reset before an answer came"),
    ],
)
def test_a_host_that_says_nothing_of_use_gets_no_row(path: str, scenario: str, told: str) -> None:
    with HostileProvider(scenario, "keyless") as provider:
        done = command(path, provider.base_url, "--as", "acme", "--timeout", "20s")
        assert provider.strays == ()
    assert (done.returncode, done.stdout) == (3, "")
    assert told in done.stderr
    assert os.listdir(os.path.dirname(path)) == []


def test_a_host_that_asks_to_come_back_later_is_not_asked_again(path: str) -> None:
    with HostileProvider("rate-limited", "keyless") as provider:
        done = command(path, provider.base_url, "--as", "acme")
        assert len(provider.requests) == 1
    assert done.returncode == 3
    assert done.stderr.endswith("no model listing that is known: GET /models: status 429\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("https://user:geheim@provider.example/v1",), "found one with '@' (not shown)"),
        (("ftp://provider.example",), "expected an http or https URL"),
        (("https:///v1",), "expected an http or https URL"),
        (("openrouter", "--as", "größe"), "--as: expected a name of letters"),
        (("openrouter", "--key", "sk-proj-aBcD1234efgh5678"), "--key: expected the name of a variable"),
        (("openrouter", "--config", "nirgends/providers.yaml"), "expected a file to write"),
    ],
)
def test_a_mistake_is_the_users_and_is_told_without_secrets(path: str, arguments: tuple[str, ...], told: str) -> None:
    done = command(path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
    assert "geheim" not in done.stderr
    assert "aBcD1234" not in done.stderr


def test_a_file_with_problems_is_left_for_its_owner_to_mend(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("version: 1\nproviders:\n  größe: {dialekt: x}\n")
    done = command(path, "openrouter")
    assert done.returncode == 2
    assert "unknown key 'dialekt'" in done.stderr
    assert list(rows(path)) == ["größe"]


def test_a_hostile_id_reaches_neither_the_file_nor_the_terminal(path: str) -> None:
    models = {"evil\u202e/é": "0", "a b": "0", "x\x1b[31m": "0", "größe/gut": "0.1"}
    with HostileProvider("keyless", models=models) as provider:
        done = command(path, provider.base_url, "--as", "acme")
    assert done.returncode == 0, done.stderr
    assert rows(path)["acme"]["models"] == ["größe/gut"]
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("ending", ["", "/{}"])
@pytest.mark.parametrize("dialect", ["anthropic-messages", "cohere", "gemini", "ollama"])
def test_the_row_of_a_host_asks_for_chats_where_its_wire_api_has_them(path: str, dialect: str, ending: str) -> None:
    asking = dialects.load_asking(dialect)
    assert asking is not None
    scenarios = () if dialect == "ollama" else ("keyless",)  # which asks for no key anyway
    with HostileProvider(*scenarios, dialect=dialect) as provider:
        origin = "/".join(provider.base_url.split("/")[:3])
        prefix = {"gemini": "v1beta", "ollama": "api"}.get(dialect, "v1")
        done = command(path, origin + ending.format(prefix), "--as", "acme")
        assert done.returncode == 0, done.stderr
        row = rows(path)["acme"]
        # The first path at which a host lists models is as good as any: Gemini has two versions.
        assert row["dialect"] == dialect
        assert row["base_url"] in {provider.base_url, *([f"{origin}/v1"] if dialect == "gemini" else [])}
        assert {a.kind for a in provider.requests} <= {"listing", "other"}
    own = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    with open(path, "a", encoding="utf-8") as file:
        file.write("    billing: none\n    free_chats_per_day: 1\n")
    with HostileProvider(*scenarios, dialect=dialect, port=int(origin.rpartition(":")[2])) as provider:
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", "check", "acme", "-f", "json"],
            check=False, capture_output=True, text=True, env=own, timeout=60, cwd=os.path.dirname(path),
        )  # fmt: skip
        assert [a.kind for a in provider.requests if a.method == "POST" and a.kind != "endpoints"] == ["chat"]
    outcomes = {f["contract"]: f["outcome"] for f in json.loads(done.stdout)["findings"]}
    assert (outcomes["reply.finish"], outcomes["text.intact"], outcomes["models.shape"]) == ("holds", "holds", "holds")
