"""The table of differences between our verdicts and what clients do, as `differences.yaml` states it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from contracts.wire.status import is_success
from tests.oracles.behaviour import HANGS, IN_FULL, Seen

FILE = Path(__file__).parent / "differences.yaml"
RAISES = "raises "


class Difference(NamedTuple):
    """One client's way with one recording, where it is not what our verdict lets expect."""

    client: str
    kind: str
    violated: tuple[str, ...]
    behaviour: str


class Entry(NamedTuple):
    """One reason, and where it applies."""

    fault: str
    we: tuple[str, ...]
    client: tuple[str, ...]
    why: str
    seen: dict[str, list[str]]

    def places(self) -> Iterator[tuple[str, str]]:
        """Give every client with every recording that is named for it."""
        for client, kinds in self.seen.items():
            for kind in kinds:
                yield client, kind

    def explains(self, difference: Difference) -> bool:
        """Tell whether a difference is one of these."""
        return (
            difference.kind in self.seen.get(difference.client, ())
            and difference.violated == self.we
            and difference.behaviour in self.client
        )


def table() -> tuple[dict[str, str], list[Entry]]:
    """Read the versions of the SDKs and the entries."""
    read: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    entries = [
        Entry(one["fault"], tuple(one["we"]), tuple(one["client"]), one["why"], one["seen"])
        for one in read["differences"]
    ]
    return read["versions"], entries


def difference(seen: Seen) -> Difference | None:
    """Tell where a client did not do what our verdict lets expect: read all where it passes, raise where it does not.

    An answer that is no success is to be raised, whatever is violated.
    """
    recording, raised = seen.recording, seen.behaviour == HANGS or seen.behaviour.startswith(RAISES)
    to_be_read = is_success(recording.exchange.status) and recording.passes
    if seen.behaviour == IN_FULL if to_be_read else raised:
        return None
    return Difference(seen.client, recording.kind, tuple(sorted(recording.violated)), seen.behaviour)
