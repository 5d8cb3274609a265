"""Every scenario of the hostile provider, judged live: what is violated, the exit status, and no spend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from contracts.config import catalogue as catalogues
from contracts.model import Outcome
from contracts.testing import HostileProvider, Scenario, known_scenarios
from tests.live.conftest import FREE, Check, row

DEADLINE_S = 0.7  # for scenarios that end with nothing else


class Live(NamedTuple):
    """What a scenario comes to live where that is more, or less, than its record says of one answer."""

    violated: tuple[str, ...]
    status: int
    timeout_s: float = 10.0


CUT_IN_JSON = ("error.shape", "models.shape")
# All kinds of requests meet these scenarios, or the reader's own limits do.
DIFFERENT = {
    "gzip-bomb": Live(("http.content-encoding",), 1),
    "stream-for-json": Live((), 0),  # every live chat asks for a stream
    "edge-page": Live(("http.media-type", "http.status", "models.shape"), 1),
    "error-in-success": Live(("http.media-type", "reply.error"), 1),
    "listing-changes": Live((), 0),  # at the second poll
    "models-vanish": Live((), 0),
    "slow-loris": Live((), 3, DEADLINE_S),
    "slow-headers": Live((), 3, DEADLINE_S),
    "stall-before-headers": Live((), 3, DEADLINE_S),
    "stall-after-headers": Live((), 3, DEADLINE_S),
    "stall-mid-stream": Live((), 3, DEADLINE_S),
    "keep-alive-for-ever": Live((), 3, DEADLINE_S),
    "line-200mb": Live(("sse.framing",), 1),
    "endless-body": Live((), 3),
    "length-too-long": Live((), 0),
    "length-too-short": Live(CUT_IN_JSON, 1),
    "chunk-cut": Live(CUT_IN_JSON, 1),
    "reset-mid-event": Live(CUT_IN_JSON, 1),
    "reset-at-once": Live((), 3),
    "close-at-once": Live((), 3),
    "not-http": Live((), 3),
    "header-flood": Live((), 3),
    "header-huge": Live((), 3),
    "tls-expired": Live((), 3),
    "tls-other-host": Live((), 3),
    "listing-endless": Live((), 3),
    "pause-mid-stream": Live((), 0),  # as shortened here; test_timing judges it
    "one-block": Live((), 0),
}
ERRORS = ("http.", "sse.charset", "sse.framing", "reply.json", "reply.finish", "reply.error", "reply.model",
          "reply.not-empty", "reply.tool-calls", "text.", "models.shape", "models.resolve")  # fmt: skip
SCOPE_OF = {id_: contract.scope.value for id_, contract in catalogues.load(None).contracts.items()}
# Where the signature tells another fault than the contract's usual one.
SCOPES: dict[str, dict[str, str]] = {
    name: {contract: scope}
    for contract, scope, names in (
        # What stands in the arguments is the model's.
        ("reply.tool-calls", "model", "call-arguments-cut call-arguments-list call-arguments-nan"),
        # Our own account and our own pace.
        ("http.status", "pipeline", "no-credit rate-limited rate-limited-bare rate-limited-vague"),
        # No tokens, or no choice: the model never ran.
        ("reply.not-empty", "provider", "empty-success no-choices"),
        # We ask in ASCII, so the damage was done on the other side.
        ("text.intact", "provider", "bpe-alphabet byte-tokens lone-surrogates replacement-characters"),
        ("text.intact", "provider", "double-encoded double-encoded-twice double-encoded-windows"),
        ("text.intact", "provider", "double-encoded-chinese double-encoded-cyrillic double-encoded-dos"),
        ("text.intact", "provider", "echo-double-encoded echo-stream-double-encoded"),
    )
    for name in names.split()
}
LARGE = ("listing-huge", "line-200mb", "endless-body")  # in test_memory, as a process
SCENARIOS = [s for s in known_scenarios().values() if s.name not in LARGE]


def expected(scenario: Scenario) -> Live:
    if scenario.name in DIFFERENT:
        return DIFFERENT[scenario.name]
    violated = tuple(name for name in (scenario.violates, *scenario.also) if name)
    return Live(violated, 1 if any(name.startswith(ERRORS) for name in violated) else 0)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[s.name for s in SCENARIOS])
def test_a_live_run_finds_what_a_scenario_breaks_and_spends_nothing(
    scenario: Scenario, hostile_provider: Callable[..., HostileProvider], check: Check, tmp_path: Any
) -> None:
    names = [scenario.name] if scenario.violates == "sse.charset" else ["declared", scenario.name]
    provider = hostile_provider(*names, interval_s=0.01)
    environ = {"LOOPBACK_KEY": "sk-loopback-0123456789abcdef"}
    if provider.authority_pem is not None:
        (tmp_path / "authority.pem").write_bytes(provider.authority_pem)
        environ["SSL_CERT_FILE"] = str(tmp_path / "authority.pem")
    want = expected(scenario)
    got = check({"cafe": row(provider)}, environ=environ, timeout_s=want.timeout_s)
    assert (got.violated, got.status) == (set(want.violated), want.status), got.report.findings
    scopes = {f.contract: f.scope.value for f in got.report.findings if f.outcome is Outcome.VIOLATED}
    usual = {name: SCOPE_OF[name] for name in want.violated}
    assert scopes == {**usual, **SCOPES.get(scenario.name, {})}
    assert provider.paid_chats == ()
    assert provider.strays == ()
    assert len(provider.chats_of(FREE)) <= 1
    assert got.report.spend_usd == 0


def test_a_stream_that_falls_silent_is_a_stall(hostile_provider: Callable[..., HostileProvider], check: Check) -> None:
    provider = hostile_provider("declared", "chat:pause-mid-stream", interval_s=0.01)
    rows = {"cafe": row(provider, contracts={"sse.timing": {"stall_ms": 100}})}
    got = check(rows)
    assert got.violated == {"sse.timing"}


def test_a_stream_in_one_late_block_was_held_back(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    provider = hostile_provider("declared", "chat:one-block")
    got = check({"cafe": row(provider, contracts={"sse.timing": {"block_wait_ms": 0}})})
    assert got.violated == {"sse.timing"}


def test_a_run_that_judges_no_changes_does_not_learn_of_them(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    from contracts.evidence.memory import Forgetful

    memory = Forgetful()
    provider = hostile_provider("declared", "listing-changes")
    check({"cafe": row(provider)}, memory=memory)
    check({"cafe": row(provider)}, memory=memory, exclude=("models.drift",))  # asks money, and nobody is told
    check({"cafe": row(provider)}, memory=memory, contracts=("models.shape",))
    assert "models.drift" in check({"cafe": row(provider)}, memory=memory).violated


@pytest.mark.parametrize("scenario", ["listing-changes", "models-vanish"])
def test_what_changed_since_the_last_poll_is_told_once(
    scenario: str, hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    from contracts.evidence.memory import Forgetful

    memory = Forgetful()
    provider = hostile_provider("declared", scenario)
    rows = {"cafe": row(provider)}
    assert check(rows, memory=memory).outcome("models.drift") == "holds"
    assert check(rows, memory=memory).outcome("models.drift") == "violated"
    # The chat of the first poll still speaks, so that the second makes no traffic of that kind.
    assert len(provider.chats_of(FREE)) == 1
