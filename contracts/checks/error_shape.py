"""An error is labelled JSON, has the dialect's error shape and comes with a status that fits.

What it checks
    Answers of 4xx and 5xx: the label, strict JSON, an error object with a message; a status inside the error
    that equals that of the answer; codes whose meaning belongs to another status (`invalid_api_key` with 500), and
    kinds that belong to the other side (`invalid_request_error` with 500).

Why it matters
    Retries, fallbacks and messages are chosen by what the error says; a page of HTML says nothing.

Example:
    check: {kind: error_shape}

Source
    https://platform.openai.com/docs/guides/error-codes, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, not_applicable, unfinished, unknown, violated
from contracts.model import Where
from contracts.wire import media_type

if TYPE_CHECKING:
    from contracts.facts import ErrorSeen, Facts
    from contracts.model import Verdict

FIRST_ERROR = 400  # RFC 9110, section 15.5
FITTING = {
    "invalid_api_key": (401, 403),
    "authentication_error": (401, 403),
    "permission_error": (403,),
    "rate_limit_exceeded": (429, 413),  # Groq answers 413 to a request larger than the minute's tokens
    "rate_limit_error": (429,),
    "insufficient_quota": (429, 402, 403),
    "model_not_found": (404, 400, 403),
    "context_length_exceeded": (400, 413, 422),
    "not_found_error": (404,),
    "request_too_large": (413,),
    "overloaded_error": (529, 503),
}
# Kinds of error that say whose fault it was, and the hundred of the status that says so too.
SIDES = {
    "invalid_request_error": 4,
    "badrequesterror": 4,
    "notfounderror": 4,
    "server_error": 5,
    "internal_server_error": 5,
    "internalservererror": 5,
}


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`shape: any` takes any JSON object, for a provider whose errors are known to differ."""

    shape: str = "dialect"


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the shape of an error."""
    if facts.status < FIRST_ERROR:
        return not_applicable(f"judges errors, and the status is {facts.status}")
    if facts.body.over_limit is not None:
        return unknown(f"the body is too large to judge: {facts.body.over_limit.detail}")
    stopped = unfinished(facts)
    if stopped:
        return unknown(stopped)
    values = [value for name, value in facts.headers if name.lower() == "content-type"]
    label = media_type.parse(values)
    observed = ", ".join(values) or "no Content-Type"
    if facts.body.kind != "json":
        what = "empty" if facts.body.kind == "empty" else facts.body.kind
        return violated(f"the body of a {facts.status} is {what}", expected="a JSON error", observed=observed)
    if label is None or not media_type.is_json(label.essence):
        where = Where(header="content-type")
        return violated(
            "a JSON error is not labelled JSON", expected="application/json", observed=observed, where=where
        )
    if facts.json_faults:
        fault = facts.json_faults[0]
        return violated(f"the error is not strict JSON: {fault.kind} {fault.detail}", expected="JSON", at=fault)
    error = facts.errors[0] if facts.errors else None
    if want.shape == "dialect" and (error is None or not error.shaped):
        form = f"an error in the form '{error.form}'" if error else "JSON without an error"
        return violated(f"a {facts.status} carries {form}", expected="an error object with a message", observed=form)
    return _fits(facts, error)


def _fits(facts: Facts, error: ErrorSeen | None) -> Verdict:
    """Judge whether status and error agree."""
    code = error.code if error else None
    if code and code.isascii() and code.isdigit() and FIRST_ERROR <= int(code) < 600 and int(code) != facts.status:  # noqa: PLR2004 - 5xx ends
        return violated(
            f"the error says {code} and the status {facts.status}", expected=code, observed=f"{facts.status}"
        )
    for word in (code, error.type if error else None):
        fitting = FITTING.get(word or "")
        if fitting and facts.status not in fitting:
            expected = " or ".join(map(str, fitting))
            return violated(f"'{word}' came with status {facts.status}", expected=expected, observed=f"{facts.status}")
    kind = (error.type if error else None) or ""
    side = SIDES.get(kind.lower())
    if side is not None and facts.status // 100 != side:
        return violated(f"'{kind}' came with status {facts.status}", expected=f"{side}xx", observed=f"{facts.status}")
    return holds()
