"""Nothing that a model said is ever in a state: not in the answers that routers share, nor in any other table."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from contracts.testing.reply import TEXT
from tests.state.conftest import path
from tests.state.raw import execute, held

__all__ = ["hostile_provider", "path"]

ROOT = Path(__file__).parents[2]
# Whatever makes a check speak of what it saw: damaged text, broken JSON, odd frames, calls and shapes.
SCENARIOS = (
    "honest", "escaped", "double-encoded", "double-encoded-windows", "double-encoded-twice", "replacement-characters",
    "lone-surrogates", "bpe-alphabet", "byte-tokens", "json-nan", "json-duplicate-keys", "json-control-character",
    "json-concatenated", "json-cut", "json-invalid-utf8", "sse-cut-short", "sse-joined-events", "sse-labelled-text",
    "sse-labelled-json", "json-for-stream", "finish-never", "text-after-finish", "content-as-list",
    "message-for-delta", "begins-anew", "error-mid-stream", "gzip-unlabelled", "chunked-cut", "length-too-short",
    "reasoning", "call-arguments-cut",
)  # fmt: skip
# The scenarios of damage have a text of their own.
SAID = ("Déjà", "déjà", "naïve", "“fin”", "日本語", "中文", "한국어", "Ωμέγα", "Привет", "שלום", "\U0001f680")


def forms(text: str) -> set[bytes]:
    """How a text may stand in a database: as it is, read as Latin-1 or Windows-1252 once or twice, and escaped."""
    once = text.encode().decode("latin-1")
    windows = text.encode().decode("cp1252", errors="replace")
    twice = once.encode().decode("latin-1")
    escaped = json.dumps(text)[1:-1]
    told = (text, once, windows, twice, escaped, escaped.upper().replace("\\U", "\\u"), escaped.replace("\\", "\\\\"))
    return {form.encode() for form in told if "\ufffd" not in form} | {text.encode("utf-16-le")}


def check(folder: Path, state: str, providers: dict[str, HostileProvider]) -> None:
    """One run over all of them that shares what it comes to."""
    rows = {
        name: {
            "dialect": "openai-chat",
            "base_url": provider.base_url,
            "api_key": "LOOPBACK_KEY",
            "models": ["loopback/libre"],
            "listing": {"path": "/models", "prices": "pricing", "context_tokens": "context_length"},
            "free_chats_per_day": 1000,
        }
        for name, provider in providers.items()
    }
    config = folder / "providers.yaml"
    config.write_text(json.dumps({"version": 1, "providers": rows}), encoding="utf-8")
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
        "LOOPBACK_KEY": "sk-loopback-0123456789abcdef",
    }
    command = [sys.executable, "-m", "contracts_cli", "check", "-q", "--timeout", "60s", "--config", str(config)]
    done = subprocess.run(
        [*command, "--state", state, "--every", "60m"], env=environ, check=False, capture_output=True, timeout=100
    )
    assert (done.returncode, done.stderr.decode()) == (1, "")


@pytest.mark.usefixtures("hostile_provider")
def test_no_table_of_either_database_holds_a_word_of_an_answer(path: str, tmp_path: Path) -> None:
    assert [word for word in SAID if word in TEXT] == [word for word in SAID if word != "déjà"]
    started = {f"anbieter-{n:02}": HostileProvider(f"chat:{name}") for n, name in enumerate(SCENARIOS)}
    try:
        for provider in started.values():
            provider.__enter__()
        check(tmp_path, path, started)
        # They were asked, and what they said was read and judged.
        chats = {n: len([a for a in p.requests if a.kind == "chat" and a.keyed]) for n, p in started.items()}
        assert min(chats.values()) >= 1, chats
        judged = execute(path, "SELECT DISTINCT provider FROM states WHERE contract = 'text.intact'")
        assert len(judged) == len(SCENARIOS)
    finally:
        for provider in started.values():
            provider.__exit__(None, None, None)
    everything = held(path)
    if "://" in path:
        assert execute(path, "SELECT count(*) FROM answers") == [(len(SCENARIOS),)]
    assert any(form in everything for form in forms("loopback/café")), "what is listed is kept, and is found"
    found = {word for word in SAID for form in forms(word) if form in everything}
    assert found == set()
