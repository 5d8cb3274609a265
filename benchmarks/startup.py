"""Start-up: CPU time of whole processes as a ratio to `python -c pass`, commands alternating in one run.

Goals: `contracts --version` at most 2, `contracts check --replay` of two providers and all contracts at most 12.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 15
PYTHON = sys.executable
CONTRACTS = [PYTHON, "-m", "contracts_cli"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASSETTE = os.path.join("cassettes", "openrouter", "chat-stream.yaml")
BARE = "python -c pass"
COLD = "check --replay, cold cache"

COMMANDS: dict[str, list[str]] = {
    BARE: [PYTHON, "-c", "pass"],
    "--version": [*CONTRACTS, "--version"],
    "check --replay": [*CONTRACTS, "check", "--replay"],
    COLD: [*CONTRACTS, "check", "--replay"],
    "inspect": [*CONTRACTS, "inspect", CASSETTE],
    "explain sse.charset": [*CONTRACTS, "explain", "sse.charset"],
    "--help (Typer)": [*CONTRACTS, "--help"],
}
PEERS = ("schemathesis", "tavern-ci")


def cpu_ms(command: list[str], environ: dict[str, str]) -> float:
    """CPU time of one process with its children, user and system, in ms."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, env=environ, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure() -> dict[str, float]:
    """Median of each command, in ms."""
    commands = dict(COMMANDS)
    for peer in PEERS:
        found = shutil.which(peer)
        if found is not None:
            commands[f"peer: {peer} --version"] = [found, "--version"]
    # An installed program has its bytecode; where writing it is forbidden, every start would compile every module.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environ["PYTHONPATH"] = f"{ROOT}{os.pathsep}{ROOT}/cli"
    times: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as cache:
        for round_ in range(ROUNDS + 1):
            for name, command in commands.items():
                folder = os.path.join(cache, str(round_) if name == COLD else "warm")
                taken = cpu_ms(command, environ | {"XDG_CACHE_HOME": folder})
                # The first round compiles and fills caches.
                if round_:
                    times[name].append(taken)
    return {name: statistics.median(taken) for name, taken in times.items()}


def main() -> None:
    """Print the table."""
    medians = measure()
    print(f"{'command':<34} {'CPU ms':>8} {'ratio':>7}")
    for name, median in medians.items():
        print(f"{name:<34} {median:>8.1f} {median / medians[BARE]:>7.2f}")


if __name__ == "__main__":
    main()
