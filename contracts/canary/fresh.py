"""A connection of its own for every question: one that is kept open may close just as the next question is written.

A chat cannot be sent again then, as nobody knows whether it was billed; and a canary is too seldom to need speed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.evidence.transport import Incoming, Outgoing, Transport


class Fresh:
    """Makes a transport for each request, and ends it before the next chat."""

    def __init__(self, make: Callable[[], Transport]) -> None:
        """Prepare; nothing is connected yet."""
        self._make = make
        self._open: list[Transport] = []

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send one request and give its answer. Raises EvidenceError as the transport does."""
        if request.method == "POST":
            await self.aclose()  # no listing is read beside a chat
        wire = self._make()
        self._open.append(wire)
        return await wire.send(request, phase)

    async def aclose(self) -> None:
        """End every connection."""
        while self._open:
            await self._open.pop().aclose()
