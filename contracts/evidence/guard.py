"""The spend guard: a transport that every request to a provider passes; what no rule allows is not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.errors import SpendRefused
from contracts.evidence.rules import Allowed, Refused, Sending, decide

if TYPE_CHECKING:
    from contracts.evidence.ledger import Ledger
    from contracts.evidence.prices import ZeroPrice
    from contracts.evidence.rules import RowRules
    from contracts.evidence.transport import Incoming, Outgoing, Transport


class SpendGuard:
    """Wraps the transport of one provider. `proofs` is filled as this run's listing is read."""

    def __init__(self, inner: Transport, rules: RowRules, ledger: Ledger) -> None:
        """Guard `inner` by a row's rules, booking in the run's ledger."""
        self._inner, self._rules, self._ledger = inner, rules, ledger
        self.proofs: dict[str, ZeroPrice] = {}

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send a request that may be sent.

        Raises:
            SpendRefused: for any other; nothing has been sent then.
            EvidenceError: where there is no answer.
        """
        headers = {name.lower(): value for name, value in request.headers}
        decision: Allowed | Refused
        if len(headers) != len(request.headers) or "host" in headers or "content-length" in headers:
            decision = Refused("its headers are not those of one plain request")
        else:
            decision = decide(Sending(request.method, request.url, headers, request.body), self._rules, self.proofs)
        if not isinstance(decision, Allowed):
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, {decision.reason}")
        if decision.free_chat and not self._ledger.take_free_chat(self._rules.provider):
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, today's free chats are used up")
        self._ledger.sent(decision.kind)
        return await self._inner.send(request, phase)

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()
