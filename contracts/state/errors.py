"""What can go wrong with the state. A run judges without it, and says so."""

from __future__ import annotations

from contracts.state.tables import MIGRATIONS


class StateError(Exception):
    """The state cannot be used; the message names the file or database and why."""


def refuse_newer(where: str, version: int) -> None:
    """Raise StateError for a state that a newer version of this program wrote: it is left as it is."""
    if version > len(MIGRATIONS):
        raise StateError(
            f"{where}: expected a state of version {len(MIGRATIONS)} or older, found {version}; "
            "a newer contracts wrote it"
        )


def refuse_older(where: str, version: int) -> None:
    """Raise StateError for a state that this version would have to change before it could read it."""
    if version < len(MIGRATIONS):
        found = f"one of version {version}, which an older contracts wrote" if version else "an empty database"
        raise StateError(
            f"{where}: expected a state of version {len(MIGRATIONS)}, found {found}; "
            "run `contracts check` once, which may write it"
        )
