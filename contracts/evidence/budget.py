"""A guard with a budget: a tiny chat may cost something, if the most that it can cost is known and is left.

Everything else is as the spend guard has it: the host, the path, the members of the body, the cap of its tokens.
"""

from __future__ import annotations

from decimal import ROUND_UP, Context, Decimal, localcontext
from typing import TYPE_CHECKING

from contracts.errors import SpendRefused
from contracts.evidence.guard import SpendGuard
from contracts.evidence.prices import ZeroPrice, amount
from contracts.evidence.rules import Allowed, Sending, asked_model, decide

if TYPE_CHECKING:
    from collections.abc import Iterable

    from contracts.evidence.ledger import Ledger
    from contracts.evidence.rules import RowRules
    from contracts.evidence.transport import Incoming, Outgoing, Transport
    from contracts.facts import Listing
    from contracts.listed import Model

# Tokens that a provider may add to a prompt: templates and system prompts of its own have some hundreds.
ADDED_TOKENS = 2000


class BudgetGuard(SpendGuard):
    """Wraps the transport of one provider. `listings` is filled as this run's listing is read."""

    def __init__(self, inner: Transport, rules: RowRules, ledger: Ledger) -> None:
        """Guard `inner` by a row's rules and the ledger's budget."""
        super().__init__(inner, rules, ledger)
        self.listings: list[Listing] = []

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send a request that is free, or a chat that the budget covers whatever it comes to.

        Raises:
            SpendRefused: for any other; nothing has been sent then.
        """
        body = request.body
        headers = {name.lower(): value for name, value in request.headers}
        sending = Sending(request.method, request.url, headers, body)
        model = asked_model(sending, self._rules)
        # A chat that would be free if its model were: its shape bounds what it can cost.
        pretended = {} if model is None else {model: ZeroPrice(model=model, components=())}
        as_if_free = decide(sending, self._rules, pretended)
        if (
            len(headers) != len(request.headers)  # which the spend guard refuses
            or isinstance(decide(sending, self._rules, self.proofs), Allowed)
            or not isinstance(as_if_free, Allowed)
        ):
            return await super().send(request, phase)
        most = most_usd(self._entries(str(model)), len(body), as_if_free.cap)
        if most is None:
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, the listing does not bound what {model} costs")
        reservation = self._ledger.reserve(most)
        if reservation is None:
            self._ledger.refused()
            raise SpendRefused(f"{self._rules.provider}: not sent, it may cost {most:f} USD, which is not left")
        self._ledger.sent("post_paid")
        try:
            return await self._inner.send(request, phase)
        finally:
            # Nobody tells here what it did cost, so the whole reservation counts.
            self._ledger.settle(reservation, None)

    def _entries(self, model: str) -> list[Model]:
        return [entry for page in self.listings for entry in page.models if entry.id == model]


def most_usd(entries: Iterable[Model], body_bytes: int, cap_tokens: int) -> Decimal | None:
    """Give the most that a tiny chat can cost by what the listing says of its model; None where that bounds nothing.

    Prices are taken as those of one token, or of one request: of a listing in prices per million that is far too much,
    and never too little. No tokenizer makes more tokens than there are bytes, and every component is taken to be due
    for every token.
    """
    most: Decimal | None = None
    for entry in entries:
        amounts = [amount(text) for _, text in entry.prices]
        names = {name for name, _ in entry.prices}
        if not any(pair <= names for pair in ({"prompt", "completion"}, {"input", "output"})):
            return None
        known = [value for value in amounts if value is not None and value >= 0]
        if len(known) < len(amounts):
            return None
        with localcontext(Context(prec=200, rounding=ROUND_UP)):
            total = sum(known, Decimal(0)) * (body_bytes + ADDED_TOKENS + cap_tokens)
        most = total if most is None else max(most, total)
    return most
