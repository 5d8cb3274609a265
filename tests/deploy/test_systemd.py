"""The systemd units: good by systemd's own word, hardened, and in step with the program and providers.yaml."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.config import catalogue as catalogues
from contracts.settings import Settings
from contracts.testing import HostileProvider
from contracts_cli.argv import parse
from tests.deploy.conftest import ROOT, SYSTEMD, read_unit

OWN = "contracts.service"
DROP_IN = "llm-router-seed.service.d/contracts.conf"
PROGRAM = "/usr/local/bin/contracts"
SEED = "[Unit]\nDescription=Seed the router\n[Service]\nType=oneshot\nUser=router\nExecStart=/bin/true\n"
FREE = "loopback/libre"
KEY = "sk-loopback-0123456789abcdef"

Units = Callable[..., Path]


@pytest.fixture
def units(tmp_path: Path) -> Units:
    """Install all units in a folder, with a program that is there; `changed` lines are put in the place of others."""

    def install(changed: dict[str, str] | None = None) -> Path:
        folder = tmp_path / "units"
        shutil.copytree(SYSTEMD, folder)
        (folder / "llm-router-seed.service").write_text(SEED, encoding="utf-8")
        shutil.copy(folder / "contracts.timer", folder / "llm-router-seed.timer")
        for path in (folder / OWN, folder / DROP_IN):
            text = path.read_text(encoding="utf-8").replace(PROGRAM, str(shutil.which("true")))
            for old, new in (changed or {}).items():
                assert old in text
                text = text.replace(old, new)
            path.write_text(text, encoding="utf-8")
        return folder

    return install


def verify(systemd_analyze: str, folder: Path) -> tuple[int, list[str]]:
    names = (OWN, "contracts.timer", "contracts-failed@contracts.service", "llm-router-seed.service")
    done = subprocess.run(
        [systemd_analyze, "verify", "--man=no", "--recursive-errors=no", *(str(folder / name) for name in names)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    # Other units of this machine may be at fault too.
    lines = [line for line in (done.stdout + done.stderr).splitlines() if "contracts" in line or "seed" in line]
    return done.returncode, lines


def exposure(systemd_analyze: str, unit: Path, threshold: int) -> int:
    """Give the exit status: 1 above the threshold, in tenths of what systemd-analyze shows."""
    done = subprocess.run(
        [systemd_analyze, "security", "--no-pager", "--offline=true", f"--threshold={threshold}", str(unit)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "Overall exposure level" in done.stdout, done.stderr
    return done.returncode


def test_systemd_finds_nothing_wrong(systemd_analyze: str, units: Units) -> None:
    assert verify(systemd_analyze, units()) == (0, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [("Type=oneshot", "Type=simple"), ("RestrictRealtime=", "RestrictRealTime="), ("TimeoutStartSec=", "größer")],
)
def test_what_is_wrong_would_be_found(old: str, new: str, systemd_analyze: str, units: Units) -> None:
    status, lines = verify(systemd_analyze, units({old: new}))
    assert status != 0 or lines


@pytest.mark.parametrize(
    ("unit", "threshold"), [(OWN, 15), ("contracts-failed@.service", 15), ("llm-router-seed.service", 25)]
)
def test_the_units_are_hardened_by_systemds_own_measure(
    unit: str, threshold: int, systemd_analyze: str, units: Units
) -> None:
    assert exposure(systemd_analyze, units() / unit, threshold) == 0


@pytest.mark.parametrize("key", ["CapabilityBoundingSet=", "SystemCallFilter=", "Protect"])
def test_a_unit_that_is_less_hardened_would_be_found(key: str, systemd_analyze: str, units: Units) -> None:
    folder = units({f"\n{key}": f"\nX-{key}"})
    assert exposure(systemd_analyze, folder / OWN, 15) != 0
    assert exposure(systemd_analyze, folder / "llm-router-seed.service", 25) != 0


@pytest.mark.parametrize("file", [OWN, DROP_IN])
def test_what_the_units_promise_is_there(file: str) -> None:
    unit = read_unit(SYSTEMD / file)
    service = unit["Service"]
    assert unit["Unit"]["OnFailure"] == ["contracts-failed@%N.service"]
    assert service["Type"] == ["oneshot"]
    assert service["SuccessExitStatus"] == ["3"]
    assert service["StateDirectory"] == service["CacheDirectory"] == ["contracts"]
    for key in ("NoNewPrivileges", "PrivateTmp", "PrivateDevices"):
        assert service[key] == ["yes"], key
    assert service["ProtectSystem"] == ["strict"]
    for key in ("SystemCallFilter", "RestrictAddressFamilies", "MemoryMax", "TimeoutStartSec", "LoadCredential"):
        assert service[key], key
    # The drop-in runs as whoever may write the router's database.
    assert service.get("DynamicUser", []) == (["yes"] if file == OWN else [])


def test_the_timer_of_the_router_is_the_routers() -> None:
    assert not list(SYSTEMD.rglob("llm-router-seed.timer*"))
    timer = read_unit(SYSTEMD / "contracts.timer")
    assert "Unit" not in timer["Timer"]
    assert (SYSTEMD / OWN).is_file()
    assert timer["Timer"]["RandomizedDelaySec"] == ["15min"]
    assert timer["Install"]["WantedBy"] == ["timers.target"]


def command_of(file: str) -> list[str]:
    (line,) = read_unit(SYSTEMD / file)["Service"]["ExecStart"]
    program, *arguments = shlex.split(line.replace("%S", "/var/lib"))
    assert program == PROGRAM
    return arguments


@pytest.mark.parametrize("file", [OWN, DROP_IN])
def test_the_command_is_one_that_the_program_knows_and_ends_before_systemd_ends_it(file: str) -> None:
    parsed = parse(command_of(file), {})
    assert parsed is not None
    command, settings = parsed
    assert command.name == "check"
    assert isinstance(settings, Settings)
    assert settings.config == "/etc/contracts/providers.yaml"
    (limit,) = read_unit(SYSTEMD / file)["Service"]["TimeoutStartSec"]
    match = re.fullmatch(r"([0-9]+)min", limit)
    assert match is not None
    assert settings.timeout_s < int(match[1]) * 60


@pytest.mark.parametrize("file", [OWN, DROP_IN])
def test_every_key_of_the_providers_file_is_a_credential_by_its_variables_name(file: str) -> None:
    rows = catalogues.load(str(ROOT / "providers.yaml")).providers.values()
    loaded = [line.partition(":") for line in read_unit(SYSTEMD / file)["Service"]["LoadCredential"]]
    assert {name for name, _, _ in loaded} == {row.api_key for row in rows if row.api_key is not None}
    assert all(path == f"/etc/contracts/keys/{name}" for name, _, path in loaded)


def test_as_systemd_starts_it_the_program_finds_key_state_and_cache(
    hostile_provider: Callable[..., HostileProvider], tmp_path: Path
) -> None:
    provider = hostile_provider("declared")
    row = {"dialect": "openai-chat", "base_url": provider.base_url, "api_key": "LOOPBACK_KEY", "models": [FREE]}
    rows = {"cafe": {**row, "listing": {"path": "/models", "prices": "pricing"}}}
    folders = {name: tmp_path / name for name in ("credentials", "state", "cache", "etc")}
    for folder in folders.values():
        folder.mkdir(mode=0o700)
    (folders["credentials"] / "LOOPBACK_KEY").write_text(f"{KEY}\n", encoding="utf-8")
    config = folders["etc"] / "providers.yaml"
    config.write_text(json.dumps({"version": 1, "providers": rows}), encoding="utf-8")
    arguments = [
        word.replace("/var/lib/contracts", str(folders["state"])).replace("/etc/contracts", str(folders["etc"]))
        for word in command_of(OWN)
    ]
    done = subprocess.run(
        [sys.executable, "-m", "contracts_cli", *arguments],
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}",
            "CREDENTIALS_DIRECTORY": str(folders["credentials"]),
            "STATE_DIRECTORY": str(folders["state"]),
            "CACHE_DIRECTORY": str(folders["cache"]),
        },
        cwd="/",
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert any(asked.keyed for asked in provider.requests)
    assert {"state.db", "state.db.lock", "report.json"} <= set(os.listdir(folders["state"]))
    assert os.listdir(folders["cache"])
    assert json.loads((folders["state"] / "report.json").read_text(encoding="utf-8"))["summary"]["violated"] == 0
