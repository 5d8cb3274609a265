"""`contracts record`: keep a provider's answers as cassettes, scrubbed, without spend unless a budget is given."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation

from msgspec import Struct

from contracts.errors import ConfigError, EvidenceError, LockedError
from contracts.text.scrub import scrub
from contracts_cli import terminal

UNKNOWN = 3  # nothing is violated, but what was asked for could not be had
MOST_USD = 1000  # more is a slip of the unit


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for; `folder` None is `cassettes` beside the providers file, `max_spend` is USD, `*_s` seconds."""

    provider: str
    config: str | None = None
    folder: str | None = None
    force: bool = False
    max_spend: str = "0"
    timeout_s: float = 60.0
    state: str | None = None
    wait_s: float = 0.0


def run(settings: Settings) -> int:
    """Record, list the files on standard output and all else on standard error, and return the exit status."""
    budget_usd = amount("--max-spend", settings.max_spend)
    from contracts import record
    from contracts.run import remembered
    from contracts_cli.stored import placed

    asked = record.RecordSettings(
        provider=settings.provider,
        config=settings.config,
        folder=settings.folder,
        force=settings.force,
        max_spend_usd=budget_usd,
        timeout_s=settings.timeout_s,
    )
    try:
        with remembered(placed(settings.state), settings.wait_s, terminal.complain) as memory:
            recorded = record.record(asked, memory=memory)
    except LockedError as error:
        terminal.complain(f"{error}; --wait waits for it to end")
        return UNKNOWN
    except EvidenceError as error:
        terminal.complain(str(error))
        return UNKNOWN
    terminal.write("".join(f"{scrub(path, 4000)}\n" for path in recorded.files))
    for name, what, count in recorded.removed:
        _tell(f"{name}: removed {what}" + (f" ({count} times)" if count > 1 else ""))
    for missing in recorded.missing:
        _tell(f"not recorded: {missing}")
    totals = recorded.totals
    _tell(
        f"{totals.get} GET, {totals.post_free} free POST, {totals.post_paid} paid POST, {totals.refused} refused; "
        f"spent at most {totals.spend_usd:f} USD"
    )
    return 0


def amount(flag: str, text: str) -> Decimal:
    """Read an amount in USD. Raises ConfigError."""
    try:
        usd = Decimal(text) if text.isascii() and len(text) <= 20 else None  # noqa: PLR2004 - no budget is longer
    except InvalidOperation:
        usd = None
    if usd is None or not usd.is_finite() or not 0 <= usd <= MOST_USD:
        told = f"expected an amount in USD such as 0.05, at most {MOST_USD}"
        raise ConfigError(f"{flag}: {told}, found '{scrub(text, 40)}'")
    return usd


def _tell(line: str) -> None:
    sys.stderr.write(f"{scrub(line, 2000)}\n")
