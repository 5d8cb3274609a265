"""Metrics of degraded output, for node_exporter's textfile collector: a `.degraded.prom` file for each provider.

`contracts check -o prometheus=DIR` counts findings of damaged text under the same name as the warnings here. No series
may stand in two files of a folder, so whoever writes second leaves it out, and what is here takes over at the next
check.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from contracts.breaker.memory import State
from contracts.model import Scope
from contracts.sinks import prometheus, whole_file
from contracts.text.rules import FAULTS
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from prometheus_client import Metric

    from contracts.degraded.told import Degraded

SHARED = prometheus.MANGLED
_OURS = "contracts_router_output_warnings"
_FAMILIES = {
    SHARED: "Models and signatures of mangled output that are warned of, in the last 24 hours.",
    "contracts_degraded_output_warnings": "Warnings of the last 24 hours, by the word of the router's table.",
    _OURS: "The same of answers that came whole and that the router sent otherwise; the others leave them out.",
    "contracts_breaker_state": "1 for the state that a breaker is in; the model is empty for all of a provider.",
    "contracts_degraded_last_run_timestamp_seconds": "When the provider's output was judged last.",
}


def render(found: Degraded) -> bytes:
    """Every provider's metrics in one text."""
    return _exposed(found, _providers(found))


def write(folder: str, found: Degraded) -> None:
    """Write one file for each provider, whole or not at all.

    Raises:
        ConfigError: when a file cannot be written.
    """
    for provider in _providers(found):
        path = prometheus.degraded_file(os.path.join(folder, prometheus.file_name(provider)))
        without = (SHARED,) if _tells(os.path.join(folder, prometheus.file_name(provider))) else ()
        whole_file.write(path, _exposed(found, [provider], without), prometheus.MODE)


def _tells(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return f"\n{SHARED}{{".encode() in file.read()
    except OSError:
        return False


def _providers(found: Degraded) -> list[str]:
    return sorted({one.provider for one in found.decisions if one.provider})


def _exposed(found: Degraded, providers: Sequence[str], without: Sequence[str] = ()) -> bytes:
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.registry import Collector

    class Found(Collector):
        """What was found, as the library asks for it."""

        def collect(self) -> Iterator[Metric]:
            yield from _metrics(found, providers, without)

    registry = CollectorRegistry(auto_describe=False)
    registry.register(Found())
    return generate_latest(registry)


def _metrics(found: Degraded, providers: Sequence[str], without: Sequence[str]) -> Iterator[Metric]:
    from prometheus_client import Metric

    for name, text in _FAMILIES.items():
        family = Metric(name, text, "gauge")
        values: dict[tuple[tuple[str, str], ...], float] = {}
        for provider in providers:
            for labels, value in _samples(name, provider, found):
                own = (("provider", prometheus.label_of(provider)),)
                shown = (*own, *((key, scrub(label)) for key, label in labels.items()))
                # Names come from clients, two may be shown alike, and a series that comes twice spoils the whole file.
                values[shown] = max(value, values.get(shown, value))
        for labels_shown, value in values.items():
            family.add_sample(name, dict(labels_shown), value)
        if name not in without:
            yield family


def _samples(name: str, provider: str, found: Degraded) -> Iterator[tuple[dict[str, str], float]]:
    # What the router spoilt is no fault of the provider's: an alert on that must not find it there.
    own = [
        one for one in found.warnings if one.provider == provider and (one.scope is Scope.PIPELINE) is (name == _OURS)
    ]
    match name:
        case "contracts_breaker_state":
            known = [one for one in found.decisions if one.provider == provider and one.model != ""]
            for decision in known:
                for state in State:
                    yield {"model": decision.model or "", "state": state.value}, float(decision.state is state)
        case "contracts_degraded_output_warnings" | "contracts_router_output_warnings":
            for verdict in FAULTS:
                yield {"verdict": verdict}, float(sum(one.verdict == verdict for one in own))
        case "contracts_degraded_last_run_timestamp_seconds":
            yield {}, found.at.timestamp()
        case _:
            yield {}, float(sum(one.verdict == "mangled" for one in own))
