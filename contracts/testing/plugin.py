"""The pytest plugin for router developers: a fixture that plays hostile providers and ends them with the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

from contracts.testing.provider import HostileProvider


class Factory(Protocol):
    """What the fixture is: `hostile_provider("slow-loris", interval_s=0.01)`, with the arguments of HostileProvider."""

    def __call__(self, *scenarios: str, **options: Any) -> HostileProvider:
        """Start a provider."""


@pytest.fixture
def hostile_provider() -> Iterator[Factory]:
    """Start hostile providers, each in a thread of its own; all end with the test."""
    with ExitStack() as providers:

        def start(*scenarios: str, **options: Any) -> HostileProvider:
            return providers.enter_context(HostileProvider(*scenarios, **options))

        yield start
