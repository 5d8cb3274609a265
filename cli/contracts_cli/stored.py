"""The state of earlier runs, for commands that look into it: they make none where there is none."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from contracts.errors import ConfigError
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from contracts.state.store import State
    from contracts.state.timeline import Timeline

POLLS = 120  # shown where no width says how many fit: five days of hourly polls


def placed(option: str | None) -> str | None:
    """Tell where a run's state is, None where there is none; one that is missing unasked is told of."""
    from contracts.state.place import place

    where = place(option, os.environ)
    if where is None and not (option or os.environ.get("CONTRACTS_STATE")):
        from contracts_cli.terminal import complain

        complain("no place for a state, as HOME is not set: nothing is remembered; --state names one, or none")
    return where


@contextmanager
def opened(option: str | None, *, writes: bool = False) -> Iterator[State]:
    """Open the state that `--state`, the environment or the place of the user's states names.

    Args:
        option: what `--state` says.
        writes: something is to be changed; else a state that may only be read will do.

    Raises:
        ConfigError: where there is none, it is switched off, or it cannot be used.
    """
    from contracts.state.address import is_address
    from contracts.state.errors import StateError
    from contracts.state.opening import open_state, open_to_read
    from contracts.state.place import place

    where = place(option, os.environ)
    if where is None:
        raise ConfigError("--state: expected the state of earlier runs, found none, which switches it off")
    if not is_address(where) and not os.path.lexists(where):
        raise ConfigError(f"{where}: expected the state that `contracts check` leaves there (--state), found nothing")
    try:
        state = open_state(where) if writes else open_to_read(where)
        try:
            yield state
        finally:
            state.close()
    except StateError as error:
        raise ConfigError(str(error)) from error


def timelines(state: State, names: Sequence[str], polls: int) -> list[Timeline]:
    """Give the timelines of providers in the order in which they were named, of all by name where none was.

    Raises:
        ConfigError: for a provider that was never polled, and for no polls at all.
        StateError: where the state cannot be read.
    """
    if polls < 1:
        raise ConfigError(f"--polls: expected 1 or more, found {polls}")
    found = state.timelines(tuple(dict.fromkeys(names)) or None, polls)
    missing = [one.provider for one in found if not one.lines and not one.polls]
    if missing:
        from contracts.config.words import did_you_mean

        known = [one.provider for one in state.timelines(None, 1)]
        raise ConfigError(
            *(f"expected a provider that was polled, found '{scrub(n)}'{did_you_mean(n, known)}" for n in missing)
        )
    return found
