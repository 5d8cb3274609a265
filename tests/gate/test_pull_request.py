"""A pull request against a real git repository, judged by providers on loopback: what is refused and what passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from contracts.errors import ConfigError
from tests.gate.conftest import FREE, VARIABLE, Gate, Play, Program, Repository, Row, row


def test_a_bad_provider_is_refused_a_good_one_passes_and_an_untouched_bad_row_does_not_matter(
    play: Play, repository: Repository, program: Program
) -> None:
    old, bad, good = play("honest"), play("honest"), play("declared")
    rows = {"alt": row(old)}
    repository.base(rows)

    repository.change({**rows, "schlecht": row(bad)})
    done = program("--base", "main", "-f", "json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert {f["provider"] for f in report["findings"]} == {"schlecht"}
    assert [f["contract"] for f in report["findings"] if f["outcome"] == "violated"] == ["sse.charset"]
    assert "1 of 2 rows added or altered since " in done.stderr
    assert "schlecht: new\n" in done.stderr

    repository.change({**rows, "gut": row(good)})
    done = program("--base", "main", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["violated"] == 0
    assert (old.request_count, good.request_count > 0) == (0, True)


def test_without_a_changed_row_nothing_is_judged_and_the_gate_is_open(
    play: Play, repository: Repository, program: Program
) -> None:
    bad = play("honest")
    repository.base({"alt": row(bad)})
    repository.write("README.md", "größer\n")
    repository.commit()
    done = program()
    assert (done.returncode, bad.request_count) == (0, 0)
    assert "0 of 1 rows added or altered" in done.stderr


def test_what_is_not_committed_yet_is_part_of_the_change(play: Play, repository: Repository, gate: Gate) -> None:
    repository.base({})
    repository.rows({"neu": row(play("honest"))})
    came = gate()
    assert (came.status, came.rows) == (1, {"neu": ("new",)})


def test_what_main_changed_since_is_not_part_of_the_change(play: Play, repository: Repository, gate: Gate) -> None:
    bad = row(play("honest"))
    repository.base({"alt": bad})
    repository.git("checkout", "--quiet", "main")
    repository.change({"alt": {**bad, "free_chats_per_day": 0}, "andere": bad})
    repository.git("checkout", "--quiet", "wölkchen")
    repository.commit()
    assert (gate().status, gate().rows) == (0, {})


def test_what_cannot_be_judged_fails_even_what_no_source_in_use_can_show(
    play: Play, repository: Repository, gate: Gate
) -> None:
    repository.base({})
    repository.change({"neu": row(play("declared"), billing=None, models=["loopback/grand"])})
    came = gate()
    assert came.status == 3
    assert "sse.charset" in came.of("unknown")
    assert came.reason("sse.charset") == "no allowed model is free in every component of its price"
    assert gate(fail_on="violation").status == 0


def test_each_row_has_to_be_judged_by_itself(play: Play, repository: Repository, gate: Gate) -> None:
    repository.base({})
    nowhere: dict[str, Any] = {"dialect": "openai-chat", "models": ["größe"]}
    repository.change({"gut": row(play("declared")), "nirgends": nowhere})
    assert gate().status == 3
    assert gate(contracts=("limits.retry-after",)).status == 3
    repository.change({"nirgends": nowhere, "schlecht": row(play("honest"))})
    assert gate().status == 1


@pytest.mark.parametrize(
    ("what", "part"),
    [
        ({"free_chats_per_day": 2}, "free_chats_per_day"),
        ({"models": [FREE, "loopback/café"]}, "models"),
        ({"contracts": {"reply.finish": {"repeats": "allowed"}}}, "contract reply.finish"),
        (
            {"waivers": [{"contract": "sse.charset", "because": "größer", "owner": "wir", "until": "2099-01-01"}]},
            "waivers",
        ),
    ],
)
def test_an_altered_row_is_judged_and_what_differs_is_named(
    what: dict[str, Any], part: str, play: Play, repository: Repository, gate: Gate
) -> None:
    provider, other = play("honest"), play("honest")
    repository.base({"alt": row(provider), "andere": row(other)})
    repository.change({"alt": {**row(provider), **what}, "andere": row(other)})
    came = gate()
    assert came.judged == {"alt"}
    assert part in came.rows["alt"]
    assert came.status == (0 if part == "waivers" else 1)


def test_a_changed_row_reaches_those_that_extend_it(play: Play, repository: Repository, gate: Gate) -> None:
    good, bad = play("declared"), play("honest")
    rest: dict[str, Row] = {
        "darauf": {"extends": "unten", "models": [FREE]},
        "ganz-oben": {"extends": "darauf"},
        "fern": row(bad),
    }
    repository.base({"unten": row(good), **rest})
    repository.change({"unten": row(bad), **rest})
    came = gate()
    assert set(came.rows) == {"unten", "darauf", "ganz-oben"}
    assert came.status == 1
    assert came.rows["ganz-oben"] == ("base_url",)


def test_an_order_of_rows_or_a_comment_changes_nothing(play: Play, repository: Repository, gate: Gate) -> None:
    one, two = row(play("honest")), row(play("honest"))
    repository.base({"eins": one, "zwei": two})
    turned = json.dumps({"version": 1, "providers": {"zwei": two, "eins": dict(reversed(one.items()))}})
    repository.write("providers.yaml", f"# größer\n{turned}\n")
    assert gate().rows == {}


def test_models_in_a_file_are_part_of_the_row(play: Play, repository: Repository, gate: Gate) -> None:
    rows = {"alt": row(play("declared"), models={"from": "modelle/ids.txt"})}
    repository.write("modelle/ids.txt", f"{FREE}\n")
    repository.base(rows)
    repository.write("modelle/ids.txt", f"# größer\n{FREE}\n")
    assert gate().rows == {}
    repository.write("modelle/ids.txt", f"{FREE}\nloopback/größe\n")
    came = gate()
    assert came.rows == {"alt": ("models",)}
    assert came.of("violated") == {"models.resolve"}


OWN = """
id: acme.region
promise: {promise}
why: "größer"
basis: hazard
source: {{url: "https://example.org", read: 2026-11-30}}
needs: chat-stream
scope: provider
severity: {severity}
check:
  kind: header_parameter
  header: content-type
  when_media_type: text/event-stream
  parameter: charset
  equals: utf-8
note: größer
"""


def test_a_changed_contract_of_ones_own_reaches_the_rows_that_it_binds(
    play: Play, repository: Repository, gate: Gate
) -> None:
    bound = row(play("declared"), contracts={"acme.region": {"file": "contracts.d/region.yaml"}})
    repository.write("contracts.d/region.yaml", OWN.format(promise="größer", severity="warning"))
    repository.base({"alt": bound, "frei": row(play("honest"))})
    repository.write("contracts.d/region.yaml", OWN.format(promise="noch größer", severity="warning"))
    assert gate().rows == {}
    repository.write("contracts.d/region.yaml", OWN.format(promise="größer", severity="error"))
    came = gate()
    assert came.rows == {"alt": ("contract acme.region",)}
    assert came.status == 0


def test_a_base_that_cannot_be_read_says_nothing_for_any_row(play: Play, repository: Repository, gate: Gate) -> None:
    repository.write("providers.yaml", "version: 1\nproviders: {größe: [\n")
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "wölkchen")
    repository.change({"alt": row(play("declared"))})
    assert gate().rows == {"alt": ("new",)}


def test_the_first_providers_file_of_a_repository_is_all_new(play: Play, repository: Repository, gate: Gate) -> None:
    repository.commit()
    repository.git("checkout", "--quiet", "-b", "wölkchen")
    repository.change({"alt": row(play("declared"))})
    assert (gate().rows, gate().status) == ({"alt": ("new",)}, 0)


def pending(until: str) -> dict[str, str]:
    return {"until": until, "because": "der Schlüssel fehlt noch"}


def test_a_pending_row_passes_unjudged_until_its_date(repository: Repository, gate: Gate) -> None:
    repository.base({})
    nowhere = {"dialect": "openai-chat", "models": ["größe"]}
    repository.change({"neu": {**nowhere, "pending": pending("2026-11-30")}})
    came = gate()
    assert came.status == 0
    assert came.of("violated") == set()
    assert came.reason("sse.charset").endswith("(pending until 2026-11-30: der Schlüssel fehlt noch)")
    assert all(f.detail in (None, f.reason) for f in came.gated.report.findings if f.contract == "sse.charset")
    repository.change({"neu": {**nowhere, "pending": pending("2026-11-29")}})
    came = gate()
    assert came.status == 3
    assert came.told == ["neu: was pending until 2026-11-29, and now has to be judged"]


def test_a_pending_row_that_is_seen_to_break_a_contract_is_refused(
    play: Play, repository: Repository, gate: Gate
) -> None:
    repository.base({})
    repository.change({"neu": row(play("honest"), pending=pending("2027-01-31"))})
    assert (gate().status, gate().of("violated")) == (1, {"sse.charset"})


def test_a_row_that_was_judged_cannot_become_pending(repository: Repository, gate: Gate) -> None:
    nowhere = {"dialect": "openai-chat", "models": ["größe"]}
    repository.base({"alt": nowhere, "wartet": {**nowhere, "pending": pending("2026-12-01")}})
    repository.change(
        {
            "alt": {**nowhere, "pending": pending("2027-01-31")},
            "wartet": {**nowhere, "pending": pending("2027-01-31")},
        }
    )
    came = gate()
    assert came.status == 3
    assert came.told == ["alt: is pending, which does not count for a row that was judged before"]
    repository.change({"alt": nowhere, "wartet": {**nowhere, "pending": pending("2027-01-31")}})
    assert gate().status == 0


def test_pending_that_is_over_does_not_stop_a_change_elsewhere_and_is_told(
    play: Play, repository: Repository, gate: Gate
) -> None:
    waits = {"dialect": "openai-chat", "models": ["größe"], "pending": pending("2026-11-29")}
    repository.base({"wartet": waits})
    repository.change({"wartet": waits, "gut": row(play("declared"))})
    came = gate()
    assert (came.status, came.judged) == (0, {"gut"})
    assert came.told == ["wartet: was pending until 2026-11-29, and nobody has judged it since"]


def test_a_key_goes_to_no_host_to_which_the_base_does_not_send_it(
    play: Play, repository: Repository, gate: Gate
) -> None:
    known, strange = play("declared"), play("declared", trusted=False)
    repository.base({"alt": row(known)})
    repository.change(
        {
            "alt": row(known, free_chats_per_day=2),
            "fremd": row(strange),
        }
    )
    came = gate(trust_keys=())
    where = strange.base_url.removesuffix("/v1")
    assert came.told == [f"fremd: {VARIABLE} is not sent to {where}; --trust-key {VARIABLE}={where} permits it"]
    assert came.of("unknown", "alt") == set()
    assert "sse.charset" in came.of("unknown", "fremd")
    reasons = {f.reason for f in came.gated.report.findings if (f.provider, f.outcome) == ("fremd", "unknown")}
    assert any(f"{VARIABLE} is not sent to {where}; --trust-key" in (reason or "") for reason in reasons)
    assert not any("is not set" in (reason or "") for reason in reasons)
    assert not any(asked.keyed for asked in strange.requests)
    assert any(asked.keyed for asked in known.requests)
    came = gate(trust_keys=(f"{VARIABLE}={where}/v1",))
    assert (came.told, came.status, came.of("unknown", "fremd")) == ([], 0, set())


@pytest.mark.parametrize("text", ["LOOPBACK_KEY", "=https://größe.example", "LOOPBACK_KEY=größe.example"])
def test_a_key_is_trusted_to_a_host_by_name_and_url(text: str, repository: Repository, gate: Gate) -> None:
    repository.base({})
    with pytest.raises(ConfigError, match="--trust-key: expected VARIABLE=URL"):
        gate(trust_keys=(text,))
