"""Captures that a test writes, and the program as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

Program = Callable[..., "subprocess.CompletedProcess[bytes]"]

STREAM = (
    'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"größe-1",'
    '"choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße — 你好"},"finish_reason":null}]}\n\n'
    'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"größe-1",'
    '"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    "data: [DONE]\n\n"
)


def capture(
    body: str = STREAM, content_type: str = "text/event-stream; charset=utf-8", status: str = "200 OK"
) -> bytes:
    """An answer as `curl -i` writes it."""
    return f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n\r\n".encode() + body.encode()


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A capture in which every promise is kept."""
    path = tmp_path / "good.http"
    path.write_bytes(capture())
    return path


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A capture that declares no charset."""
    path = tmp_path / "bad.http"
    path.write_bytes(capture(content_type="text/event-stream"))
    return path


def environment(**variables: str) -> dict[str, str]:
    """This process's environment without anything that changes what the program prints."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("CONTRACTS_", "PYTHON")) and name not in ("COLUMNS", "NO_COLOR", "FORCE_COLOR")
    }
    return {**kept, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT}/cli", **variables}


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Run `contracts` in an empty folder; the variables are added to the environment."""

    def run(arguments: Sequence[str | Path], **variables: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "contracts_cli", *map(str, arguments)]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(**variables), check=False, capture_output=True, timeout=60
        )

    return run
