"""A 429 says in its headers when to come back.

What it checks
    `Retry-After` in seconds or as a date, `retry-after-ms`, or a header that tells when a rate limit resets.

Why it matters
    Without it clients guess; a guess too short makes the limit last longer, one too long wastes a healthy provider.

Example:
    check: {kind: retry_after}

Source
    https://www.rfc-editor.org/rfc/rfc6585#section-4 and https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3,
    read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, not_applicable, violated
from contracts.model import Where

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict

TOO_MANY_REQUESTS = 429
INSTANT_S = 1_000_000_000  # 31 years: whoever writes so many seconds meant the Unix time of an instant


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the headers of a 429."""
    del want
    if facts.status != TOO_MANY_REQUESTS:
        return not_applicable(f"judges 429, and the status is {facts.status}")
    headers = {name.lower(): value.strip() for name, value in facts.headers}
    told = headers.get("retry-after")
    if told is not None:
        where = Where(header="retry-after")
        if told.isascii() and told.isdigit():
            if len(told.lstrip("0")) < len(str(INSTANT_S)):
                return holds(observed=f"Retry-After: {told[:60]}")
            return violated(
                "Retry-After gives an instant as a number, which means seconds from now",
                expected="seconds or a date",
                observed=told[:60],
                where=where,
            )
        if _is_date(told):
            return holds(observed=f"Retry-After: {told[:60]}")
        return violated(
            "Retry-After is neither seconds nor a date", expected="seconds or a date", observed=told[:60], where=where
        )
    for name, value in headers.items():
        if value and (name == "retry-after-ms" or ("ratelimit" in name.replace("-", "") and "reset" in name)):
            return holds(observed=f"{name}: {value[:60]}")
        if name == "ratelimit" and ("t=" in value or "reset=" in value):  # draft-ietf-httpapi-ratelimit-headers
            return holds(observed=f"{name}: {value[:60]}")
    return violated("a 429 does not say when to come back", expected="Retry-After", observed="nothing")


def _is_date(value: str) -> bool:
    """Tell whether a value is an HTTP date (RFC 9110, section 5.6.7)."""
    from email.utils import parsedate

    return parsedate(value) is not None
