"""State: a history of 300 providers × 22 contracts over 10,000 polls, made by the writer that runs use.

Goals: the state's part of one check under 50 ms, `history` and `report` under 1 s, a size that is bounded; and
`contracts check` with a state starts at most three bare interpreters later than without.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from time import perf_counter, process_time

from msgspec import structs

from contracts.facts import Asked, Body, Facts
from contracts.model import Evidence, EvidenceRef, Finding, Outcome, Scope, Severity, Source, Where
from contracts.state import tables
from contracts.state.opening import open_state
from contracts.state.store import State
from contracts.state.timeline import cells

PROVIDERS = 300
POLLS = 10_000
EVERY = timedelta(hours=1)
BEGIN = datetime(2025, 10, 1, tzinfo=UTC)
# Twenty-two contracts; the last is judged for each of two models.
CONTRACTS = (*(f"area-{number:02}.promise" for number in range(21)), "models.resolve")
MODELS = ("智谱/glm-5.3-flash", "größe/modell:free")
# How a provider fares: a contract breaks about every 4,000 polls and heals within some 20; once in 1,000 polls nothing
# of a provider can be judged for an hour or two; one provider in 30 has a contract that flaps day and night.
BREAKS, HEALS, BLIND, SIGHT, FLAPS = 1 / 4000, 1 / 20, 1 / 1000, 1 / 1.5, 1 / 6
QUIET = 12  # polls after which nothing more is written of what was repaired
ROUNDS = 15
SHOWN = 60  # polls that a terminal is wide


def finding(provider: str, contract: str, model: str | None, outcome: Outcome) -> Finding:
    """A finding as a run makes them."""
    ref = EvidenceRef(source=Source.LIVE, ref="GET https://api.example/v1/models", at=BEGIN)
    return Finding(
        provider=provider,
        model=model,
        contract=contract,
        outcome=outcome,
        severity=Severity.ERROR,
        scope=Scope.PROVIDER,
        expected="charset=utf-8",
        observed="text/event-stream",
        detail="SSE declares no charset",
        reason=None,
        where=Where(),
        evidence=ref,
    )


class World:
    """300 providers and how they fare."""

    def __init__(self, seed: int) -> None:
        """Begin with everything in order, but for three contracts that never applied."""
        self._random = random.Random(seed)  # noqa: S311 - the same history in every run
        keys = [(contract, None) for contract in CONTRACTS[:-1]] + [(CONTRACTS[-1], model) for model in MODELS]
        self.findings = {
            name: [
                finding(name, contract, model, Outcome.NOT_APPLICABLE if place < 3 else Outcome.HOLDS)  # noqa: PLR2004
                for place, (contract, model) in enumerate(keys)
            ]
            for name in (f"anbieter-{number:03}" for number in range(PROVIDERS))
        }
        self._lines = [(name, place) for name in self.findings for place in range(3, len(keys))]
        self._broken: set[tuple[str, int]] = set()
        self._blind: set[str] = set()
        self._flapping = [(name, 4) for name in list(self.findings)[::30]]
        self._quiet: dict[str, int] = {}

    def step(self) -> None:
        """Let an hour pass: what changes is drawn by how many there are, which takes less than asking each."""
        draw = self._random
        changed = {line for line in self._broken if draw.random() < HEALS}
        self._broken -= changed
        news = {draw.choice(self._lines) for _ in range(_times(draw, len(self._lines) * BREAKS))}
        self._broken |= news
        changed |= news
        for line in self._flapping:
            if draw.random() < FLAPS:
                self._broken ^= {line}
                changed.add(line)
        names = {name for name in self._blind if draw.random() < SIGHT}
        self._blind -= names
        blind = {draw.choice(list(self.findings)) for _ in range(_times(draw, PROVIDERS * BLIND))}
        self._blind |= blind
        changed |= {(name, place) for name in names | blind for place in range(3, len(CONTRACTS) + 1)}
        for name, place in changed:
            broken = Outcome.VIOLATED if (name, place) in self._broken else Outcome.HOLDS
            outcome = Outcome.UNKNOWN if name in self._blind else broken
            self.findings[name][place] = structs.replace(self.findings[name][place], outcome=outcome)
            self._quiet[name] = 0

    def busy(self) -> dict[str, list[Finding]]:
        """Findings of those providers alone of which a poll writes anything: something is broken, or was lately."""
        for name in {name for name, _ in self._broken}:
            self._quiet[name] = 0
        self._quiet = {name: polls + 1 for name, polls in self._quiet.items() if polls <= QUIET}
        return {name: self.findings[name] for name in self._quiet}


def _times(draw: random.Random, expected: float) -> int:
    """How often something happens that happens so often on average."""
    return int(expected) + (draw.random() < expected % 1)


def write(state: State, findings: Mapping[str, Sequence[Finding]], world: World, at: datetime) -> None:
    """What one run writes: its findings, and itself."""
    state.see_all(findings, at, complete=True)
    roster = dict.fromkeys(world.findings, CONTRACTS)
    state.record_run(at, at + timedelta(minutes=1), 0, (PROVIDERS, 0, 0, 0), Decimal(0), roster)


def made(path: str, world: World) -> float:
    """Write the whole history, and give the CPU seconds that took."""
    state = open_state(path)
    for name in world.findings:
        facts = Facts(
            dialect="openai-chat",
            kind="chat",
            status=200,
            headers=(),
            body=Body(kind="sse", bytes=1),
            asked=Asked(model=MODELS[0]),
        )
        state.keep(name, Evidence(facts=facts, source=Source.LIVE, ref="POST /v1/chat/completions", at=BEGIN))
    begin = process_time()
    for poll in range(POLLS):
        world.step()
        write(state, world.busy() if poll else world.findings, world, BEGIN + poll * EVERY)
    state.close()
    return process_time() - begin


def of_a_check(path: str, world: World, poll: Iterator[int]) -> Callable[[], object]:
    """All that a check does with its state: open, look up each provider, write what it came to."""

    def check() -> None:
        world.step()
        at = BEGIN + next(poll) * EVERY
        state = open_state(path)
        for name in world.findings:
            state.free_chats_today(name, f"{at:%Y-%m-%d}")
            state.kept(name)
        write(state, world.findings, world, at)
        state.close()

    return check


def shown(path: str, providers: list[str] | None, polls: int) -> Callable[[], object]:
    """All that `history` or `report` asks of a state."""

    def show() -> None:
        state = open_state(path)
        for timeline in state.timelines(providers, polls):
            cells(timeline)
        state.close()

    return show


def median_ms(way: Callable[[], object]) -> tuple[float, float]:
    """Median of wall-clock time and of CPU time, in ms."""
    wall, cpu = [], []
    for _ in range(ROUNDS):
        begun, used = perf_counter(), process_time()
        way()
        wall.append(1000 * (perf_counter() - begun))
        cpu.append(1000 * (process_time() - used))
    return statistics.median(wall[1:]), statistics.median(cpu[1:])


def start_up() -> tuple[float, float, float]:
    """Median CPU ms of a bare interpreter, of `contracts check` without a state and with one; nobody is asked."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "providers.yaml"), "w", encoding="utf-8") as file:
            file.write("version: 1\nproviders:\n  größe: {dialect: openai-chat, models: [a]}\n")
        check = [sys.executable, "-m", "contracts_cli", "check", "--config", file.name, "--state"]
        ways = [[sys.executable, "-c", "pass"], [*check, "none"], [*check, os.path.join(folder, "state.db")]]
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environ["PYTHONPATH"] = f"{root}{os.pathsep}{root}/cli"
        times: list[list[float]] = [[] for _ in ways]
        for _ in range(ROUNDS):
            for way, taken in zip(ways, times, strict=True):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(way, env=environ, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken.append(1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
        bare, without, with_state = (statistics.median(taken[1:]) for taken in times)
    return bare, without, with_state


def main() -> None:
    """Print what it takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "state.db")
        world = World(1)
        seconds = made(path, world)
        size = os.path.getsize(path)
        poll = iter(range(POLLS, 10**9))
        name = next(iter(world.findings))
        rows = [
            ("state work of one check", of_a_check(path, world, poll), 50),
            (f"history of one provider, {SHOWN} polls", shown(path, [name], SHOWN), 1000),
            (f"report of all, {SHOWN} polls", shown(path, None, SHOWN), 1000),
            ("history of one provider, all polls", shown(path, [name], POLLS), 1000),
        ]
        print(f"{PROVIDERS} providers × {len(CONTRACTS)} contracts × {POLLS} polls, written in {seconds:.0f} s of CPU")
        print(f"size {size / 1e6:.1f} MB; at most {tables.TRANSITIONS} changes a provider, {tables.RUNS} runs")
        print(f"{'':<40} {'ms':>8} {'CPU ms':>8} {'goal':>6}")
        for what, way, goal in rows:
            wall, cpu = median_ms(way)
            print(f"{what:<40} {wall:>8.1f} {cpu:>8.1f} {goal:>6}")
    bare, without, with_state = start_up()
    grown = (with_state - without) / bare
    print(f"start of `contracts check`: {bare:.1f} ms bare, {without:.1f} without, {with_state:.1f} with a state:")
    print(f"{grown:.2f} bare interpreters more (goal: at most 3)")


if __name__ == "__main__":
    main()
