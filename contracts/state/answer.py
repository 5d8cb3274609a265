"""What a poll of a provider came to, as other runs take it."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from msgspec import Struct

from contracts.model import Finding


class Key(NamedTuple):
    """What is asked: of which provider, and a digest of all that an answer depends on."""

    provider: str
    digest: str


class Answer(Struct, frozen=True, kw_only=True):
    """Findings with what was new about them at that poll; they never hold the text of a completion.

    `polled_at` is when the poll began, by the clock of the state; `beyond` names the contracts that no source in use
    could show.
    """

    polled_at: datetime
    findings: tuple[Finding, ...]
    beyond: tuple[str, ...] = ()


class Share(NamedTuple):
    """As what an answer is shared: by which key, when the poll began, and what no source could show."""

    key: Key
    polled_at: datetime
    beyond: tuple[str, ...] = ()
