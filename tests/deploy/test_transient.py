"""The stand-alone unit as a real transient oneshot, where a systemd is running and lets us start one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.deploy.conftest import ROOT, SYSTEMD, read_unit

INSIDE = "/run/contracts-under-test"  # where the unit sees the checkout
# What names places of an installed host, or is about when and not how it runs.
LEFT_OUT = ("ExecStart", "LoadCredential", "StateDirectory", "CacheDirectory", "Type", "ProtectHome", "Nice")


def systemd_run(properties: Sequence[str], command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-run")
    assert program is not None
    options = [f"--property={one}" for one in properties]
    return subprocess.run(
        [program, "--wait", "--pipe", "--collect", "--quiet", "--service-type=oneshot", *options, *command],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def places(tmp_path: Path) -> list[str]:
    """Properties that let a unit see this checkout and this interpreter, wherever they are; skips without a systemd."""
    if shutil.which("systemd-run") is None or not os.path.isdir("/run/systemd/system") or os.geteuid() != 0:
        pytest.skip("no systemd is running that would start a unit, so contracts.service was not run for real")
    copy = tmp_path / "checkout"
    for package in ("contracts", "cli", "cassettes"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "providers.yaml", copy)
    tmp_path.chmod(0o755)
    prefixes = dict.fromkeys(os.path.realpath(path) for path in (sys.prefix, sys.base_prefix))
    bound = [f"{copy}:{INSIDE}", *(path for path in prefixes if not path.startswith("/usr"))]
    found = ["DynamicUser=yes", "ProtectHome=tmpfs", *(f"BindReadOnlyPaths={path}" for path in bound)]
    probe = systemd_run(found, [sys.executable, "-c", "pass"])
    if probe.returncode:
        pytest.skip(
            f"systemd cannot start a unit here, so contracts.service was not run for real: {probe.stderr[:200]}"
        )
    return found


def test_the_program_works_within_all_that_the_unit_takes_away(places: list[str]) -> None:
    service = read_unit(SYSTEMD / "contracts.service")["Service"]
    hardened = [f"{key}={value}" for key, values in service.items() if key not in LEFT_OUT for value in values]
    environment = [f"Environment=PYTHONPATH={INSIDE}:{INSIDE}/cli", f"WorkingDirectory={INSIDE}"]
    done = systemd_run(
        [*places, *(one for one in hardened if not one.startswith("DynamicUser=")), *environment],
        [sys.executable, "-m", "contracts_cli", "check", "--replay", "-f", "json", "--fail-on", "never"],
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["holds"] > 0
