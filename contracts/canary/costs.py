"""What a canary did cost, by the usage that was reported, and the prices that a user tells."""

from __future__ import annotations

from decimal import ROUND_UP, Context, Decimal, localcontext
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.evidence.prices import amount
from contracts.listed import Model
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from contracts.facts import Facts, Usage

MILLION = Decimal(1_000_000)
# By what they are due for. A price that is in none of these, and not zero, makes a cost that nobody can tell.
PER_INPUT = ("prompt", "input", "input_cache_write", "input_cache_read")
PER_OUTPUT = ("completion", "output", "internal_reasoning")
PER_REQUEST = ("request",)
NOT_ASKED_FOR = ("image", "image_output", "image_token", "web_search", "audio", "input_audio_cache", "audio_output")
DIGITS = 200  # a sum of small prices keeps its last digit


def cost_usd(entries: Iterable[Model], facts: Facts) -> Decimal | None:
    """Tell what an answer cost by its listing and its usage; None where either does not tell.

    The dearest of all entries and of all prices that can be due for a token is taken, so that it is never too little.
    """
    usage = facts.reply.usage if facts.reply is not None else None
    tokens = None if usage is None else _tokens(usage)
    if tokens is None:
        return None
    costs = [_cost(entry, *tokens) for entry in entries]
    known = [cost for cost in costs if cost is not None]
    return max(known) if known and len(known) == len(costs) else None


def _tokens(usage: Usage) -> tuple[int, int] | None:
    """Count what went in and what came out, thoughts included; None where nothing can have been counted."""
    sent, came = usage.input_tokens, usage.output_tokens
    if usage.faults or not sent or came is None or sent < 0 or came < 0:
        return None
    # Where thoughts are counted beside the answer, only the total has them.
    return sent, max(came, (usage.total_tokens or 0) - sent)


def _cost(entry: Model, sent: int, came: int) -> Decimal | None:
    dearest = {"input": Decimal(0), "output": Decimal(0), "request": Decimal(0)}
    for name, text in entry.prices:
        price = amount(text)
        if price is None or price < 0:
            return None
        due = (
            "input" if name in PER_INPUT else "output" if name in PER_OUTPUT else "request" if name in PER_REQUEST
            else None
        )  # fmt: skip
        if due is not None:
            dearest[due] = max(dearest[due], price)
        elif price and name not in NOT_ASKED_FOR:
            return None
    with localcontext(Context(prec=DIGITS, rounding=ROUND_UP)):
        return dearest["input"] * sent + dearest["output"] * came + dearest["request"]


def told_prices(options: Sequence[str]) -> dict[str, Model]:
    """Read `MODEL=INPUT/OUTPUT` in USD for a million tokens, for listings that have no prices.

    Raises:
        ConfigError: for what is none.
    """
    told = {}
    for option in options:
        model, _, pair = option.rpartition("=")
        parts = [amount(part) for part in pair.split("/")]
        prices = [part for part in parts if part is not None and part >= 0 and not part.is_signed()]
        if not model or len(parts) != 2 or len(prices) != 2:  # noqa: PLR2004 - what goes in and what comes out
            expected = "expected MODEL=INPUT/OUTPUT in USD for a million tokens, such as acme-1=3/15"
            raise ConfigError(f"--price: {expected}, found '{scrub(option, 80)}'")
        per_token = [f"{price / MILLION:f}" for price in prices]
        told[model] = Model(id=model, prices=(("input", per_token[0]), ("output", per_token[1])))
    return told
