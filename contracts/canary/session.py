"""The line to one provider on which canaries go, one question after the other."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from msgspec import structs

from contracts import dialects
from contracts.canary.costs import cost_usd
from contracts.canary.fresh import Fresh
from contracts.canary.guard import CanaryGuard
from contracts.canary.heard import hear
from contracts.canary.listed import Prices, why_unread
from contracts.canary.purse import Purse
from contracts.canary.questions import STREAMED, all_of
from contracts.canary.told import Answer
from contracts.canary.verdict import Back, Verdict, of_model
from contracts.errors import EvidenceError, SpendRefused
from contracts.evidence import keys, plan, proxies, reading, tls
from contracts.evidence.asker import CONNECTING, Line, ask
from contracts.evidence.gather import Gathering
from contracts.evidence.ledger import Ledger
from contracts.evidence.limits import Bounds
from contracts.evidence.memory import Forgetful
from contracts.evidence.tape import Tape, decoded
from contracts.evidence.transport import PER_HOST, Wire
from contracts.model import Scope
from contracts.state.errors import StateError
from contracts.text import echo
from contracts.text.echo import Damage, Echo
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contracts.canary.questions import Asking, Way
    from contracts.canary.run import CanarySettings
    from contracts.config.catalogue import Catalogue
    from contracts.dialects.canaries import CanaryAsking
    from contracts.listed import Model
    from contracts.model import Evidence, Provider
    from contracts.state.canaries import Canaries

ANSWER_S = 120.0  # for one answer: a model that thinks first takes a minute
ZERO = Decimal(0)


class Asked:
    """One model: what it was asked, what came back, and what that came to by itself."""

    def __init__(self, model: str, most_usd: Decimal | None = None) -> None:
        """Begin with nothing asked."""
        self.model, self.most_usd = model, most_usd
        self.answers: list[Answer] = []
        self.verdict = Verdict(outcome="left", reasons=("the time was up",))

    def leave(self, reason: str) -> None:
        """Note that it was not asked in this run."""
        self.verdict = Verdict(outcome="left", reasons=(reason,))


class Session:
    """One run's line to one provider."""

    def __init__(  # noqa: PLR0913, PLR0917 - a run's settings, its provider, and what it shares with others
        self,
        settings: CanarySettings,
        catalogue: Catalogue,
        row: Provider,
        dialect: CanaryAsking,
        models: Sequence[str],
        prices: Mapping[str, Model],
        state: Canaries | None,
        complain: Callable[[str], None],
        environ: Mapping[str, str],
    ) -> None:
        """Prepare; nothing is sent yet."""
        self._settings, self._catalogue, self._row, self._dialect = settings, catalogue, row, dialect
        self._models, self._prices, self._state, self._complain = models, prices, state, complain
        self._asking = dialects.load_asking(row.dialect)
        self._key, self._no_key = (None, "") if row.api_key is None else keys.find(row.api_key, environ)
        self._environ = environ
        self.ledger = Ledger(settings.max_spend_usd)
        self.proxy_in_the_clear: str | None = None
        self._bounds = Bounds()

    async def run(self, now: datetime) -> list[Asked]:
        """Ask the models whose turn it is, and give all of them in the order of the row."""
        order = self._order()
        asked = {model: Asked(model) for model in self._models}
        if self._no_key:
            for one in asked.values():
                one.verdict = Verdict(outcome="unknown", scope=Scope.PIPELINE, reasons=(self._no_key,))
            return list(asked.values())
        for model in order[self._settings.at_most :] if self._settings.at_most else ():
            asked[model].leave("it is not its turn in this run")
        turns = order[: self._settings.at_most] if self._settings.at_most else order
        self._connect(turns)
        loop = asyncio.get_running_loop()
        try:
            await self._listing(turns, now)
            for model in turns:
                if loop.time() >= self._line.deadline:
                    break
                await self._model(asked[model], now)
        finally:
            await self._guard.aclose()
        return list(asked.values())

    def _connect(self, turns: Sequence[str]) -> None:
        """Prepare the guarded line; no connection is made before the first question."""
        base = self._row.base_url or ""
        proxy = proxies.proxy_for(base, self._environ)
        if proxy is not None and urlsplit(base).scheme == "http":
            self.proxy_in_the_clear = proxy.variable
        context = tls.context(self._environ, http2=True)
        self._tape = Tape(Fresh(lambda: Wire(base, context, proxy)))
        credentials = keys.headers(self._key, self._row.auth, self._asking)
        headers = self._asking.headers() if self._asking else ()
        self._guard = CanaryGuard(
            self._tape, self._row, plan.rules(self._row, self._asking), self.ledger,
            Purse(self._row.name, self._state, self._settings.budget_per_day_usd, self._complain),
            self._dialect, turns, [name for name, _ in (*headers, *credentials)],
        )  # fmt: skip
        self._line = Line(
            guard=self._guard,
            reader=reading.Reader(
                dialects.load(self._row.dialect), self._catalogue.tables(self._row.dialect, self._row), self._bounds
            ),
            headers=headers,
            credentials=credentials,
            keys=() if self._key is None else (self._key,),
            deadline=asyncio.get_running_loop().time() + self._settings.timeout_s,
            retries=0,
            room=asyncio.Semaphore(PER_HOST),
        )

    def _order(self) -> list[str]:
        """Sort the models by whose canary is the oldest."""
        if self._state is not None:
            try:
                return self._state.oldest_first(self._row.name, self._models)
            except StateError as error:
                self._lose(error)
        return list(self._models)

    def _lose(self, error: StateError) -> None:
        self._complain(f"{error}; this run goes on without it")
        self._state = None

    async def _listing(self, turns: Sequence[str], now: datetime) -> None:
        """Read what is listed of the models, which is free, and what it says of their prices."""
        row = self._row
        if row.billing == "none" and not self._settings.dry_run:
            self._listed = Prices(row, self._line.reader.tables.listing, {}, None)
            return
        endpoints = tuple(turns) if row.endpoint else ()
        what = plan.Plan(kept=(), listing=True, models=endpoints, probe=False, chat=False)
        gathering = Gathering(row, what, self._line, self._asking, Forgetful(), now, self._no_key)
        await gathering.run()
        self._tape.takes.clear()
        unread = why_unread(gathering.found)
        if unread is not None:
            self._complain(f"{row.name}: {unread}")
        self._listed = Prices(row, self._line.reader.tables.listing, self._prices, gathering.found)
        for model in turns:
            proof = self._listed.proof(model)
            if proof is not None:
                self._guard.proofs[model] = proof
            self._guard.entries[model] = self._listed.entries(model)

    async def _model(self, one: Asked, now: datetime) -> None:
        """Ask one model in every way, unless it is not to be asked."""
        askings = all_of(self._row, self._dialect, one.model)
        free = self._row.billing == "none" or one.model in self._guard.proofs
        bounds = [self._guard.most_usd(one.model, len(a.question.body or b"")) for a in askings]
        known = [bound for bound in bounds if bound is not None]
        one.most_usd = ZERO if free else sum(known, ZERO) if len(known) == len(bounds) else None
        if self._listed.is_no_chat(one.model):
            one.leave("the listing says that it does not chat")
        elif self._settings.dry_run:
            one.leave(f"would be asked {len(askings)} times" + ("" if free else self._would_cost(one.most_usd)))
        elif not self._begins(one, now):
            one.leave("another run has begun to ask it")
        else:
            await self._all_ways(one, askings)

    def _would_cost(self, most_usd: Decimal | None) -> str:
        if most_usd is None:
            return ", and is not: nothing that the provider lists bounds what it costs (--price tells)"
        return f", for at most {most_usd:f} USD"

    def _begins(self, one: Asked, now: datetime) -> bool:
        if self._state is None:
            return True
        try:
            return self._state.begin(self._row.name, one.model, datetime.now(UTC), now - timedelta(microseconds=1))
        except StateError as error:
            self._lose(error)
            return True

    async def _all_ways(self, one: Asked, askings: Sequence[Asking]) -> None:
        """Ask in one way after the other; what refuses the first is not asked the rest."""
        back: dict[Way, Back] = {}
        stopped: Back | None = None
        for asking in askings:
            cost = ZERO
            if stopped is None:
                try:
                    came, cost, is_refused = await self._ask(asking)
                    stopped = came if is_refused else None
                except SpendRefused as refused:
                    if not back:
                        one.leave(str(refused))
                        self._forget(one.model)
                        return
                    came = stopped = Back(why_not=str(refused))
            else:
                came = stopped
            back[asking.way] = came
            one.answers.append(_answer(asking.way, came, cost))
        one.verdict = of_model(back)

    def _forget(self, model: str) -> None:
        if self._state is not None:
            try:
                self._state.forget(self._row.name, model)
            except StateError as error:
                self._lose(error)

    async def _ask(self, asking: Asking) -> tuple[Back, Decimal, bool]:
        """Ask once, book what it cost, and give what came back and whether there is no use in asking on.

        Raises:
            SpendRefused: where it was not sent.
        """
        loop = asyncio.get_running_loop()
        self._tape.takes.clear()
        line = structs.replace(self._line, deadline=min(self._line.deadline, loop.time() + ANSWER_S))
        try:
            evidence = await ask(line, asking.question)
        except EvidenceError as error:
            # Where no connection was made, nothing was asked; else nobody knows, and all that was held back is spent.
            cost = ZERO if error.phase in CONNECTING else None
            return Back(why_not=str(error)), self._guard.settle(asking.question, cost), True
        paid = self._guard.settle(asking.question, self._cost(asking.model, evidence))
        back = self._back(asking, evidence)
        return back, paid, not is_success(evidence.facts.status)

    def _cost(self, model: str, evidence: Evidence) -> Decimal | None:
        """Tell what an answer cost. A refusal of the request costs nothing; an error of the server may have."""
        if 400 <= evidence.facts.status < 500:  # noqa: PLR2004 - RFC 9110, 4xx
            return ZERO
        return cost_usd(self._guard.entries.get(model, ()), evidence.facts)

    def _back(self, asking: Asking, evidence: Evidence) -> Back:
        """Compare what came with what was sent, after which the text is gone."""
        pieces, _, _ = decoded(self._tape.takes[-1], self._bounds)
        body = b"".join(pieces)
        reader = self._line.reader
        heard = hear(evidence.facts, body, reader.dialect, reader.tables, call=asking.way == "call")
        self._tape.takes.clear()
        if heard.why_not is not None:
            return Back(why_not=heard.why_not, is_ours=heard.is_ours)
        got = heard.argument if asking.way == "call" else heard.text
        found = (echo.of_control if asking.way == "control" else echo.of_canary)(got or "")
        if heard.is_capped and "truncated" in found.kinds:
            return Back(why_not="the cap of tokens ended the answer")
        if heard.undecodable is not None:
            how = f"bytes that are no UTF-8, from byte {heard.undecodable}"
            found = structs.replace(found, damages=(Damage(kind="undecodable", how=how), *found.damages))
        return Back(echo=found)


def _answer(way: Way, came: Back, cost: Decimal) -> Answer:
    found = came.echo or Echo()
    return Answer(
        way=way,
        streamed=way in STREAMED,
        intact=None if came.echo is None else found.is_intact,
        damages=found.damages,
        broken=found.broken,
        why_not=came.why_not,
        cost_usd=cost,
    )
