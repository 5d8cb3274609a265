"""One provider of a run: what it is judged by, what was found, and what that came to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from contracts.config.catalogue import BoundContract
    from contracts.evidence.gather import Found
    from contracts.evidence.keys import Key as Secret
    from contracts.model import Evidence, Finding, Provider
    from contracts.state.answer import Answer, Key


class Subject:
    """A provider of which nothing is known yet.

    Attributes:
        found: what was gathered, None before it was asked.
        secrets: what no finding may hold.
        key: what other runs that ask the same know it by; None where nothing is shared.
        polled_at: when this run began to ask, by the clock of the state; None also where nothing is shared.
        is_whole: it was asked all there was to ask, so that the answer is one for others too.
        answer: what another run came to, which this one takes.
        judged: what this run came to.
        told: what this run or the other came to, with what is new about it.
    """

    def __init__(
        self,
        row: Provider,
        bound: Sequence[BoundContract],
        models: tuple[str, ...],
        observed: Sequence[Evidence] = (),
    ) -> None:
        """Begin with a row, the contracts that bind it, the models to judge, and what a router's taps saw."""
        self.row, self.bound, self.models, self.observed = row, bound, models, observed
        self.found: Found | None = None
        self.secrets: tuple[Secret, ...] = ()
        self.key: Key | None = None
        self.polled_at: datetime | None = None
        self.is_whole = False
        self.answer: Answer | None = None
        self.judged: list[Finding] | None = None
        self.told: Sequence[Finding] = ()

    def take(self, answer: Answer) -> None:
        """Take what another run came to."""
        self.answer, self.told = answer, answer.findings

    @property
    def evidence(self) -> Sequence[Evidence]:
        """What this run judges it by."""
        return () if self.found is None else self.found.all()

    @property
    def beyond(self) -> tuple[str, ...]:
        """The contracts that no source in use can show."""
        if self.answer is not None:
            return self.answer.beyond
        needs = set() if self.found is None else self.found.beyond
        return tuple(b.contract.id for b in self.bound if b.contract.needs in needs)

    @property
    def is_left(self) -> bool:
        """It was left to other runs, which remember what it came to; this one had no turn before the time was up."""
        return self.key is not None and self.answer is None and self.polled_at is None

    @property
    def is_polled(self) -> bool:
        """This run asked it."""
        return self.answer is None and not self.is_left

    @property
    def is_an_answer(self) -> bool:
        """The provider was heard: what this host alone could not reach is no answer for others."""
        return self.is_whole and any(finding.evidence is not None for finding in self.judged or ())
