"""Which contracts of a provider change their outcome with a poll. Pure.

A finding on the provider as a whole speaks for those of its models that have none of their own; where only models have
findings, nothing is said of the provider as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.model import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contracts.model import Finding

    Key = tuple[str, str]  # model, empty for the provider as a whole, and contract
    Told = Mapping[Key, Finding]
    Known = Mapping[Key, tuple[str, str]]  # the outcome, and the instant since when

GONE = Outcome.NOT_APPLICABLE.value


def changed(known: Known, told: Told, *, complete: bool) -> dict[Key, tuple[str, Finding | None]]:
    """Give the new outcome of each that changed, with the finding that says so, None where one is missing.

    Args:
        known: the outcomes so far.
        told: the findings of the poll.
        complete: the poll judged every contract and model of the provider, so that what it does not name is gone.
    """
    changes: dict[Key, tuple[str, Finding | None]] = {}
    named = 0
    for key, finding in told.items():
        was = known.get(key)
        named += was is not None
        if was is None or was[0] != finding.outcome:
            changes[key] = finding.outcome.value, finding
    if named == len(known):
        return changes  # the rule, as a provider is asked for the same at every poll
    of_models = {contract for model, contract in told if model}
    for key in known.keys() - told.keys():
        model, contract = key
        whole = told.get(("", contract))
        if whole is not None:
            outcome = whole.outcome.value
        elif complete or (not model and contract in of_models):
            outcome = GONE
        else:
            continue
        if known[key][0] != outcome:
            changes[key] = outcome, whole
    return changes
