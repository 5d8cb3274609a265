"""Counts of what answers came to: all that the breaker knows of them, however many there were."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from contracts.text.attribution import SIGNATURES
from contracts.text.verdict import ASCII_ONLY, CALL

Arm = Literal["encoding", "content"]

THROTTLED = "status 429"
_CONTENT = frozenset({"malformed", "looping"})
_BY_MODEL = "[model]"
_NOBODY = ("[undetermined]", "[pipeline]")


class Key(NamedTuple):
    """Whom a breaker stops sending to: a provider with all its models (`model` None), or one model of it."""

    provider: str
    model: str | None


class Tally(Struct, frozen=True, kw_only=True):
    """How often one provider's model came to one thing.

    Attributes:
        provider: its name.
        model: its id.
        verdict: the word of `text.verdict`; others are no evidence.
        signature: `NAME [SCOPE]` of `mangled`, the whole detail where it is one of few, else empty.
        attributable: the answers' `model_attributable`.
        day: how many in the last 24 hours; of a tally that was counted since an instant, since then.
        window: how many of them in the window in which rates are compared.
        before: how many in the 24 hours before the day.
        first_at: of those of the day.
        last_at: the same.
        before_last_at: the last of those before the day.
    """

    provider: str
    model: str
    verdict: str
    signature: str = ""
    attributable: bool = False
    day: int = 0
    window: int = 0
    before: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    before_last_at: datetime | None = None

    @property
    def name(self) -> str:
        """The signature without the scope in brackets, or the word where there is none."""
        return self.signature.partition(" [")[0] or self.verdict

    @property
    def arm(self) -> Arm | None:
        """What kind of fault this is, decided by the signature; None where it is none that steers.

        What a model wrote for itself is content, whatever it looks like. Damage of which nobody can tell whose it is
        steers nothing; a row without brackets is another writer's, who leaves it to the signature.
        """
        if not self.attributable:
            return None
        if self.verdict in _CONTENT:
            return "content"
        if self.verdict != "mangled" or self.signature.endswith(_NOBODY):
            return None
        if self.signature.endswith(_BY_MODEL):
            return "content"
        # A hop or a server does it to every model behind it.
        return "encoding" if self.name in SIGNATURES else None

    @property
    def is_clean(self) -> bool:
        """Whether these are answers in which nothing was wrong."""
        return self.verdict == "ok"

    @property
    def shows_wire(self) -> bool:
        """Whether these are clean and not all ASCII, so that a wire that damages the rest would have shown."""
        return self.verdict == "ok" and self.signature != ASCII_ONLY

    @property
    def is_call(self) -> bool:
        """Whether these are turns in which a tool was called: no evidence of emptiness, either way."""
        return self.verdict == "unverifiable" and self.signature == CALL

    @property
    def is_throttled(self) -> bool:
        """Whether these were answered 429."""
        return self.verdict == "unverifiable" and self.signature == THROTTLED
