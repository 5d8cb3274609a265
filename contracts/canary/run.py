"""A run of canaries: the free listing, then each model whose turn it is, as far as money and time go."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.canary import told
from contracts.canary.costs import told_prices
from contracts.canary.session import Session
from contracts.canary.verdict import of_provider
from contracts.config import catalogue as catalogues
from contracts.dialects import canaries as dialects
from contracts.errors import ConfigError
from contracts.evidence import lookups
from contracts.report import Requests
from contracts.run import config_path
from contracts.settings import Shared
from contracts.state.canaries import day_of
from contracts.state.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from contracts.canary.session import Asked
    from contracts.canary.verdict import Verdict
    from contracts.model import Provider
    from contracts.state.canaries import Canaries


class CanarySettings(Struct, frozen=True, kw_only=True):
    """What `contracts canary` was asked to do.

    Attributes:
        provider: the name of a row.
        config: the providers file, or None to look for it in the usual places.
        models: ids, all that the row allows where none is named.
        max_spend_usd: what this run may cost at most; 0 asks only what is free.
        budget_per_day_usd: what all canaries with this state may cost on a day, None for no limit of its own.
        prices: `MODEL=INPUT/OUTPUT` in USD for a million tokens.
        at_most: models in this run, those whose canary is the oldest; None for all.
        dry_run: read the listing and say what would be asked, and ask nothing else.
        timeout_s: limit for all of it, in seconds.
    """

    provider: str
    config: str | None = None
    models: tuple[str, ...] = ()
    max_spend_usd: Decimal = Decimal(0)
    budget_per_day_usd: Decimal | None = None
    prices: tuple[str, ...] = ()
    at_most: int | None = None
    dry_run: bool = False
    timeout_s: float = 600.0


def run(
    settings: CanarySettings,
    *,
    state: Canaries | None = None,
    complain: Callable[[str], None] = lambda _: None,
    environ: Mapping[str, str] = os.environ,
) -> told.Told:
    """Ask a provider's models for an echo, and tell what came back.

    Raises:
        ConfigError: for a bad YAML file, an unknown name, or a row that cannot be asked.
    """
    started_at = datetime.now(UTC)
    path = config_path(Shared(config=settings.config))
    catalogue = catalogues.load(path)
    row = catalogue.provider(settings.provider)
    models = _models(row, settings, path)
    if row.base_url is None:
        raise ConfigError(f"{path}: expected a base_url in provider '{row.name}', found none")
    dialect = dialects.load(row.dialect)
    if dialect is None:
        raise ConfigError(f"{path}: provider '{row.name}': nothing is asked back in the dialect {row.dialect} yet")
    prices = told_prices(settings.prices)
    session = Session(settings, catalogue, row, dialect, models, prices, state, complain, environ)
    asked = lookups.run(session.run(started_at))
    return _put_together(settings, session, asked, started_at, _day_usd(state, started_at))


def _put_together(
    settings: CanarySettings, session: Session, asked: Sequence[Asked], started_at: datetime, day_usd: Decimal | None
) -> told.Told:
    """Judge the models beside each other, and tell it."""
    verdicts = of_provider([one.verdict for one in asked], session.proxy_in_the_clear)
    found = tuple(_told(one, verdict) for one, verdict in zip(asked, verdicts, strict=True))
    ended_at = datetime.now(UTC)
    note = told.note(settings.provider, found, ended_at)
    outcome, scope = told.overall(found)
    totals = session.ledger.totals
    return told.Told(
        provider=settings.provider,
        at=started_at,
        duration_ms=round((ended_at - started_at).total_seconds() * 1000),
        dry_run=settings.dry_run,
        outcome="left" if settings.dry_run else outcome,
        scope=None if settings.dry_run else scope,
        spend_usd=totals.spend_usd,
        max_spend_usd=settings.max_spend_usd,
        budget_per_day_usd=settings.budget_per_day_usd,
        day_usd=day_usd,
        requests=Requests(get=totals.get, post_free=totals.post_free, post_paid=totals.post_paid,
                          refused=totals.refused),
        models=found,
        notes=() if note is None or settings.dry_run else (note,),
    )  # fmt: skip


def _models(row: Provider, settings: CanarySettings, path: str) -> tuple[str, ...]:
    """Choose the models. Raises ConfigError."""
    if not row.models:
        raise ConfigError(f"{path}: expected models in provider '{row.name}', found none")
    for model in settings.models:
        if model not in row.models:
            raise ConfigError(f"--model: expected one of {', '.join(sorted(row.models))}, found '{model}'")
    return tuple(m for m in row.models if not settings.models or m in settings.models)


def _told(one: Asked, verdict: Verdict) -> told.Model:
    return told.Model(
        model=one.model,
        outcome=verdict.outcome,
        scope=verdict.scope,
        kinds=verdict.kinds,
        reasons=verdict.reasons,
        most_usd=one.most_usd,
        cost_usd=sum((answer.cost_usd for answer in one.answers), Decimal(0)),
        answers=tuple(one.answers),
    )


def _day_usd(state: Canaries | None, at: datetime) -> Decimal | None:
    try:
        return None if state is None else state.spent_usd(day_of(at))
    except StateError:
        return None
