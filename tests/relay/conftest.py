"""Real relays: nginx, and LiteLLM's proxy where its environment was made."""

from __future__ import annotations

import http.client
import os
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent.parent
LITELLM = ROOT / ".venv-relay" / "bin" / "litellm"
REQUIRED = "NGINX_MUST_BE_TRIED"  # set where nothing may be skipped
KEY = "RELAY_KEY"
START_S = 120.0  # LiteLLM takes 10 s on two idle cores
NGINX = """
daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; {user}
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://{upstream}; {directives} }}
    }}
}}
"""
CONFIG = """
model_list:
  - model_name: loopback/libre
    litellm_params: {{model: openai/loopback/libre, api_base: "http://{upstream}/v1", api_key: sk-upstream}}
litellm_settings: {{telemetry: false}}
router_settings: {{num_retries: 0, disable_cooldowns: true}}
"""


class Real(NamedTuple):
    """A relay that runs: its base URL, and the address that is its upstream."""

    url: str
    upstream: str
    environ: dict[str, str]


def free_port() -> int:
    """A port that was free a moment ago: a configuration has to name it before anything listens there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def wait(process: subprocess.Popen[bytes], is_up: Callable[[], bool], limit_s: float, log: Path) -> None:
    """Wait until a server answers; a test that cannot begin fails with what the server said."""
    until = time.monotonic() + limit_s
    while not is_up():
        if process.poll() is not None or time.monotonic() > until:
            pytest.fail(f"the relay did not start: {log.read_text(encoding='utf-8', errors='replace')[-2000:]}")
        time.sleep(0.02)


def is_listening(port: int) -> bool:
    """Whether something accepts connections."""
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def answers(port: int, path: str) -> bool:
    """Whether a GET is answered 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@pytest.fixture(scope="session")
def nginx() -> str:
    """Where nginx is; without it the test is skipped, or fails where it must not be."""
    found = shutil.which("nginx", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if found is None and os.environ.get(REQUIRED):
        pytest.fail("nginx is not here, and relay-check has to be tried on it")
    if found is None:
        pytest.skip("nginx is not here (Debian: apt install nginx-light), so relay-check was not tried on it")
    return found


@pytest.fixture
def proxied(nginx: str, tmp_path: Path) -> Iterator[Callable[[str], Real]]:
    """Start nginx as a reverse proxy with some directives in its location."""
    with ExitStack() as stack:

        def start(directives: str) -> Real:
            port, upstream = free_port(), f"127.0.0.1:{free_port()}"
            user = "user root;" if os.geteuid() == 0 else ""  # else its worker may not enter the test's folder
            config, log = tmp_path / "nginx.conf", tmp_path / "error.log"
            config.write_text(
                NGINX.format(folder=tmp_path, port=port, upstream=upstream, directives=directives, user=user)
            )
            log.touch()
            process = subprocess.Popen([nginx, "-e", str(log), "-c", str(config)])
            stack.callback(process.wait, 10)
            stack.callback(process.terminate)
            wait(process, lambda: is_listening(port), 10, log)
            return Real(f"http://127.0.0.1:{port}/v1", upstream, {})

        yield start


@pytest.fixture(scope="session")
def litellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    """LiteLLM's proxy, which finds no network beyond this machine, no database, and no account to tell of its use."""
    if not LITELLM.exists():
        pytest.skip("no environment for LiteLLM here (make relay), so relay-check was not tried on it")
    folder = tmp_path_factory.mktemp("litellm")
    port, upstream, log = free_port(), f"127.0.0.1:{free_port()}", folder / "log"
    (folder / "config.yaml").write_text(CONFIG.format(upstream=upstream), encoding="utf-8")
    key = f"sk-{secrets.token_hex(24)}"
    nowhere = "http://127.0.0.1:9"  # whoever asks beyond loopback is refused at once
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LITELLM_MASTER_KEY": key,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_TELEMETRY": "False",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
        "NO_PROXY": "127.0.0.1",
    }
    command = [
        str(LITELLM),
        "--config",
        "config.yaml",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--telemetry",
        "False",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=environ, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait(process, lambda: answers(port, "/health/liveliness"), START_S, log)
        yield Real(f"http://127.0.0.1:{port}/v1", upstream, {KEY: key})
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
