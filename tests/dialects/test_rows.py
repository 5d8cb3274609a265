"""The shipped rows of the wire APIs' own providers, checked live as they are written against the hostile provider."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contracts import dialects, live
from contracts.config import catalogue
from contracts.evidence import keys
from contracts.evidence.rules import FREE_HEADERS
from contracts.settings import Settings
from contracts.testing import HostileProvider, writers
from contracts.testing.listing import models_of

KEY = "sk-loopback-schluessel"
# Where the API is below its host, as each row's sources have it.
PLACES = {
    "anthropic": "/v1",
    "azure": "/openai/v1",
    "bedrock": "/openai/v1",
    "bedrock-mantle": "/v1",
    "cohere": "",
    "gemini": "/v1beta",
    "ollama": "/api",
    "vertex": "/v1/projects/groesse/locations/global/publishers/google",
}
UNLISTED = ("azure", "bedrock", "vertex")  # what they list, if they do, is not what may be asked for
JUDGED = ("reply.finish", "reply.error", "reply.schema", "reply.not-empty", "reply.usage", "text.intact", "sse.done")


def extended(name: str, origin: str, folder: Path, **members: Any) -> Path:
    """Write a row of one's own over a shipped one."""
    row = {"extends": name, "base_url": origin + PLACES[name], **members}
    path = folder / "providers.yaml"
    path.write_text(json.dumps({"version": 1, "providers": {"eigen": row}}), encoding="utf-8")
    return path


def dialect_of(name: str, folder: Path) -> str:
    return catalogue.load(str(extended(name, "https://wolke.example", folder))).provider("eigen").dialect


def model_of(dialect: str, which: str) -> str:
    """Name a model of the hostile provider, as the dialect has room for it."""
    return next(model for model in models_of(writers.load(dialect)) if model.endswith(which))


@pytest.mark.parametrize("name", PLACES)
def test_a_row_asks_lists_and_errs_as_its_wire_api_does(name: str, tmp_path: Path) -> None:
    own = {} if name == "ollama" else {"api_key": "LOOPBACK_KEY"}
    dialect = dialect_of(name, tmp_path)
    with HostileProvider("declared", dialect=dialect) as provider:
        origin = "/".join(provider.base_url.split("/")[:3])
        path = extended(
            name, origin, tmp_path, models=[model_of(dialect, "libre")], billing="none", free_chats_per_day=1, **own
        )
        report, _ = live.check(Settings(config=str(path), timeout_s=20.0), environ={"LOOPBACK_KEY": KEY})
        asked = provider.requests
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        found.setdefault(finding.contract, set()).add(finding.outcome.value)
    assert {f.contract: f.detail for f in report.findings if f.outcome.value == "violated"} == {}
    assert all(found[contract] <= {"holds", "not-applicable"} for contract in JUDGED), found
    assert found["reply.finish"] == found["text.intact"] == {"holds"}
    assert ("holds" in found["models.shape"]) is (name not in UNLISTED)
    assert found["models.resolve"] == {"holds"}
    assert ("holds" in found["error.shape"]) is bool(own)
    assert sorted(a.keyed for a in asked if a.kind == "chat") == ([False, True] if own else [False])
    assert report.spend_usd == 0


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("anthropic", ("x-api-key", KEY)),
        ("azure", ("api-key", KEY)),
        ("bedrock", ("Authorization", f"Bearer {KEY}")),
        ("cohere", ("Authorization", f"Bearer {KEY}")),
        ("gemini", ("x-goog-api-key", KEY)),
        ("vertex", ("Authorization", f"Bearer {KEY}")),
    ],
)
def test_a_row_sends_its_key_as_its_provider_wants_it(name: str, header: tuple[str, str], tmp_path: Path) -> None:
    row = catalogue.load(str(extended(name, "https://wolke.example", tmp_path))).provider("eigen")
    key, trouble = keys.find("LOOPBACK_KEY", {"LOOPBACK_KEY": KEY})
    assert trouble == ""
    assert keys.headers(key, row.auth, dialects.load_asking(row.dialect)) == (header,)
    assert header[0].lower() in FREE_HEADERS


@pytest.mark.parametrize("name", PLACES)
def test_a_row_that_bills_is_asked_nothing_that_costs(name: str, tmp_path: Path) -> None:
    own = {} if name == "ollama" else {"api_key": "LOOPBACK_KEY"}
    dialect = dialect_of(name, tmp_path)
    with HostileProvider("declared", dialect=dialect) as provider:
        origin = "/".join(provider.base_url.split("/")[:3])
        path = extended(name, origin, tmp_path, models=[model_of(dialect, "grand")], free_chats_per_day=9, **own)
        live.check(Settings(config=str(path), timeout_s=20.0), environ={"LOOPBACK_KEY": KEY})
        assert not [a for a in provider.requests if a.kind == "chat" and (a.keyed or not own)]
