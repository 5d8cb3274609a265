"""Send canaries to a real small model, served by llama.cpp on loopback: `make canary`.

A model of 135 million parameters writes the line anew, so what is held is that the wire is not blamed for it: the run
is complete, streamed and not, costs nothing, and finds the wire intact or cannot tell.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

START_S = 120.0  # loading 90 MB on a slow disk takes some seconds
# An echo takes 180 tokens. A model this small may go on until its cap, and two threads wait for each other on a busy
# machine: either takes longer than a canary waits for one answer.
SETTINGS = {"LLAMA_ARG_N_PREDICT": "320", "LLAMA_ARG_THREADS": "1"}
WAYS = ["control", "streamed", "whole", "call", "repeat"]


def main(server: str, model: str) -> int:
    """Serve a model, ask it, and hold what came of it.

    Args:
        server: the program `llama-server`, or what starts it.
        model: a file in GGUF.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [server, "-m", model, "--host", "127.0.0.1", "--port", str(port), "--ctx-size", "4096"]
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+b") as log:
        environ = {**os.environ, **SETTINGS}
        running = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True, env=environ)
        try:
            if not has_started(port, running):
                log.seek(0)
                sys.stderr.buffer.write(log.read())
                print(f"the server of the model did not start; its exit status: {running.poll()}", file=sys.stderr)
                return 1
            return hold(folder, f"http://127.0.0.1:{port}/v1")
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGTERM)  # what starts the server does not end it
            running.wait(30)


def has_started(port: int, running: subprocess.Popen[bytes]) -> bool:
    """Wait until the model is loaded; where the server ends or the time is over, it never is."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and running.poll() is None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == http.HTTPStatus.OK:
                return True
        except OSError:
            pass
        finally:
            connection.close()
        time.sleep(0.5)
    return False


def hold(folder: str, base_url: str) -> int:
    """Ask for the echoes and see that the run is what it has to be."""
    path = os.path.join(folder, "providers.yaml")
    row = {"dialect": "openai-chat", "base_url": base_url, "billing": "none", "models": ["smollm2-135m-instruct"]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": 1, "providers": {"small": row}}, file)
    command = ["-m", "contracts_cli", "canary", "small", "--config", path, "--state", os.path.join(folder, "state.db")]
    done = subprocess.run(
        [sys.executable, *command, "-f", "json", "--timeout", "20m"], capture_output=True, check=False
    )
    sys.stderr.buffer.write(done.stderr)
    told = json.loads(done.stdout)
    print(json.dumps(told, indent=2, ensure_ascii=False))
    (model,) = told["models"]
    answers = {answer["way"]: answer for answer in model["answers"]}
    problems = []
    if (
        list(answers) != WAYS
        or sum(told["requests"].values()) != len(WAYS)
        or told["requests"]["post_free"] != len(WAYS)
    ):
        problems.append("expected every way to be asked once, for nothing")
    if answers["streamed"]["intact"] is None and answers["repeat"]["intact"] is None:
        problems.append("expected an answer that is streamed")
    if answers["whole"]["intact"] is None:
        problems.append("expected an answer that is not streamed")
    if told["spend_usd"] != "0":
        problems.append(f"expected to spend nothing, found {told['spend_usd']} USD")
    if model["outcome"] not in ("intact", "altered", "unknown") or done.returncode not in (0, 3):
        problems.append(f"expected a wire that is intact or not judged, found {model['outcome']}, {model['kinds']}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
