"""The values that the page of `contracts report` is filled from. Nothing in them is escaped or scrubbed yet."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from contracts.model import Contract

Counts = tuple[tuple[str, int], ...]  # outcomes that occur, worst first


class Strip(Struct, frozen=True):
    """Polls side by side: how many, each stretch as outcome, first place and place after its last, and all in words."""

    polls: int
    stretches: tuple[tuple[str, int, int], ...]
    said: str


class Row(Struct, frozen=True, kw_only=True):
    """One line of a provider. `since` is when the outcome began, `count` how many polls saw it violated, all told."""

    contract: str
    model: str | None
    outcome: str
    severity: str
    since: datetime | None
    changes: int
    count: int
    strip: Strip


class Steady(Struct, frozen=True):
    """Lines that came to one outcome, since one instant, at every poll shown."""

    outcome: str
    since: datetime
    lines: tuple[str, ...]


class Moved(Struct, frozen=True, kw_only=True):
    """An outcome that changed at one of the polls shown. `was` None: it had not been judged before."""

    at: datetime
    place: int
    provider: str
    contract: str
    model: str | None
    was: str | None
    now: str


class Shown(Struct, frozen=True, kw_only=True):
    """One provider.

    Attributes:
        place: its number on the page, for links.
        name: as the state has it.
        outcome: the worst of its lines now.
        severity: of that contract; empty where the configuration does not have it.
        is_row: whether the providers file still has it.
        polls: the instants of the polls shown.
        counts: its lines by outcome, worst first.
        cells: the worst outcome now of each contract of the page, in the page's order; None where not judged.
        strip: the worst outcome of each poll.
        rows: lines that changed or are not in order, worst first.
        steady: lines that came to `holds` or `not-applicable` at every poll shown.
        steady_count: how many those are.
        left_out: how many lines are in neither.
    """

    place: int
    name: str
    outcome: str
    severity: str
    is_row: bool
    polls: tuple[datetime, ...]
    counts: Counts
    cells: tuple[str | None, ...]
    strip: Strip
    rows: tuple[Row, ...]
    steady: tuple[Steady, ...]
    steady_count: int
    left_out: int


class Promise(Struct, frozen=True, kw_only=True):
    """One contract with where it stands. `contract` is None where the configuration has it no more."""

    id: str
    contract: Contract | None
    counts: Counts
    not_in_order: tuple[tuple[int, str, str], ...]


class Page(Struct, frozen=True, kw_only=True):
    """The whole page."""

    made_at: datetime
    version: str
    polls: int
    counts: Counts
    providers: tuple[Shown, ...]
    promises: tuple[Promise, ...]
    moved: tuple[Moved, ...]
    moved_left_out: int
    providers_left_out: int
