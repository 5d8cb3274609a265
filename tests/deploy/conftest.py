"""The deployment files, read as what they are."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from pathlib import Path

import pytest

from contracts.testing.plugin import hostile_provider

__all__ = ["hostile_provider"]

ROOT = Path(__file__).resolve().parent.parent.parent
SYSTEMD = ROOT / "deploy" / "systemd"
REQUIRED = "UNITS_MUST_BE_VERIFIED"  # set where nothing may be skipped

Unit = dict[str, dict[str, list[str]]]


def read_unit(path: Path) -> Unit:
    """Read a unit file: for each section and key every value, in order."""
    unit: Unit = defaultdict(lambda: defaultdict(list))
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            assert equals, line
            unit[section][key].append(value)
    return unit


@pytest.fixture(scope="session")
def systemd_analyze() -> str:
    """Where systemd-analyze is; without it the test is skipped, or fails where it must not be."""
    found = shutil.which("systemd-analyze")
    if found is None and os.environ.get(REQUIRED):
        pytest.fail("systemd-analyze is not here, and the units have to be verified")
    if found is None:
        pytest.skip("systemd-analyze is not here (Debian: apt install systemd), so the systemd units were not verified")
    return found
