"""Live runs against the hostile provider on loopback, in this process and as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from contracts import live
from contracts.evidence.limits import Bounds
from contracts.evidence.memory import Memory
from contracts.model import Outcome
from contracts.report import Report
from contracts.settings import Settings
from contracts.testing import HostileProvider
from contracts.testing.plugin import hostile_provider

__all__ = ["hostile_provider"]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FREE = "loopback/libre"
KEY = "sk-loopback-0123456789abcdef"
LISTING = {"path": "/models", "prices": "pricing", "context_tokens": "context_length", "next": {"after": "last_id"}}
ENDPOINT = {
    "path": "/models/{id}/endpoints",
    "count": "data.endpoints",
    "prices": "data.endpoints[].pricing",
}


def row(provider: HostileProvider | str, **changes: Any) -> dict[str, Any]:
    """Write a row for a provider; None takes a key out."""
    base_url = provider if isinstance(provider, str) else provider.base_url
    written = {
        "dialect": "openai-chat",
        "base_url": base_url,
        "api_key": "LOOPBACK_KEY",
        "models": [FREE],
        "listing": LISTING,
        **changes,
    }
    return {key: value for key, value in written.items() if value is not None}


class Checked:
    """What a run came to, in the words that tests compare."""

    def __init__(self, report: Report, status: int) -> None:
        self.report, self.status = report, status

    def of(self, outcome: Outcome) -> set[str]:
        return {f.contract for f in self.report.findings if f.outcome is outcome}

    @property
    def violated(self) -> set[str]:
        return self.of(Outcome.VIOLATED)

    def reason(self, contract: str, provider: str = "cafe") -> str:
        found = [f for f in self.report.findings if f.contract == contract and f.provider == provider]
        return " | ".join(f.reason or f.detail for f in found)

    def outcome(self, contract: str, provider: str = "cafe") -> str:
        return " ".join(
            sorted({f.outcome for f in self.report.findings if f.contract == contract and f.provider == provider})
        )


Check = Callable[..., Checked]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, Any]], str]:
    """Write a providers file; JSON is YAML."""

    def file(rows: Mapping[str, Any]) -> str:
        path = tmp_path / "providers.yaml"
        path.write_text(json.dumps({"version": 1, "providers": rows}, ensure_ascii=False), encoding="utf-8")
        return str(path)

    return file


@pytest.fixture
def check(write: Callable[[Mapping[str, Any]], str]) -> Check:
    """Run `contracts check` in this process."""

    def run(
        rows: Mapping[str, Any],
        *,
        environ: Mapping[str, str] | None = None,
        memory: Memory | None = None,
        bounds: Bounds | None = None,
        **settings: Any,
    ) -> Checked:
        given = {"LOOPBACK_KEY": KEY} if environ is None else environ
        settings.setdefault("timeout_s", 10.0)
        asked = Settings(config=write(rows), **settings)
        return Checked(*live.check(asked, memory=memory, environ=given, bounds=bounds))

    return run


Program = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def program(write: Callable[[Mapping[str, Any]], str], tmp_path: Path) -> Program:
    """Start `contracts check` as a process; its memory in KiB goes to the last line of standard error."""

    def start(rows: Mapping[str, Any], arguments: Sequence[str] = (), **variables: str) -> subprocess.Popen[bytes]:
        code = (
            "import sys\n"
            "from contracts_cli.__main__ import main\n"
            "status = main()\n"
            # Not ru_maxrss: a process begins with that of the one that started it, here of all tests before.
            "peak = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM'))\n"
            "print(peak, file=sys.stderr)\n"
            "sys.exit(status)\n"
        )
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli",
            "LOOPBACK_KEY": KEY,
            **variables,
        }
        command = [sys.executable, "-c", code, "check", "--config", write(rows), *arguments]
        return subprocess.Popen(command, env=environ, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    return start
