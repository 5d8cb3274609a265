"""The environment of the gateway that relay-check is tried on: one release, locked, and apart from our own."""

from __future__ import annotations

import re

from tests.relay.conftest import ROOT

WITHDRAWN = "1.107.0"  # published by somebody who had taken the account over, and withdrawn


def test_the_gateway_is_one_release_and_every_file_of_the_lock_has_its_hash() -> None:
    asked = (ROOT / "requirements-relay.in").read_text(encoding="utf-8").splitlines()
    locked = (ROOT / "requirements-relay.txt").read_text(encoding="utf-8")
    assert [line for line in asked if line and not line.startswith("#")] == ["litellm[proxy]==1.106.12"]
    pins = re.findall(r"^([a-z0-9._-]+)(?:\[[a-z,-]+\])?==(\S+)(.*(?:\n    --hash=.*)*)", locked, re.MULTILINE)
    versions = {name: version for name, version, _ in pins}
    assert versions["litellm"] == "1.106.12" != WITHDRAWN
    assert len(versions) > 100
    assert [name for name, _, rest in pins if "--hash=sha256:" not in rest] == []


def test_nothing_of_it_is_in_the_environment_of_the_project() -> None:
    own = (ROOT / "requirements-dev.txt").read_text(encoding="utf-8")
    assert not re.search(r"^litellm\b", own, re.MULTILINE)
