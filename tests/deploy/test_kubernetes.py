"""The Kubernetes files: they belong together, give nothing away, and run a command that the program knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import yaml

from contracts.config import catalogue as catalogues
from contracts.evidence import keys
from contracts.settings import Settings
from contracts.sinks import notes
from contracts.state.address import is_postgres
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider
from contracts_cli.argv import parse
from tests.deploy.conftest import ROOT

__all__ = ["hostile_provider"]

HOUR_S = 3600
Start = Callable[..., HostileProvider]
FOLDER = ROOT / "deploy" / "kubernetes"
FILES = {
    "cronjob.yaml": "CronJob",
    "configmap.yaml": "ConfigMap",
    "secret.example.yaml": "Secret",
}


def read(name: str) -> dict[str, Any]:
    (document,) = yaml.safe_load_all((FOLDER / name).read_text(encoding="utf-8"))
    assert isinstance(document, dict)
    return document


@pytest.fixture(scope="module")
def pod() -> dict[str, Any]:
    spec: dict[str, Any] = read("cronjob.yaml")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    return spec


@pytest.fixture(scope="module")
def container(pod: dict[str, Any]) -> dict[str, Any]:
    (only,) = pod["containers"]
    assert isinstance(only, dict)
    return only


def parsed(container: dict[str, Any], more: dict[str, str] | None = None) -> Settings:
    """What the program makes of the container's command and its environment."""
    environ = {one["name"]: one["value"] for one in container["env"] if "value" in one}
    found = parse(container["args"], {**environ, **(more or {})})
    assert found is not None
    command, settings = found
    assert command.name == "check"
    assert isinstance(settings, Settings)
    return settings


def test_each_file_is_one_object_of_its_kind() -> None:
    assert {path.name: read(path.name)["kind"] for path in FOLDER.glob("*.yaml")} == FILES
    assert read("cronjob.yaml")["apiVersion"] == "batch/v1"
    assert {read(name)["metadata"]["name"] for name in FILES} == {"contracts"}


def test_the_providers_file_of_the_config_map_is_good(tmp_path: Path) -> None:
    path = tmp_path / "providers.yaml"
    path.write_text(read("configmap.yaml")["data"]["providers.yaml"], encoding="utf-8")
    assert set(catalogues.load(str(path)).providers) == {"openrouter", "neuralwatt"}


DATABASES = {"CONTRACTS_STATE", "CONTRACTS_NOTE"}


def test_the_secret_is_an_example_and_holds_no_key() -> None:
    values = read("secret.example.yaml")["stringData"]
    assert {value for name, value in values.items() if name not in DATABASES} == {"replace-me"}
    assert [urlsplit(values[name]).password for name in DATABASES] == ["replace-me"] * 2


def test_the_databases_of_the_secret_are_named_as_the_program_reads_them(container: dict[str, Any]) -> None:
    values = read("secret.example.yaml")["stringData"]
    given = {one["name"]: one["valueFrom"]["secretKeyRef"] for one in container["env"] if "valueFrom" in one}
    assert {name: (ref["name"], ref["key"]) for name, ref in given.items()} == {
        name: (read("secret.example.yaml")["metadata"]["name"], name) for name in DATABASES
    }
    assert is_postgres(values["CONTRACTS_STATE"])
    notes.check(values["CONTRACTS_NOTE"])
    settings = parsed(container, {name: values[name] for name in DATABASES})
    assert settings.state == values["CONTRACTS_STATE"]
    assert settings.notes == (values["CONTRACTS_NOTE"],)


def test_every_key_is_a_file_where_the_program_looks_and_none_is_in_the_environment(
    pod: dict[str, Any], container: dict[str, Any], tmp_path: Path
) -> None:
    (volume,) = [v["secret"] for v in pod["volumes"] if "secret" in v]
    paths = {item["key"]: item["path"] for item in volume["items"]}
    offered = set(read("secret.example.yaml")["stringData"]) - DATABASES
    assert {row.api_key for row in catalogues.load(str(ROOT / "providers.yaml")).providers.values()} == offered
    assert set(paths) == offered
    environ = {one["name"]: one.get("value") for one in container["env"]}
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert environ["CREDENTIALS_DIRECTORY"] == mounted["keys"]
    assert not offered & set(environ)
    for name, path in paths.items():
        (tmp_path / path).write_text("größer-als-nichts".replace("ö", "oe").replace("ß", "ss"), encoding="utf-8")
        assert keys.find(name, {"CREDENTIALS_DIRECTORY": str(tmp_path)})[0] is not None


def test_what_is_mounted_is_there_and_what_is_referred_to_as_well(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    assert {one["name"] for one in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}
    assert read("cronjob.yaml")["spec"]["jobTemplate"]["spec"].get("parallelism", 1) == 1
    # No volume but what ends with the pod: it may run on any node.
    assert {kind for volume in pod["volumes"] for kind in volume} == {"name", "configMap", "secret", "emptyDir"}


def test_the_container_may_do_nothing_but_ask(pod: dict[str, Any], container: dict[str, Any]) -> None:
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
    written = {m["name"] for m in container["volumeMounts"] if not m.get("readOnly")}
    assert written == {v["name"] for v in pod["volumes"] if "emptyDir" in v}
    assert not container["image"].endswith(":latest")


def test_the_command_is_one_that_the_program_knows_and_ends_before_the_job_is_ended(
    container: dict[str, Any],
) -> None:
    assert container["command"] == ["contracts"]
    settings = parsed(container)
    assert settings.fail_on == "violation"
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert settings.config == f"{mounted['providers']}/providers.yaml"
    cron = read("cronjob.yaml")["spec"]
    assert cron["concurrencyPolicy"] == "Forbid"
    assert settings.timeout_s < cron["jobTemplate"]["spec"]["activeDeadlineSeconds"]
    assert cron["jobTemplate"]["spec"]["backoffLimit"] == 0
    assert settings.every_s is not None
    assert settings.every_s < HOUR_S  # every run finds the last one's answers too old
    minute, *others = cron["schedule"].split()
    assert (minute.isdigit(), others) == (True, ["*"] * 4)


def test_pods_of_two_routers_ask_each_provider_once_and_write_the_rows_of_both(
    container: dict[str, Any], postgres_url: str, tmp_path: Path, hostile_provider: Start
) -> None:
    provider = hostile_provider("honest")
    row = {
        "dialect": "openai-chat",
        "base_url": provider.base_url,
        "api_key": "LOOPBACK_KEY",
        "models": ["loopback/libre"],
        "listing": {"path": "/models", "prices": "pricing", "context_tokens": "context_length"},
    }
    config = tmp_path / "größe.yaml"
    config.write_text(json.dumps({"version": 1, "providers": {"cafe": row}}), encoding="utf-8")
    (tmp_path / "LOOPBACK_KEY").write_text("sk-loopback-0123456789abcdef", encoding="utf-8")
    environ = {one["name"]: one["value"] for one in container["env"] if "value" in one}
    environ |= {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
        "CREDENTIALS_DIRECTORY": str(tmp_path),
        "CACHE_DIRECTORY": str(tmp_path),
        "CONTRACTS_STATE": postgres_url,
    }
    arguments = [str(config) if part.endswith("providers.yaml") else part for part in container["args"]]
    asked: list[int] = []
    with psycopg.connect(postgres_url, autocommit=True) as router:
        for name in ("eins", "zwei"):
            router.execute(f"CREATE TABLE {name} (name text, contract_note text)".encode())
            router.execute(f"INSERT INTO {name} VALUES ('cafe')".encode())  # noqa: S608 - a name of the test's own
            environ["CONTRACTS_NOTE"] = f"{postgres_url}&table={name}&key=name&note=contract_note"
            done = subprocess.run(
                [sys.executable, "-m", "contracts_cli", *arguments],
                env=environ, cwd=tmp_path, capture_output=True, check=False, timeout=60,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (1, b"")
            asked.append(provider.request_count)
        assert asked[0] == asked[1] > 0
        first = router.execute("SELECT * FROM eins").fetchall()
        second = router.execute("SELECT * FROM zwei").fetchall()
    assert first == second
    assert first[0][1]
