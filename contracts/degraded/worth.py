"""Which decisions are told one by one: clients may ask for any number of models that nobody serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from contracts.breaker.memory import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from contracts.breaker.memory import Decision
    from contracts.breaker.tally import Key, Tally

MOST = 5_000  # models that are as they were; as many as a table tells apart where there are too many


def worth_telling(decisions: Sequence[Decision], groups: Mapping[Key, Sequence[Tally]]) -> tuple[Decision, ...]:
    """Leave out models of which nothing is known but that they were asked for.

    All that was decided, stands or was ever tripped is told, and each provider. Of the others those are that were
    throttled or had an answer in the day that could be judged or called a tool: the MOST that had the most.

    Args:
        decisions: on every key.
        groups: counts by provider and model.
    """
    known = [one for one in decisions if _has_to_be(one)]
    weights = {one.key: _weight(groups.get(one.key, ())) for one in decisions if not _has_to_be(one)}
    others = [one for one in decisions if one.key in weights and (weights[one.key][0] or one.state is State.THROTTLED)]
    others.sort(key=lambda one: weights[one.key], reverse=True)
    told = {one.key for one in (*known, *others[:MOST])}
    return tuple(one for one in decisions if one.key in told)


def _has_to_be(one: Decision) -> bool:
    """Tell whether a decision is told whatever there is beside it; how many are is up to the router, not to clients."""
    is_whole = not one.model  # a provider, or all of its models that have no name here
    was_tripped = one.attempt > 0 or one.since is not None
    # A client can have any name answered 429.
    stands = one.state is not State.THROTTLED and (one.state is not one.was or one.state is not State.CLOSED)
    return is_whole or was_tripped or stands


def _weight(group: Sequence[Tally]) -> tuple[int, int]:
    """Give how many answers of the day show anything, and how many there were."""
    shows = sum(tally.day for tally in group if tally.verdict != "unverifiable" or tally.is_call)
    return shows, sum(tally.day for tally in group)
