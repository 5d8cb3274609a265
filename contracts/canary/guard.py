"""The spend guard of canaries: only what is byte for byte a canary is sent, and only if it is free or paid for."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from contracts.canary.questions import CAP, all_of
from contracts.errors import SpendRefused
from contracts.evidence.budget import most_usd
from contracts.evidence.guard import SpendGuard
from contracts.evidence.rules import FREE_HEADERS, ID, PLAIN_ID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.canary.purse import Held, Purse
    from contracts.dialects.canaries import CanaryAsking
    from contracts.evidence.asker import Question
    from contracts.evidence.ledger import Ledger, Reservation
    from contracts.evidence.rules import RowRules
    from contracts.evidence.transport import Incoming, Outgoing, Transport
    from contracts.listed import Model
    from contracts.model import Provider


ZERO = Decimal(0)


class Open(NamedTuple):
    """Money that is held back for an answer that is on its way."""

    reservation: Reservation
    held: Held


class CanaryGuard(SpendGuard):
    """Wraps the transport of one provider.

    `proofs` and `entries` are filled as this run's listing is read: which models cost nothing, and what bounds the
    price of the others.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - a provider, what is asked of it, and who pays
        self,
        inner: Transport,
        row: Provider,
        rules: RowRules,
        ledger: Ledger,
        purse: Purse,
        dialect: CanaryAsking,
        models: Iterable[str],
        credentials: Iterable[str],
    ) -> None:
        """Guard `inner`; `credentials` names the headers that carry the key and what every request has to carry."""
        super().__init__(inner, rules, ledger)
        self._purse, self._bills = purse, rules.bills
        self._names_in_path = ID in rules.chat_path
        self._headers = FREE_HEADERS | {name.lower() for name in credentials}
        # Made here anew, and not taken from whoever asks: no other chat passes, whatever it is called.
        self._known = {
            (a.question.url, a.question.body): a.model for model in models for a in all_of(row, dialect, model)
        }
        self.entries: dict[str, Sequence[Model]] = {}
        self._open: dict[tuple[str, bytes], list[Open]] = {}

    async def send(self, request: Outgoing, phase: list[str]) -> Incoming:
        """Send a canary that costs nothing or is paid for, and anything that the spend guard lets pass.

        Raises:
            SpendRefused: for any other; nothing has been sent then.
        """
        model = self._known.get((request.url, request.body))
        if request.method != "POST" or model is None:
            return await super().send(request, phase)
        names = [name.lower() for name, _ in request.headers]
        if len(set(names)) < len(names) or not self._headers.issuperset(names):
            self._refuse("its headers are not those of a canary")
        if self._bills and self._names_in_path and PLAIN_ID.fullmatch(model) is None:
            self._refuse("servers may read its model in a path in several ways")
        if not self._bills or model in self.proofs:
            self._ledger.sent("post_free")
        else:
            self._open.setdefault((request.url, request.body), []).append(self._pay(model, len(request.body)))
            self._ledger.sent("post_paid")
        return await self._inner.send(request, phase)

    def most_usd(self, model: str, body_bytes: int) -> Decimal | None:
        """Tell the most that a canary of a model can cost; None where nothing bounds it."""
        return most_usd(self.entries.get(model, ()), body_bytes, CAP)

    def settle(self, question: Question, cost_usd: Decimal | None) -> Decimal:
        """Book what an answer cost in the place of what was held back for it, and give what was booked.

        None, or a question of which nothing is held back, books what was held back: all of it, or nothing.
        """
        waiting = self._open.get((question.url, question.body or b""))
        if not waiting:
            return ZERO
        one = waiting.pop()
        booked = one.held.usd if cost_usd is None else cost_usd
        self._ledger.settle(one.reservation, booked)
        self._purse.settle(one.held, booked)
        return booked

    def _pay(self, model: str, body_bytes: int) -> Open:
        most = self.most_usd(model, body_bytes)
        if most is None:
            self._refuse("nothing that the provider lists bounds what it costs")
        reservation = self._ledger.reserve(most)
        if reservation is None:
            self._refuse(f"it may cost {most:f} USD, which is not left")
        try:
            held = self._purse.hold(most)
        except SpendRefused:
            self._ledger.settle(reservation, ZERO)
            self._ledger.refused()
            raise
        return Open(reservation, held)

    def _refuse(self, why: str) -> NoReturn:
        self._ledger.refused()
        raise SpendRefused(f"not sent, {why}")
