"""What real traffic showed is judged without asking for it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import requests

from contracts.evidence.remembering import opened
from contracts.model import Outcome, Source
from contracts.taps import Taps, of_requests
from contracts.testing import HostileProvider
from contracts.testing.plugin import Factory
from tests.live.conftest import FREE, KEY, Check, Program, row

BODY = {"model": FREE, "stream": True, "messages": [{"role": "user", "content": "Answer in French, please."}]}


def forwarded(provider: HostileProvider, folder: Path, *, times: int = 1, **changes: Any) -> str:
    """Forward chats of a provider through a proxy with a tap, and give the file that it wrote."""
    rows = folder / "tapped.yaml"
    rows.write_text(json.dumps({"version": 1, "providers": {"cafe": row(provider)}}), encoding="utf-8")
    path = str(folder / "beobachtet.jsonl")
    taps = Taps.open(str(rows), path)
    for _ in range(times):
        with requests.post(
            f"{provider.base_url}/chat/completions",
            json={**BODY, **changes}, headers={"Authorization": f"Bearer {KEY}"}, stream=True, timeout=5,
        ) as response:  # fmt: skip
            list(of_requests.forward(taps, "cafe", response))
    taps.close()
    return path


def chats(provider: HostileProvider) -> int:
    return sum(1 for asked in provider.requests if asked.method == "POST" and asked.keyed)


def test_a_provider_whose_traffic_was_seen_is_asked_for_no_chat(
    tmp_path: Path, hostile_provider: Factory, check: Check
) -> None:
    provider = hostile_provider("finish-twice")
    path = forwarded(provider, tmp_path, times=3)
    before = chats(provider)
    done = check({"cafe": row(provider)}, observed=path)
    assert chats(provider) == before == 3
    assert {"reply.finish", "sse.charset"} <= done.violated
    (found,) = [f for f in done.report.findings if f.contract == "reply.finish"]
    assert found.evidence is not None
    assert (found.evidence.source, found.evidence.ref) == (Source.OBSERVED, f"{path} (3 answers)")
    assert done.outcome("models.resolve") == "holds"
    assert done.outcome("sse.timing") == "holds"
    assert done.report.requests.post_free == 1  # the chat without a key, for the shape of an error


def test_without_it_one_is_asked(tmp_path: Path, hostile_provider: Factory, check: Check) -> None:
    provider = hostile_provider("finish-twice")
    (tmp_path / "leer.jsonl").write_bytes(b"")
    done = check({"cafe": row(provider)}, observed=str(tmp_path / "leer.jsonl"))
    assert chats(provider) == 1
    assert "reply.finish" in done.violated


def test_traffic_of_a_model_that_the_row_does_not_allow_says_nothing(
    tmp_path: Path, hostile_provider: Factory, check: Check
) -> None:
    provider = hostile_provider("honest", by_model={"loopback/payé": "finish-twice"})
    path = forwarded(provider, tmp_path, model="loopback/payé")
    done = check({"cafe": row(provider)}, observed=path)
    assert "reply.finish" not in done.violated


def test_a_failure_in_traffic_is_no_broken_promise_and_proves_no_chat(
    tmp_path: Path, hostile_provider: Factory, check: Check
) -> None:
    bad = hostile_provider("bad-gateway")
    path = forwarded(bad, tmp_path)
    honest = hostile_provider("honest")
    done = check({"cafe": row(honest)}, observed=path)
    assert chats(honest) == 1
    assert "http.status" in done.of(Outcome.HOLDS)
    assert "error.shape" in done.violated


def test_the_command_tells_of_lines_that_are_none(tmp_path: Path, hostile_provider: Factory, program: Program) -> None:
    provider = hostile_provider("honest")
    path = forwarded(provider, tmp_path)
    with open(path, "ab") as file:
        file.write("größe\n".encode())
    process = program({"cafe": row(provider)}, ["--observed", path, "-f", "json"])
    out, err = process.communicate(timeout=60)
    assert f"{path}:2: expected an observation".encode() in err
    found = {f["contract"]: f for f in json.loads(out)["findings"]}
    evidence = found["text.intact"]["evidence"]
    assert (evidence["source"], evidence["ref"]) == ("observed", f"{path} (1 answer)")


def test_where_no_line_can_be_read_the_provider_is_asked_and_what_nobody_shows_is_unknown(
    tmp_path: Path, hostile_provider: Factory, program: Program
) -> None:
    path = tmp_path / "beobachtet.jsonl"
    path.write_text("größe\n", encoding="utf-8")
    asked = row(hostile_provider("finish-twice"))
    unasked = {**asked, "free_chats_per_day": 0}  # first, as what is asked is kept
    for told, contract, status in ((unasked, "text.intact", 3), (asked, "reply.finish", 1)):
        process = program({"cafe": told}, ["--observed", str(path), "--contract", contract])
        _, err = process.communicate(timeout=60)
        assert f"{path}: expected observations, found none that can be read".encode() in err
        assert process.returncode == status


def test_a_file_that_is_not_there_is_the_user_s_error(
    tmp_path: Path, hostile_provider: Factory, program: Program
) -> None:
    provider = hostile_provider("honest")
    process = program({"cafe": row(provider)}, ["--observed", str(tmp_path / "nichts.jsonl")])
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"nichts.jsonl: expected a file of observations, found: No such file or directory" in err


def test_a_fault_that_was_mended_since_the_last_poll_is_seen_no_more(
    tmp_path: Path, hostile_provider: Factory, check: Check
) -> None:
    provider = hostile_provider("finish-twice")
    path = forwarded(provider, tmp_path)
    with opened(str(tmp_path / "state.db"), print) as memory:
        assert "reply.finish" in check({"cafe": row(provider)}, observed=path, memory=memory).violated
        # Nothing new was seen: what was seen last still speaks.
        assert "reply.finish" in check({"cafe": row(provider)}, observed=path, memory=memory).violated
        provider.play("honest")
        forwarded(provider, tmp_path)
        assert "reply.finish" not in check({"cafe": row(provider)}, observed=path, memory=memory).violated
    assert chats(provider) == 2
