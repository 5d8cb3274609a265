"""A run that finds no place for a state says so: it would count no free chats and tell every violation as a first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.testing import HostileProvider

TOLD = "contracts: no place for a state, as HOME is not set: nothing is remembered; --state names one, or none"


@pytest.mark.parametrize("command", ["check", "record"])
@pytest.mark.parametrize(("option", "told"), [((), [TOLD]), (("--state", "none"), [])])
def test_a_state_that_has_no_place_is_missed_and_one_that_is_switched_off_is_not(
    command: str, option: tuple[str, ...], told: list[str], tmp_path: Path
) -> None:
    without = ("HOME", "XDG_STATE_HOME", "STATE_DIRECTORY")
    environ = {k: v for k, v in os.environ.items() if not k.startswith("CONTRACTS_") and k not in without}
    environ |= {"PYTHONPATH": os.pathsep.join(sys.path), "A_KEY": "sk-loopback"}
    with HostileProvider("declared") as provider:
        row = f"{{dialect: openai-chat, base_url: '{provider.base_url}', api_key: A_KEY, models: [loopback/café]}}"
        (tmp_path / "providers.yaml").write_text(f"version: 1\nproviders:\n  cafe: {row}\n", encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "contracts_cli", command, "cafe", *option],
            check=False, capture_output=True, text=True, encoding="utf-8", env=environ, timeout=60, cwd=tmp_path,
        )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if "no place" in line] == told, done.stderr
