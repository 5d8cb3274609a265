"""The spend guard: a transport that every request to a provider passes; what no rule allows is not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from contracts.errors import SpendRefused
from contracts.evidence.rules import Allowed, Sending, decide

if TYPE_CHECKING:
    from contracts.evidence.ledger import Ledger
    from contracts.evidence.prices import ZeroPrice
    from contracts.evidence.rules import RowRules


class SpendGuard(httpx.AsyncBaseTransport):
    """Wraps the transport of one provider. `proofs` is filled as this run's listing is read."""

    def __init__(self, inner: httpx.AsyncBaseTransport, rules: RowRules, ledger: Ledger) -> None:
        """Guard `inner` by a row's rules, booking in the run's ledger."""
        self._inner, self._rules, self._ledger = inner, rules, ledger
        self.proofs: dict[str, ZeroPrice] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request that may be sent.

        Raises:
            SpendRefused: for any other; nothing has been sent then.
        """
        body = await request.aread()
        headers = {name.lower(): value for name, value in request.headers.items()}
        sending = Sending(request.method, str(request.url), headers, body)
        decision = decide(sending, self._rules, self.proofs)
        if not isinstance(decision, Allowed):
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, {decision.reason}")
        if decision.free_chat and not self._ledger.take_free_chat(self._rules.provider):
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, today's free chats are used up")
        self._ledger.sent(decision.kind)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()
