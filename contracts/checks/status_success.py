"""A good request is answered 2xx.

What it checks
    The status of an answer. A 5xx, a redirect or an edge's HTML page is the provider's, whatever its cause; a
    JSON 4xx is the answer to a request of ours and has scope `pipeline`. A 400 or 404 that names the asked
    model is left to `models.resolve`, and the answer to a request that was sent without a key on purpose is no
    violation.

Why it matters
    A router that takes an edge's page for an answer shows it to the user; one that counts its own 401 as an
    outage drops a healthy provider.

Example:
    check: {kind: status_success}

Source
    https://www.rfc-editor.org/rfc/rfc9110#section-15, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, is_success, not_applicable, violated
from contracts.checks.model_resolves import names_model
from contracts.model import Scope
from contracts.wire.status import CLIENT_ERROR, REDIRECT, SERVER_ERROR

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This kind takes none."""


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the status."""
    del want
    status, observed = facts.status, f"{facts.status}"
    if facts.body.kind == "html":
        edge = server(facts)
        hop = f" from {edge}" if edge else ""
        return violated(f"an HTML page{hop} came with status {status}", expected="2xx", observed=f"{status}, HTML")
    if is_success(facts):
        return holds(observed=observed)
    said = f": {facts.errors[0].message}" if facts.errors and facts.errors[0].message else ""
    if status // 100 == CLIENT_ERROR:
        if facts.keyless:
            return not_applicable("the request was sent without a key on purpose")
        if names_model(facts):
            return not_applicable("the error names the asked model, which models.resolve judges")
        return violated(f"status {status}{said}", expected="2xx", observed=observed, scope=Scope.PIPELINE)
    kind = (
        "a redirect"
        if status // 100 == REDIRECT
        else "a server error"
        if status // 100 == SERVER_ERROR
        else "no success"
    )
    return violated(f"status {status} is {kind}{said}", expected="2xx", observed=observed)


def server(facts: Facts) -> str | None:
    """Name the hop that answered, as it names itself."""
    return next((value[:60] for name, value in facts.headers if name.lower() == "server"), None)
