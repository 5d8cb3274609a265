"""No error arrives inside a success.

What it checks
    Every form in which a 2xx answer is known to carry an error: an `error` member beside or instead of choices,
    an `event: error`, an error in a choice, keys of an error at the top, a line `error: {…}`. A full context, a
    spent quota or a bad key is ours and has scope `pipeline`; an upstream that the error names is named.

Why it matters
    A client that looks at the status alone shows half an answer as a whole one, and bills it.

Example:
    check: {kind: no_error}

Source
    https://openrouter.ai/docs/api-reference/errors, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, reply_of, unknown, unread, violated
from contracts.model import Scope, Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import ErrorSeen, Facts

OURS = (
    "context length", "context_length", "context size", "context_size", "context window", "maximum context",
    "prompt too long", "prompt is too long", "input is too long", "too many tokens", "quota", "billing", "credits",
    "api key", "api_key", "unauthorized", "authentication", "rate limit", "rate_limit",
)  # fmt: skip

OUR_CODES = ("401", "402", "413")  # no key, no credit, too large a request


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge whether an error was told."""
    del want
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    if not facts.errors:
        why = unread(facts, reply)
        return unknown(why) if why else holds()
    error = facts.errors[0]
    via = f" from upstream {error.upstream}" if error.upstream else ""
    said = f": {error.message}" if error.message else ""
    code = error.code or error.type
    return violated(
        f"an error{via} came inside a {facts.status} answer ({error.form}{', ' + code if code else ''}){said}",
        expected="no error",
        observed=code or error.form,
        scope=Scope.PIPELINE if is_ours(error) else None,
        where=Where(event=error.event, byte=error.byte),
    )


def is_ours(error: ErrorSeen) -> bool:
    """Tell whether an error answers a fault of the request or the account, by what it says."""
    said = f"{error.message} {error.code or ''} {error.type or ''}".lower()
    return error.code in OUR_CODES or any(word in said for word in OURS)
