"""The Kubernetes files: they belong together, give nothing away, and run a command that the program knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from contracts.config import catalogue as catalogues
from contracts.evidence import keys
from contracts.settings import Settings
from contracts.state.place import default_path
from contracts_cli.argv import parse
from tests.deploy.conftest import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
FILES = {
    "cronjob.yaml": "CronJob",
    "configmap.yaml": "ConfigMap",
    "secret.example.yaml": "Secret",
    "state.yaml": "PersistentVolumeClaim",
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


def test_each_file_is_one_object_of_its_kind() -> None:
    assert {path.name: read(path.name)["kind"] for path in FOLDER.glob("*.yaml")} == FILES
    assert read("cronjob.yaml")["apiVersion"] == "batch/v1"
    assert {read(name)["metadata"]["name"] for name in FILES} == {"contracts", "contracts-state"}


def test_the_providers_file_of_the_config_map_is_good(tmp_path: Path) -> None:
    path = tmp_path / "providers.yaml"
    path.write_text(read("configmap.yaml")["data"]["providers.yaml"], encoding="utf-8")
    assert set(catalogues.load(str(path)).providers) == {"openrouter", "neuralwatt"}


def test_the_secret_is_an_example_and_holds_no_key() -> None:
    values = read("secret.example.yaml")["stringData"]
    assert set(values.values()) == {"replace-me"}


def test_every_key_is_a_file_where_the_program_looks_and_none_is_in_the_environment(
    pod: dict[str, Any], container: dict[str, Any], tmp_path: Path
) -> None:
    (volume,) = [v["secret"] for v in pod["volumes"] if "secret" in v]
    paths = {item["key"]: item["path"] for item in volume["items"]}
    offered = set(read("secret.example.yaml")["stringData"])
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
    (claim,) = [v["persistentVolumeClaim"] for v in pod["volumes"] if "persistentVolumeClaim" in v]
    assert claim["claimName"] == read("state.yaml")["metadata"]["name"]
    # Two pods would not see each other's lock on the state.
    assert read("state.yaml")["spec"]["accessModes"] == ["ReadWriteOncePod"]
    environ = {one["name"]: one.get("value") for one in container["env"]}
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert default_path(environ) == f"{mounted['state']}/state.db"


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
    assert written == {v["name"] for v in pod["volumes"] if {"emptyDir", "persistentVolumeClaim"} & set(v)}
    assert not container["image"].endswith(":latest")


def test_the_command_is_one_that_the_program_knows_and_ends_before_the_job_is_ended(
    container: dict[str, Any],
) -> None:
    assert container["command"] == ["contracts"]
    parsed = parse(container["args"], {})
    assert parsed is not None
    command, settings = parsed
    assert command.name == "check"
    assert isinstance(settings, Settings)
    assert settings.fail_on == "violation"
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    assert settings.config == f"{mounted['providers']}/providers.yaml"
    cron = read("cronjob.yaml")["spec"]
    assert cron["concurrencyPolicy"] == "Forbid"
    assert settings.timeout_s < cron["jobTemplate"]["spec"]["activeDeadlineSeconds"]
    assert cron["jobTemplate"]["spec"]["backoffLimit"] == 0
